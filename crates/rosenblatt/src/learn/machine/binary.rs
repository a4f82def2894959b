//! Two classes, one hyperplane.

use super::{Ballot, Judgement, Machine, Move, POSITIVE, Tie};
use crate::learn::Weights;
use crate::rows::Row;

/// The textbook's machine: sign(w·x + b), a correction adds y·x.
#[derive(Debug, Clone)]
pub struct Binary {
    tie: Tie,
    moves: [Move; 1],
}

impl Binary {
    /// A machine with this rule for a score of zero.
    pub fn new(tie: Tie) -> Self {
        Binary { tie, moves: [Move { output: 0, by: 0.0 }] }
    }
}

impl Machine for Binary {
    fn outputs(&self) -> usize {
        1
    }

    fn ballot(&self) -> Ballot {
        Ballot::Sign
    }

    fn max_stretch(&self) -> f64 {
        1.0
    }

    #[inline]
    fn judge<X: Row>(&mut self, weights: &Weights, x: X, class: u32) -> Judgement {
        let score = weights.score(x);
        let sign = if class == POSITIVE { 1.0 } else { -1.0 };
        self.moves[0].by = sign;
        let margin = sign * score;
        let mistake = margin < 0.0
            || margin == 0.0
                && match self.tie {
                    Tie::Update => true,
                    Tie::Positive => class != POSITIVE,
                    Tie::Negative => class == POSITIVE,
                };
        Judgement { margin, mistake, stretch: 1.0 }
    }

    #[inline]
    fn moves(&self) -> &[Move] {
        &self.moves
    }
}
