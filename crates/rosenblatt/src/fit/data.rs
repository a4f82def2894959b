//! The data of a training, and its optional parts: validation, checkpoint, observer.

use super::fingerprint::Fingerprint;
use super::fitted::{Description, train_all};
use super::memory::MemorySource;
use super::row_trainee::{LabelledRows, RowTrainee};
use super::train::Training;
use super::validate::{Held, Validator};
use super::{Borrowed, Checkpoint, FileData, Fitted, Observer, Trainer, file};
use crate::error::{Error, Result};
use crate::map::{Chain, Preparation, Prepared};
use crate::read::{Dataset, Format};
use crate::rows::{Examples, Table};

/// What to learn from.
#[derive(Clone, Copy)]
pub enum Data<'a> {
    /// A table, whose rows are prepared first.
    Table(&'a Table),
    /// Rows that [`Trainer::prepare`] has prepared.
    Prepared(&'a Prepared<'a>),
    /// Rows in the caller's memory, learned from unchanged.
    Borrowed(Borrowed<'a>),
    /// A file of any size.
    File(FileData<'a>),
}

/// Optional parts of a training. The default is none.
#[derive(Default)]
pub struct With<'a> {
    /// Examples that are held back, and scored after every pass.
    pub held: Option<HeldBack<'a>>,
    /// Stop after so many passes in a row without fewer errors on the held-back examples, and keep the best pass (the
    /// first of equal ones). `None`: they are only scored, and the last pass is kept.
    pub patience: Option<u32>,
    /// Resumes from here.
    pub resume: Option<&'a Checkpoint>,
    /// Is called during training.
    pub observer: Option<&'a mut dyn Observer>,
}

/// Examples that are held back from learning.
#[derive(Clone, Copy)]
pub enum HeldBack<'a> {
    /// A table with the features and classes of what is learned from.
    Table(&'a Table),
    /// Rows as the learner sees them.
    Rows(Examples<'a>),
    /// This share of the examples of a file, drawn by a seed.
    Share(f64, u64),
    /// Another file, read in the shape of the one that is learned from.
    File(&'a crate::io::Input),
}

impl Trainer {
    /// Trains on a table, on prepared or borrowed rows, or on a file: one loop, whatever the source.
    ///
    /// ```
    /// use rosenblatt::fit::{Data, HeldBack, With};
    /// use rosenblatt::{Table, Trainer};
    ///
    /// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]], &["up", "up", "down"])?;
    /// let held = Table::dense(&[[4.0, 1.0], [-3.0, -1.0]], &["up", "down"])?;
    /// let with = With { held: Some(HeldBack::Table(&held)), ..With::default() };
    /// let fitted = Trainer::new("averaged").fit_with(Data::Table(&table), with)?;
    /// assert_eq!(fitted.report.validation.unwrap().error, Some(0.0));
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn fit_with(&self, data: Data<'_>, with: With<'_>) -> Result<Fitted> {
        if !self.is_settled() && !matches!(data, Data::File(_)) {
            return self.fit_open(data, with);
        }
        match data {
            Data::Table(table) => self.fit_prepared(&self.prepare(table)?, with),
            Data::Prepared(prepared) => self.fit_prepared(prepared, with),
            Data::Borrowed(borrowed) => self.fit_borrowed(borrowed, with),
            Data::File(data) => file::fit(self, data, with),
        }
    }

    /// Decides what was left open, and trains.
    fn fit_open(&self, data: Data<'_>, with: With<'_>) -> Result<Fitted> {
        let table = match data {
            Data::Table(table) => table,
            Data::Prepared(prepared) => prepared.raw,
            Data::Borrowed(_) | Data::File(_) => {
                return Err(Error::settings("borrowed rows decide no settings: settle them on a table"));
            }
        };
        let settled = self.settle(table)?;
        let mut fitted = settled.trainer.fit_with(data, with)?;
        fitted.settled = Some(Box::new(settled));
        Ok(fitted)
    }

    /// Trains on prepared rows.
    fn fit_prepared(&self, prepared: &Prepared<'_>, with: With<'_>) -> Result<Fitted> {
        let mut silent = ();
        let observer: &mut dyn Observer = match with.observer {
            Some(observer) => observer,
            None => &mut silent,
        };
        let trainee = RowTrainee::new(self, prepared.features(), prepared.raw.labels.len())?;
        let training = Training::new(trainee, observer);
        let others = (with.held, with.patience, with.resume);
        self.continue_prepared(prepared, None, training, others)
    }

    /// Continues a training that may have made its first pass.
    pub(super) fn continue_prepared(
        &self,
        prepared: &Prepared<'_>,
        file: Option<&Dataset>,
        training: Training<'_, RowTrainee<'_>>,
        (held, patience, resume): (Option<HeldBack<'_>>, Option<u32>, Option<&Checkpoint>),
    ) -> Result<Fitted> {
        let table = prepared.raw;
        let weights = self.weights(&table.labels, &table.classes, table.weights.as_deref())?;
        let examples = prepared.examples(weights.as_deref())?;
        let description = Description {
            labels: table.labels.clone(),
            schema: table.schema.clone(),
            chain: prepared.chain.clone(),
            examples: examples.len() as u64,
            data: file.map(|file| file.fingerprint),
            targets: targets(file, &table.classes, table.weights.as_deref()),
        };
        let (rows, held_classes);
        let held = match held {
            None => None,
            Some(HeldBack::Rows(rows)) => Some(rows),
            Some(HeldBack::Table(table)) => {
                rows = Held { table }.prepare(prepared)?;
                held_classes = &table.classes;
                Some(Examples::new(rows.rows()?, held_classes, None)?)
            }
            Some(HeldBack::Share(..) | HeldBack::File(_)) => return Err(only_of_files()),
        };
        let classes = table.labels.len();
        let validator = held.map(|examples| Validator::new(LabelledRows { examples, classes }, patience));
        self.fit_examples(examples, description, training, validator, (resume, weights.is_none()))
    }

    /// Trains on rows that the caller owns.
    fn fit_borrowed(&self, borrowed: Borrowed<'_>, with: With<'_>) -> Result<Fitted> {
        if self.preparation != Preparation::default() {
            return Err(Error::settings("borrowed rows are learned from as they are: prepare a table of them"));
        }
        borrowed.check()?;
        let Borrowed { examples, labels, schema } = borrowed;
        let weights = self.weights(labels, examples.classes, examples.weights)?;
        let examples = Examples { weights: weights.as_deref(), ..examples };
        let held = match with.held {
            None => None,
            Some(HeldBack::Rows(rows)) => Some(rows),
            Some(_) => return Err(Error::settings("examples held back from borrowed rows must be borrowed rows, too")),
        };
        let (labels, schema) = (labels.clone(), schema.clone());
        let targets = targets(None, borrowed.examples.classes, borrowed.examples.weights);
        let (chain, count) = (Chain::default(), examples.len() as u64);
        let description = Description { labels, schema, chain, examples: count, data: None, targets };
        let mut silent = ();
        let observer: &mut dyn Observer = match with.observer {
            Some(observer) => observer,
            None => &mut silent,
        };
        let trainee = RowTrainee::new(self, examples.rows.features(), description.labels.len())?;
        let classes = description.labels.len();
        let validator = held.map(|examples| Validator::new(LabelledRows { examples, classes }, with.patience));
        let training = Training::new(trainee, observer);
        self.fit_examples(examples, description, training, validator, (with.resume, weights.is_none()))
    }

    /// Trains on examples in memory. `equal`: all examples have weight 1.
    fn fit_examples<'t>(
        &self,
        examples: Examples<'_>,
        description: Description,
        mut training: Training<'_, RowTrainee<'t>>,
        validator: Option<Validator<'_, RowTrainee<'t>>>,
        (resume, equal): (Option<&Checkpoint>, bool),
    ) -> Result<Fitted> {
        training.trainee.grow(examples.rows.features())?;
        training.failures.get_or_insert_default().resize(examples.len(), 0);
        if let Some(checkpoint) = resume {
            checkpoint.check_fits(self, &description)?;
            training.resume(checkpoint)?;
        }
        let copies = !training.trainee.learner.needs_other_rows();
        let mut source = MemorySource::new(examples, description.labels.len(), &self.plan, copies)?;
        train_all(self, training, &mut source, &description, validator, equal)
    }
}

/// The fingerprint of labels and weights, unless the bytes of the file determine them.
fn targets(file: Option<&Dataset>, classes: &[u32], weights: Option<&[f64]>) -> Option<u64> {
    let determined = file.is_some_and(|file| !matches!(file.format, Format::Npy | Format::Idx)) && weights.is_none();
    (!determined).then(|| {
        let mut print = Fingerprint::new();
        print.u32s(classes);
        print.f64s(weights.unwrap_or_default());
        print.finish()
    })
}

/// Refuses a way to hold examples back that needs a file.
fn only_of_files() -> Error {
    Error::settings("a share or a file of examples is held back from a file: hold back a table from a table")
}
