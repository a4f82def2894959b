//! More than two classes at once: the Kesler construction.
//!
//! Classes 0…K−1 are jointly separable if weights w₀…w_{K−1} give every example's own class the highest score. That is
//! one homogeneous question in K·(m+1) dimensions: for example (x, y) and every other class r the vector with (x, 1) in
//! block y and −(x, 1) in block r must have a positive product with (w₀, …, w_{K−1}).

use dashu_int::IBig;

use super::decide::{Decision, Options, Question, decide, unmeasured};
use super::decider::{in_time, is_late};
use super::wide;
use crate::certify::exact::{ExactRow, ExactRows};
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Message;
use crate::rows::{AnyRows, Matrix, Row, Rows, SparseMatrix};

/// The rows of the construction, exactly.
pub(super) struct Kesler<'a> {
    of: &'a dyn ExactRows,
    classes: &'a [u32],
    count: usize,
    bias: bool,
}

impl<'a> Kesler<'a> {
    pub(super) fn new(of: &'a dyn ExactRows, classes: &'a [u32], count: usize, bias: bool) -> Self {
        Kesler { of, classes, count, bias }
    }

    /// The rows in floats, and their signs.
    pub(super) fn floats(&self, rows: AnyRows<'_>) -> Result<(Matrix, Vec<i8>)> {
        let (classes, width) = (self.count, self.of.features() as u128 + u128::from(self.bias));
        if classes as u128 * width > u128::from(u32::MAX) {
            // Columns are numbers of 32 bits: two of them must not become one.
            let message = format!("{classes} classes × {width} coordinates are more than {} at once", u32::MAX);
            return Err(Error::out_of_memory(message));
        }
        let total = rows.len() * (self.count - 1);
        let stored: u128 = (0..rows.len()).map(|i| 2 * (rows.stored(i) as u128 + 1)).sum();
        let what = || Message::new(format!("{} examples against {} classes each", rows.len(), self.count - 1));
        limits::room_for::<(u32, f64)>(stored * (self.count as u128 - 1), what)?;
        let mut sparse = SparseMatrix { features: self.features(), ..SparseMatrix::default() };
        for row in 0..total {
            if row.is_multiple_of(1024) {
                limits::check()?;
            }
            let (example, _, _) = self.parts(row);
            for (block, positive) in self.blocks(row) {
                let first = block * self.width();
                let sign = if positive { 1.0 } else { -1.0 };
                let mut put = |j: usize, v: f64| {
                    if v != 0.0 {
                        sparse.indices.push((first + j) as u32);
                        sparse.values.push(sign * v);
                    }
                };
                rows.row(example).each(&mut put);
                if self.bias {
                    put(rows.features(), 1.0);
                }
            }
            sparse.end_row();
        }
        let signs = (0..total).map(|r| if self.parts(r).2 { -1 } else { 1 }).collect();
        Ok((Matrix::Sparse(sparse), signs))
    }

    /// Coordinates of a block.
    fn width(&self) -> usize {
        self.of.features() + usize::from(self.bias)
    }

    /// The example and the other class of a row, and whether the row is negated: a question needs two signs.
    fn parts(&self, row: usize) -> (usize, usize, bool) {
        let (example, k) = (row / (self.count - 1), row % (self.count - 1));
        let own = self.classes[example] as usize;
        (example, k + usize::from(k >= own), !row.is_multiple_of(2))
    }

    /// (block, whether positive) in increasing order of block.
    fn blocks(&self, row: usize) -> [(usize, bool); 2] {
        let (example, other, negated) = self.parts(row);
        let own = self.classes[example] as usize;
        let mut blocks = [(own, !negated), (other, negated)];
        blocks.sort_unstable();
        blocks
    }
}

impl ExactRows for Kesler<'_> {
    fn features(&self) -> usize {
        self.width() * self.count
    }

    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>> {
        let examples: Vec<usize> = rows.iter().map(|&r| self.parts(r).0).collect();
        let place = |(&r, row): (&usize, ExactRow)| {
            let mut entries = Vec::with_capacity(2 * row.entries.len() + 2);
            for (block, positive) in self.blocks(r) {
                let first = block * self.width();
                let signed = |v: &IBig| if positive { v.clone() } else { -v };
                entries.extend(row.entries.iter().map(|(j, v)| (first + j, signed(v))));
                if self.bias {
                    entries.push((first + self.of.features(), signed(&IBig::from(row.scale.clone()))));
                }
            }
            ExactRow { entries, scale: row.scale }
        };
        Ok(rows.iter().zip(self.of.fetch(&examples)?).map(place).collect())
    }
}

/// Decides whether all classes are separable at once. Support and witness name examples; there is no hyperplane and no
/// margin to report.
pub fn decide_jointly(
    rows: AnyRows<'_>,
    exact: &dyn ExactRows,
    classes: &[u32],
    count: usize,
    options: &Options,
) -> Result<Decision> {
    if count < 2 || options.degree != 1 {
        return Err(Error::settings("joint separability is for two classes or more, and degree 1"));
    }
    if let Some(narrow) = wide::narrowed(rows)? {
        let decision = decide_blocks(narrow.matrix.rows()?, &narrow.exact(exact), classes, count, options)?;
        return Ok(Decision { features: rows.features(), ..decision });
    }
    decide_blocks(rows, exact, classes, count, options)
}

fn decide_blocks(
    rows: AnyRows<'_>,
    exact: &dyn ExactRows,
    classes: &[u32],
    count: usize,
    options: &Options,
) -> Result<Decision> {
    let kesler = Kesler::new(exact, classes, count, options.bias);
    let made = if options.deadline.has_passed() {
        Err(Error::out_of_time())
    } else {
        in_time(options, || kesler.floats(rows))
    };
    let (matrix, signs) = match made {
        Err(error) if is_late(&error) => {
            return Ok(unmeasured(rows.len(), rows.features(), options));
        }
        made => made?,
    };
    let question = Question { rows: matrix.rows()?, exact: Box::new(&kesler), signs };
    let mut decision = decide(&question, &Options { bias: false, ..options.clone() })?;
    for (row, _) in &mut decision.support {
        *row /= count - 1;
    }
    decision.support.dedup_by_key(|s| s.0);
    decision.examples = rows.len();
    decision.features = rows.features();
    Ok(Decision { hyperplane: None, margin: None, bound: None, contradiction: None, bias: options.bias, ..decision })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::exact::Memory;
    use crate::certify::{AuditOptions, Verdict, audit_jointly};

    /// `count` classes with an example each, which has the value 1 in a column of its own.
    fn far(count: usize, features: usize) -> (Matrix, Vec<u32>) {
        let mut sparse = SparseMatrix { features, ..SparseMatrix::default() };
        for k in 0..count {
            sparse.indices.push((features - 1 - k) as u32);
            sparse.values.push(1.0);
            sparse.end_row();
        }
        (Matrix::Sparse(sparse), (0..count as u32).collect())
    }

    /// 30 classes × 200 million columns are more than 32 bits count: columns wrapped around, the exact rows lost theirs, and
    /// what is separable was proved to be inseparable.
    #[test]
    fn columns_of_many_classes_stay_apart() {
        let (matrix, classes) = far(30, 200_000_000);
        let rows = matrix.rows().unwrap();
        let decision = decide_jointly(rows, &Memory(rows), &classes, 30, &Options::default()).unwrap();
        assert_eq!((decision.verdict, decision.features), (Verdict::Separable, 200_000_000));
        let options = AuditOptions { time: None, ..AuditOptions::default() };
        let found = audit_jointly(rows, &Memory(rows), (&classes, 30), &options, &mut |_, _| ()).unwrap();
        assert_eq!((found.bounds(), found.features), ((0.0, 0.0), 200_000_000));
        // As many columns in use are too many.
        let kesler = Memory(rows);
        let refused = Kesler::new(&kesler, &classes, 30, true).floats(rows).unwrap_err();
        assert!(refused.to_string().contains("30 classes × 200000001 coordinates"), "{refused}");
    }

    /// The rows of 500 classes alone took longer than the limit; then the most frequent class is the answer.
    #[test]
    fn many_classes_are_audited_in_time() {
        let (matrix, mut classes) = far(500, 1000);
        (classes[499], classes[498]) = (7, 7);
        let rows = matrix.rows().unwrap();
        let ask = |bias: bool| {
            let time = Some(std::time::Duration::ZERO);
            let options = AuditOptions { time, bias, ..AuditOptions::default() };
            audit_jointly(rows, &Memory(rows), (&classes, 500), &options, &mut |_, _| ()).unwrap()
        };
        let (found, plain) = (ask(true), ask(false));
        assert_eq!((found.bounds(), found.mistakes.len(), found.is_exact()), ((0.0, 497.0), 497, false));
        assert!(![7, 498, 499].iter().any(|row| found.mistakes.contains(row)));
        assert_eq!((plain.bounds(), plain.mistakes.len()), ((0.0, 500.0), 500));
    }
}
