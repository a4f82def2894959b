//! More than two classes at once: the Kesler construction.
//!
//! Classes 0…K−1 are jointly separable if weights w₀…w_{K−1} give every example's own class the highest score. That is
//! one homogeneous question in K·(m+1) dimensions: for example (x, y) and every other class r the vector with (x, 1) in
//! block y and −(x, 1) in block r must have a positive product with (w₀, …, w_{K−1}).

use dashu_int::IBig;

use super::decide::{Decision, Options, Question, decide};
use crate::certify::exact::{ExactRow, ExactRows};
use crate::error::{Error, Result};
use crate::rows::{AnyRows, Matrix, Row, Rows, SparseMatrix, each_kind};

struct Kesler<'a> {
    of: &'a dyn ExactRows,
    classes: &'a [u32],
    count: usize,
    bias: bool,
}

impl Kesler<'_> {
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
    let kesler = Kesler { of: exact, classes, count, bias: options.bias };
    let total = rows.len() * (count - 1);
    let mut sparse = SparseMatrix { features: kesler.features(), ..SparseMatrix::default() };
    each_kind!(rows, rows => for row in 0..total {
        let (example, _, _) = kesler.parts(row);
        for (block, positive) in kesler.blocks(row) {
            let first = block * kesler.width();
            let sign = if positive { 1.0 } else { -1.0 };
            let mut put = |j: usize, v: f64| if v != 0.0 {
                sparse.indices.push((first + j) as u32);
                sparse.values.push(sign * v);
            };
            rows.row(example).each(&mut put);
            if options.bias {
                put(rows.features(), 1.0);
            }
        }
        sparse.end_row();
    });
    let signs = (0..total).map(|r| if kesler.parts(r).2 { -1 } else { 1 }).collect();
    let matrix = Matrix::Sparse(sparse);
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
