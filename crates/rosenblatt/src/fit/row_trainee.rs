//! The trainee for rows: a learner, and the settings to build it.

use std::borrow::Cow;

use super::train::{Trainee, Training};
use super::validate::Scored;
use super::{Checkpoint, Trainer, Until};
use crate::error::Result;
use crate::learn::{AnyLearner, Hypothesis, PassEnd, State, Tally};
use crate::limits;
use crate::rows::Examples;

/// Examples, and the number of classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelledRows<'a> {
    pub(crate) examples: Examples<'a>,
    pub(crate) classes: usize,
}

/// A learner that is built when the number of classes is known, and grows with new features.
pub(crate) struct RowTrainee<'t> {
    pub(super) trainer: Cow<'t, Trainer>,
    pub(crate) learner: Box<dyn AnyLearner>,
    features: usize,
    classes: usize,
}

impl<'t> RowTrainee<'t> {
    /// For rows of so many features and classes; 0 and 2 if they are not known yet.
    pub(crate) fn new(trainer: &'t Trainer, features: usize, classes: usize) -> Result<Self> {
        Ok(RowTrainee {
            trainer: Cow::Borrowed(trainer),
            learner: trainer.learner(features, classes)?,
            features,
            classes,
        })
    }

    /// The same, owning its settings.
    pub(crate) fn owning(trainer: Trainer, features: usize, classes: usize) -> Result<RowTrainee<'static>> {
        let learner = trainer.learner(features, classes)?;
        Ok(RowTrainee { trainer: Cow::Owned(trainer), learner, features, classes })
    }

    /// Builds a new learner.
    fn rebuild(&mut self, features: usize, classes: usize) -> Result<()> {
        self.learner = self.trainer.learner(features, classes)?;
        (self.features, self.classes) = (features, classes);
        Ok(())
    }

    /// Restores the state of a paused training.
    pub(crate) fn restore(&mut self, state: &State) -> Result<()> {
        self.learner.restore(state)
    }

    /// Grows to this many features, if their weights fit in memory.
    pub(crate) fn grow(&mut self, features: usize) -> Result<()> {
        if features > self.features {
            self.trainer.recipe.room_for_weights(features, self.classes, self.features)?;
            self.features = features;
            self.learner.grow(features);
        }
        Ok(())
    }
}

impl Training<'_, RowTrainee<'_>> {
    /// Resumes a paused training.
    pub(super) fn resume(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        self.trainee.restore(&checkpoint.learner)?;
        self.progress = checkpoint.progress.clone();
        self.failures = Some(checkpoint.failures.clone());
        Ok(())
    }
}

impl Trainee for RowTrainee<'_> {
    type Examples<'a> = LabelledRows<'a>;
    type Learner = dyn AnyLearner;

    fn count(labelled: LabelledRows<'_>) -> usize {
        labelled.examples.len()
    }

    fn learner(&self) -> &(dyn AnyLearner + 'static) {
        &*self.learner
    }

    fn attend(&mut self, all: LabelledRows<'_>) -> Result<()> {
        self.learner.attend(all.examples)
    }

    fn present(
        &mut self,
        labelled: LabelledRows<'_>,
        order: &[u32],
        upcoming: &[u32],
        mut failures: Option<&mut [u32]>,
    ) -> Result<Tally> {
        if labelled.classes != self.classes {
            self.rebuild(self.features, labelled.classes)?;
        }
        self.grow(labelled.examples.rows.features())?;
        let stride = self.learner.stride().min(order.len());
        self.learner.reserve(labelled.examples.len(), stride)?;
        if stride == order.len() {
            return Ok(self.learner.run_prefetching(labelled.examples, order, upcoming, failures));
        }
        // Steps that take long: the loop hears of a tally that is short of the order, and asks the limits why.
        let mut tally = Tally::default();
        for places in order.chunks(stride) {
            if limits::has_passed() {
                break;
            }
            self.learner.reserve(labelled.examples.len(), stride)?;
            tally.add(self.learner.run(labelled.examples, places, failures.as_deref_mut()));
        }
        Ok(tally)
    }

    fn end_pass(&mut self, presented: u64) -> PassEnd {
        self.learner.end_pass(presented)
    }

    fn wants_margin(&self) -> bool {
        self.learner.wants_margin()
    }

    fn is_finite(&self) -> bool {
        self.learner.is_finite()
    }

    fn separates(&self, labelled: LabelledRows<'_>) -> bool {
        // Not known where the limits have passed, and so not claimed.
        let last = self.learner.geometry(labelled.examples).is_ok_and(|geometry| geometry.margin > 0.0);
        let kept = || self.wrong(&self.learner.hypothesis(), labelled).is_ok_and(|wrong| wrong == 0);
        last && (!self.judges_kept() || kept())
    }

    fn judges_kept(&self) -> bool {
        self.trainer.until == Until::Kept
    }

    fn restart(&mut self) -> Result<()> {
        let features = if self.trainer.start == super::Start::Zero { 0 } else { self.features };
        self.rebuild(features, self.classes)
    }
}

impl Scored for RowTrainee<'_> {
    type Hypothesis = Hypothesis;

    fn hypothesis(&self) -> Hypothesis {
        self.learner.hypothesis()
    }

    fn answers(labelled: LabelledRows<'_>) -> u64 {
        labelled.examples.len() as u64
    }

    fn wrong(&self, hypothesis: &Hypothesis, labelled: LabelledRows<'_>) -> Result<u64> {
        hypothesis.wrong(labelled.examples, self.trainer.recipe.tie)
    }
}
