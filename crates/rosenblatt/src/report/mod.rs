//! One plain report: what happened, how good it is, how sure we are.

mod doctor;

pub use doctor::{Finding, examine, examine_streamed};
use serde::Serialize;

use crate::base::learner::AnyLearner;
use crate::data::Examples;
use crate::fit::Stop;
use crate::model::{Model, decide};
use crate::theory::Geometry;

/// What a training came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Training examples.
    pub examples: u64,
    /// Features.
    pub features: usize,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// The learner's name.
    pub learner: String,
    /// Passes made.
    pub epochs: u32,
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
    /// The share of training examples that the model gets wrong.
    pub train_error: f64,
    /// R: the greatest length of an example, the bias's coordinate counted.
    pub radius: f64,
    /// γ of the model's hyperplane; negative when it errs.
    pub margin: f64,
    /// At most this many mistakes, by theorem, when the data were separated.
    pub bound: Option<f64>,
    /// The seed of a shuffled order.
    pub seed: Option<u64>,
    /// Whether the last weights separate the training data, whatever the model keeps.
    #[serde(skip)]
    pub last_separates: bool,
}

impl Report {
    /// What can be said of a training whose examples went by and are gone: `train_error` and `margin` are not numbers.
    pub fn streamed(model: &Model, radius: f64) -> Report {
        let facts = &model.facts;
        Report {
            examples: facts.examples,
            features: model.hypothesis.features(),
            classes: model.labels.names().to_vec(),
            learner: facts.recipe.learner.clone(),
            epochs: facts.mistakes_by_epoch.len() as u32,
            presented: facts.presented,
            mistakes: facts.mistakes,
            updates: facts.updates,
            mistakes_by_epoch: facts.mistakes_by_epoch.clone(),
            stopped: facts.stopped,
            train_error: f64::NAN,
            radius,
            margin: f64::NAN,
            bound: None,
            seed: facts.seed,
            last_separates: facts.stopped == Stop::Separated,
        }
    }

    /// Measures a model on the examples it was trained on. `bounded`: the theorems' conditions on start and weights hold.
    pub fn new(model: &Model, learner: &dyn AnyLearner, examples: Examples<'_>, bounded: bool) -> Report {
        let scores = model.hypothesis.score_all(examples.rows, model.tie());
        let predicted = scores.chunks(model.hypothesis.outputs()).map(|s| decide(s, model.tie()));
        let wrong = predicted.zip(examples.classes).filter(|(p, c)| p != *c).count();
        let kept = Geometry::measure(&model.hypothesis.hyperplane(), examples);
        let last = match model.facts.stopped {
            Stop::Separated => Geometry::measure(&learner.current(), examples),
            _ => kept.clone(),
        };
        Self::from_parts(model, learner, wrong as u64, &kept, &last, bounded)
    }

    /// From what was measured: how many examples the model gets wrong, and how the hyperplanes that it keeps and that
    /// training ended with lie.
    pub(crate) fn from_parts(
        model: &Model,
        learner: &dyn AnyLearner,
        wrong: u64,
        kept: &Geometry,
        last: &Geometry,
        bounded: bool,
    ) -> Report {
        let facts = &model.facts;
        let separated = facts.stopped == Stop::Separated;
        // Any separating hyperplane gives a valid bound, the one with the wider margin the better one.
        let last_separates = separated && last.margin > 0.0;
        let bounds = [learner.bound(kept), learner.bound(last)].into_iter().flatten();
        let bound = if separated && bounded { bounds.min_by(f64::total_cmp) } else { None };
        Report {
            examples: facts.examples,
            features: model.hypothesis.features(),
            classes: model.labels.names().to_vec(),
            learner: facts.recipe.learner.clone(),
            epochs: facts.mistakes_by_epoch.len() as u32,
            presented: facts.presented,
            mistakes: facts.mistakes,
            updates: facts.updates,
            mistakes_by_epoch: facts.mistakes_by_epoch.clone(),
            stopped: facts.stopped,
            train_error: wrong as f64 / kept.examples as f64,
            radius: kept.radius,
            margin: kept.margin,
            bound,
            seed: facts.seed,
            last_separates,
        }
    }
}
