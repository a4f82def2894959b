//! The start of the next round, ahead of the mixed weights.
//!
//! Let w be the mixed weights after a round, v their change since the round before, and d the mean of what the shards change
//! from where they start. Rounds start from y = w + μv, so
//!
//! > w ← y + d,   v ← μv + d,   y ← w + μv.
//!
//! **The bound holds.** Let k = Σᵢ μᵢkᵢ be the mixed mistakes of a round, and let P follow w and p follow v by the same
//! formulas: P ← P + μp + k, p ← μp + k, from zero. If u separates with margin γ, then u·d ≥ γk, and so by induction
//! u·v ≥ γp and u·w ≥ γP. If ‖y‖² ≤ R²(P + μp) where a round starts, then ‖w‖² ≤ R²P where it ends, as without momentum: a
//! mistake adds at most R² to ‖·‖², whatever the start. μ = 0 therefore always keeps the inequality, and where μ would break it
//! a smaller one is taken. Together γP ≤ u·w ≤ ‖w‖ ≤ R√P, and because p ≥ 0
//!
//! > **Σₙ Σᵢ μᵢₙ kᵢₙ ≤ P ≤ R²/γ²**.
//!
//! (With more than two classes a mistake adds 2R², and γ is measured likewise; a rate η multiplies both sides by η².) Where no
//! theorem speaks of the learner nothing is checked, and nothing is claimed.

use std::collections::BTreeMap;

use super::delta::Delta;
use super::local_round::averaged_in;
use super::mixture::Mixture;
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::{Array, State};
use crate::limits;

/// What the driver remembers beside the state that a round starts from.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Momentum {
    /// μ: the weights of the state are ahead of the mixed ones by μv.
    pub(super) ahead: f64,
    /// v, by the name of the array of weights.
    pub(super) velocity: BTreeMap<String, Vec<f64>>,
    /// P + μp, of the weights that the next round starts from.
    pub(super) progress: f64,
    /// p.
    pub(super) gain: f64,
}

/// How often μ is halved before it is zero.
const HALVINGS: u32 = 10;

/// Whether this array holds weights, which have a direction; variances, sums for averages and counters have none.
pub(super) fn is_weights(name: &str) -> bool {
    name.strip_suffix(".bias").unwrap_or(name).rsplit('.').next() == Some("weights")
}

/// Whether all that is mixed has a direction. AROW's variances have none, and moving its weights alone made it worse where it was
/// measured (RESULTS.md): it is mixed uniformly.
pub(super) fn has_direction(learner: &State) -> bool {
    let mixed = |(name, array): (&str, &Array)| matches!(array, Array::F64(_)) && averaged_in(name).is_none();
    learner.arrays().filter(|&array| mixed(array)).all(|(name, _)| is_weights(name))
}

impl Mixture {
    /// Moves the start of the next round ahead of the mixed weights. The round is already mixed and counted; `weights` is the
    /// sum of the weights of all shards.
    pub(super) fn move_ahead(&mut self, sum: &Delta, weights: f64) -> Result<()> {
        let Some(mut momentum) = self.momentum.take() else { return Ok(()) };
        let sq_growth = self.sq_growth()?;
        for (name, part) in sum.parts.iter().filter(|(name, _)| is_weights(name)) {
            let velocity = match momentum.velocity.get_mut(name) {
                Some(velocity) => velocity,
                None => {
                    let zeros = limits::filled(0.0, part.len(), || format!("{} numbers", part.len()).into())?;
                    momentum.velocity.entry(name.clone()).or_insert(zeros)
                }
            };
            if velocity.len() != part.len() {
                return Err(Error::bad_model(format!("a report with an array \"{name}\" of another length")));
            }
            velocity.iter_mut().for_each(|v| *v *= momentum.ahead);
            part.each(|j, d| velocity[j] += d / weights);
        }
        let mixed = self.mixed_mistakes.last().copied().unwrap_or(0.0);
        momentum.progress += mixed;
        momentum.gain = momentum.ahead * momentum.gain + mixed;
        momentum.ahead = match sq_growth {
            Some(growth) => self.within_bound(&momentum, 1.0 - 1.0 / weights, growth)?,
            None => 1.0 - 1.0 / weights,
        };
        momentum.progress += momentum.ahead * momentum.gain;
        let horizon = (self.checkpoint.progress.presented + 1) as f64;
        let learner = std::mem::take(&mut self.checkpoint.learner);
        self.checkpoint.learner = shifted(learner, &momentum, momentum.ahead, Some(horizon));
        self.momentum = Some(momentum);
        Ok(())
    }

    /// What a mistake can add to the squared length of the weights at most, where the theorem applies.
    fn sq_growth(&self) -> Result<Option<f64>> {
        let (recipe, classes) = (&self.checkpoint.recipe, self.checkpoint.labels.len());
        // The learner is asked with one feature: what it says depends on no weights.
        if !self.equal || !self.trainer(1).learner(1, classes)?.bounded_on_any_data() {
            return Ok(None);
        }
        let rate = recipe.params()?.number("rate");
        Ok(Some(if classes == 2 { 1.0 } else { 2.0 } * rate * rate * self.sq_radius))
    }

    /// The greatest μ up to `most`, in halves, with ‖w + μv‖² ≤ growth·(P + μp). The state holds w.
    fn within_bound(&self, momentum: &Momentum, most: f64, growth: f64) -> Result<f64> {
        let (mut ww, mut wv, mut vv) = (0.0, 0.0, 0.0);
        for (name, velocity) in &momentum.velocity {
            for (w, v) in self.checkpoint.learner.f64s(name)?.iter().zip(velocity) {
                ww += w * w;
                wv += w * v;
                vv += v * v;
            }
        }
        let holds = |mu: &f64| ww + 2.0 * mu * wv + mu * mu * vv <= growth * (momentum.progress + mu * momentum.gain);
        let mut tried = (0..HALVINGS).map(|n| most / f64::from(1 << n));
        Ok(tried.find(holds).unwrap_or(0.0))
    }

    /// The learner's state at the mixed weights, if it keeps the last weights; the mean speaks of the weights that rounds start
    /// from and need not be moved.
    pub(super) fn state_of_model(&self) -> Result<State> {
        let state = self.checkpoint.learner.clone();
        match &self.momentum {
            // What separates the examples is where the last round started.
            Some(momentum) if self.ended().is_none() && self.checkpoint.recipe.keep()? == KeepKind::Last => {
                Ok(shifted(state, momentum, -momentum.ahead, None))
            }
            _ => Ok(state),
        }
    }
}

/// The state with weights moved by `by` times the velocity. With a horizon T + 1 the sums for averages move along, so that
/// the average stays.
fn shifted(state: State, momentum: &Momentum, by: f64, horizon: Option<f64>) -> State {
    let mut moved = State::default();
    for (name, array) in state.into_arrays() {
        let (weights, scale) = match (averaged_in(&name), horizon) {
            (Some(weights), Some(horizon)) => (weights, horizon * by),
            _ => (name.clone(), by),
        };
        let array = match (array, momentum.velocity.get(&weights)) {
            (Array::F64(mut values), Some(velocity)) => {
                // −0 is written as 0, as in bytes.
                values.iter_mut().zip(velocity).for_each(|(value, v)| *value = *value + scale * v + 0.0);
                Array::F64(values)
            }
            (array, _) => array,
        };
        moved.insert(name, array);
    }
    moved
}
