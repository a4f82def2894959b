//! Learning from rows in somebody else's memory, another program's arrays say, which are not copied (but for
//! some rows at a time, ahead of their turn: see `stage.rs`).

use super::trainer::{Fitted, Subject, Trainer};
use super::{Observer, overflowed};
use crate::error::{Error, Result};
use crate::learn::{AnyLearner, Progress, Stop};
use crate::map::{Chain, Preparation};
use crate::model::{Facts, Model};
use crate::rows::{Examples, Labels, Schema, check_classes, check_lengths};

/// Labelled rows that somebody else owns, as they are to be learned from.
#[derive(Debug, Clone, Copy)]
pub struct Borrowed<'a> {
    /// The rows, the class of each and its weight.
    pub examples: Examples<'a>,
    /// The names of the classes.
    pub labels: &'a Labels,
    /// What the features are called.
    pub schema: &'a Schema,
}

impl Borrowed<'_> {
    /// Refuses what nothing can be learned from, and rows whose squares overflow.
    pub fn check(&self) -> Result<()> {
        let Borrowed { examples, labels, schema } = self;
        if examples.is_empty() {
            return Err(Error::bad_data("no examples: there are no rows to learn from"));
        }
        if examples.rows.features() != schema.features() {
            return Err(Error::bad_data(format!(
                "rows of {} features, where {} are described",
                examples.rows.features(),
                schema.features()
            )));
        }
        check_classes(labels, examples.len() as u64)?;
        if let Some(i) = examples.classes.iter().position(|&c| c as usize >= labels.len()) {
            let class = examples.classes[i];
            return Err(Error::bad_data(format!("row {}: class {class} of {}", i + 1, labels.len())));
        }
        check_lengths(examples.rows)
    }
}

impl Trainer {
    /// Trains on borrowed rows as [`fit`](Trainer::fit) does on a table; `held` are scored after every pass, and training
    /// stops after so many in a row without fewer errors there.
    ///
    /// ```
    /// use rosenblatt::rows::{AnyRows, DenseRows, Examples, Labels, Schema};
    /// use rosenblatt::fit::Borrowed;
    ///
    /// let (values, classes) = ([2.0f32, 1.0, -1.0, -2.0], [1, 0]);
    /// let labels = Labels::new(vec!["no".into(), "yes".into()]);
    /// let examples = Examples::new(AnyRows::DenseF32(DenseRows::new(&values, 2)?), &classes, None)?;
    /// let borrowed = Borrowed { examples, labels: &labels, schema: &Schema::Indexed { first: 1, features: 2 } };
    /// let fitted = rosenblatt::Trainer::new("averaged").fit_borrowed(borrowed, None, &mut ())?;
    /// assert_eq!(fitted.model.predict(&[3.0, 3.0])?, "yes");
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn fit_borrowed(
        &self,
        borrowed: Borrowed<'_>,
        held: Option<(Examples<'_>, u32)>,
        observer: &mut dyn Observer,
    ) -> Result<Fitted> {
        if self.preparation != Preparation::default() {
            return Err(Error::settings("borrowed rows are learned from as they are: prepare a table of them"));
        }
        borrowed.check()?;
        let Borrowed { examples, labels, schema } = borrowed;
        let weights = self.weights(labels, examples.classes, examples.weights)?;
        let examples = Examples { weights: weights.as_deref(), ..examples };
        let held = held.map(|(held, patience)| (held, Some(patience)));
        let subject = Subject { examples, labels, schema, chain: &Chain::default() };
        self.fit_subject(subject, held, None, weights.is_none(), observer)
    }

    /// What a learner has learned so far of rows that are as they are, as a model of its own.
    pub fn model_now(
        &self,
        learner: &dyn AnyLearner,
        labels: &Labels,
        schema: &Schema,
        course: &Progress,
        examples: usize,
    ) -> Result<Model> {
        let hypothesis = learner.hypothesis();
        // What is kept can overflow where the weights do not: an average adds them up.
        if !hypothesis.is_finite() {
            return Err(overflowed(course));
        }
        Ok(Model {
            hypothesis,
            labels: labels.clone(),
            schema: schema.clone(),
            chain: Chain::default(),
            facts: Facts::new(self, examples, course, Stop::MaxEpochs)?,
            calibration: None,
        })
    }
}
