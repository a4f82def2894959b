//! Keep the mean of the weights after every example.
//!
//! With t counting presented examples, δⱼ the change made at time tⱼ and u = w₀ + Σ tⱼ δⱼ,
//!
//! > S_T = Σ_{t=1..T} w_t = (T+1)·w_T − u,   average = S_T / T
//!
//! because δⱼ stays in the sum for the T − tⱼ + 1 vectors from tⱼ on. So only mistakes cost anything, and with
//! integer features everything is exact below 2⁵³. Ours is the mean of the weights *after* each example; crfsuite
//! and CIML also count the initial zero vector, which multiplies the result by T/(T+1) and changes no sign.

use super::Keep;
use crate::error::Result;
use crate::learn::machine::{Machine, Move};
use crate::learn::{Hypothesis, Outputs, State, Weights};
use crate::rows::Row;

/// The averaged perceptron's memory: u.
#[derive(Debug, Clone)]
pub struct Average {
    u: Weights,
}

impl Keep for Average {
    fn new(start: &Weights) -> Self {
        Average { u: start.clone() }
    }

    #[inline]
    fn correct<X: Row>(&mut self, weights: &mut Weights, x: X, moves: &[Move], tau: f64, t: u64) {
        for step in moves {
            let scale = tau * step.by;
            weights.add_with(x, step.output, scale, (&mut self.u, t as f64 * scale));
        }
    }

    fn grow(&mut self, features: usize) {
        self.u.grow(features, 0.0);
    }

    fn hypothesis<M: Machine>(&self, last: &Weights, _machine: &M, t: u64) -> Hypothesis {
        Hypothesis::Linear(mean(last.clone(), &self.u, t))
    }

    fn kept_at(&self, last: &Weights, features: &[u32], t: u64) -> Option<Weights> {
        Some(mean(last.pick(features), &self.u.pick(features), t))
    }

    fn save(&self, state: &mut State) {
        state.put_weights("u", &self.u);
    }

    fn save_for(&self, outputs: &Outputs, state: &mut State) {
        state.put_weights("u", &outputs.of_weights(&self.u));
    }

    fn restore(&mut self, state: &State, _t: u64) -> Result<()> {
        self.u = state.weights_like("u", &self.u)?;
        Ok(())
    }
}

/// S_t / t by the formula above, coordinate by coordinate.
fn mean(mut last: Weights, u: &Weights, t: u64) -> Weights {
    if t > 0 {
        let t = t as f64;
        last.combine(u, |w, u| ((t + 1.0) * w - u) / t);
    }
    last
}
