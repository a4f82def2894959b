//! Which numbers a claim is about.
//!
//! A file may hold more digits than a float: `1` and `1.00000000000000000001` are two numbers and one float. Training is in
//! floats; a proof may be of the numbers as they are written. Whoever claims something says which of the two.

use std::collections::HashMap;

use dashu_int::IBig;

use super::exact::ExactRows;
use crate::error::Result;
use crate::named::named;
use crate::rows::AnyRows;

/// The numbers that a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbers {
    /// Those in the data, exactly.
    AsWritten,
    /// The floats that training reads them as, perhaps after maps.
    #[default]
    Floats,
}

named!(Numbers: AsWritten = "as-written", Floats = "floats");

/// The first two examples with the same numbers and different classes: nothing tells them apart.
///
/// Rows whose floats differ differ as written too, so only rows with the same floats are compared exactly.
pub fn contradiction(rows: AnyRows<'_>, exact: &dyn ExactRows, classes: &[u32]) -> Result<Option<(usize, usize)>> {
    let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
    for i in 0..rows.len() {
        groups.entry(rows.hash(i)).or_default().push(i);
    }
    let mut least = None;
    for group in groups.values().filter(|group| group.iter().any(|&i| classes[i] != classes[group[0]])) {
        let mut first: HashMap<Vec<(usize, IBig)>, usize> = HashMap::new();
        for (&i, row) in group.iter().zip(exact.fetch(group)?) {
            // (x, 1) times its least positive factor that makes it whole: one form for each x.
            let other = *first.entry(row.signed(1, Some(exact.features())).entries).or_insert(i);
            if classes[other] != classes[i] {
                least = Some(least.map_or((other, i), |pair: (usize, usize)| pair.min((other, i))));
                break;
            }
        }
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::source::exact_rows;
    use crate::io::Input;
    use crate::read::{ReadOptions, read};

    fn found(csv: &str) -> Option<(usize, usize)> {
        let input = Input::memory("data.csv", csv);
        let dataset = read(&input, &ReadOptions::default()).unwrap();
        let exact = exact_rows(&input, &dataset).unwrap();
        contradiction(dataset.table.matrix.rows().unwrap(), &*exact, &dataset.table.classes).unwrap()
    }

    #[test]
    fn one_float_may_be_two_numbers() {
        assert_eq!(found("1,a\n1.00000000000000000001,b\n0,a\n2,b\n"), None);
        assert_eq!(found("1,a\n1.00000000000000000001,b\n1.00000000000000000001000,a\n"), Some((1, 2)));
        assert_eq!(found("2,a\n1e0,b\n1.0,a\n0,b\n-0.0,a\n"), Some((1, 2)));
        assert_eq!(found("0,b\n1,a\n-0.0,a\n"), Some((0, 2)));
    }
}
