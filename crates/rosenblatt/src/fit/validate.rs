//! Examples held back from learning, scored after every pass.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::{Course, Now, Observer, Stop};
use crate::base::learner::AnyLearner;
use crate::base::machine::Tie;
use crate::data::{Examples, Matrix, Table};
use crate::error::{Error, Result};
use crate::map::Prepared;
use crate::model::{Hypothesis, decide};

/// Examples held back, and what to do with what they say.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// The examples, with the features and classes of those that are learned from.
    pub table: &'a Table,
    /// Stop after so many passes in a row without fewer errors here, and keep the best pass (the first of equal ones).
    /// `None`: they are only watched, and the last pass is kept.
    pub patience: Option<u32>,
}

impl Held<'_> {
    /// The rows as the learner sees them, through maps that were fitted without them.
    pub(super) fn prepare(&self, prepared: &Prepared<'_>) -> Result<Cow<'_, Matrix>> {
        let Table { matrix, classes, labels, .. } = self.table;
        if matrix.is_empty() {
            return Err(Error::bad_data("no examples to validate on"));
        }
        if matrix.features() != prepared.raw.matrix.features() || *labels != prepared.raw.labels {
            return Err(Error::bad_data("the examples to validate on have other features or classes than the others"));
        }
        if classes.iter().any(|&class| class as usize >= labels.len()) {
            return Err(Error::bad_data("the examples to validate on have a class that is not named"));
        }
        if prepared.chain.is_empty() {
            return Ok(Cow::Borrowed(matrix));
        }
        Ok(Cow::Owned(prepared.chain.matrix(matrix.rows()?)?))
    }
}

/// What the held-back examples said, pass by pass: as much as a curve of training needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// How many were held back.
    pub examples: u64,
    /// How many of them the model after each pass got wrong.
    pub wrong_by_epoch: Vec<u64>,
    /// How many training examples it got wrong.
    pub train_wrong_by_epoch: Vec<u64>,
    /// The pass whose model was kept, from 1; 0 if no pass was finished.
    pub kept: u32,
}

impl Validation {
    /// The share of held-back examples that the kept model gets wrong; `None` if no pass was finished.
    pub fn error(&self) -> Option<f64> {
        let wrong = self.wrong_by_epoch.get((self.kept as usize).checked_sub(1)?)?;
        Some(*wrong as f64 / self.examples as f64)
    }

    /// Refuses what no training can have left behind.
    pub(crate) fn check(&self, trained_on: u64, epochs: usize) -> Result<()> {
        let below = |wrong: &[u64], all: u64| wrong.len() == epochs && wrong.iter().all(|&w| w <= all);
        let sound = self.examples > 0
            && below(&self.wrong_by_epoch, self.examples)
            && below(&self.train_wrong_by_epoch, trained_on)
            && self.kept as usize <= epochs
            && (self.kept > 0) == (epochs > 0);
        if sound { Ok(()) } else { Err(Error::bad_model("what validation said contradicts the training")) }
    }
}

/// Looks over another observer's shoulder, and scores the held-back examples at the end of each pass.
pub(super) struct Watch<'a> {
    observer: &'a mut dyn Observer,
    held: Examples<'a>,
    train: Examples<'a>,
    tie: Tie,
    patience: Option<u32>,
    said: Validation,
    best: Option<Hypothesis>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        held: Examples<'a>,
        patience: Option<u32>,
        train: Examples<'a>,
        tie: Tie,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let said = Validation { examples: held.len() as u64, ..Validation::default() };
        Watch { observer, held, train, tie, patience, said, best: None }
    }

    /// The best hypothesis, if it was to be kept, and the story.
    pub(super) fn said(self) -> (Option<Hypothesis>, Validation) {
        (self.best, self.said)
    }

    fn wrong(&self, hypothesis: &Hypothesis, examples: Examples<'_>) -> u64 {
        let scores = hypothesis.score_all(examples.rows, self.tie);
        let answers = scores.chunks(hypothesis.outputs()).map(|s| decide(s, self.tie));
        answers.zip(examples.classes).filter(|(answer, class)| answer != *class).count() as u64
    }
}

impl Observer for Watch<'_> {
    fn stride(&self) -> usize {
        self.observer.stride()
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        self.observer.advanced(now)
    }

    fn pass_ended(&mut self, course: &Course, learner: &dyn AnyLearner, failures: &[u32]) -> Result<ControlFlow<Stop>> {
        let hypothesis = learner.hypothesis();
        let (wrong, train_wrong) = (self.wrong(&hypothesis, self.held), self.wrong(&hypothesis, self.train));
        self.said.train_wrong_by_epoch.push(train_wrong);
        let best_so_far = self.said.wrong_by_epoch.iter().min().copied();
        self.said.wrong_by_epoch.push(wrong);
        let pass = self.said.wrong_by_epoch.len() as u32;
        if self.patience.is_none() {
            self.said.kept = pass;
        } else if best_so_far.is_none_or(|best| wrong < best) {
            self.said.kept = pass;
            self.best = Some(hypothesis);
        }
        let flow = self.observer.pass_ended(course, learner, failures)?;
        let in_vain = pass - self.said.kept;
        match self.patience {
            Some(patience) if flow.is_continue() && in_vain >= patience => Ok(ControlFlow::Break(Stop::NoProgress)),
            _ => Ok(flow),
        }
    }
}
