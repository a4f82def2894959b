//! What is saved and served.

mod answer;
mod check;
mod checkpoint;
mod container;
mod file;
mod hypothesis;
mod products;
mod scratch;
mod updates;
mod voted;
mod write;

pub use answer::Answered;
pub(crate) use answer::Said;
pub use checkpoint::Checkpoint;
pub use file::{from_bytes, from_json, load, save, to_bytes, to_json};
pub(crate) use hypothesis::arg_max;
pub use hypothesis::{Hypothesis, decide};
pub use scratch::Scratch;
pub use updates::{Update, Updates};
pub use voted::Voted;
pub(crate) use write::create_beside;
pub use write::{check_place, write_file};

use serde::{Deserialize, Serialize};

use crate::base::machine::Tie;
use crate::base::row::{Dense, Row};
use crate::data::{AnyRows, Labels, Schema};
use crate::error::{Error, Result};
use crate::fit::{Recipe, Stop};

/// A trained classifier with everything that prediction needs: weights, class names, feature layout, tie rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// What scores.
    pub hypothesis: Hypothesis,
    /// The names of the classes.
    pub labels: Labels,
    /// How raw columns become features.
    pub schema: Schema,
    /// How it was trained.
    pub facts: Facts,
}

/// How a model was trained: no clock, no machine, no path, so the same training writes the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The learner and its settings, complete.
    pub recipe: Recipe,
    /// Training examples.
    pub examples: u64,
    /// Examples presented, over all passes.
    pub presented: u64,
    /// Wrong predictions before the step.
    pub mistakes: u64,
    /// Times that the weights moved.
    pub updates: u64,
    /// Mistakes of each pass.
    pub mistakes_by_epoch: Vec<u64>,
    /// Why training stopped.
    pub stopped: Stop,
    /// The order of the examples: cyclic, shuffled or given.
    pub order: String,
    /// The seed of a shuffled order.
    pub seed: Option<u64>,
    /// XXH3-64 of the training file's (decompressed) bytes, if it came from a file.
    pub data: Option<u64>,
}

impl Model {
    /// What a score of zero means to this model.
    pub fn tie(&self) -> Tie {
        self.facts.recipe.tie
    }

    /// The label of one dense row.
    pub fn predict(&self, x: &[f64]) -> Result<&str> {
        if x.len() != self.hypothesis.features() {
            return Err(Error::bad_data(format!(
                "a row of {} values: the model has {} features",
                x.len(),
                self.hypothesis.features()
            )));
        }
        Ok(self.labels.name(self.classify(Dense(x), &mut Scratch::default())))
    }

    /// The class of one row, whose features are the model's.
    pub fn classify<X: Row>(&self, x: X, scratch: &mut Scratch) -> u32 {
        self.hypothesis.scores(x, self.tie(), scratch);
        decide(&scratch.scores, self.tie())
    }

    /// The class of every row, on all threads.
    pub fn classify_all(&self, rows: AnyRows<'_>) -> Result<Vec<u32>> {
        let outputs = self.hypothesis.outputs();
        Ok(self.score_all(rows)?.chunks(outputs).map(|s| decide(s, self.tie())).collect())
    }

    /// The scores of every row, row by row: one for two classes, else one for each.
    pub fn score_all(&self, rows: AnyRows<'_>) -> Result<Vec<f64>> {
        if rows.features() != self.hypothesis.features() {
            return Err(Error::bad_data(format!(
                "rows of {} features: the model has {}",
                rows.features(),
                self.hypothesis.features()
            )));
        }
        Ok(self.hypothesis.score_all(rows, self.tie()))
    }
}
