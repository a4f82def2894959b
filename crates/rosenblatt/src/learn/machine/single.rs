//! Many classes, one machine: the ultraconservative updates of Crammer and Singer (JMLR 3, 2003).

use super::{Ballot, Judgement, Machine, Move, Tie};
use crate::learn::Weights;
use crate::rows::Row;

/// Which of the classes that outscore the right one move, and how they share the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// All of it on the highest-scoring wrong class; the lowest number wins ties.
    Worst,
    /// In equal parts on every wrong class that scores at least as high as the right one.
    Uniform,
}

/// One weight vector a class; the highest score wins, the lowest class number wins ties.
///
/// A correction adds x to the right class and takes x in all from the offending ones:
/// z has squared length ‖x‖²(1 + Σ τᵣ²) ≤ 2‖x‖².
/// [`Tie::Update`] counts any tie with the right class as a mistake; the other two go by the predicted class.
#[derive(Debug, Clone)]
pub struct Single {
    tie: Tie,
    spread: Spread,
    scores: Vec<f64>,
    moves: Vec<Move>,
}

impl Single {
    /// A machine for this many classes.
    pub fn new(classes: usize, spread: Spread, tie: Tie) -> Self {
        Single { tie, spread, scores: vec![0.0; classes], moves: Vec::with_capacity(classes) }
    }
}

impl Machine for Single {
    fn outputs(&self) -> usize {
        self.scores.len()
    }

    fn ballot(&self) -> Ballot {
        Ballot::ArgMax
    }

    fn max_stretch(&self) -> f64 {
        2.0
    }

    #[inline]
    fn judge<X: Row>(&mut self, weights: &Weights, x: X, class: u32) -> Judgement {
        weights.scores(x, &mut self.scores);
        let right = class as usize;
        let own = self.scores[right];
        let mut worst = usize::from(right == 0);
        for (r, &score) in self.scores.iter().enumerate() {
            if r != right && score > self.scores[worst] {
                worst = r;
            }
        }
        let margin = own - self.scores[worst];
        let mistake = margin < 0.0 || margin == 0.0 && (self.tie == Tie::Update || worst < right);

        self.moves.clear();
        self.moves.push(Move { output: right, by: 1.0 });
        if self.spread == Spread::Uniform && margin <= 0.0 {
            let offends = |(r, score): &(usize, &f64)| *r != right && **score >= own;
            let offenders = self.scores.iter().enumerate().filter(offends);
            let share = 1.0 / offenders.clone().count() as f64;
            // The rule needs w·z for the z it moves along; it is milder than the worst offender's lead.
            let mean: f64 = offenders.clone().map(|(_, score)| score).sum::<f64>() * share;
            self.moves.extend(offenders.map(|(r, _)| Move { output: r, by: -share }));
            Judgement { margin: own - mean, mistake, stretch: 1.0 + share }
        } else {
            self.moves.push(Move { output: worst, by: -1.0 });
            Judgement { margin, mistake, stretch: 2.0 }
        }
    }

    #[inline]
    fn moves(&self) -> &[Move] {
        &self.moves
    }
}
