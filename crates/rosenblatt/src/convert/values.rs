//! The numbers of a table as text.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::certify::exact::{ExactRow, ExactRows, Written};
use crate::error::{Error, Result};
use crate::read::Integers;
use crate::rows::{AnyRows, Row, Rows};

/// Where all digits of a table's numbers are.
pub(super) enum Digits<'a> {
    /// In the floats in memory.
    Float,
    /// In the file's text.
    Written(Written<'a>),
    /// In an array of 64-bit integers.
    Integers(Integers),
}

/// The source of a table's numbers: memory, or the file where it holds more digits.
pub(super) struct Values<'a> {
    rows: AnyRows<'a>,
    digits: &'a Digits<'a>,
    /// Rows read ahead from the file.
    ahead: RefCell<HashMap<usize, ExactRow>>,
    /// The most numbers to read ahead.
    most: usize,
}

/// At least this many numbers are read ahead at a time: each batch costs one pass over the file.
const AHEAD: usize = 1 << 20;
/// For large tables a batch grows to this share, so that about as many passes are enough.
const LOOKS: usize = 8;

impl<'a> Values<'a> {
    /// The rows of a table, and their digits.
    pub(super) fn new(rows: AnyRows<'a>, digits: &'a Digits<'a>) -> Self {
        let numbers: usize = (0..rows.len()).map(|i| rows.stored(i)).sum();
        Values { rows, digits, ahead: RefCell::default(), most: AHEAD.max(numbers / LOOKS) }
    }

    /// The nonzero entries of a row: feature and text. Fastest if rows are requested in order.
    pub(super) fn row(&self, i: usize) -> Result<Vec<(usize, String)>> {
        if let Digits::Integers(integers) = self.digits {
            let row = i * self.rows.features()..(i + 1) * self.rows.features();
            return Ok(row.enumerate().filter_map(|(j, at)| Some((j, integers.nonzero(at)?))).collect());
        }
        if let Digits::Written(written) = self.digits
            && written.holds_more(i)
        {
            let mut ahead = self.ahead.borrow_mut();
            if !ahead.contains_key(&i) {
                let mut numbers = 0;
                let next = (i..self.rows.len()).filter(|&i| written.holds_more(i)).take_while(|&i| {
                    let wanted = numbers < self.most;
                    numbers += self.rows.stored(i);
                    wanted
                });
                let next: Vec<usize> = next.collect();
                *ahead = next.iter().copied().zip(written.fetch(&next)?).collect();
            }
            return Ok(ahead.get(&i).map(exact).unwrap_or_default());
        }
        let mut entries = Vec::new();
        self.rows.row(i).each(|j, v| {
            if v != 0.0 {
                entries.push((j, shortest(v)))
            }
        });
        Ok(entries)
    }
}

impl Values<'_> {
    /// Refuses integers that floats would change.
    pub(super) fn refuse_rounded_integers(&self) -> Result<()> {
        let holds_more = |i: usize| match self.digits {
            Digits::Float => false,
            Digits::Written(written) => written.holds_more(i),
            Digits::Integers(_) => true,
        };
        for i in (0..self.rows.len()).filter(|&i| holds_more(i)) {
            for (_, text) in self.row(i)? {
                let whole = text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
                if whole && text.parse::<f64>().is_ok_and(|v| format!("{v:.0}") != text) {
                    return Err(Error::settings(format!(
                        "row {}: npy is written as floats of 64 bits, which cannot hold {text}: choose csv, tsv or libsvm",
                        i + 1
                    )));
                }
            }
        }
        Ok(())
    }
}

/// The shortest text that reads back as the same number.
fn shortest(v: f64) -> String {
    const LONG: usize = 24;
    let plain = v.to_string();
    if plain.len() <= LONG { plain } else { format!("{v:e}") }
}

/// Decimals with all digits; the scale of a row from text is a power of ten.
fn exact(row: &ExactRow) -> Vec<(usize, String)> {
    let places = row.scale.to_string().len() - 1;
    row.entries.iter().map(|(j, digits)| (*j, decimal(&digits.to_string(), places))).collect()
}

/// An integer divided by 10^`places`, without needless zeros.
fn decimal(digits: &str, places: usize) -> String {
    const MOST_ZEROS: usize = 20;
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |d| ("-", d));
    let kept = digits.trim_end_matches('0');
    let zeros = digits.len() - kept.len();
    if zeros > places + MOST_ZEROS || places > zeros + kept.len() + MOST_ZEROS {
        return format!("{sign}{kept}e{}", zeros as i64 - places as i64);
    }
    if zeros >= places {
        return format!("{sign}{kept}{}", "0".repeat(zeros - places));
    }
    let padded = format!("{kept:0>width$}", width = places - zeros + 1);
    let (whole, fraction) = padded.split_at(padded.len() + zeros - places);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::exact::Decimal;

    #[test]
    fn decimals_keep_their_digits() {
        for text in ["0.1000000000000000055", "-12.5", "3", "0.00012345678901234567890123", "123456789012345678901234"]
        {
            let row = ExactRow::of_decimals(vec![(0, Decimal::parse(text.as_bytes()).unwrap())]);
            assert_eq!(exact(&row), [(0, text.to_string())]);
        }
    }

    #[test]
    fn floats_are_short_and_read_back() {
        assert_eq!(
            [0.1, -2.0, 1e300, 5e-324, 1e15].map(shortest),
            ["0.1", "-2", "1e300", "5e-324", "1000000000000000"]
        );
    }
}
