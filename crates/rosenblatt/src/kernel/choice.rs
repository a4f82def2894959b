//! What a user chose about kernels, as data.

use serde::{Deserialize, Serialize};

use super::function::Function;
use crate::base::keep::KeepKind;
use crate::error::{Error, Result};
use crate::learner::{self, Entry};

/// A kernel, and how much of it may be kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Choice {
    /// The kernel.
    pub function: Function,
}

impl Choice {
    /// Refuses learners that have no kernel form, and ways to keep that need the weights themselves.
    pub fn check(&self, learner: &Entry, keep: KeepKind) -> Result<()> {
        // What pairs a rule with any way to keep never looks at the weights: only scores and lengths count.
        if !learner.other_keeps {
            let others: Vec<&str> = learner::all().filter(|e| e.other_keeps).map(|e| e.name).collect();
            return Err(Error::settings(format!(
                "{} steps by coordinate and has no kernel form: choose one of {}",
                learner.name,
                others.join(", ")
            )));
        }
        if keep == KeepKind::Pocket {
            return Err(Error::settings(
                "with a kernel nothing is kept in a pocket: choose --keep last, average or vote",
            ));
        }
        Ok(())
    }
}
