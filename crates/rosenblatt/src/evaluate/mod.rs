//! How good a model is on labelled examples.

mod auc;
mod calibrate;
mod confusion;
mod crossval;
mod explain;
mod loss;
mod majority;
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
pub use majority::Majority;
pub use progressive::{Milestone, Progressive};
pub use reliability::{Bin, reliability};
pub use search::{Trial, best, search};
pub use space::{Setting, Space};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::io::show;
use crate::learn::decide;
use crate::model::Model;
use crate::rows::{Examples, Table, list};

/// How good a model is on labelled examples.
///
/// ```
/// use rosenblatt::{Evaluation, Table, Trainer};
/// let train = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let model = Trainer::new("averaged").fit(&train)?.model;
/// let test = Table::dense(&[[3.0, 2.0], [2.0, 2.0]], &["spam", "ham"])?;
/// let evaluation = Evaluation::new(&model, &test)?;
/// assert_eq!(evaluation.error, 0.5);
/// assert_eq!(evaluation.score_of("spam").unwrap().recall, 1.0);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Examples evaluated.
    pub examples: usize,
    /// The share that the model gets wrong.
    pub error: f64,
    /// The share that it gets right.
    pub accuracy: f64,
    /// The mean perceptron loss max(0, −y·score). For many classes, the lead of the best wrong class.
    pub hinge: f64,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// `confusion[true][predicted]`.
    pub confusion: Confusion,
    /// Precision, recall, F1 and support of each class, in the order of `classes`. In JSON an object, by name.
    #[serde(serialize_with = "by_name")]
    pub per_class: Vec<ClassScore>,
    /// The mean F1 of the classes.
    pub macro_f1: f64,
    /// The chance that a positive example outscores a negative one; two classes only, both present.
    pub auc: Option<f64>,
    /// The mean of −ln p of the true class, if the model knows probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// The calibration of probabilities: of the positive class, or, for many classes, of the predicted label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Vec<Bin>>,
}

impl Evaluation {
    /// Scores every example of a table.
    ///
    /// The table's classes are matched to the model's by name, so the table may lack some of them or list them in another
    /// order. A class that the model does not know is refused: no prediction could be right, and the confusion matrix
    /// would mislead.
    pub fn new(model: &Model, table: &Table) -> Result<Evaluation> {
        let examples = table.examples()?;
        if table.labels == model.labels && table.classes.iter().all(|&c| (c as usize) < model.labels.len()) {
            return Evaluation::of(model, examples);
        }
        let known: Vec<Option<u32>> = table.labels.names().iter().map(|name| model.labels.find(name)).collect();
        let class = |(i, &class): (usize, &u32)| match known.get(class as usize) {
            Some(&Some(class)) => Ok(class),
            Some(None) => Err(Error::bad_data(format!(
                "row {}: the model does not know the label {}: it knows {}",
                i + 1,
                show(table.labels.name(class).as_bytes()),
                list(model.labels.names())
            ))),
            None => {
                Err(Error::bad_data(format!("row {}: class {class}, where {} classes are named", i + 1, known.len())))
            }
        };
        let classes = table.classes.iter().enumerate().map(class).collect::<Result<Vec<u32>>>()?;
        Evaluation::of(model, Examples { classes: &classes, ..examples })
    }

    /// The scores of one class; `None` if the model does not know it.
    pub fn score_of(&self, class: &str) -> Option<&ClassScore> {
        self.classes.iter().position(|name| name == class).map(|k| &self.per_class[k])
    }

    /// Scores every example, whose classes are numbered as the model numbers them.
    fn of(model: &Model, examples: Examples<'_>) -> Result<Evaluation> {
        if examples.is_empty() {
            return Err(Error::bad_data("no examples to evaluate"));
        }
        let outputs = model.hypothesis.outputs();
        let mut confusion = Confusion::new(model.labels.len())?;
        let (mut loss, mut ln_loss, mut binary) = (0.0, 0.0, Vec::new());
        let (mut said, mut probabilities) = (Vec::new(), Vec::new());
        model.score_blocks(examples.rows, &mut |first, scores| {
            for (scores, &class) in scores.chunks(outputs).zip(&examples.classes[first..]) {
                let predicted = decide(scores, model.tie());
                confusion.add(class, predicted);
                loss += perceptron_loss(scores, class);
                if let Some(calibration) = &model.calibration {
                    calibration.ln_probabilities(scores, &mut probabilities);
                    ln_loss -= probabilities[class as usize];
                    let shown = if outputs == 1 { 1 } else { predicted };
                    said.push((probabilities[shown as usize].exp(), class == shown));
                }
            }
            if outputs == 1 {
                binary.extend_from_slice(scores);
            }
            Ok(())
        })?;
        let each: Vec<ClassScore> =
            model.labels.names().iter().enumerate().map(|(k, name)| confusion.score(k).named(name)).collect();
        let calibrated = model.calibration.is_some();
        Ok(Evaluation {
            examples: examples.len(),
            error: (examples.len() as u64 - confusion.right()) as f64 / examples.len() as f64,
            accuracy: confusion.right() as f64 / examples.len() as f64,
            hinge: loss / examples.len() as f64,
            classes: model.labels.names().to_vec(),
            macro_f1: each.iter().map(|c| c.f1).sum::<f64>() / each.len() as f64,
            per_class: each,
            auc: if outputs == 1 { auc(&binary, examples.classes) } else { None },
            confusion,
            log_loss: calibrated.then(|| ln_loss / examples.len() as f64),
            reliability: calibrated.then(|| reliability(said.into_iter())),
        })
    }
}

/// An object with the classes as keys.
fn by_name<S: serde::Serializer>(scores: &[ClassScore], to: S) -> std::result::Result<S::Ok, S::Error> {
    let named: serde_json::Map<String, serde_json::Value> = scores
        .iter()
        .map(|score| Ok((score.class.clone(), serde_json::to_value(score)?)))
        .collect::<serde_json::Result<_>>()
        .map_err(serde::ser::Error::custom)?;
    named.serialize(to)
}
