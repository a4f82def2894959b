//! Trains on a file through the source that suits its size. The model has the same bytes through every source.
//!
//! ```text
//!  one pass ────────► learned from while it is read          stream.rs, nothing kept
//!  fits in memory ──► the first pass while it is read        stream.rs, kept, then memory.rs
//!  does not ────────► through a cache on disk                cache_source.rs
//! ```

use std::borrow::Cow;
use std::path::PathBuf;

use super::cache_source::CacheSource;
use super::data::{HeldBack, With};
use super::fitted::{FileFacts, Fitted, Kept, KeptRows, assemble, train_all};
use super::report::Report;
use super::row_trainee::{LabelledRows, RowTrainee};
use super::source::Passed;
use super::stream::{StreamEnd, StreamSource};
use super::train::{After, Training};
use super::validate::Validator;
use super::{Observer, Start, Trainer};
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Input, Pace};
use crate::map::Prepared;
use crate::parallel;
use crate::read::cache::{CachePlace, check_cache_place};
use crate::read::{Dataset, Format, Guess, NeedLabels, ReadOptions, memory_needed, read, read_for, streamable};
use crate::rows::{Examples, Table};

/// Where the rows of a file are kept between passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// In memory, if they take at most so many bytes; else in a private cache, which is removed afterwards.
    Either {
        /// Bytes.
        memory: u64,
        /// The folder of the cache.
        folder: PathBuf,
    },
    /// In memory.
    Memory,
    /// In a cache at this place, which stays.
    Cache(PathBuf),
}

/// Computes the initial weights from the prepared rows.
pub type StartAt<'a> = dyn Fn(&Prepared<'_>) -> Result<Start> + 'a;

/// A file to learn from, whatever its size and format.
#[derive(Clone, Copy)]
pub struct FileData<'a> {
    /// The file.
    pub input: &'a Input,
    /// How to read it.
    pub options: &'a ReadOptions,
    /// Where its rows are kept between passes.
    pub storage: &'a Storage,
    /// Whether the rows are needed when training has ended.
    pub rows_needed: bool,
    /// The initial weights, if they depend on the prepared rows.
    pub start: Option<&'a StartAt<'a>>,
    /// Work on the training rows that may run on another thread during training.
    pub beside: Option<&'a (dyn Fn(&Table) + Sync)>,
}

impl<'a> FileData<'a> {
    /// A file with default settings.
    pub fn new(input: &'a Input, options: &'a ReadOptions, storage: &'a Storage) -> Self {
        FileData { input, options, storage, rows_needed: false, start: None, beside: None }
    }
}

/// Trains on a file.
pub(super) fn fit(trainer: &Trainer, data: FileData<'_>, with: With<'_>) -> Result<Fitted> {
    fit_at(trainer, data, with, Pace::default(), true)
}

/// The same at any pace; `skips_small` is false in tests, so that small data stream too.
pub(super) fn fit_at(
    trainer: &Trainer,
    data: FileData<'_>,
    mut with: With<'_>,
    pace: Pace,
    skips_small: bool,
) -> Result<Fitted> {
    let mut silent = ();
    let observer: &mut dyn Observer = match with.observer.take() {
        Some(observer) => observer,
        None => &mut silent,
    };
    let here = |error: Error| error.in_file(&data.input.name());
    let whole = data.start.is_some() || matches!(with.held, Some(HeldBack::Share(..))) || data.rows_needed;
    let by_blocks = !whole && trainer.learns_by_blocks() && data.input.opens_again();
    let streams = if by_blocks { streamable(data.input, data.options)? } else { None };
    if let Some(found) = streams {
        let plain = with.held.is_none() && with.resume.is_none() && !observer.wants_checkpoints();
        let cache = match data.storage {
            Storage::Cache(place) => {
                // Only a cache may be overwritten.
                check_cache_place(place)?;
                Some(CachePlace::File(place))
            }
            _ if trainer.plan.epochs == 1 && plain => None,
            Storage::Memory => None,
            Storage::Either { memory, folder } => {
                (memory_needed(data.input, data.options)? > *memory).then_some(CachePlace::Private(folder))
            }
        };
        if let Some(place) = cache {
            if let Some(fitted) = fit_cached(trainer, data, &with, place, pace, found, observer).map_err(here)? {
                return Ok(fitted);
            }
        } else if trainer.plan.epochs == 1
            && plain
            && let Some(fitted) = fit_streaming(trainer, data, pace, skips_small, observer).map_err(here)?
        {
            return Ok(fitted);
        }
    }
    let indexed = streams.is_some_and(|(format, _)| format == Format::Libsvm);
    let overlaps = indexed && trainer.plan.epochs > 1 && with.resume.is_none();
    fit_in_memory(trainer, data, with, (pace, overlaps), observer)
}

/// Learns while the file is read, and keeps no rows. `None`: the file must be read whole, or is small.
fn fit_streaming(
    trainer: &Trainer,
    data: FileData<'_>,
    pace: Pace,
    skips_small: bool,
    observer: &mut dyn Observer,
) -> Result<Option<Fitted>> {
    let mut source = StreamSource::streaming(trainer, data.input, data.options, pace, skips_small);
    let mut training = Training::new(RowTrainee::new(trainer, 0, 2)?, observer);
    let ran = training.run(&mut source, trainer.plan.epochs, &mut |training, _| {
        Ok(training.notify_pass_ended()?.break_value().map_or(After::Go, After::Stop))
    })?;
    let (Some(stop), Some(end)) = (ran, source.into_end()) else { return Ok(None) };
    let StreamEnd { format, guessed, notes, description, sq_radius } = end;
    training.trainee.grow(description.schema.features())?;
    let hypothesis = training.trainee.learner.hypothesis();
    let model = assemble(trainer, hypothesis, &training.progress, stop, &description)?;
    let report = Report::streamed(&model, Some((sq_radius + trainer.recipe.bias.squared()).sqrt()));
    let file = FileFacts { name: data.input.name(), format, guessed, notes, kept: Kept::Nowhere };
    Ok(Some(Fitted { model, report, failures: Vec::new(), checkpoint: None, file: Some(file) }))
}

/// Learns from a cache on disk. `None`: the file must be read whole.
fn fit_cached(
    trainer: &Trainer,
    data: FileData<'_>,
    with: &With<'_>,
    place: CachePlace<'_>,
    pace: Pace,
    (format, guessed): (Format, Option<Guess>),
    observer: &mut dyn Observer,
) -> Result<Option<Fitted>> {
    let FileData { input, options, .. } = data;
    let Some(mut source) = CacheSource::open(trainer, input, options, format, place, pace)? else { return Ok(None) };
    let (description, notes, equal) = (source.description(), source.notes(), source.weighs_equally());
    let held = match with.held {
        Some(HeldBack::File(held)) => {
            Some(read_for(held, options, &description.schema, &description.labels, NeedLabels::Yes)?.table)
        }
        _ => None,
    };
    let examples = held.as_ref().map(|held| Examples::new(held.matrix.rows()?, &held.classes, None)).transpose()?;
    let classes = description.labels.len();
    let validator = examples.map(|examples| Validator::new(LabelledRows { examples, classes }, with.patience));
    let trainee = RowTrainee::new(trainer, description.schema.features(), description.labels.len())?;
    let mut training = Training::new(trainee, observer);
    training.failures = Some(vec![0; description.examples as usize]);
    if let Some(checkpoint) = with.resume {
        checkpoint.check_fits(trainer, &description)?;
        training.resume(checkpoint)?;
    }
    training.observer.rows_ready();
    let mut fitted = train_all(trainer, training, &mut source, &description, validator, equal)?;
    fitted.file = Some(FileFacts { name: input.name(), format, guessed, notes, kept: Kept::Cache });
    Ok(Some(fitted))
}

/// What happened while a file was read into memory.
#[expect(clippy::large_enum_variant, reason = "there is one of it in a training")]
enum Overlap<'o, 't> {
    /// It was only read.
    None(&'o mut dyn Observer),
    /// Its blocks were presented once.
    FirstPass(Training<'o, RowTrainee<'t>>),
}

impl<'o> Overlap<'o, '_> {
    fn observer(&mut self) -> &mut (dyn Observer + 'o) {
        match self {
            Overlap::None(observer) => *observer,
            Overlap::FirstPass(training) => training.observer,
        }
    }
}

/// Reads the whole file, makes the first pass meanwhile if it `overlaps`, and then the other passes.
fn fit_in_memory(
    trainer: &Trainer,
    data: FileData<'_>,
    with: With<'_>,
    (pace, overlaps): (Pace, bool),
    observer: &mut dyn Observer,
) -> Result<Fitted> {
    let options = ReadOptions { compact: true, ..data.options.clone() };
    let (dataset, mut overlap) = if overlaps {
        let mut training = Training::new(RowTrainee::new(trainer, 0, 2)?, observer);
        training.failures = Some(Vec::new());
        let mut source = StreamSource::keeping(trainer, data.input, &options, pace);
        match training.pass(&mut source, 0)? {
            Passed::Whole => {}
            // Start again, now in memory.
            Passed::Restart | Passed::Unsuitable => training.restart()?,
            Passed::Stopped(_) => return Err(Error::interrupted()),
        }
        (source.into_dataset().ok_or_else(Error::interrupted)?, Overlap::FirstPass(training))
    } else {
        (read(data.input, &options)?, Overlap::None(observer))
    };
    let here = |error: Error| error.in_file(&dataset.name);
    dataset.table.check_learnable().and_then(|()| dataset.table.check_lengths()).map_err(here)?;
    let rows = KeptRows::new(dataset, &with, data.options)?;
    overlap.observer().rows_ready();
    let fitted = beside(
        || fit_rows(trainer, &rows, &with, data.start, overlap),
        || data.beside.into_iter().for_each(|work| work(rows.train())),
        data.beside.is_some() && rows.train().classes.len() > super::BLOCK_ROWS && trainer.recipe.kernel.is_none(),
    );
    let mut fitted =
        fitted.map_err(|error| if error.kind() == ErrorKind::Model { error } else { error.in_file(rows.name()) })?;
    let Dataset { name, format, guessed, notes, .. } = rows.dataset();
    let (name, format, guessed, notes) = (name.clone(), *format, *guessed, notes.clone());
    fitted.file = Some(FileFacts { name, format, guessed, notes, kept: Kept::Memory(Box::new(rows)) });
    Ok(fitted)
}

/// Trains on rows in memory; the first pass may have been made while they were read.
fn fit_rows(
    trainer: &Trainer,
    rows: &KeptRows,
    with: &With<'_>,
    start: Option<&StartAt<'_>>,
    overlap: Overlap<'_, '_>,
) -> Result<Fitted> {
    let prepared = trainer.prepare(rows.train())?;
    let others = (rows.held().map(HeldBack::Table), with.patience, with.resume);
    let file = Some(rows.dataset());
    let observer = match overlap {
        Overlap::FirstPass(training) if training.progress.presented > 0 => {
            return trainer.continue_prepared(&prepared, file, training, others);
        }
        Overlap::FirstPass(training) => training.observer,
        Overlap::None(observer) => observer,
    };
    let started = match start {
        Some(start) => Cow::Owned(Trainer { start: start(&prepared)?, ..trainer.clone() }),
        None => Cow::Borrowed(trainer),
    };
    let trainee = RowTrainee::new(&started, prepared.features(), prepared.raw.labels.len())?;
    started.continue_prepared(&prepared, file, Training::new(trainee, observer), others)
}

/// Runs `work`, and `other` on another thread if there is one and it `pays`.
fn beside<T>(work: impl FnOnce() -> T, other: impl FnOnce() + Send, pays: bool) -> T {
    let pays = pays && parallel::threads() > 1;
    std::thread::scope(|scope| {
        if pays {
            // A pool of one thread, so that it takes none from the work.
            parallel::spawn_alone(scope, other);
        }
        work()
    })
}
