//! The Forgetron: after a correction beyond the budget, everything is shrunk and the oldest vector is removed.
//!
//! Let f' be the hypothesis after the correction, in a space where K(x, x) ≤ 1 (all kernel values are
//! divided by R² for it); r the oldest vector, c its coefficients,
//! κ = K(x_r, x_r). Shrinking by φ and removing r moves the hypothesis by g = φ Σ_k c_k φ(x_r) in each output. For any
//! comparator u with |u_k(x_r)| ≤ 1,
//!
//! > ‖φf' − g − u‖² − ‖φf' − u‖² = ‖g‖² − 2⟨g, φf'⟩ + 2⟨g, u⟩ ≤ Ψ(φ) = φ²(κ‖c‖² − 2 Σ_k c_k f'_k(x_r)) + 2φ‖c‖₁.
//!
//! This damage is paid from what mistakes earn: φ is the largest in (0, 1] for which the damage so far, Q + Ψ(φ), stays
//! within 15/32 of the number of corrections: the self-tuned rule of Dekel, Shalev-Shwartz and Singer (2008), here with
//! the outputs of several classes taken together. (We quote no mistake bound: theirs is for two classes.)

use super::budget_state::BudgetState;
use super::{Correction, Policy};
use crate::error::{Error, Result};
use crate::learn::{Array, State};

/// The damage allowed for each correction.
const SHARE: f64 = 15.0 / 32.0;

/// The policy.
#[derive(Debug, Default)]
pub struct Forgetron {
    corrections: u64,
    /// Q: the damage done so far.
    damage: f64,
}

impl Policy for Forgetron {
    fn correct(&mut self, budget: &mut BudgetState, correction: &Correction<'_>, most: usize) {
        self.corrections += 1;
        let slot = budget.insert_current();
        for &(output, scale) in correction.moves {
            budget.add_coefficient(slot, output as usize, scale);
        }
        if budget.active_count() <= most {
            return;
        }
        let oldest = budget.oldest();
        let (c, scores) = (budget.coefficients(oldest), budget.scores_of(oldest));
        let square = (budget.sq_len(oldest) * c.iter().map(|c| c * c).sum::<f64>()
            - 2.0 * c.iter().zip(&scores).map(|(c, s)| c * s).sum::<f64>())
            / budget.sq_radius();
        let linear = 2.0 * c.iter().map(|c| c.abs()).sum::<f64>();
        let phi = largest(square, linear, SHARE * self.corrections as f64 - self.damage);
        self.damage += phi * phi * square + phi * linear;
        budget.shrink(phi);
        budget.drop(oldest);
    }

    fn save(&self, state: &mut State) {
        state.put_count("corrections", self.corrections);
        state.put("damage", Array::F64(vec![self.damage]));
    }

    fn restore(&mut self, state: &State, _support: usize) -> Result<()> {
        self.corrections = state.count("corrections")?;
        self.damage = match *state.f64s("damage")? {
            [damage] if damage.is_finite() => damage,
            _ => return Err(Error::bad_model("\"damage\" must hold one finite number")),
        };
        Ok(())
    }
}

/// The largest φ in (0, 1] with aφ² + bφ ≤ room, for b ≥ 0 and room > 0.
fn largest(a: f64, b: f64, room: f64) -> f64 {
    if a + b <= room {
        return 1.0;
    }
    // The smaller root where a < 0; written so that nothing cancels.
    let root = (b * b + 4.0 * a * room).max(0.0).sqrt();
    (2.0 * room / (b + root)).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_feasible_and_nothing_larger_is() {
        for (a, b, room) in [(1.0, 2.0, 0.47), (-0.5, 2.0, 0.3), (3.0, 0.1, 0.2), (-3.0, 4.0, 0.9), (0.0, 2.0, 1.0)] {
            let phi = largest(a, b, room);
            let damage = |phi: f64| a * phi * phi + b * phi;
            assert!(damage(phi) <= room * (1.0 + 1e-12), "{a} {b} {room}: {phi}");
            assert!(phi == 1.0 || damage(phi * 1.0001) > room, "{a} {b} {room}: {phi}");
        }
        assert_eq!(largest(-4.0, 2.0, 0.1), 1.0, "forgetting may even help");
    }
}
