//! The training loop: passes over a source of blocks, the stop rule, calls to observers.
//!
//! ```text
//!  source ── blocks ──► Training::pass ──► trainee.present ──► progress, failures ──► observer
//!     ▲                      │ pass ended
//!     └── scan ◄── Training::run: separated? validated? enough? ──► Stop
//! ```

use std::ops::ControlFlow;

use super::Checkpoint;
use super::source::{Block, BlockSource, Numbers, Passed, Presented};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::{AnyLearner, PassEnd, Progress, Stop, Tally};
use crate::limits;

/// What the loop trains: a learner for rows or for sentences.
pub(crate) trait Trainee {
    /// Examples as a source presents them.
    type Examples<'a>: Copy;
    /// What observers see of it.
    type Learner: ?Sized + Resumable;
    /// The most examples between two calls to an observer.
    const STRIDE: usize = usize::MAX;

    /// How many examples there are.
    fn count(examples: Self::Examples<'_>) -> usize;
    /// What observers see.
    fn learner(&self) -> &Self::Learner;
    /// All blocks will be of these examples; a learner may precompute from them.
    fn attend(&mut self, _all: Self::Examples<'_>) -> Result<()> {
        Ok(())
    }
    /// Learns from the examples at these places, in order, and counts mistakes by place in `failures`. Presents fewer if
    /// the limits have passed.
    fn present(
        &mut self,
        examples: Self::Examples<'_>,
        order: &[u32],
        upcoming: &[u32],
        failures: Option<&mut [u32]>,
    ) -> Result<Tally>;
    /// A pass over so many examples has ended.
    fn end_pass(&mut self, presented: u64) -> PassEnd;
    /// Whether training goes on until there are no updates, not only until there are no mistakes.
    fn wants_margin(&self) -> bool;
    /// Whether every weight is finite.
    fn is_finite(&self) -> bool;
    /// Whether the last weights classify these examples correctly, and, if [`judges_kept`](Self::judges_kept), those that
    /// are kept, too.
    fn separates(&self, examples: Self::Examples<'_>) -> bool;
    /// Whether training goes on until what is kept separates the examples, not only the last weights.
    fn judges_kept(&self) -> bool {
        false
    }
    /// Resets to the initial state.
    fn restart(&mut self) -> Result<()>;
}

impl<T: Trainee> Trainee for &mut T {
    type Examples<'a> = T::Examples<'a>;
    type Learner = T::Learner;
    const STRIDE: usize = T::STRIDE;

    fn count(examples: T::Examples<'_>) -> usize {
        T::count(examples)
    }
    fn learner(&self) -> &T::Learner {
        (**self).learner()
    }
    fn attend(&mut self, all: T::Examples<'_>) -> Result<()> {
        (**self).attend(all)
    }
    fn present(
        &mut self,
        examples: T::Examples<'_>,
        order: &[u32],
        upcoming: &[u32],
        failures: Option<&mut [u32]>,
    ) -> Result<Tally> {
        (**self).present(examples, order, upcoming, failures)
    }
    fn end_pass(&mut self, presented: u64) -> PassEnd {
        (**self).end_pass(presented)
    }
    fn wants_margin(&self) -> bool {
        (**self).wants_margin()
    }
    fn is_finite(&self) -> bool {
        (**self).is_finite()
    }
    fn separates(&self, examples: T::Examples<'_>) -> bool {
        (**self).separates(examples)
    }
    fn judges_kept(&self) -> bool {
        (**self).judges_kept()
    }
    fn restart(&mut self) -> Result<()> {
        (**self).restart()
    }
}

/// The state of a pass, for observers.
pub struct Now<'a, L: ?Sized = dyn AnyLearner> {
    /// How far training has come.
    pub progress: &'a Progress,
    /// How many examples the pass presents; 0 if unknown.
    pub total: u64,
    /// The examples that were just presented.
    pub examples: Presented<'a>,
    /// Their mistakes and updates.
    pub tally: Tally,
    /// The learner after them.
    pub learner: &'a L,
}

/// A learner whose training can be saved and resumed.
pub trait Resumable {
    /// What resuming needs.
    type Checkpoint;

    /// See [`Learner::wants_margin`](crate::learn::Learner::wants_margin).
    fn wants_margin(&self) -> bool {
        false
    }
}

impl Resumable for dyn AnyLearner {
    type Checkpoint = Checkpoint;

    fn wants_margin(&self) -> bool {
        AnyLearner::wants_margin(self)
    }
}

/// Called during training; may stop it.
///
/// ```
/// use rosenblatt::{Data, Now, Observer, Stop, Table, Trainer, With};
/// use std::ops::ControlFlow;
///
/// /// Stops training after some examples.
/// struct AtMost(u64);
/// impl Observer for AtMost {
///     fn stride(&self) -> usize {
///         1
///     }
///     fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
///         if now.progress.presented < self.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Interrupted) }
///     }
/// }
///
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let with = With { observer: Some(&mut AtMost(3)), ..With::default() };
/// let fitted = Trainer::new("perceptron").fit_with(Data::Table(&table), with)?;
/// assert_eq!((fitted.report.presented, fitted.report.stopped), (3, Stop::Interrupted));
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub trait Observer<L: ?Sized + Resumable = dyn AnyLearner> {
    /// The most examples between two calls: often enough for Ctrl-C, rarely enough to cost nothing. 1 sees every step.
    fn stride(&self) -> usize {
        4096
    }

    /// More examples of the current pass were presented.
    fn advanced(&mut self, _now: &Now<'_, L>) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    /// A pass has ended; `failures` counts how often each example was a mistake (empty if not counted).
    fn pass_ended(&mut self, _progress: &Progress, _learner: &L, _failures: &[u32]) -> Result<ControlFlow<Stop>> {
        Ok(ControlFlow::Continue(()))
    }

    /// Whether to call [`checkpoint`](Self::checkpoint) at the end of each pass.
    fn wants_checkpoints(&self) -> bool {
        false
    }

    /// Receives the checkpoint at the end of a pass.
    fn checkpoint(&mut self, _checkpoint: L::Checkpoint) -> Result<()> {
        Ok(())
    }

    /// All rows were read, and passes begin. Not called if the first pass overlaps reading.
    fn rows_ready(&mut self) {}

    /// Training restarts, because an assumption about the file failed; discard what was observed.
    fn restarted(&mut self) {}
}

/// No-op observer.
impl<L: ?Sized + Resumable> Observer<L> for () {}

/// Called when a pass has ended: validation, checkpoints, observers.
pub(crate) type AfterPass<'p, T> = dyn FnMut(&mut Training<'_, T>, &mut dyn BlockSource<T>) -> Result<After> + 'p;

/// Whether training goes on after a pass.
pub(crate) enum After {
    /// Training goes on.
    Go,
    /// Training ends.
    Stop(Stop),
    /// The source restarted.
    Restart,
}

/// A training in progress.
pub(crate) struct Training<'t, T: Trainee> {
    /// What is trained.
    pub(crate) trainee: T,
    /// How far it has come.
    pub(crate) progress: Progress,
    /// How often each example was a mistake; `None` if not counted.
    pub(crate) failures: Option<Vec<u32>>,
    /// Called during training.
    pub(crate) observer: &'t mut dyn Observer<T::Learner>,
    /// Mistakes of a block of copies, by place.
    missed: Vec<u32>,
}

impl<'t, T: Trainee> Training<'t, T> {
    /// A training before its first pass.
    pub(crate) fn new(trainee: T, observer: &'t mut dyn Observer<T::Learner>) -> Self {
        Training { trainee, progress: Progress::default(), failures: None, observer, missed: Vec::new() }
    }

    /// How often each example was a mistake; empty if not counted.
    pub(crate) fn failures(&self) -> &[u32] {
        self.failures.as_deref().unwrap_or_default()
    }

    /// Calls the observer at the end of a pass.
    pub(crate) fn notify_pass_ended(&mut self) -> Result<ControlFlow<Stop>> {
        let Training { trainee, progress, failures, observer, .. } = self;
        observer.pass_ended(progress, trainee.learner(), failures.as_deref().unwrap_or_default())
    }

    /// Runs passes, from the current progress, until a reason to stop. `None`: the source does not suit its data.
    pub(crate) fn run(
        &mut self,
        source: &mut dyn BlockSource<T>,
        epochs: u32,
        after_pass: &mut AfterPass<'_, T>,
    ) -> Result<Option<Stop>> {
        if let Some(ended) = self.progress.ended {
            return Ok(Some(ended));
        }
        if let Some(all) = source.resident() {
            self.trainee.attend(all)?;
        }
        while self.progress.epochs() < epochs {
            match self.pass(source, self.progress.position)? {
                Passed::Stopped(stop) => return Ok(Some(stop)),
                Passed::Unsuitable => return Ok(None),
                Passed::Restart => {
                    self.restart()?;
                    continue;
                }
                Passed::Whole if self.progress.position == 0 => return Err(all_weights_zero()),
                Passed::Whole => {}
            }
            if !self.close_pass(source)? {
                self.restart()?;
                continue;
            }
            match (self.progress.ended, after_pass(self, source)?) {
                (_, After::Restart) => self.restart()?,
                (Some(stop), _) | (None, After::Stop(stop)) => return Ok(Some(stop)),
                (None, After::Go) => {}
            }
        }
        Ok(Some(Stop::MaxEpochs))
    }

    /// One pass over the source, skipping the examples that were `presented` before.
    pub(crate) fn pass(&mut self, source: &mut dyn BlockSource<T>, mut presented: u64) -> Result<Passed> {
        let epoch = self.progress.epochs();
        let total = match source.length(epoch) {
            Some(0) => return Err(all_weights_zero()),
            Some(length) => {
                self.progress.check_position(length)?;
                length
            }
            None => 0,
        };
        let stride = self.observer.stride().clamp(1, T::STRIDE);
        source.pass(epoch, stride, &mut |block| self.present(block, stride, total, &mut presented))
    }

    /// Presents a block, some examples at a time, skipping those that were `presented` before.
    fn present(
        &mut self,
        block: Block<'_, T>,
        stride: usize,
        total: u64,
        presented: &mut u64,
    ) -> Result<ControlFlow<Stop>> {
        let skipped = (*presented).min(block.order.len() as u64) as usize;
        *presented -= skipped as u64;
        let mut upcoming = block.upcoming.get(skipped..).unwrap_or_default().chunks(stride);
        for places in block.order[skipped..].chunks(stride) {
            let tally = self.learn(&block, places, upcoming.next().unwrap_or_default())?;
            self.progress.add(tally);
            let (count, places) = (places.len(), &places[..tally.presented as usize]);
            let Training { trainee, progress, observer, .. } = self;
            let examples = Presented { places, numbers: block.numbers };
            let now = Now { progress, total, examples, tally, learner: trainee.learner() };
            if let ControlFlow::Break(stop) = observer.advanced(&now) {
                return Ok(ControlFlow::Break(stop));
            }
            match limits::check() {
                // What was learned so far is worth keeping.
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    return Ok(ControlFlow::Break(Stop::Interrupted));
                }
                other => other?,
            }
            if places.len() < count {
                return Ok(ControlFlow::Break(Stop::Interrupted));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Learns from some examples of a block, and counts failures by example.
    fn learn(&mut self, block: &Block<'_, T>, places: &[u32], upcoming: &[u32]) -> Result<Tally> {
        let Training { trainee, failures, missed, .. } = self;
        let (examples, count) = (block.examples, T::count(block.examples));
        match (failures, block.numbers) {
            (None, _) => trainee.present(examples, places, upcoming, None),
            (Some(all), Numbers::From(start)) => {
                let (start, end) = (start as usize, start as usize + count);
                if all.len() < end {
                    limits::reserve(all, end - all.len(), &|| "the failures of examples".into())?;
                    all.resize(end, 0);
                }
                trainee.present(examples, places, upcoming, Some(&mut all[start..end]))
            }
            (Some(all), Numbers::Listed(list)) => {
                missed.resize(count.max(missed.len()), 0);
                let tally = trainee.present(examples, places, upcoming, Some(&mut missed[..count]))?;
                for (&i, missed) in list.iter().zip(missed).filter(|(_, missed)| **missed > 0) {
                    all[i as usize] = all[i as usize].saturating_add(std::mem::take(missed));
                }
                Ok(tally)
            }
        }
    }

    /// Ends a pass, or a batch, of so many examples; returns whether the step was smaller than the user's ε.
    pub(crate) fn end_block(&mut self, presented: u64) -> Result<bool> {
        self.end_block_if(presented, T::is_finite)
    }

    /// The same; `is_finite` looks at the weights that may have moved.
    pub(crate) fn end_block_if(&mut self, presented: u64, is_finite: impl FnOnce(&T) -> bool) -> Result<bool> {
        let end = self.trainee.end_pass(presented);
        self.progress.add_late_updates(end.updates);
        if !is_finite(&self.trainee) {
            return Err(overflowed(&self.progress));
        }
        Ok(end.small_step)
    }

    /// Closes a pass, and ends training if it separated the examples or the step was small. `false`: the source restarted.
    fn close_pass(&mut self, source: &mut dyn BlockSource<T>) -> Result<bool> {
        let small_step = self.end_block(self.progress.position)?;
        let (mistakes, updates) = self.progress.end_pass();
        let mut separated = mistakes == 0 && (updates == 0 || !self.trainee.wants_margin());
        if separated && (updates > 0 || self.trainee.judges_kept()) {
            // No mistakes, but updates, or other weights: only a scan of all examples shows whether they separate.
            let trainee = &self.trainee;
            let mut see = |examples: T::Examples<'_>| {
                separated = separated && trainee.separates(examples);
                Ok(())
            };
            if !source.scan(&mut see)? {
                return Ok(false);
            }
        }
        if separated {
            self.progress.ended = Some(Stop::Separated);
        } else if small_step {
            self.progress.ended = Some(Stop::SmallStep);
        }
        Ok(true)
    }

    /// Restarts from the initial state.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.progress = Progress::default();
        if let Some(failures) = &mut self.failures {
            failures.clear();
        }
        self.observer.restarted();
        self.trainee.restart()
    }
}

/// No example can be presented.
fn all_weights_zero() -> Error {
    Error::bad_data("every example has weight zero: nothing can be learned")
}

/// The weights are no longer finite.
pub(crate) fn overflowed(progress: &Progress) -> Error {
    Error::bad_data(format!(
        "the weights overflowed in pass {}: the values are too large; divide them by a common factor",
        progress.epochs() + u32::from(progress.position > 0)
    ))
}
