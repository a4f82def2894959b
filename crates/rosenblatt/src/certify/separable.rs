//! Separability in one call, and the answer without big numbers.

use super::arrays::Arrays;
use super::decide::{Decision, Options, Verdict};
use super::exact::Memory;
use super::kesler::decide_jointly;
use crate::error::{Error, Result};
use crate::rows::Table;

/// Whether a table is linearly separable, proved in exact arithmetic.
#[derive(Debug, Clone)]
pub struct Separability<'a> {
    /// The answer.
    pub verdict: Verdict,
    /// Bounds of the best geometric margin γ, if two classes are separable.
    pub margin: Option<(f64, f64)>,
    /// A separating hyperplane of two classes, rounded to floats: a weight for each feature, the greatest
    /// 1 in size, and the bias.
    pub hyperplane: Option<(Vec<f64>, f64)>,
    /// At most this many mistakes of the perceptron, by its theorem, if two classes are separable.
    pub bound: Option<f64>,
    /// The rows (from 0) that prove it: those that bound the margin, or those that cancel.
    pub rows: Vec<usize>,
    /// Two rows (from 0) with the same features and different labels, if there are any.
    pub contradiction: Option<(usize, usize)>,
    table: &'a Table,
    decision: Decision,
}

/// Whether some hyperplane has every example of a table strictly on its side. With more than two classes: whether linear
/// scores exist of which the right class's is always the greatest.
///
/// The answer is a proof, not an estimate. It refers to the numbers in the table: a float is the exact fraction that its
/// bits encode. [`Separability::certificate`] writes the proof as JSON, for others to check.
///
/// ```
/// use rosenblatt::{Table, Verdict, separable};
/// let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let and = Table::dense(&corners, &["no", "no", "no", "yes"])?;
/// assert_eq!(separable(&and)?.verdict, Verdict::Separable);
///
/// let xor = Table::dense(&corners, &["no", "yes", "yes", "no"])?;
/// let answer = separable(&xor)?;
/// assert_eq!(answer.verdict, Verdict::Inseparable);
/// assert_eq!(answer.rows, [0, 1, 2, 3]); // their positive sums cancel
/// assert!(answer.certificate()?.contains("inseparable"));
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub fn separable(table: &Table) -> Result<Separability<'_>> {
    let options = Options::default();
    let decision = if table.labels.len() > 2 {
        table.check_learnable()?;
        let rows = table.examples()?.rows;
        decide_jointly(rows, &Memory(rows), &table.classes, table.labels.len(), &options)?
    } else {
        Arrays::new(table, None)?.decide(&options)?
    };
    Ok(Separability {
        verdict: decision.verdict,
        margin: decision.margin.as_ref().map(|margin| margin.floats()),
        hyperplane: decision.hyperplane.as_ref().map(|plane| plane.floats()),
        bound: decision.bound,
        rows: decision.support.iter().map(|(row, _)| *row).collect(),
        contradiction: decision.contradiction,
        table,
        decision,
    })
}

impl Separability<'_> {
    /// The proof as JSON, for two classes: `rosenblatt verify` and the crate `rosenblatt-verify` check it beside the data.
    pub fn certificate(&self) -> Result<String> {
        if self.table.labels.len() > 2 {
            return Err(Error::settings("a certificate is for two classes"));
        }
        Arrays::new(self.table, None)?.certificate(&self.decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyperplane_separates_and_margins_bracket() {
        let rows = [[1.0, 2.0], [3.0, 1.0], [-1.0, -1.0], [-2.0, 0.5]];
        let table = Table::dense(&rows, &["+", "+", "-", "-"]).unwrap();
        let answer = separable(&table).unwrap();
        assert_eq!(answer.verdict, Verdict::Separable);
        let (weights, bias) = answer.hyperplane.clone().unwrap();
        for (row, &class) in rows.iter().zip(&table.classes) {
            let score = weights[0] * row[0] + weights[1] * row[1] + bias;
            assert_eq!(score > 0.0, class == 1, "{row:?}");
        }
        let (low, high) = answer.margin.unwrap();
        assert!(0.0 < low && low <= high && answer.bound.unwrap() > 0.0);
        assert!(answer.certificate().unwrap().contains("separable"));
    }

    #[test]
    fn three_classes_are_decided_jointly() {
        let table = Table::dense(&[[0.0], [1.0], [2.0], [0.5]], &["a", "b", "c", "a"]).unwrap();
        let answer = separable(&table).unwrap();
        assert_eq!((answer.verdict, answer.margin), (Verdict::Separable, None));
        assert_eq!(answer.certificate().unwrap_err().to_string(), "a certificate is for two classes");
        let twice = Table::dense(&[[0.0], [1.0], [2.0], [1.0]], &["a", "b", "c", "a"]).unwrap();
        assert_ne!(separable(&twice).unwrap().verdict, Verdict::Separable);
    }

    #[test]
    fn rows_that_contradict_each_other_are_named() {
        let table = Table::dense(&[[1.0], [2.0], [1.0]], &["a", "b", "b"]).unwrap();
        let answer = separable(&table).unwrap();
        assert_eq!(answer.contradiction, Some((0, 2)));
        assert_ne!(answer.verdict, Verdict::Separable);
    }
}
