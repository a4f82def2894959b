//! Scaling: rows or columns brought to a common size.
//!
//! * ball: x/R with R = max ‖x‖ over the training rows, so that ‖x‖ ≤ 1 as the theorems assume. No angle changes.
//! * unit: x/‖x‖, each row by itself; a row of zeros stays one. Long and short texts then count the same.
//! * standard: (x − μ)/σ for each column of numbers, with the mean and the (population) deviation of the training rows.
//! * minmax: (x − min)/(max − min), to [0, 1] on the training rows.
//!
//! The last two keep sparse rows sparse. Categories, words and missing-value indicators are not scaled. Features
//! of sparse rows whose zeros mean "absent" (LIBSVM, Vowpal Wabbit) are divided, by σ or by max |x|, and not shifted.
//! A column that is constant in training becomes zero: it carries no information.

use serde::{Deserialize, Serialize};

use super::entries::Entries;
use super::kind::Kind;
use super::{Step, numbers};
use crate::error::{Error, Result};
use crate::learn::{Array, State, Weights};
use crate::named::named;
use crate::rows::{AnyRows, Row, Rows};

/// What is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Nothing.
    #[default]
    None,
    /// All rows together: the longest has length 1.
    Ball,
    /// Each row: all have length 1.
    Unit,
    /// Each column of numbers: mean 0, deviation 1.
    Standard,
    /// Each column of numbers: from 0 to 1.
    MinMax,
}

named!(Scaling: None = "none", Ball = "ball", Unit = "unit", Standard = "standard", MinMax = "minmax");

/// A fitted scaling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    by: Scaling,
    /// Subtracted from each feature; ball and unit: empty.
    #[serde(skip)]
    shift: Vec<f64>,
    /// The factor of each feature; ball: one for all; unit: empty.
    #[serde(skip)]
    factor: Vec<f64>,
    /// The features with a shift, in order.
    #[serde(skip)]
    shifted: Vec<u32>,
}

impl Scale {
    /// Each row by itself: no other rows are needed.
    pub(super) fn unit() -> Scale {
        Scale::new(Scaling::Unit, Vec::new(), Vec::new())
    }

    /// Whether each row gets the length 1.
    pub(crate) fn is_of_rows(&self) -> bool {
        self.by == Scaling::Unit
    }

    /// Measures training rows. `None`: nothing is to be scaled.
    pub fn fit(by: Scaling, rows: AnyRows<'_>, kinds: &[Kind]) -> Result<Option<Scale>> {
        let (shift, factor) = match by {
            Scaling::None => return Ok(None),
            Scaling::Unit => (Vec::new(), Vec::new()),
            Scaling::Ball => {
                let radius = (0..rows.len()).map(|i| rows.row(i).sq_norm()).fold(0.0, f64::max).sqrt();
                (Vec::new(), vec![inverse(radius)])
            }
            Scaling::Standard => standard(rows, kinds),
            Scaling::MinMax => min_max(rows, kinds),
        };
        if !shift.iter().chain(&factor).all(|v| v.is_finite()) {
            return Err(Error::bad_data(
                "the values are too large to be scaled: their squares overflow; divide them by a common factor",
            ));
        }
        Ok(Some(Scale::new(by, shift, factor)))
    }

    fn new(by: Scaling, shift: Vec<f64>, factor: Vec<f64>) -> Scale {
        let shifted = (0..).zip(&shift).filter(|(_, s)| **s != 0.0).map(|(j, _)| j).collect();
        Scale { by, shift, factor, shifted }
    }
}

impl Scale {
    /// w·f(x − s) + b = (f w)·x + (b − f w·s): turns weights behind this map into weights before it. `None`: each row has
    /// its own factor.
    pub(super) fn pull_back(&self, weights: &mut Weights) -> Option<()> {
        if self.by == Scaling::Unit {
            return None;
        }
        let (outputs, features) = (weights.outputs(), weights.features());
        let (mut values, mut bias) = (weights.values().to_vec(), weights.bias().to_vec());
        for j in 0..features {
            let factor = if self.by == Scaling::Ball { self.factor[0] } else { self.factor[j] };
            for k in 0..outputs {
                let value = &mut values[j * outputs + k];
                *value *= factor;
                bias[k] -= *value * self.shift.get(j).copied().unwrap_or(0.0);
            }
        }
        *weights = Weights::from_parts(values, bias, weights.constant());
        Some(())
    }
}

/// 1/x; 0 if that overflows, NaN if x is not finite.
pub(super) fn inverse(x: f64) -> f64 {
    let inverse = 1.0 / x;
    if !x.is_finite() {
        f64::NAN
    } else if inverse.is_finite() {
        inverse
    } else {
        0.0
    }
}

fn standard(rows: AnyRows<'_>, kinds: &[Kind]) -> (Vec<f64>, Vec<f64>) {
    let n = rows.len() as f64;
    let (mut mean, mut stored) = (vec![0.0; kinds.len()], vec![0u64; kinds.len()]);
    for i in 0..rows.len() {
        rows.row(i).each(|j, v| {
            mean[j] += v;
            stored[j] += 1;
        });
    }
    mean.iter_mut().for_each(|m| *m /= n);
    // A second pass about the mean: the difference of two large sums would cancel.
    let mut squares = vec![0.0; kinds.len()];
    for i in 0..rows.len() {
        rows.row(i).each(|j, v| squares[j] += (v - mean[j]) * (v - mean[j]));
    }
    let deviation = |j: usize| ((squares[j] + (n - stored[j] as f64) * mean[j] * mean[j]) / n).sqrt();
    let each = kinds.iter().enumerate().map(|(j, kind)| match kind {
        Kind::Number => (mean[j], inverse(steady(deviation(j), mean[j]))),
        Kind::Count => (0.0, inverse(deviation(j))),
        Kind::Word | Kind::Mark => (0.0, 1.0),
    });
    each.unzip()
}

/// Zero for a deviation that is only the rounding of the mean.
fn steady(deviation: f64, mean: f64) -> f64 {
    if deviation <= 1e-14 * mean.abs() { 0.0 } else { deviation }
}

fn min_max(rows: AnyRows<'_>, kinds: &[Kind]) -> (Vec<f64>, Vec<f64>) {
    let n = rows.len() as u64;
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY, 0u64); kinds.len()];
    for i in 0..rows.len() {
        rows.row(i).each(|j, v| {
            let (low, high, stored) = ends[j];
            ends[j] = (low.min(v), high.max(v), stored + 1);
        });
    }
    let each = kinds.iter().zip(ends).map(|(kind, (low, high, stored))| {
        // A value that is not stored is zero.
        let (low, high) = if stored < n { (low.min(0.0), high.max(0.0)) } else { (low, high) };
        match kind {
            Kind::Number => (low, inverse(high - low)),
            Kind::Count => (0.0, inverse(low.abs().max(high.abs()))),
            Kind::Word | Kind::Mark => (0.0, 1.0),
        }
    });
    each.unzip()
}

impl Step for Scale {
    fn outputs(&self, inputs: usize) -> usize {
        inputs
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        match self.by {
            Scaling::None => {}
            Scaling::Ball => row.values.iter_mut().for_each(|v| *v *= self.factor[0]),
            Scaling::Unit => {
                let length = row.row().sq_norm().sqrt();
                let factor = inverse(length);
                row.values.iter_mut().for_each(|v| *v *= factor);
            }
            Scaling::Standard | Scaling::MinMax => {
                spare.clear();
                // Merges two sorted lists: the stored entries, and the features with a shift, stored or not.
                let scaled = |j: u32, v: f64| (v - self.shift[j as usize]) * self.factor[j as usize];
                let mut shifted = self.shifted.iter().copied().peekable();
                for (&j, &v) in row.indices.iter().zip(&row.values) {
                    while let Some(k) = shifted.next_if(|&k| k < j) {
                        spare.push(k, scaled(k, 0.0));
                    }
                    shifted.next_if_eq(&j);
                    spare.push(j, scaled(j, v));
                }
                shifted.for_each(|k| spare.push(k, scaled(k, 0.0)));
                std::mem::swap(row, spare);
            }
        }
    }

    fn kinds(&self, inputs: Vec<Kind>) -> Vec<Kind> {
        inputs
    }

    fn names(&self, inputs: Vec<String>) -> Vec<String> {
        inputs
    }

    fn affine(&self, feature: usize) -> Option<(f64, f64)> {
        match self.by {
            Scaling::None => Some((0.0, 1.0)),
            Scaling::Ball => Some((0.0, self.factor[0])),
            Scaling::Unit => None,
            Scaling::Standard | Scaling::MinMax => Some((self.shift[feature], self.factor[feature])),
        }
    }

    fn describe(&self) -> String {
        match self.by {
            Scaling::None => "nothing".to_string(),
            Scaling::Ball => format!("all rows multiplied by {:.6}", self.factor[0]),
            Scaling::Unit => "each row to length 1".to_string(),
            // Sparse columns are divided; a table whose means are all exactly zero is, too.
            Scaling::Standard if self.shifted.is_empty() => {
                "each feature divided by its deviation, not shifted: zeros stay zeros".to_string()
            }
            Scaling::MinMax if self.shifted.is_empty() => {
                "each feature divided by its greatest size, not shifted: zeros stay zeros".to_string()
            }
            Scaling::Standard => "each column of numbers to mean 0, deviation 1".to_string(),
            Scaling::MinMax => "each column of numbers to the range 0 to 1".to_string(),
        }
    }

    fn save(&self, arrays: &mut State) {
        match self.by {
            Scaling::None | Scaling::Unit => {}
            Scaling::Ball => arrays.put("factor", Array::F64(self.factor.clone())),
            Scaling::Standard | Scaling::MinMax => {
                arrays.put("shift", Array::F64(self.shift.clone()));
                arrays.put("factor", Array::F64(self.factor.clone()));
            }
        }
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let (shift, factor) = match self.by {
            Scaling::None => return Err(Error::bad_model("a scaling that scales nothing")),
            Scaling::Unit => (Vec::new(), Vec::new()),
            Scaling::Ball => (Vec::new(), numbers(arrays, "factor", 1)?),
            Scaling::Standard | Scaling::MinMax => {
                (numbers(arrays, "shift", inputs)?, numbers(arrays, "factor", inputs)?)
            }
        };
        if factor.iter().any(|f| *f < 0.0) {
            return Err(Error::bad_model("a scaling by a negative number"));
        }
        *self = Scale::new(self.by, shift, factor);
        Ok(())
    }
}
