//! Keep the weights that got most training examples right: the pocket algorithm with ratchet (Gallant 1990).
//!
//! The current weights are counted over the whole training set only when they have survived a longer run than the
//! pocket's, and replace the pocket only if they get strictly more right. So the pocket never gets worse.
//! Examples count by their weight.

use super::Keep;
use crate::error::{Error, Result};
use crate::learn::machine::{Machine, Move};
use crate::learn::{Array, Hypothesis, Outputs, State, View, Weights};
use crate::rows::{Row, Rows};

/// The pocket.
#[derive(Debug, Clone)]
pub struct Pocket {
    pocket: Weights,
    /// The weight of the examples that the pocket gets right; `None` before the first count.
    right: Option<f64>,
    pocket_run: u64,
    run: u64,
    /// Whether the weights have been counted since they last moved, and whether they are in the pocket.
    counted: bool,
    in_pocket: bool,
}

impl Keep for Pocket {
    const REVIEWS_ALL_ROWS: bool = true;

    fn new(start: &Weights) -> Self {
        Pocket { pocket: start.clone(), right: None, pocket_run: 0, run: 0, counted: false, in_pocket: true }
    }

    #[inline]
    fn correcting<X: Row>(&mut self, _x: X, _moves: &[Move], _tau: f64, _t: u64) {
        self.run = 0;
        self.counted = false;
        self.in_pocket = false;
    }

    #[inline]
    fn surviving(&mut self) {
        self.run += 1;
    }

    #[inline]
    fn review<M: Machine, R: Rows>(&mut self, weights: &Weights, machine: &mut M, all: View<'_, R>) {
        if self.right.is_none() {
            self.right = count(&self.pocket, machine, all, f64::NEG_INFINITY);
        }
        if self.run <= self.pocket_run {
            return;
        }
        if !self.counted {
            self.counted = true;
            if let Some(right) = count(weights, machine, all, self.right.unwrap_or(f64::NEG_INFINITY)) {
                self.pocket.combine(weights, |_, w| w);
                self.right = Some(right);
                self.in_pocket = true;
            }
        }
        if self.in_pocket {
            self.pocket_run = self.run;
        }
    }

    fn grow(&mut self, features: usize) {
        self.pocket.grow(features, 0.0);
    }

    fn hypothesis<M: Machine>(&self, _last: &Weights, _machine: &M, _t: u64) -> Hypothesis {
        Hypothesis::Linear(self.pocket.clone())
    }

    fn kept_at(&self, _last: &Weights, features: &[u32], _t: u64) -> Option<Weights> {
        Some(self.pocket.pick(features))
    }

    fn save(&self, state: &mut State) {
        state.put_weights("pocket", &self.pocket);
        state.put("right", Array::F64(self.right.into_iter().collect()));
        state.put_count("pocket_run", self.pocket_run);
        state.put_count("run", self.run);
        state.put_count("counted", u64::from(self.counted));
        state.put_count("in_pocket", u64::from(self.in_pocket));
    }

    fn save_for(&self, outputs: &Outputs, state: &mut State) {
        Pocket { pocket: outputs.of_weights(&self.pocket), ..self.clone() }.save(state);
    }

    fn restore(&mut self, state: &State, _t: u64) -> Result<()> {
        self.pocket = state.weights_like("pocket", &self.pocket)?;
        self.right = match *state.f64s("right")? {
            [] => None,
            [right] if right.is_finite() => Some(right),
            _ => return Err(Error::bad_model("\"right\" must hold one finite number, or none")),
        };
        (self.pocket_run, self.run) = (state.count("pocket_run")?, state.count("run")?);
        (self.counted, self.in_pocket) = (state.flag("counted")?, state.flag("in_pocket")?);
        Ok(())
    }
}

/// The weight of all examples that are right, if it is more than `beat`; stops as soon as it cannot be.
fn count<M: Machine, R: Rows>(weights: &Weights, machine: &mut M, all: View<'_, R>, beat: f64) -> Option<f64> {
    let total: f64 = (0..all.len()).map(|i| all.get(i).2).sum();
    let mut wrong = 0.0;
    for i in 0..all.len() {
        let (x, class, weight) = all.get(i);
        if machine.judge(weights, x, class).mistake {
            wrong += weight;
            if total - wrong <= beat {
                return None;
            }
        }
    }
    (total - wrong > beat).then_some(total - wrong)
}
