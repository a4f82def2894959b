//! The result of a training: assembles the model, the same way for every source.

use super::report::{Measured, Report};
use super::row_trainee::RowTrainee;
use super::source::BlockSource;
use super::train::{After, Resumable, Training, overflowed};
use super::validate::{Scored, Validator};
use super::{Checkpoint, HeldBack, Settled, Start, Trainer, With};
use crate::error::{Error, Result};
use crate::learn::{AnyLearner, Hypothesis, Progress, Stop};
use crate::map::Chain;
use crate::model::{Facts, Model};
use crate::read::{Dataset, Format, Guess, NeedLabels, ReadOptions, read_for};
use crate::rows::{Labels, Schema, Split, Table};

/// A fitted model, and how it was trained.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// What happened, and how good the model is on the training data.
    pub report: Report,
    /// How often each example was a mistake; empty if they were not kept.
    pub failures: Vec<u32>,
    /// What resuming needs; `None` if the rows were not kept.
    pub checkpoint: Option<Checkpoint>,
    /// The file that the examples came from, if they came from one.
    pub file: Option<FileFacts>,
    /// What was decided from the first rows, if anything was left open.
    pub settled: Option<Box<Settled>>,
}

/// What is known of a file besides its examples.
pub struct FileFacts {
    /// What messages call it.
    pub name: String,
    /// The format it was in.
    pub format: Format,
    /// How the format was guessed, if it was.
    pub guessed: Option<Guess>,
    /// What a user may want to know.
    pub notes: Vec<crate::message::Message>,
    /// How the examples were stored between the passes.
    pub kept: Kept,
}

/// How the examples of a file were stored between the passes.
pub enum Kept {
    /// In memory: here they are.
    Memory(Box<KeptRows>),
    /// In a cache on disk.
    Cache,
    /// Not at all: they were learned from while they were read.
    Nowhere,
}

/// What a source knows about its examples.
#[derive(Debug, Clone)]
pub(crate) struct Description {
    pub(crate) labels: Labels,
    pub(crate) schema: Schema,
    pub(crate) chain: Chain,
    pub(crate) examples: u64,
    /// XXH3-64 of the file's (decompressed) bytes, if they come from a file.
    pub(crate) data: Option<u64>,
    /// The fingerprint of labels and weights, where the file does not determine them.
    pub(crate) targets: Option<u64>,
}

/// Trains to the end on memory or a cache. `equal`: all examples have weight 1.
pub(super) fn train_all<'t>(
    trainer: &Trainer,
    mut training: Training<'_, RowTrainee<'t>>,
    source: &mut dyn BlockSource<RowTrainee<'t>>,
    description: &Description,
    mut validator: Option<Validator<'_, RowTrainee<'t>>>,
    equal: bool,
) -> Result<Fitted> {
    let stop = training.run(source, trainer.plan.epochs, &mut |training, source| {
        let checkpoint = |training: &Training<'_, _>| Checkpoint::of(trainer, description, training);
        end_pass(training, source, validator.as_mut(), &checkpoint)
    })?;
    let stop = stop.unwrap_or(Stop::MaxEpochs);
    let (best, validation) = validator.map(Validator::finish).unzip();
    let hypothesis = best.flatten().unwrap_or_else(|| training.trainee.learner.hypothesis());
    let mut model = assemble(trainer, hypothesis, &training.progress, stop, description)?;
    model.facts.validation = validation;
    // The theorems assume equal weights and a start at zero.
    let bounded = trainer.start == Start::Zero && equal;
    let measured = Measured::scan_soon(&model, &*training.trainee.learner, source)?;
    let report = Report::new(&model, &*training.trainee.learner, measured, bounded);
    let checkpoint = Some(Checkpoint::of(trainer, description, &training));
    let failures = training.failures.unwrap_or_default();
    Ok(Fitted { model, report, failures, checkpoint, file: None, settled: None })
}

/// Ends a pass: validation, then a checkpoint if the observer wants one, then the observer.
pub(crate) fn end_pass<T: Scored>(
    training: &mut Training<'_, T>,
    source: &mut dyn BlockSource<T>,
    mut validator: Option<&mut Validator<'_, T>>,
    checkpoint: &dyn Fn(&Training<'_, T>) -> <T::Learner as Resumable>::Checkpoint,
) -> Result<After> {
    if let Some(validator) = &mut validator
        && !validator.score(training, source)?
    {
        return Ok(After::Restart);
    }
    if training.observer.wants_checkpoints() {
        let checkpoint = checkpoint(training);
        training.observer.checkpoint(checkpoint)?;
    }
    let flow = training.notify_pass_ended()?;
    let out_of_patience = validator.is_some_and(|validator| validator.is_out_of_patience());
    Ok(match flow.break_value().or(out_of_patience.then_some(Stop::NoProgress)) {
        Some(stop) => After::Stop(stop),
        None => After::Go,
    })
}

impl Trainer {
    /// The model of a learner so far, for rows without maps.
    pub fn model_now(
        &self,
        learner: &dyn AnyLearner,
        labels: &Labels,
        schema: &Schema,
        progress: &Progress,
        examples: usize,
    ) -> Result<Model> {
        let (labels, schema) = (labels.clone(), schema.clone());
        let description = Description {
            labels,
            schema,
            chain: Chain::default(),
            examples: examples as u64,
            data: None,
            targets: None,
        };
        assemble(self, learner.hypothesis(), progress, Stop::MaxEpochs, &description)
    }
}

/// Assembles the model.
pub(super) fn assemble(
    trainer: &Trainer,
    hypothesis: Hypothesis,
    progress: &Progress,
    stop: Stop,
    description: &Description,
) -> Result<Model> {
    // The kept weights can overflow where the last ones do not: an average is a sum.
    if !hypothesis.is_finite() {
        return Err(overflowed(progress));
    }
    let mut facts = Facts::new(trainer, description.examples as usize, progress, stop)?;
    facts.data = description.data;
    let Description { labels, schema, chain, .. } = description.clone();
    Ok(Model { hypothesis, labels, schema, chain, facts, calibration: None })
}

/// Rows of a file, kept in memory: what was learned from, and what was held back.
#[derive(Debug)]
pub struct KeptRows {
    dataset: Dataset,
    /// Where a share was held back, the rest and the share.
    divided: Option<(Table, Table)>,
    /// What was held back in another file.
    validation: Option<Dataset>,
    /// What the caller held back.
    table: Option<Table>,
}

impl KeptRows {
    /// Splits off the held-back share, or reads the validation file.
    pub(super) fn new(dataset: Dataset, with: &With<'_>, options: &ReadOptions) -> Result<Self> {
        let (mut divided, mut validation, mut table) = (None, None, None);
        match with.held {
            Some(HeldBack::Share(share, seed)) => {
                let Split { train, held } = Split::holdout(&dataset.table, share, seed)?;
                divided = Some((dataset.table.select(&train), dataset.table.select(&held)));
            }
            Some(HeldBack::File(input)) => {
                let (schema, labels) = (&dataset.table.schema, &dataset.table.labels);
                let held = read_for(input, options, schema, labels, NeedLabels::Yes)?;
                held.table.check_lengths().map_err(|e| e.in_file(&held.name))?;
                validation = Some(held);
            }
            Some(HeldBack::Table(held)) => table = Some(held.clone()),
            Some(HeldBack::Rows(_)) => {
                return Err(Error::settings("rows cannot be held back from a file: use a table"));
            }
            None => {}
        }
        Ok(KeptRows { dataset, divided, validation, table })
    }

    /// The file as it was read.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// What messages call the file.
    pub(super) fn name(&self) -> &str {
        &self.dataset.name
    }

    /// What was learned from.
    pub fn train(&self) -> &Table {
        self.divided.as_ref().map_or(&self.dataset.table, |(train, _)| train)
    }

    /// What was held back.
    pub fn held(&self) -> Option<&Table> {
        let file = self.validation.as_ref().map(|dataset| &dataset.table);
        self.divided.as_ref().map(|(_, held)| held).or(file).or(self.table.as_ref())
    }

    /// The file that was held back, if it was one.
    pub fn validation(&self) -> Option<&Dataset> {
        self.validation.as_ref()
    }
}
