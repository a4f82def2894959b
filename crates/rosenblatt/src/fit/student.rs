//! A learner of rows, as the loop trains it.

use std::borrow::Cow;

use super::train::{Trainee, Training};
use super::{Checkpoint, Trainer};
use crate::error::Result;
use crate::learn::{AnyLearner, PassEnd, State, Tally};
use crate::rows::Examples;

/// Examples of so many classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) examples: Examples<'a>,
    pub(crate) classes: usize,
}

/// A learner that is made when the number of classes is known, and grows with the features that it meets.
pub(crate) struct Student<'t> {
    pub(super) trainer: Cow<'t, Trainer>,
    pub(crate) learner: Box<dyn AnyLearner>,
    features: usize,
    classes: usize,
}

impl<'t> Student<'t> {
    /// For rows of so many features and classes; where they are not known yet, 0 and 2 will do.
    pub(crate) fn new(trainer: &'t Trainer, features: usize, classes: usize) -> Result<Self> {
        Ok(Student { trainer: Cow::Borrowed(trainer), learner: trainer.learner(features, classes)?, features, classes })
    }

    /// The same, with settings of its own.
    pub(crate) fn owning(trainer: Trainer, features: usize, classes: usize) -> Result<Student<'static>> {
        let learner = trainer.learner(features, classes)?;
        Ok(Student { trainer: Cow::Owned(trainer), learner, features, classes })
    }

    /// Makes the learner again, from nothing.
    fn remake(&mut self, features: usize, classes: usize) -> Result<()> {
        self.learner = self.trainer.learner(features, classes)?;
        (self.features, self.classes) = (features, classes);
        Ok(())
    }

    /// Takes over what a paused training had learned.
    pub(crate) fn restore(&mut self, state: &State) -> Result<()> {
        self.learner.restore(state)
    }

    /// From now on rows have up to so many features.
    pub(crate) fn grow(&mut self, features: usize) {
        if features > self.features {
            self.features = features;
            self.learner.grow(features);
        }
    }
}

impl Training<'_, Student<'_>> {
    /// Goes on where a training was paused.
    pub(super) fn resume(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        self.trainee.restore(&checkpoint.learner)?;
        self.progress = checkpoint.progress.clone();
        self.failures = Some(checkpoint.failures.clone());
        Ok(())
    }
}

impl Trainee for Student<'_> {
    type Examples<'a> = Shown<'a>;
    type Learner = dyn AnyLearner;

    fn count(shown: Shown<'_>) -> usize {
        shown.examples.len()
    }

    fn learner(&self) -> &(dyn AnyLearner + 'static) {
        &*self.learner
    }

    fn attend(&mut self, all: Shown<'_>) {
        self.learner.attend(all.examples);
    }

    fn present(
        &mut self,
        shown: Shown<'_>,
        order: &[u32],
        soon: &[u32],
        failures: Option<&mut [u32]>,
    ) -> Result<Tally> {
        if shown.classes != self.classes {
            self.remake(self.features, shown.classes)?;
        }
        self.grow(shown.examples.rows.features());
        Ok(self.learner.run_prefetching(shown.examples, order, soon, failures))
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

    fn separates(&self, shown: Shown<'_>) -> bool {
        self.learner.geometry(shown.examples).margin > 0.0
    }

    fn restart(&mut self) -> Result<()> {
        let features = if self.trainer.start == super::Start::Zero { 0 } else { self.features };
        self.remake(features, self.classes)
    }
}
