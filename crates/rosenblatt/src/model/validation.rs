//! The errors on held-out examples, pass by pass, as stored in a model.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The errors on held-out examples, pass by pass: enough for a training curve.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// The number of held-out examples.
    pub examples: u64,
    /// How many of them the model gets wrong after each pass.
    pub wrong_by_epoch: Vec<u64>,
    /// How many training examples it gets wrong.
    pub train_wrong_by_epoch: Vec<u64>,
    /// The pass whose model was kept, from 1; 0 if no pass was finished.
    pub kept: u32,
}

impl Validation {
    /// The share of held-out examples that the kept model gets wrong; `None` if no pass was finished.
    pub fn error(&self) -> Option<f64> {
        let wrong = self.wrong_by_epoch.get((self.kept as usize).checked_sub(1)?)?;
        Some(*wrong as f64 / self.examples as f64)
    }

    /// Refuses what no training writes.
    pub(crate) fn check(&self, trained_on: u64, epochs: usize) -> Result<()> {
        let below = |wrong: &[u64], all: u64| wrong.len() == epochs && wrong.iter().all(|&w| w <= all);
        let sound = self.examples > 0
            && below(&self.wrong_by_epoch, self.examples)
            && below(&self.train_wrong_by_epoch, trained_on)
            && self.kept as usize <= epochs
            && (self.kept > 0) == (epochs > 0);
        if sound { Ok(()) } else { Err(Error::bad_model("the validation errors contradict the training")) }
    }
}
