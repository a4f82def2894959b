//! The report of a training: what happened, how good the model is, which bounds hold.

use serde::Serialize;

use super::row_trainee::RowTrainee;
use super::source::BlockSource;
use crate::error::{Error, ErrorKind, Result};
use crate::learn::learners::Multiclass;
use crate::learn::{
    AnyDataBound, AnyLearner, Geometry, Hypothesis, Measurement, Measurer, OrderKind, Stop, any_data_bound,
};
use crate::limits;
use crate::model::{Facts, Model, Validation};

/// The report of a training.
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
    /// The share of training examples that the model gets wrong; `None` if they were not kept to be scored.
    pub train_error: Option<f64>,
    /// R: the greatest length of an example, the bias's coordinate counted; `None` if they were not measured.
    pub radius: Option<f64>,
    /// γ of the model's hyperplane; negative when it errs. `None` if the examples were not kept to be measured.
    pub margin: Option<f64>,
    /// At most this many mistakes, by theorem, when the data were separated.
    pub bound: Option<f64>,
    /// The margin that the bound is computed from: that of the last weights, where it gives the lower bound.
    #[serde(skip)]
    pub bound_margin: Option<f64>,
    /// For two classes that were not separated: the bound on the first pass that holds for any data.
    pub first_pass_bound: Option<AnyDataBound>,
    /// How many support vectors a kernel machine has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support_vectors: Option<u64>,
    /// The seed of a shuffled order.
    pub seed: Option<u64>,
    /// The error of predicting each example of the first pass before learning from it; `None` where one-vs-rest counts the
    /// mistakes of each classifier.
    pub progressive_error: Option<f64>,
    /// The error on held-back examples, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validated>,
    /// Whether the last weights separate the training data, whatever the model keeps.
    #[serde(skip)]
    pub last_separates: bool,
}

impl Report {
    /// Whether what is kept has every training example strictly on its side, though the last weights may not.
    pub fn kept_separates(&self) -> bool {
        self.margin.is_some_and(|margin| margin > 0.0)
    }
}

/// The error on held-back examples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validated {
    /// How many.
    pub examples: u64,
    /// The share of them that the kept model gets wrong.
    pub error: Option<f64>,
    /// The pass whose model was kept, from 1.
    pub kept_epoch: u32,
    /// The share that the model after each pass got wrong.
    pub error_by_epoch: Vec<f64>,
    /// The same of the training examples.
    pub train_error_by_epoch: Vec<f64>,
}

impl Validated {
    /// The shares of a record, with so many training examples.
    pub(crate) fn new(record: &Validation, trained_on: u64) -> Self {
        let shares = |wrong: &[u64], all: u64| wrong.iter().map(|&w| w as f64 / all as f64).collect();
        Validated {
            examples: record.examples,
            error: record.error(),
            kept_epoch: record.kept,
            error_by_epoch: shares(&record.wrong_by_epoch, record.examples),
            train_error_by_epoch: shares(&record.train_wrong_by_epoch, trained_on),
        }
    }
}

/// Mistakes of the first pass divided by its length, where each example counts once.
fn progressive_error(facts: &Facts, classes: usize) -> Option<f64> {
    let by_classifier = classes > 2 && facts.recipe.multiclass == Multiclass::OneVsRest;
    let passes = facts.mistakes_by_epoch.len() as u64;
    if by_classifier || passes == 0 || !facts.presented.is_multiple_of(passes) {
        return None;
    }
    Some(facts.mistakes_by_epoch[0] as f64 / (facts.presented / passes) as f64)
}

/// Milliseconds to measure the model of a training that was interrupted.
const MOMENT: u64 = 250;

/// Measurements on all training examples.
#[derive(Debug)]
pub(crate) struct Measured {
    /// How many the model gets wrong.
    wrong: u64,
    /// Their functional margins, if there are two classes.
    margins: Vec<f64>,
    /// Radius and margin of the kept hyperplane.
    kept: Geometry,
    /// Radius and margin of the last hyperplane, if the examples were separated.
    last: Option<Geometry>,
}

impl Measured {
    /// Measures a model, and the learner that it came from, on all examples of a source. After an interrupt there is only a
    /// moment for it; `None` if that is not enough.
    pub(super) fn scan_soon(
        model: &Model,
        learner: &dyn AnyLearner,
        source: &mut dyn BlockSource<RowTrainee<'_>>,
    ) -> Result<Option<Measured>> {
        if !limits::is_interrupted() {
            match Measured::scan(model, learner, source) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                measured => return measured.map(Some),
            }
        }
        match limits::for_a_moment(MOMENT, || Measured::scan(model, learner, source)) {
            Err(error) if matches!(error.kind(), ErrorKind::Time | ErrorKind::Interrupted) => Ok(None),
            measured => measured.map(Some),
        }
    }

    fn scan(model: &Model, learner: &dyn AnyLearner, source: &mut dyn BlockSource<RowTrainee<'_>>) -> Result<Measured> {
        let separated = model.facts.stopped == Stop::Separated;
        let measurer = Measurer::new(&model.hypothesis, model.tie())?;
        loop {
            let mut measured: Option<Measured> = None;
            let whole = source.scan(&mut |labelled| {
                let Measurement { wrong, margins, geometry } = measurer.measure(labelled.examples)?;
                let last = separated.then(|| learner.geometry(labelled.examples)).transpose()?;
                let block = Measured { wrong, margins, kept: geometry, last };
                match &mut measured {
                    Some(measured) => measured.join(block),
                    None => measured = Some(block),
                }
                Ok(())
            })?;
            if whole {
                return measured.ok_or_else(|| Error::bad_data("no examples: there are no rows to learn from"));
            }
        }
    }

    fn join(&mut self, later: Measured) {
        self.wrong += later.wrong;
        self.margins.extend(later.margins);
        self.kept.join(&later.kept);
        if let (Some(last), Some(later)) = (&mut self.last, &later.last) {
            last.join(later);
        }
    }
}

impl Report {
    /// The report of a training whose examples were not kept to be scored: `train_error` and `margin` are `None`.
    pub fn streamed(model: &Model, radius: Option<f64>) -> Report {
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
            train_error: None,
            radius,
            margin: None,
            bound: None,
            bound_margin: None,
            first_pass_bound: None,
            support_vectors: None,
            seed: facts.seed,
            progressive_error: progressive_error(facts, model.labels.len()),
            validation: None,
            last_separates: facts.stopped == Stop::Separated,
        }
    }

    /// From what was measured on all training examples. `bounded`: the theorems' conditions on start and weights hold.
    pub(crate) fn new(model: &Model, learner: &dyn AnyLearner, measured: Option<Measured>, bounded: bool) -> Report {
        let Some(Measured { wrong, mut margins, kept, last }) = measured else { return Report::streamed(model, None) };
        let (kept, last) = (&kept, last.as_ref().unwrap_or(&kept));
        let facts = &model.facts;
        let separated = facts.stopped == Stop::Separated;
        // Any separating hyperplane gives a valid bound, the one with the wider margin the better one.
        let last_separates = separated && last.margin > 0.0;
        let bounds = [kept, last].into_iter().filter_map(|found| Some((learner.bound(found)?, found.margin)));
        let bound = bounds.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|_| separated && bounded);
        // The theorem needs every example once; a given order may repeat some.
        let once = bounded && facts.order != OrderKind::Given && learner.bounded_on_any_data();
        let first_pass_bound = match &model.hypothesis {
            Hypothesis::Linear(w) if once && !separated && w.outputs() == 1 && w.norm() > 0.0 => {
                let norm = w.norm();
                margins.iter_mut().for_each(|margin| *margin /= norm);
                any_data_bound(kept.radius, &margins)
            }
            _ => None,
        };
        Report {
            train_error: Some(wrong as f64 / kept.examples as f64),
            margin: Some(kept.margin).filter(|margin| !margin.is_nan()),
            bound: bound.map(|(bound, _)| bound),
            bound_margin: bound.map(|(_, margin)| margin),
            first_pass_bound,
            support_vectors: match &model.hypothesis {
                Hypothesis::Kernel(machine) => Some(machine.support().len() as u64),
                _ => None,
            },
            validation: facts.validation.as_ref().map(|record| Validated::new(record, facts.examples)),
            last_separates,
            ..Report::streamed(model, Some(kept.radius))
        }
    }
}
