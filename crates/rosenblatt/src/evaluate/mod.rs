//! How good a model is on labelled examples.

mod auc;
pub(crate) mod chunks;
mod confusion;

pub use auc::auc;
pub use chunks::{ChunkScore, TagEvaluation};
pub use confusion::{ClassScore, Confusion};

use serde::Serialize;

use crate::data::Examples;
use crate::error::{Error, Result};
use crate::model::{Model, decide};

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
        let loss: f64 = scores.chunks(outputs).zip(examples.classes).map(|(s, &class)| loss(s, class)).sum();
        let each: Vec<ClassScore> = (0..model.labels.len()).map(|k| confusion.score(k)).collect();
        let named = |(name, score): (&String, &ClassScore)| {
            (name.clone(), serde_json::to_value(score).expect("a score is plain data"))
        };
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
        })
    }
}

/// max(0, −margin) for one example.
fn loss(scores: &[f64], class: u32) -> f64 {
    let margin = match scores {
        [score] => {
            if class == 1 {
                *score
            } else {
                -*score
            }
        }
        many => {
            let others = many.iter().enumerate().filter(|(k, _)| *k != class as usize).map(|(_, s)| *s);
            many[class as usize] - others.fold(f64::NEG_INFINITY, f64::max)
        }
    };
    f64::max(0.0, -margin)
}
