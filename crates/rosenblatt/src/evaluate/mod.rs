//! How good a model is on labelled examples.

mod auc;
mod calibrate;
mod confusion;
mod crossval;
mod explain;
mod loss;
mod progressive;
mod reliability;
mod search;
mod space;

pub use crate::rows::{Folds, Split};
pub use auc::auc;
pub use calibrate::{Point, calibrate, fit_sigmoid};
pub use confusion::{ClassScore, Confusion};
pub use crossval::{CrossValidation, Fold, cross_validate, each_fold};
pub use explain::{ClassStrengths, Explainer, Explanation, Strength, Term};
pub use loss::perceptron_loss;
pub use progressive::{Milestone, Progressive};
pub use reliability::{Bin, reliability};
pub use search::{Trial, best, search};
pub use space::{Setting, Space};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::learn::decide;
use crate::model::{Calibration, Model};
use crate::rows::Examples;

/// Everything that an evaluation says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Examples judged.
    pub examples: usize,
    /// The share that the model gets wrong.
    pub error: f64,
    /// The share that it gets right.
    pub accuracy: f64,
    /// The mean perceptron loss max(0, −y·score): hinge at zero. For many classes, how far the best wrong class is ahead.
    pub hinge: f64,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// `confusion[true][predicted]`.
    pub confusion: Confusion,
    /// Precision, recall, F1 and support of each class, by its name.
    pub per_class: serde_json::Map<String, serde_json::Value>,
    /// The mean F1 of the classes.
    pub macro_f1: f64,
    /// The chance that a positive example outscores a negative one; two classes only, both present.
    pub auc: Option<f64>,
    /// The mean of −ln p of the true class, if the model knows probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Whether probabilities came true: of the positive class, or, for many classes, of the label that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Vec<Bin>>,
}

impl Evaluation {
    /// Judges every example.
    pub fn new(model: &Model, examples: Examples<'_>) -> Result<Evaluation> {
        if examples.is_empty() {
            return Err(Error::bad_data("no examples to evaluate"));
        }
        let outputs = model.hypothesis.outputs();
        let scores = model.score_all(examples.rows)?;
        let predicted: Vec<u32> = scores.chunks(outputs).map(|s| decide(s, model.tie())).collect();
        let confusion = Confusion::count(model.labels.len(), examples.classes, &predicted);
        let loss: f64 = scores.chunks(outputs).zip(examples.classes).map(|(s, &c)| perceptron_loss(s, c)).sum();
        let each: Vec<ClassScore> = (0..model.labels.len()).map(|k| confusion.score(k)).collect();
        let named = |(name, score): (&String, &ClassScore)| {
            (name.clone(), serde_json::to_value(score).expect("a score is plain data"))
        };
        let probabilities =
            model.calibration.as_ref().map(|c| judge_probabilities(c, &scores, examples.classes, &predicted));
        let (log_loss, reliability) = probabilities.unzip();
        Ok(Evaluation {
            examples: examples.len(),
            error: (examples.len() as u64 - confusion.right()) as f64 / examples.len() as f64,
            accuracy: confusion.right() as f64 / examples.len() as f64,
            hinge: loss / examples.len() as f64,
            classes: model.labels.names().to_vec(),
            per_class: model.labels.names().iter().zip(&each).map(named).collect(),
            macro_f1: each.iter().map(|c| c.f1).sum::<f64>() / each.len() as f64,
            auc: if outputs == 1 { auc(&scores, examples.classes) } else { None },
            confusion,
            log_loss,
            reliability,
        })
    }
}

fn judge_probabilities(
    calibration: &Calibration,
    scores: &[f64],
    classes: &[u32],
    predicted: &[u32],
) -> (f64, Vec<Bin>) {
    let outputs = calibration.sigmoids.len();
    let mut each = Vec::new();
    let (mut loss, mut said) = (0.0, Vec::with_capacity(classes.len()));
    for ((scores, &class), &predicted) in scores.chunks(outputs).zip(classes).zip(predicted) {
        calibration.ln_probabilities(scores, &mut each);
        loss -= each[class as usize];
        let shown = if outputs == 1 { 1 } else { predicted };
        said.push((each[shown as usize].exp(), class == shown));
    }
    (loss / classes.len() as f64, self::reliability(said.into_iter()))
}
