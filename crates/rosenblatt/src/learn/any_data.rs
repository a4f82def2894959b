//! A mistake bound for data that no hyperplane separates.
//!
//! For any unit vector u and any γ > 0, let example i fall short by dᵢ = max(0, γ − yᵢ(u·xᵢ)), and D² = Σ dᵢ². Then the
//! perceptron makes at most ((R + D)/γ)² mistakes in its **first pass**: give each example a coordinate of its own that
//! makes up for what it lacks, and the extended data are separable.       Freund and Schapire 1999, Theorem 2
//!
//! Every γ gives a bound, and the least is wanted. D is a convex function of γ (a norm of convex functions), so that
//! (R + D)/γ has a single valley. The search uses a sample of the examples; wherever it ends, the bound holds for all of them.

use serde::Serialize;

/// The bound for a first pass over any data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnyDataBound {
    /// ((R + D)/γ)²: at most this many mistakes in the first pass.
    pub mistakes: f64,
    /// γ: the margin required of every example.
    pub margin: f64,
    /// D: the length of the vector of shortfalls.
    pub shortfall: f64,
}

/// The search samples about this many margins, evenly spaced.
const SAMPLE: usize = 4096;
/// Steps of the search by thirds: the bracket shrinks to (2/3)⁴⁰ of its length.
const STEPS: u32 = 40;

/// The bound that one hyperplane proves, from the geometric margin of each example.
///
/// ```
/// // Three examples of length 1: two with margin 1, one on the wrong side.
/// let bound = rosenblatt::learn::any_data_bound(1.0, &[1.0, 1.0, -1.0]).unwrap();
/// assert!((bound.mistakes - 9.0).abs() < 1e-9); // γ = 1, D = 2
/// ```
pub fn any_data_bound(radius: f64, margins: &[f64]) -> Option<AnyDataBound> {
    if radius.is_nan() || radius <= 0.0 || margins.is_empty() || margins.iter().any(|m| m.is_nan()) {
        return None;
    }
    let stride = margins.len().div_ceil(SAMPLE);
    let sampled =
        |gamma: f64| (radius + (stride as f64).sqrt() * shortfall(gamma, margins.iter().step_by(stride))) / gamma;
    // No margin exceeds R, and beyond it the valley has been passed; towards zero the bound grows like 1/γ².
    let (mut low, mut high) = ((radius * 1e-9).ln(), radius.ln());
    for _ in 0..STEPS {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if sampled(a.exp()) < sampled(b.exp()) { high = b } else { low = a }
    }
    let margin = high.exp();
    let shortfall = shortfall(margin, margins.iter());
    let mistakes = ((radius + shortfall) / margin).powi(2);
    mistakes.is_finite().then_some(AnyDataBound { mistakes, margin, shortfall })
}

/// D for this γ.
fn shortfall<'a>(gamma: f64, margins: impl Iterator<Item = &'a f64>) -> f64 {
    margins.map(|m| (gamma - m).max(0.0).powi(2)).sum::<f64>().sqrt()
}
