//! Arrays in memory: floats count as exact dyadic rationals, and a certificate refers to bytes that anyone can make from
//! the same arrays.
//!
//! Dense rows are written as `numpy.save` writes them: the features as an array of `<f8` in C order, the labels as one of
//! `<i8` if all are whole numbers, else of `<U`. Anyone who has the arrays can check the certificate:
//!
//! ```python
//! numpy.save("X.npy", numpy.ascontiguousarray(X, "<f8"))
//! numpy.save("y.npy", y.astype("<i8"))    # or .astype(str)
//! ```
//!
//! and then verifying the certificate against both files. Sparse rows, which may be too wide for that, are written as
//! LIBSVM text with their labels, every number with all its digits.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::audit::{Audit, AuditOptions, audit};
use super::certificate::{Bound, Reading, certify, hex};
use super::decide::{Decision, Options, Question, decide, signs};
use crate::certify::exact::{Memory, dyadic};
use crate::error::{Error, Result};
use crate::read::npy_writer as npy;
use crate::rows::{AnyRows, Row, Rows, Table};

/// Labelled rows in memory, one class against the others.
///
/// ```
/// use rosenblatt::Table;
/// use rosenblatt::certify::{Arrays, Options, Verdict};
/// let table = Table::dense(&[[0.1], [0.2], [0.3]], &["1", "-1", "1"])?;
/// let arrays = Arrays::new(&table, None)?;
/// let decision = arrays.decide(&Options::default())?;
/// assert_eq!(decision.verdict, Verdict::Inseparable);
/// let witness: Vec<usize> = decision.support.iter().map(|(row, _)| *row).collect();
/// assert_eq!(witness, [0, 1, 2]);
/// let proof = arrays.certificate(&decision)?;     // `rosenblatt_verify::verify_with_labels` checks it beside
/// let files = arrays.files()?;                    // these bytes, or the files that `numpy.save` makes
/// assert!(files.data.starts_with(b"\x93NUMPY") && files.labels.is_some() && proof.contains("\"npy\""));
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Arrays<'a> {
    table: &'a Table,
    rows: AnyRows<'a>,
    positive: u32,
}

/// The bytes that a certificate of arrays refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The features: NPY. Of sparse rows features and labels: LIBSVM.
    pub data: Vec<u8>,
    /// The labels: NPY; `None` for sparse rows.
    pub labels: Option<Vec<u8>>,
}

impl<'a> Arrays<'a> {
    /// The class `positive` against all others. Without a name the table must have two classes; the second of its
    /// labels is the positive one. Weights of examples are ignored.
    ///
    /// Refused: a table that cannot be trained on, an unknown `positive`, values that are not finite.
    pub fn new(table: &'a Table, positive: Option<&str>) -> Result<Self> {
        table.check_learnable()?;
        let rows = table.examples()?.rows;
        let names = table.labels.names();
        let positive = match positive {
            Some(name) => table.labels.find(name).ok_or_else(|| {
                Error::settings(format!(
                    "positive {name}: no example has this label; the data have {}",
                    crate::rows::list(names)
                ))
            })?,
            None if names.len() == 2 => 1,
            None => {
                let message = format!("{} classes: name the one to separate from the others", names.len());
                return Err(Error::settings(message));
            }
        };
        Ok(Arrays { table, rows, positive })
    }

    /// Whether a hyperplane separates the positive class from the others: verdict, bounds of the margin, hyperplane, and
    /// the rows that prove it.
    pub fn decide(&self, options: &Options) -> Result<Decision> {
        let signs = signs(&self.table.classes, |class| if class == self.positive { 1 } else { -1 });
        decide(&Question { rows: self.rows, exact: Box::new(Memory(self.rows)), signs }, options)
    }

    /// The least cost of the mistakes of any hyperplane, between two proved bounds.
    pub fn audit(&self, options: &AuditOptions, report: &mut dyn FnMut(f64, f64)) -> Result<Audit> {
        let signs = signs(&self.table.classes, |class| if class == self.positive { 1 } else { -1 });
        audit(&Question { rows: self.rows, exact: Box::new(Memory(self.rows)), signs }, options, report)
    }

    /// The certificate of a decision about these arrays, as JSON. An undecided one has none.
    pub fn certificate(&self, decision: &Decision) -> Result<String> {
        let (bound, sides) = self.bound()?;
        certify(decision, &bound, &sides)
    }

    /// The certificate of an audit of these arrays, as JSON.
    pub fn audit_certificate(&self, audit: &Audit) -> Result<String> {
        let (bound, sides) = self.bound()?;
        Ok(audit.certify(&bound, &sides))
    }

    /// The bytes that certificates refer to, and the labels of both sides.
    fn bound(&self) -> Result<(Bound, Reading)> {
        let names = self.table.labels.names();
        let (positive, negative) = names.iter().cloned().partition(|n| *n == names[self.positive as usize]);
        let sides = Reading { positive, negative, labels: None };
        let features = self.rows.features();
        let (sha256, labels, format) = if self.is_sparse() {
            let form = json!({ "format": "libsvm", "first": 1, "features": features });
            (hash(&[&self.text()?]), None, form)
        } else {
            let mut hasher = Sha256::new();
            npy::each_piece(self.table, |bytes| hasher.update(bytes))?;
            (hex(hasher), Some(hash(&[&self.labels()?])), json!({ "format": "npy", "features": features }))
        };
        Ok((Bound { sha256, labels, examples: self.rows.len(), format }, sides))
    }

    /// The bytes that [`certificate`](Self::certificate) refers to. Memory: eight bytes for each value of a dense array.
    pub fn files(&self) -> Result<Files> {
        Ok(if self.is_sparse() {
            Files { data: self.text()?, labels: None }
        } else {
            Files { data: npy::matrix(self.table)?, labels: Some(self.labels()?) }
        })
    }

    fn is_sparse(&self) -> bool {
        self.rows.is_sparse()
    }

    fn labels(&self) -> Result<Vec<u8>> {
        match self.table.labels.names().iter().find(|name| name.contains('\0')) {
            Some(name) => {
                Err(Error::bad_data(format!("the label {name:?} holds a zero byte, which ends a text in NPY")))
            }
            None => Ok(npy::labels(self.table)),
        }
    }

    /// LIBSVM text: features from 1, all digits, no zeros except to make the last feature occur.
    fn text(&self) -> Result<Vec<u8>> {
        let unfit = |name: &&String| {
            name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '#' | ':'))
        };
        if let Some(name) = self.table.labels.names().iter().find(unfit) {
            return Err(Error::bad_data(format!(
                "a certificate of sparse rows refers to LIBSVM text, where a label is one word; {name:?} is not"
            )));
        }
        let (mut text, last) = (String::new(), self.rows.features());
        for (i, &class) in self.table.classes.iter().enumerate() {
            text.push_str(self.table.labels.name(class));
            let mut highest = 0;
            self.rows.row(i).each(|j, v| {
                if v != 0.0 {
                    text.push_str(&format!(" {}:{}", j + 1, all_digits(v)));
                    highest = j + 1;
                }
            });
            if i == 0 && highest < last {
                text.push_str(&format!(" {last}:0"));
            }
            text.push('\n');
        }
        Ok(text.into_bytes())
    }
}

fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    hex(hasher)
}

/// A float with every digit of the dyadic rational that it is: m·2⁻ᵏ has k places.
fn all_digits(value: f64) -> String {
    let (_, exponent) = dyadic(value);
    format!("{value:.*}", exponent.min(0).unsigned_abs() as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::certify::exact::{Decimal, ExactRow};

    #[test]
    fn numbers_have_all_their_digits() {
        assert_eq!(all_digits(0.1), "0.1000000000000000055511151231257827021181583404541015625");
        assert_eq!(all_digits(-3.0), "-3");
        assert_eq!(all_digits(2f64.powi(70)), "1180591620717411303424");
    }

    proptest! {
        #[test]
        fn all_digits_are_the_number(value in any::<f64>().prop_filter("finite", |v| v.is_finite() && *v != 0.0)) {
            let text = ExactRow::of_decimals(vec![(0, Decimal::parse(all_digits(value).as_bytes()).unwrap())]);
            let float = ExactRow::of_floats([(0, value)].into_iter());
            let whole = |row: &ExactRow| dashu_ratio::RBig::from_parts(row.entries[0].1.clone(), row.scale.clone());
            prop_assert_eq!(whole(&text), whole(&float));
        }
    }
}
