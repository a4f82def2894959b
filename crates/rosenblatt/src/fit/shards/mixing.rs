//! How shards are weighted, and which learners can be mixed.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::fit::{Order, Start, Trainer};
use crate::learn::keep::KeepKind;
use crate::named::named;

/// How the shards of a round are mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mixing {
    /// All have the same weight, and the next round starts ahead of their mean, in the direction of the last rounds. A learner
    /// with more than weights to mix (AROW's variances) is mixed uniformly.
    #[default]
    Momentum,
    /// All have the same weight.
    Uniform,
    /// Each has the weight of its updates: for the perceptron, of its mistakes.
    Errors,
}

named!(Mixing: Momentum = "momentum", Uniform = "uniform", Errors = "errors");

impl Mixing {
    /// The weight of a shard before division by the sum of all. A shard without examples has none.
    pub(super) fn weight(self, presented: u64, updates: u64) -> f64 {
        match self {
            Mixing::Momentum | Mixing::Uniform => f64::from(u8::from(presented > 0)),
            Mixing::Errors => updates as f64,
        }
    }
}

/// Refuses a training whose state cannot be mixed, with the reason.
pub(super) fn check_mixes(trainer: &Trainer) -> Result<()> {
    let refuse = |why: String| Err(Error::settings(format!("{why}: shards cannot be mixed")));
    let recipe = &trainer.recipe;
    if recipe.is_custom() {
        return refuse(format!("{}: what a rule of your own remembers is not known", recipe.learner));
    }
    let entry = recipe.entry()?;
    if let Some(why) = entry.not_mixed {
        return refuse(format!("{}: {why}", entry.name));
    }
    if recipe.kernel.is_some() {
        return refuse("the support vectors of a kernel machine have no mean".into());
    }
    match recipe.keep()? {
        KeepKind::Last | KeepKind::Average => {}
        KeepKind::Vote => return refuse("voters of different shards have not survived the same examples".into()),
        KeepKind::Pocket => return refuse("the pocket counts on all examples after each step".into()),
    }
    if let Some(schedule) = recipe.params()?.texts().get("schedule").filter(|schedule| *schedule != "constant") {
        return refuse(format!("schedule={schedule}: a rate that falls with the updates of one shard differs in each"));
    }
    if matches!(trainer.plan.order, Order::Given(_)) {
        return refuse("an order of all examples".into());
    }
    if trainer.start != Start::Zero {
        return refuse("initial weights other than zero".into());
    }
    Ok(())
}
