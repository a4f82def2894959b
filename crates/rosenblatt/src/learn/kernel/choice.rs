//! Kernel settings as data.

use serde::{Deserialize, Serialize};

use super::function::Function;
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::kernel::budget::Budget;
use crate::learn::learners as learner;
use crate::learn::learners::Entry;
use crate::message::{Message, Setting};

/// A kernel, and how much of it may be kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Choice {
    /// The kernel.
    pub function: Function,
    /// The most support vectors, and what to do when they are used up; `None`: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// A kernel without a budget.
impl From<Function> for Choice {
    fn from(function: Function) -> Self {
        Choice::new(function)
    }
}

impl Choice {
    /// A kernel without a budget.
    pub fn new(function: Function) -> Self {
        Choice { function, budget: None }
    }

    /// Refuses learners that have no kernel form, and ways to keep that a kernel or a budget does not allow.
    /// `any_keep`: the learner can keep in every way.
    pub fn check(&self, learner: &str, any_keep: bool, keep: KeepKind) -> Result<()> {
        // Learners with any way to keep use only scores and lengths, never the weights.
        if !any_keep {
            let able = |e: &&Entry| e.other_keeps && e.keep != KeepKind::Pocket;
            let others: Vec<&str> = learner::all().filter(able).map(|e| e.name).collect();
            return Err(Error::settings(format!(
                "{learner} has no kernel form: with a kernel, choose one of {}",
                others.join(", ")
            )));
        }
        if keep == KeepKind::Pocket {
            let why = Message::new("with a kernel nothing is kept in a pocket: choose ");
            return Err(Error::settings(why.one_of(Setting::Keep, &["last", "average", "vote"])));
        }
        if let Some(budget) = &self.budget {
            budget.check()?;
            if keep != KeepKind::Last {
                let why = " needs all support vectors, and cannot keep to a budget: add ";
                let message = Setting::Keep.given(keep.name()).text(why).set(Setting::Keep, "last");
                return Err(Error::settings(message));
            }
        }
        Ok(())
    }
}
