//! How far training has come, and why it stopped.

use serde::{Deserialize, Serialize};

use super::learner::Tally;
use super::state::MOST;
use crate::error::{Error, Result};
use crate::named::named;

/// Why training stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// A whole pass without a mistake: the last weights separate the examples that it presents.
    Separated,
    /// The passes that were asked for are done.
    MaxEpochs,
    /// No improvement within the user's patience.
    NoProgress,
    /// A batch step was shorter than ε.
    SmallStep,
    /// The user or the program stopped it.
    Interrupted,
}

impl Stop {
    /// As reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Separated => "separated",
            Stop::MaxEpochs => "max-epochs",
            Stop::NoProgress => "no-progress",
            Stop::SmallStep => "small-step",
            Stop::Interrupted => "interrupted",
        }
    }
}

/// How the examples of a pass were ordered, as a model remembers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderKind {
    /// In their given order, in every pass.
    Cyclic,
    /// Shuffled again in every pass.
    Shuffled,
    /// By a list, which may repeat some and leave out others.
    Given,
}

named!(OrderKind: Cyclic = "cyclic", Shuffled = "shuffled", Given = "given");

impl OrderKind {
    /// True if there is a seed exactly where one is needed.
    pub(crate) fn suits(self, seed: Option<u64>) -> bool {
        (self == OrderKind::Shuffled) == seed.is_some()
    }
}

/// How far training has come: enough to go on at the same example.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Examples presented in the current pass.
    pub position: u64,
    /// Examples presented in all.
    pub presented: u64,
    /// Wrong predictions before the step, in all.
    pub mistakes: u64,
    /// Times that the weights moved, in all.
    pub updates: u64,
    /// Mistakes and updates of the current pass.
    pub pass_mistakes: u64,
    /// See `pass_mistakes`.
    pub pass_updates: u64,
    /// Mistakes of each whole pass.
    pub mistakes_by_epoch: Vec<u64>,
    /// Why training ended for good; `None` while more passes could change something.
    pub ended: Option<Stop>,
}

impl Progress {
    /// Whole passes done.
    pub fn epochs(&self) -> u32 {
        self.mistakes_by_epoch.len() as u32
    }

    /// Refuses counts that no training can produce.
    pub(crate) fn check(&self) -> Result<()> {
        let counts =
            [self.position, self.presented, self.mistakes, self.updates, self.pass_mistakes, self.pass_updates];
        let whole_passes: u128 = self.mistakes_by_epoch.iter().map(|&m| u128::from(m)).sum();
        let sound = counts.iter().all(|&c| c <= MOST)
            && self.position <= self.presented
            && self.pass_updates <= self.updates
            && whole_passes + u128::from(self.pass_mistakes) == u128::from(self.mistakes);
        if sound { Ok(()) } else { Err(Error::bad_model("the counts of the training so far contradict each other")) }
    }

    /// Refuses a position that passes of `length` examples cannot reach.
    pub(crate) fn check_position(&self, length: u64) -> Result<()> {
        let expected = u128::from(self.epochs()) * u128::from(length) + u128::from(self.position);
        if self.position > length || expected != u128::from(self.presented) {
            return Err(Error::bad_model(format!(
                "the training so far does not fit: {} passes of {length} examples and {} more are not {}",
                self.epochs(),
                self.position,
                self.presented
            )));
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, tally: Tally) {
        self.position += tally.presented;
        self.presented += tally.presented;
        self.mistakes += tally.mistakes;
        self.updates += tally.updates;
        self.pass_mistakes += tally.mistakes;
        self.pass_updates += tally.updates;
    }

    pub(crate) fn add_late_updates(&mut self, updates: u64) {
        self.updates += updates;
        self.pass_updates += updates;
    }

    /// Closes the pass; returns its mistakes and updates.
    pub(crate) fn end_pass(&mut self) -> (u64, u64) {
        self.mistakes_by_epoch.push(self.pass_mistakes);
        self.position = 0;
        (std::mem::take(&mut self.pass_mistakes), std::mem::take(&mut self.pass_updates))
    }
}
