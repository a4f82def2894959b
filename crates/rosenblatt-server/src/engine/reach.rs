//! How far the examples reach, and what the mistakes say of them.
//!
//! Novikoff: if a hyperplane has every example on its side at a distance of at least γ, and no example is longer than R, the
//! perceptron makes at most (R/γ)² mistakes. So after k mistakes no hyperplane has a margin above R/√k.

use serde::{Deserialize, Serialize};

/// The longest example, and whether all count the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// The bits of the greatest squared length: a number in JSON may be read back otherwise.
    squared: u64,
    weighed: bool,
}

/// What the theorem says.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Bound {
    /// The length of the longest example, with its bias.
    pub radius: f64,
    /// No hyperplane separates the examples so far with a greater margin.
    pub margin_at_most: f64,
}

impl Reach {
    /// One more example.
    pub fn add(&mut self, values: &[f64], bias: f64, weight: f64) {
        let squared = values.iter().map(|value| value * value).sum::<f64>() + bias * bias;
        self.squared = f64::from_bits(self.squared).max(squared).to_bits();
        self.weighed |= weight != 1.0;
    }

    /// The bound after so many mistakes of a perceptron with two classes.
    pub fn bound(&self, mistakes: u64) -> Option<Bound> {
        let radius = f64::from_bits(self.squared).sqrt();
        (mistakes > 0 && !self.weighed).then(|| Bound { radius, margin_at_most: radius / (mistakes as f64).sqrt() })
    }
}
