//! Judges scores instead of weights.
//!
//! A [`Machine`] judges weights on a row. A row whose only feature is 1, under weights that are the scores, has just
//! these scores: so every machine judges scores too, with its own rules for ties and for what a correction moves.

use crate::learn::Weights;
use crate::learn::machine::{Ballot, Binary, Judgement, Machine, MarginOfRest, Move, Tie};
use crate::rows::Dense;

/// One or more machines that judge scores: whether an example is right, and what a correction would move.
pub trait ScoreJudge: Send + Sync + 'static {
    /// The number of scores.
    fn outputs(&self) -> usize;
    /// The number of independent machines, each with its own count of updates.
    fn machines(&self) -> usize;
    /// How voters are counted.
    fn ballot(&self) -> Ballot;
    /// The greatest ‖z‖²/‖x‖² of a correction.
    fn max_stretch(&self) -> f64;
    /// Calls `judged` with the judgement of each machine on an example of this class, and with what a correction would move;
    /// returns the margin of the example.
    fn judge(&mut self, scores: &[f64], class: u32, judged: impl FnMut(usize, Judgement, &[Move])) -> f64;
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

    fn machines(&self) -> usize {
        1
    }

    fn ballot(&self) -> Ballot {
        self.machine.ballot()
    }

    fn max_stretch(&self) -> f64 {
        self.machine.max_stretch()
    }

    #[inline]
    fn judge(&mut self, scores: &[f64], class: u32, mut judged: impl FnMut(usize, Judgement, &[Move])) -> f64 {
        for (k, &score) in scores.iter().enumerate() {
            *self.scores.at(0, k) = score;
        }
        let judgement = self.machine.judge(&self.scores, ONE, class);
        judged(0, judgement, self.machine.moves());
        judgement.margin
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

    fn machines(&self) -> usize {
        self.classes
    }

    fn ballot(&self) -> Ballot {
        Ballot::Sign
    }

    fn max_stretch(&self) -> f64 {
        1.0
    }

    #[inline]
    fn judge(&mut self, scores: &[f64], class: u32, mut judged: impl FnMut(usize, Judgement, &[Move])) -> f64 {
        let mut margin = MarginOfRest::new(class);
        for (k, &score) in scores.iter().enumerate() {
            *self.score.at(0, 0) = score;
            let judgement = self.machine.judge(&self.score, ONE, u32::from(k == class as usize));
            judged(k, judgement, &[Move { output: k, by: self.machine.moves()[0].by }]);
            margin.add(k, judgement.margin);
        }
        margin.value()
    }
}
