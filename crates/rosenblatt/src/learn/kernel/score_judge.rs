//! Judges scores instead of weights.
//!
//! A [`Machine`] judges weights on a row. A row whose only feature is 1, under weights that are the scores, has just
//! these scores: so every machine judges scores too, with its own rules for ties and for what a correction moves.

use crate::learn::Weights;
use crate::learn::machine::{Ballot, Binary, Judgement, Machine, Move, Tie};
use crate::rows::Dense;

/// Machines around one table: each says of an example whether it is right, and what would move.
pub trait ScoreJudge: Send + Sync + 'static {
    /// How many scores there are.
    fn outputs(&self) -> usize;
    /// How many judge by themselves, each with its own count of updates.
    fn seats(&self) -> usize;
    /// How voters are counted.
    fn ballot(&self) -> Ballot;
    /// The greatest ‖z‖²/‖x‖² of a correction.
    fn max_stretch(&self) -> f64;
    /// Lets each seat judge an example of this class, and say what a correction would move.
    fn judge(&mut self, scores: &[f64], class: u32, hear: impl FnMut(usize, Judgement, &[Move]));
}

const ONE: Dense<'_, f64> = Dense(&[1.0]);

/// One machine for all outputs: two classes, or many that are pushed apart.
pub struct Joint<M> {
    machine: M,
    scores: Weights,
}

impl<M: Machine> Joint<M> {
    /// This machine alone.
    pub fn new(machine: M) -> Self {
        let scores = Weights::zeros(1, machine.outputs(), false);
        Joint { machine, scores }
    }
}

impl<M: Machine> ScoreJudge for Joint<M> {
    fn outputs(&self) -> usize {
        self.machine.outputs()
    }

    fn seats(&self) -> usize {
        1
    }

    fn ballot(&self) -> Ballot {
        self.machine.ballot()
    }

    fn max_stretch(&self) -> f64 {
        self.machine.max_stretch()
    }

    #[inline]
    fn judge(&mut self, scores: &[f64], class: u32, mut hear: impl FnMut(usize, Judgement, &[Move])) {
        for (k, &score) in scores.iter().enumerate() {
            *self.scores.at(0, k) = score;
        }
        let seen = self.machine.judge(&self.scores, ONE, class);
        hear(0, seen, self.machine.moves());
    }
}

/// One binary machine for each class: itself against the rest.
pub struct Apart {
    machine: Binary,
    score: Weights,
    classes: usize,
}

impl Apart {
    /// As many machines as classes.
    pub fn new(classes: usize, tie: Tie) -> Self {
        Apart { machine: Binary::new(tie), score: Weights::zeros(1, 1, false), classes }
    }
}

impl ScoreJudge for Apart {
    fn outputs(&self) -> usize {
        self.classes
    }

    fn seats(&self) -> usize {
        self.classes
    }

    fn ballot(&self) -> Ballot {
        Ballot::Sign
    }

    fn max_stretch(&self) -> f64 {
        1.0
    }

    #[inline]
    fn judge(&mut self, scores: &[f64], class: u32, mut hear: impl FnMut(usize, Judgement, &[Move])) {
        for (k, &score) in scores.iter().enumerate() {
            *self.score.at(0, 0) = score;
            let seen = self.machine.judge(&self.score, ONE, u32::from(k == class as usize));
            hear(k, seen, &[Move { output: k, by: self.machine.moves()[0].by }]);
        }
    }
}
