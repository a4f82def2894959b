//! The errors on held-back examples, pass by pass, as a model remembers them.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What the held-back examples said, pass by pass: as much as a curve of training needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// How many were held back.
    pub examples: u64,
    /// How many of them the model after each pass got wrong.
    pub wrong_by_epoch: Vec<u64>,
    /// How many training examples it got wrong.
    pub train_wrong_by_epoch: Vec<u64>,
    /// The pass whose model was kept, from 1; 0 if no pass was finished.
    pub kept: u32,
}

impl Validation {
    /// The share of held-back examples that the kept model gets wrong; `None` if no pass was finished.
    pub fn error(&self) -> Option<f64> {
        let wrong = self.wrong_by_epoch.get((self.kept as usize).checked_sub(1)?)?;
        Some(*wrong as f64 / self.examples as f64)
    }

    /// Refuses what no training can have left behind.
    pub(crate) fn check(&self, trained_on: u64, epochs: usize) -> Result<()> {
        let below = |wrong: &[u64], all: u64| wrong.len() == epochs && wrong.iter().all(|&w| w <= all);
        let sound = self.examples > 0
            && below(&self.wrong_by_epoch, self.examples)
            && below(&self.train_wrong_by_epoch, trained_on)
            && self.kept as usize <= epochs
            && (self.kept > 0) == (epochs > 0);
        if sound { Ok(()) } else { Err(Error::bad_model("what validation said contradicts the training")) }
    }
}
