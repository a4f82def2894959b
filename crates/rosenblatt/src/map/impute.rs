//! Missing numbers become the mean of the training rows that have one.
//!
//! The reader gives a column whose missing values become the mean two features: the value (0 where it is missing) and a
//! sign that it is missing. This map takes the sign away and puts the mean in its place.

use serde::{Deserialize, Serialize};

use super::entries::Entries;
use super::kind::Kind;
use super::{Step, without};
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::rows::{AnyRows, Fill, Row, Rows, Schema, each_kind};

/// Fitted means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Impute {
    /// The features that are signs, in order; each follows its value.
    #[serde(skip)]
    signs: Vec<u32>,
    /// The mean of each value.
    #[serde(skip)]
    means: Vec<f64>,
}

impl Impute {
    /// Takes the means of training rows. `None`: no column is to be filled so.
    pub fn fit(schema: &Schema, rows: AnyRows<'_>) -> Option<Impute> {
        let Schema::Columns { columns, .. } = schema else { return None };
        let mut first = 0;
        let mut signs = Vec::new();
        for column in columns {
            if column.missing == Some(Fill::Mean) {
                signs.push(first + 1);
            }
            first += column.width() as u32;
        }
        if signs.is_empty() {
            return None;
        }
        let (mut sums, mut missing) = (vec![0.0; signs.len()], vec![0u64; signs.len()]);
        each_kind!(rows, rows => for i in 0..rows.len() {
            rows.row(i).each(|j, v| {
                let k = signs.partition_point(|&s| (s as usize) < j);
                let j = j as u32;
                match signs.get(k) {
                    Some(&sign) if sign == j => missing[k] += u64::from(v != 0.0),
                    Some(&sign) if sign == j + 1 => sums[k] += v,
                    _ => {}
                }
            });
        });
        let n = rows.len() as u64;
        let mean = |(sum, missing): (&f64, &u64)| if n > *missing { sum / (n - missing) as f64 } else { 0.0 };
        let means = sums.iter().zip(&missing).map(mean).collect();
        Some(Impute { signs, means })
    }
}

impl Step for Impute {
    fn outputs(&self, inputs: usize) -> usize {
        inputs - self.signs.len()
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        spare.clear();
        for (&j, &v) in row.indices.iter().zip(&row.values) {
            let before = self.signs.partition_point(|&s| s < j);
            if self.signs.get(before) == Some(&j) {
                let value = j - 1 - before as u32;
                // Readers write no value beside the sign; whoever else does is not believed.
                if spare.indices.last() == Some(&value) {
                    spare.indices.pop();
                    spare.values.pop();
                }
                spare.push(value, self.means[before]);
            } else {
                spare.push(j - before as u32, v);
            }
        }
        std::mem::swap(row, spare);
    }

    fn kinds(&self, inputs: Vec<Kind>) -> Vec<Kind> {
        without(inputs, &self.signs)
    }

    fn names(&self, inputs: Vec<String>) -> Vec<String> {
        without(inputs, &self.signs)
    }

    fn describe(&self) -> String {
        match self.signs.len() {
            1 => "missing values of 1 column filled with its mean".to_string(),
            n => format!("missing values of {n} columns filled with their means"),
        }
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("signs", Array::U32(self.signs.clone()));
        arrays.put("means", Array::F64(self.means.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let (signs, means) = (arrays.u32s("signs")?, arrays.f64s("means")?);
        let fit = signs.first().is_some_and(|&s| s > 0) && signs.last().is_some_and(|&s| (s as usize) < inputs);
        // A sign and the value before it are two features, so no two signs are neighbours.
        if !fit || !signs.is_sorted_by(|a, b| a + 1 < *b) || means.len() != signs.len() {
            return Err(Error::bad_model("means of missing values for features that cannot have them"));
        }
        (self.signs, self.means) = (signs.to_vec(), means.to_vec());
        Ok(())
    }
}
