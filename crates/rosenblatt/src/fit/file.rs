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
use super::{LeftOpen, Observer, Settled, Start, Trainer};
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Input, Pace};
use crate::map::{LOOK, Need, Prepared};
use crate::read::cache::{CachePlace, check_cache_place};
use crate::read::{
    Dataset, Format, Guess, NeedLabels, ReadOptions, first_rows, memory_needed, read, read_for, streamable,
};
use crate::rows::{Examples, Table, the_rows};
use crate::{limits, parallel};

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
    let hashed = trainer.preparation.hashed(trainer.left_open.scale);
    let options = &ReadOptions { hashed, ..data.options.clone() };
    let data = FileData { options, ..data };
    let mut silent = ();
    let observer: &mut dyn Observer = match with.observer.take() {
        Some(observer) => observer,
        None => &mut silent,
    };
    let first = fit_settling(trainer, data, &with, (pace, skips_small), observer);
    match (first, data.storage) {
        (Err(error), Storage::Either { memory, folder })
            if error.kind() == ErrorKind::Memory && may_fit_cached(trainer, &data, &with, *memory)? =>
        {
            // What the rows take was estimated, by a guess if the file is compressed, and was more.
            observer.restarted();
            let storage = Storage::Either { memory: 0, folder: folder.clone() };
            let data = FileData { storage: &storage, ..data };
            fit_settling(trainer, data, &with, (pace, skips_small), observer)
                .map_err(|second| if second.kind() == ErrorKind::Memory { error } else { second })
        }
        (first, _) => first,
    }
}

/// Whether training through a cache was not tried, and could be.
fn may_fit_cached(trainer: &Trainer, data: &FileData<'_>, with: &With<'_>, memory: u64) -> Result<bool> {
    if !reads_blocks(trainer, data, with) || memory_needed(data.input, data.options)? > memory {
        return Ok(false);
    }
    Ok(streamable(data.input, data.options)?.is_some_and(|(format, _)| format != Format::Vw))
}

/// Whether a training needs the rows one block after the other, once open settings are decided so.
fn reads_blocks(trainer: &Trainer, data: &FileData<'_>, with: &With<'_>) -> bool {
    let whole = data.start.is_some() || matches!(with.held, Some(HeldBack::Share(..))) || data.rows_needed;
    !whole && trainer.learns_by_blocks() && data.input.opens_again()
}

/// Decides open settings, and trains.
fn fit_settling(
    trainer: &Trainer,
    data: FileData<'_>,
    with: &With<'_>,
    how: (Pace, bool),
    observer: &mut dyn Observer,
) -> Result<Fitted> {
    let settled = if trainer.is_settled() { None } else { first_look(trainer, &data, with)? };
    let trainer = settled.as_ref().map_or(trainer, |settled| &settled.trainer);
    let mut fitted = fit_observed(trainer, data, with, how, observer).map_err(|error| data.input.locate(error))?;
    if let Some(settled) = settled {
        fitted.settled = Some(Box::new(settled));
    }
    Ok(fitted)
}

/// Decides open settings from the first rows of a file that may be learned from while it is read. `None`: it is read whole.
fn first_look(trainer: &Trainer, data: &FileData<'_>, with: &With<'_>) -> Result<Option<Settled>> {
    if !reads_blocks(trainer, data, with) {
        return Ok(None);
    }
    let Some(found) = streamable(data.input, data.options)? else { return Ok(None) };
    let Some(first) = first_rows(data.input, data.options, found.0, LOOK)? else { return Ok(None) };
    let mut settled = trainer.settle(&first)?;
    if settled.trainer.learns_blocks_of(data.options.hashed) {
        return Ok(Some(settled));
    }
    // Prepared rows are kept beside the rows.
    let fits = match data.storage {
        Storage::Either { memory, .. } => 2 * memory_needed(data.input, data.options)? <= *memory,
        Storage::Memory => true,
        Storage::Cache(_) => false,
    };
    if fits {
        return Ok(None);
    }
    let need = match settled.need {
        Some(Need::Differ(ratio) | Need::Far(ratio)) => Some(Need::TooLarge(ratio)),
        other => other,
    };
    let left_open = LeftOpen { scale: false, ..trainer.left_open };
    settled = Trainer { left_open, ..trainer.clone() }.settle(&first)?;
    Ok(Some(Settled { need, ..settled }))
}

/// The same with an observer and without open settings, unless all rows are read first.
fn fit_observed(
    trainer: &Trainer,
    data: FileData<'_>,
    with: &With<'_>,
    (pace, skips_small): (Pace, bool),
    observer: &mut dyn Observer,
) -> Result<Fitted> {
    let here = |error: Error| error.in_file(&data.input.name());
    let whole = data.start.is_some() || matches!(with.held, Some(HeldBack::Share(..))) || data.rows_needed;
    let by_blocks = !whole && trainer.learns_blocks_of(data.options.hashed) && data.input.opens_again();
    let streams = if by_blocks { streamable(data.input, data.options)? } else { None };
    if let Some(found) = streams {
        // Names are numbered as they appear, which a cache cannot express.
        let named = found.0 == Format::Vw;
        let plain = with.held.is_none() && with.resume.is_none() && !observer.wants_checkpoints();
        let cache = match data.storage {
            Storage::Cache(place) if !named => {
                // Only a cache may be overwritten.
                check_cache_place(place)?;
                Some(CachePlace::File(place))
            }
            _ if named || (trainer.plan.epochs == 1 && plain) => None,
            Storage::Memory | Storage::Cache(_) => None,
            Storage::Either { memory, folder } => {
                (memory_needed(data.input, data.options)? > *memory).then_some(CachePlace::Private(folder))
            }
        };
        if let Some(place) = cache {
            if let Some(fitted) = fit_cached(trainer, data, with, place, pace, found, observer).map_err(here)? {
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
    let (dataset, overlap) = read_whole(trainer, data, (pace, overlaps), observer)?;
    fit_in_memory(trainer, data, with, dataset, overlap)
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
    let StreamEnd { format, guessed, notes, description, sq_radius, places } = end;
    training.trainee.grow(description.schema.features())?;
    let mut hypothesis = training.trainee.learner.hypothesis();
    if let Some(places) = places {
        hypothesis.renumber(&places);
    }
    let model = assemble(trainer, hypothesis, &training.progress, stop, &description)?;
    let report = Report::streamed(&model, Some((sq_radius + trainer.recipe.bias.squared()).sqrt()));
    let file = FileFacts { name: data.input.name(), format, guessed, notes, kept: Kept::Nowhere };
    Ok(Some(Fitted { model, report, failures: Vec::new(), checkpoint: None, file: Some(file), settled: None }))
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
    training.failures = Some(limits::filled(0, description.examples as usize, the_rows)?);
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

/// Reads the whole file, and makes the first pass meanwhile if it `overlaps`.
fn read_whole<'o, 't>(
    trainer: &'t Trainer,
    data: FileData<'_>,
    (pace, overlaps): (Pace, bool),
    observer: &'o mut dyn Observer,
) -> Result<(Dataset, Overlap<'o, 't>)> {
    let options = ReadOptions { compact: true, ..data.options.clone() };
    Ok(if overlaps {
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
    })
}

/// Trains on the rows of a file that was read whole.
fn fit_in_memory(
    trainer: &Trainer,
    data: FileData<'_>,
    with: &With<'_>,
    dataset: Dataset,
    mut overlap: Overlap<'_, '_>,
) -> Result<Fitted> {
    let here = |error: Error| error.in_file(&dataset.name);
    dataset.table.check_learnable().and_then(|()| dataset.table.check_lengths()).map_err(here)?;
    let rows = KeptRows::new(dataset, with, data.options)?;
    overlap.observer().rows_ready();
    let fitted = beside(
        || fit_rows(trainer, &rows, with, data.start, overlap),
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
    let settled = if trainer.is_settled() { None } else { Some(trainer.settle(rows.train())?) };
    let trainer = settled.as_ref().map_or(trainer, |settled| &settled.trainer);
    let mut fitted = fit_settled(trainer, rows, with, start, overlap)?;
    fitted.settled = settled.map(Box::new);
    Ok(fitted)
}

/// The same without open settings.
fn fit_settled(
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
