//! Naive twins: dense textbook versions of the algorithms, for the fast ones to agree with.
//!
//! The formula of each learner stands in its entry of the registry; the loops around it are here, and use nothing else
//! of the library. A run takes the full presented sequence of example numbers and keeps everything:
//! the weights after each example, where the prediction was wrong, where the rule took a step. A bias is one more
//! coordinate, constantly 1, at the END of x and of w. Labels are ±1 here, class numbers in `multi`.
#![allow(dead_code, unused_imports, unreachable_pub)]

mod keep;
mod make;
mod multi;
mod named;
mod twin;

pub use keep::*;
pub use make::*;
pub use multi::*;
pub use named::*;
pub use rosenblatt::learn::naive::{dot, norm, plus, times};
pub use twin::*;

/// What a score of exactly zero means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// A score of zero is wrong for both labels: wrong iff y(w·x) ≤ 0.
    Update,
    /// Predict +1 iff w·x ≥ 0; wrong iff the prediction differs from y.
    Positive,
    /// Predict +1 iff w·x > 0; wrong iff the prediction differs from y.
    Negative,
}

/// All three tie rules.
pub const TIES: [Tie; 3] = [Tie::Update, Tie::Positive, Tie::Negative];

/// One binary job: which examples, in which order, from where.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The examples (x, y), y = ±1, x without the bias coordinate.
    pub examples: &'a [(Vec<f64>, f64)],
    /// The numbers of the presented examples, all passes one after the other.
    pub order: &'a [usize],
    /// w before the first example, bias last; empty means the zero vector.
    pub start: &'a [f64],
    /// Whether x gets one more coordinate, constantly 1, at its end.
    pub bias: bool,
    /// What a score of zero means.
    pub tie: Tie,
    /// One weight for each example (not for each position); none means 1 for all.
    pub weights: Option<&'a [f64]>,
}

impl<'a> Task<'a> {
    /// From w = 0, no bias, `Tie::Update`, all weights 1.
    pub fn new(examples: &'a [(Vec<f64>, f64)], order: &'a [usize]) -> Self {
        Task { examples, order, start: &[], bias: false, tie: Tie::Update, weights: None }
    }

    /// w before the first example, bias included.
    pub fn start_vector(&self) -> Vec<f64> {
        let d = self.examples[0].0.len() + usize::from(self.bias);
        if self.start.is_empty() {
            return vec![0.0; d];
        }
        assert_eq!(self.start.len(), d, "the start vector has the bias at its end");
        self.start.to_vec()
    }

    /// The weight of example i.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }
}

/// Everything that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// w after each presented example.
    pub path: Vec<Vec<f64>>,
    /// Positions in the presented sequence where the prediction (before learning) was wrong under the tie rule.
    pub mistakes: Vec<usize>,
    /// Positions where the rule added a non-zero multiple of a non-zero x to w.
    pub updates: Vec<usize>,
}

/// x, or (x, 1) with a bias.
pub fn extended(x: &[f64], bias: bool) -> Vec<f64> {
    let mut x = x.to_vec();
    if bias {
        x.push(1.0);
    }
    x
}

/// The predicted label: the sign of s, and for s = 0 it is +1, except −1 under `Tie::Negative`.
pub fn label(s: f64, tie: Tie) -> f64 {
    let plus = if tie == Tie::Negative { s > 0.0 } else { s >= 0.0 };
    if plus { 1.0 } else { -1.0 }
}

/// Whether score s is wrong for label y: ys ≤ 0 under `Tie::Update`, else label(s) ≠ y.
pub fn wrong(s: f64, y: f64, tie: Tie) -> bool {
    match tie {
        Tie::Update => y * s <= 0.0,
        Tie::Positive | Tie::Negative => label(s, tie) != y,
    }
}

/// #{i : w is right on example i under the tie rule}.
pub fn count_correct(w: &[f64], examples: &[(Vec<f64>, f64)], bias: bool, tie: Tie) -> usize {
    examples.iter().filter(|(x, y)| !wrong(dot(w, &extended(x, bias)), *y, tie)).count()
}
