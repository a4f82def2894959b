//! Missing numbers become the mean of the training rows that have one.
//!
//! The reader gives a column whose missing values become the mean two features: the value (0 where it is missing) and a
//! missing-value indicator. This map removes the indicator and writes the mean.

use serde::{Deserialize, Serialize};

use super::entries::Entries;
use super::kind::Kind;
use super::{Step, without};
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::rows::{AnyRows, Fill, Row, Rows, Schema, with_features};

/// Fitted means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Impute {
    /// The features that are indicators, in order; each follows its value.
    #[serde(skip)]
    indicators: Vec<u32>,
    /// The mean of each value.
    #[serde(skip)]
    means: Vec<f64>,
}

impl Impute {
    /// Computes the means of training rows. `None`: no column is filled with its mean.
    pub fn fit(schema: &Schema, rows: AnyRows<'_>) -> Option<Impute> {
        let Schema::Columns { columns, .. } = schema else { return None };
        let mean = with_features(columns).filter(|(column, _)| column.missing == Some(Fill::Mean));
        let indicators: Vec<u32> = mean.map(|(_, features)| features.start as u32 + 1).collect();
        if indicators.is_empty() {
            return None;
        }
        let (mut sums, mut missing) = (vec![0.0; indicators.len()], vec![0u64; indicators.len()]);
        for i in 0..rows.len() {
            rows.row(i).each(|j, v| {
                let k = indicators.partition_point(|&s| (s as usize) < j);
                let j = j as u32;
                match indicators.get(k) {
                    Some(&indicator) if indicator == j => missing[k] += u64::from(v != 0.0),
                    Some(&indicator) if indicator == j + 1 => sums[k] += v,
                    _ => {}
                }
            });
        }
        let n = rows.len() as u64;
        let mean = |(sum, missing): (&f64, &u64)| if n > *missing { sum / (n - missing) as f64 } else { 0.0 };
        let means = sums.iter().zip(&missing).map(mean).collect();
        Some(Impute { indicators, means })
    }

    /// The mean of each column that is filled with it, in order.
    pub(crate) fn means(&self) -> &[f64] {
        &self.means
    }
}

impl Step for Impute {
    fn outputs(&self, inputs: usize) -> usize {
        inputs - self.indicators.len()
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        spare.clear();
        for (&j, &v) in row.indices.iter().zip(&row.values) {
            let before = self.indicators.partition_point(|&s| s < j);
            if self.indicators.get(before) == Some(&j) {
                let value = j - 1 - before as u32;
                // Readers write no value beside the indicator; any other is ignored.
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
        without(inputs, &self.indicators)
    }

    fn names(&self, inputs: Vec<String>) -> Vec<String> {
        without(inputs, &self.indicators)
    }

    fn describe(&self) -> String {
        match self.indicators.len() {
            1 => "a missing value of the column of numbers becomes its mean".to_string(),
            n => format!("a missing value of the {n} columns of numbers becomes the mean of its column"),
        }
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("signs", Array::U32(self.indicators.clone()));
        arrays.put("means", Array::F64(self.means.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let (indicators, means) = (arrays.u32s("signs")?, arrays.f64s("means")?);
        let fit =
            indicators.first().is_some_and(|&s| s > 0) && indicators.last().is_some_and(|&s| (s as usize) < inputs);
        // An indicator and the value before it are two features, so no two indicators are neighbours.
        if !fit || !indicators.is_sorted_by(|a, b| a + 1 < *b) || means.len() != indicators.len() {
            return Err(Error::bad_model("means of missing values for features that cannot have them"));
        }
        (self.indicators, self.means) = (indicators.to_vec(), means.to_vec());
        Ok(())
    }
}
