//! Rates: fixed increments, and variable ones that shrink with the number of the update.

use super::params::{Param, Params};

/// The rate's declaration, for learners that step at a rate.
pub const RATE: Param = Param::positive("rate", 1.0, "length of a step along the correction");
/// The schedule's declaration.
pub const SCHEDULE: Param = Param::choice(
    "schedule",
    &["constant", "inverse-sqrt", "inverse"],
    "how the rate falls with the number of the update",
);

/// η for the k-th update: a, a/√k or a/k.
///
/// All three converge on separable data: Σ η = ∞ and Σ η² / (Σ η)² → 0 (ALGORITHMS §10).
/// From zero weights a constant rate only scales the weights, and changes no prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Always the same.
    Constant(f64),
    /// a/√k.
    InverseSqrt(f64),
    /// a/k.
    Inverse(f64),
}

impl Rate {
    /// From the parameters `rate` and `schedule`.
    pub fn new(params: &Params) -> Self {
        let a = params.number("rate");
        match params.choice("schedule") {
            "inverse-sqrt" => Rate::InverseSqrt(a),
            "inverse" => Rate::Inverse(a),
            _ => Rate::Constant(a),
        }
    }

    /// The rate of the k-th update, counted from 1.
    #[inline]
    pub fn at(self, k: u64) -> f64 {
        match self {
            Rate::Constant(a) => a,
            Rate::InverseSqrt(a) => a / (k as f64).sqrt(),
            Rate::Inverse(a) => a / k as f64,
        }
    }

    /// Whether it never changes.
    pub fn is_constant(self) -> bool {
        matches!(self, Rate::Constant(_))
    }
}
