//! A machine judges one example under the current weights, and says which outputs a correction moves.

mod binary;
mod one_vs_rest;
mod single;

pub use binary::Binary;
pub(crate) use one_vs_rest::MarginOfRest;
pub use one_vs_rest::OneVsRest;
pub use single::{Single, Spread};

use serde::{Deserialize, Serialize};

use crate::learn::Weights;
use crate::named::named;
use crate::rows::Row;

/// The class of a negative example of a binary machine.
pub const NEGATIVE: u32 = 0;
/// The class of a positive example of a binary machine.
pub const POSITIVE: u32 = 1;

/// What a score of exactly zero means while learning. Textbooks differ, and at w = 0 it always matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tie {
    /// Always a mistake: y(w·x) ≤ 0 (Novikoff; Freund and Schapire).
    #[default]
    Update,
    /// Predicted +1: sign(0) = +1.
    Positive,
    /// Predicted −1: fires only above the threshold.
    Negative,
}

named!(Tie: Update = "update", Positive = "positive", Negative = "negative");

impl Tie {
    /// The class that a trained binary model answers for a score.
    #[inline]
    pub fn class_of(self, score: f64) -> u32 {
        let positive = if self == Tie::Negative { score > 0.0 } else { score >= 0.0 };
        if positive { POSITIVE } else { NEGATIVE }
    }
}

/// The judgement of one labelled example, before any step.
#[derive(Debug, Clone, Copy)]
pub struct Judgement {
    /// w·z, the margin along the correction z: y(w·x + b), or the true class's score less the best
    /// other's (less the mean of the offenders', where they share the step).
    pub margin: f64,
    /// Whether the prediction is wrong, under the tie rule.
    pub mistake: bool,
    /// ‖z‖²/‖x‖² for the correction z: 1 for a binary machine, up to 2 where classes are pushed apart.
    pub stretch: f64,
}

/// One output that a correction moves, and by how many times x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// Which output.
    pub output: usize,
    /// How many times x, before the rule's τ.
    pub by: f64,
}

/// How the voters of a voted perceptron are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ballot {
    /// Each output says yes or no by its sign.
    Sign,
    /// The outputs together name one class.
    ArgMax,
}

/// Judges an example under the current weights.
///
/// Everything multi-class follows from one construction (Kesler): an example of class y that class r outscores is
/// a binary example z with x in block y and −x in block r, on which w·z = s_y − s_r.
/// So a rule needs margins and lengths, and nothing about classes.
pub trait Machine: Clone + Send + Sync + 'static {
    /// The number of outputs.
    fn outputs(&self) -> usize;
    /// How voters are counted.
    fn ballot(&self) -> Ballot;
    /// The greatest [`stretch`](Judgement::stretch) there can be.
    fn max_stretch(&self) -> f64;
    /// Judges x of class `class`, and stores what a correction would move.
    fn judge<X: Row>(&mut self, weights: &Weights, x: X, class: u32) -> Judgement;
    /// The outputs that a correction of the example judged last would move.
    fn moves(&self) -> &[Move];
}
