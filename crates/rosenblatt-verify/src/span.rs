//! Whether every row lies in the span of the support's rows, exactly.
//!
//! Let S be the matrix of the support's rows, each multiplied by a power of the base so that it is whole, on the columns
//! where any of them is not zero. A row with a value in any other column is not in the span. For the rest, let N be a
//! basis of the null space {n : S n = 0}: a row a is in the span of S exactly if a·n = 0 for every n in N.
//!
//! N is first guessed by elimination modulo the prime 2⁶¹ − 1, its entries taken back to fractions with numerator and
//! denominator below 2³⁰. The guess is accepted only if S N = 0 holds in exact arithmetic, and that suffices: with r
//! the rank modulo the prime and c the number of columns, N holds c − r independent vectors (each is 1 in a column of
//! its own, where the others are 0), so rank S ≤ r; and r ≤ rank S, because a minor that is not zero modulo a prime is
//! not zero. Where the guess fails, the same elimination is done in whole numbers.

use std::collections::HashMap;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};

use crate::refusal::{Checked, Refusal};
use crate::rows::{Entry, Row};
use crate::scaled::{Base, Digits};
use crate::sum::{Sum, above, scale};
use crate::{limits, modular, stop};

/// The support's rows, kept in memory.
#[derive(Debug, Default)]
pub(crate) struct SupportRows {
    rows: Vec<Vec<Entry>>,
    values: usize,
}

impl SupportRows {
    pub(crate) fn add(&mut self, row: &Row<'_>) -> Checked<()> {
        self.values += row.entries.len() + 1;
        if self.values > limits::HELD {
            return Err(Refusal::size("the support's rows hold more than 2^24 values"));
        }
        self.rows.push(row.entries.to_vec());
        Ok(())
    }
}

/// A row on the columns of the support. Its sign does not matter: a and −a have the same span.
fn row(entries: &[Entry]) -> Row<'_> {
    Row { example: 0, line: None, positive: true, entries }
}

/// The span of the support's rows.
#[derive(Debug)]
pub(crate) struct Span {
    /// The position of each feature's column.
    columns: HashMap<usize, usize>,
    bias: bool,
    base: Base,
    /// The null space, column by column: which vectors are not zero there, and what they are.
    null: Vec<Vec<(usize, Digits)>>,
    /// a·n for each vector, of the current row.
    sums: Vec<Sum>,
}

impl Span {
    pub(crate) fn new(held: &SupportRows, bias: bool, base: Base) -> Checked<Self> {
        let mut features: Vec<usize> = held.rows.iter().flatten().map(|e| e.feature).collect();
        features.sort_unstable();
        features.dedup();
        let columns: HashMap<usize, usize> = features.into_iter().enumerate().map(|(i, f)| (f, i)).collect();
        let width = columns.len() + usize::from(bias);
        if width.saturating_mul(width.min(held.rows.len())) > limits::MATRIX {
            let message = format!(
                "the span of {} rows in {width} columns takes a matrix of more than 2^25 values",
                held.rows.len()
            );
            return Err(Refusal::size(message));
        }
        let mut span = Span { columns, bias, base, null: Vec::new(), sums: Vec::new() };
        if let Some(guess) = modular::null_space(held.rows.iter().map(|r| span.whole(&row(r))), width, base) {
            span.take(guess, width);
            if held.rows.iter().all(|r| span.orthogonal(&row(r)) == Some(true)) {
                return Ok(span);
            }
        }
        let exact = exact_null_space(held.rows.iter().map(|r| span.whole(&row(r))), width, base)?;
        span.take(exact, width);
        Ok(span)
    }

    /// Refuses a row that is not in the span.
    pub(crate) fn contains(&mut self, row: &Row<'_>) -> Checked<()> {
        match self.orthogonal(row) {
            Some(true) => Ok(()),
            _ => Err(Refusal::proof(format!(
                "{} does not lie in the span of the support, so the data may yet be weakly separable",
                row.place()
            ))),
        }
    }

    /// Whether a·n = 0 for every n of the null space; `None` if a has a value in a column that the support has not.
    fn orthogonal(&mut self, row: &Row<'_>) -> Option<bool> {
        let scale = scale(row);
        self.sums.fill(Sum::default());
        for entry in row.entries {
            let column = *self.columns.get(&entry.feature)?;
            for (vector, value) in &self.null[column] {
                self.sums[*vector].add(value, &entry.value.digits, self.base, above(&entry.value, scale));
            }
        }
        if self.bias {
            for (vector, value) in &self.null[self.columns.len()] {
                self.sums[*vector].add(value, &Digits::Word(1), self.base, scale.unsigned_abs());
            }
        }
        Some(self.sums.iter().all(Sum::is_zero))
    }

    /// The row in whole numbers: columns, digits and the power of the base of each.
    fn whole<'s>(&'s self, row: &Row<'s>) -> Vec<(usize, Digits, u32)> {
        let scale = scale(row);
        let mut out = Vec::with_capacity(row.entries.len() + 1);
        for entry in row.entries {
            if let Some(&column) = self.columns.get(&entry.feature) {
                out.push((column, entry.value.digits.clone(), above(&entry.value, scale)));
            }
        }
        if self.bias {
            out.push((self.columns.len(), Digits::Word(1), scale.unsigned_abs()));
        }
        out
    }

    fn take(&mut self, vectors: Vec<Vec<(usize, IBig)>>, width: usize) {
        self.sums = vec![Sum::default(); vectors.len()];
        self.null = vec![Vec::new(); width];
        for (i, vector) in vectors.into_iter().enumerate() {
            for (column, value) in vector {
                self.null[column].push((i, Digits::new(value)));
            }
        }
    }
}

/// Gauss–Jordan elimination in whole numbers: b ← (p·b − q·a) / content, so that no fraction ever arises.
///
/// With pivots pᵢ in columns cᵢ and a free column f, the vector with L = lcm pᵢ at f and −L·bᵢf / pᵢ at cᵢ is in the
/// null space; these are a basis.
fn exact_null_space(
    rows: impl Iterator<Item = Vec<(usize, Digits, u32)>>,
    width: usize,
    base: Base,
) -> Checked<Vec<Vec<(usize, IBig)>>> {
    let mut basis: Vec<(usize, Vec<IBig>)> = Vec::new();
    for row in rows {
        stop::check()?;
        let mut dense = vec![IBig::ZERO; width];
        for (column, digits, power) in row {
            dense[column] = digits.big() * base.power(power);
        }
        for (pivot, known) in &basis {
            eliminate(&mut dense, known, *pivot);
        }
        let Some(pivot) = dense.iter().position(|v| *v != IBig::ZERO) else { continue };
        for (_, known) in &mut basis {
            eliminate(known, &dense, pivot);
        }
        basis.push((pivot, dense));
        let bits: u64 = basis.iter().flat_map(|(_, row)| row).map(|v| v.bit_len() as u64).sum();
        if bits > limits::BITS {
            return Err(Refusal::size("the elimination of the span condition would fill more than 1 GiB"));
        }
        if basis.len() == width {
            break;
        }
    }
    let mut free = vec![true; width];
    basis.iter().for_each(|(pivot, _)| free[*pivot] = false);
    let (mut null, mut values) = (Vec::new(), 0);
    for column in (0..width).filter(|&c| free[c]) {
        let used: Vec<_> = basis.iter().filter(|(_, row)| row[column] != IBig::ZERO).collect();
        let common = used.iter().fold(IBig::ONE, |lcm, (pivot, row)| {
            let shared = IBig::from((&lcm).gcd(&row[*pivot]));
            lcm / shared * &row[*pivot]
        });
        values += used.len() + 1;
        if values > limits::NULL {
            return Err(Refusal::size("the null space of the span condition holds more than 2^24 values"));
        }
        let mut vector = vec![(column, common.clone())];
        vector.extend(used.iter().map(|(pivot, row)| (*pivot, -(&common / &row[*pivot] * &row[column]))));
        null.push(vector);
    }
    Ok(null)
}

/// Makes `row` zero at `pivot` with a multiple of `by`, and divides it by what all its values share.
fn eliminate(row: &mut [IBig], by: &[IBig], pivot: usize) {
    if row[pivot] == IBig::ZERO {
        return;
    }
    let (p, q) = (by[pivot].clone(), row[pivot].clone());
    for (value, other) in row.iter_mut().zip(by) {
        *value = &*value * &p - &q * other;
    }
    let content = row.iter().filter(|v| **v != IBig::ZERO).fold(IBig::ZERO, |gcd, value| {
        if gcd == IBig::ONE {
            gcd
        } else if gcd == IBig::ZERO {
            value.clone()
        } else {
            IBig::from(gcd.gcd(value))
        }
    });
    if content != IBig::ZERO && content != IBig::ONE {
        row.iter_mut().for_each(|value| *value = &*value / &content);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sparse(rows: &[Vec<i64>]) -> Vec<Vec<(usize, Digits, u32)>> {
        rows.iter().map(|r| r.iter().enumerate().map(|(i, &v)| (i, Digits::Word(v), 0)).collect()).collect()
    }

    fn is_null(rows: &[Vec<i64>], null: &[Vec<(usize, IBig)>]) -> bool {
        let dot = |row: &Vec<i64>, n: &Vec<(usize, IBig)>| n.iter().map(|(c, v)| v * row[*c]).sum::<IBig>();
        rows.iter().all(|row| null.iter().all(|n| dot(row, n) == IBig::ZERO))
    }

    #[test]
    fn a_plane_in_space() {
        let rows = [vec![1, 0, 2], vec![0, 3, 1], vec![2, 3, 5]];
        let null = exact_null_space(sparse(&rows).into_iter(), 3, Base::Ten).unwrap();
        assert_eq!(null.len(), 1);
        assert!(is_null(&rows, &null));
        assert_eq!(modular::null_space(sparse(&rows).into_iter(), 3, Base::Ten).unwrap().len(), 1);
    }

    proptest! {
        /// Both eliminations find as many vectors, and right ones.
        #[test]
        fn the_guess_agrees_with_the_exact(
            seeds in prop::collection::vec(prop::collection::vec(-4i64..5, 5), 1..4),
            mix in prop::collection::vec((0usize..3, 0usize..3, -2i64..3), 0..4),
        ) {
            let mut rows = seeds.clone();
            for (a, b, times) in mix {
                let (a, b) = (&seeds[a % seeds.len()], &seeds[b % seeds.len()]);
                rows.push(a.iter().zip(b).map(|(x, y)| x + times * y).collect());
            }
            let exact = exact_null_space(sparse(&rows).into_iter(), 5, Base::Ten).unwrap();
            let guess = modular::null_space(sparse(&rows).into_iter(), 5, Base::Ten).unwrap();
            prop_assert!(is_null(&rows, &exact));
            prop_assert!(is_null(&rows, &guess));
            prop_assert_eq!(exact.len(), guess.len());
        }
    }
}
