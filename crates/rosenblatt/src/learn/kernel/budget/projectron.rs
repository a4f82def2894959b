//! Projectron++: a vector that is nearly a mixture of the support is learned as that mixture, and needs no slot.
//!
//! Let k be the kernel values of x with the support, d = K⁻¹k, δ² = K(x, x) − k·d. Then Σ d_j φ(x_j) is the projection of
//! φ(x) on the span of the support, and δ its distance from it.
//!
//! * **On a mistake**, with moves s: if δ ≤ η, or the budget is used up, the projection moves: c_j += s·d_j.
//!   Else x itself comes in, and K⁻¹ grows by (1/δ²)[−d; 1][−d; 1]ᵀ beside a border of zeros.
//! * **On a margin short of one**, ℓ = 1 − margin: the projection moves by τ = min(ℓ/‖P‖², 2(ℓ − δ/η)/‖P‖², 1), if that
//!   is above zero, with ‖P‖² = k·d.
//!
//! For the comparisons with η and one, kernel values are divided by R².
//!
//! Orabona, Keshet and Caputo 2009; the step on short margins is as we remember it, and no bound of theirs is quoted.
//! Several outputs share one support and one inverse. O(B²) for each step.

use super::budget_state::BudgetState;
use super::{Correction, Policy};
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::limits;

/// The policy.
#[derive(Debug)]
pub struct Projectron {
    eta: f64,
    /// K⁻¹ of the support, row by row; `stride` numbers a row.
    inverse: Vec<f64>,
    stride: usize,
    size: usize,
    values: Vec<f64>,
    mixture: Vec<f64>,
}

/// A vector closer to the span than this share of its own squared length adds nothing but noise to the inverse.
const CLOSEST: f64 = 1e-9;

/// Numbers in a row of the inverse, for a support of this size: room to grow, without moving it every time.
fn stride_for(support: usize) -> usize {
    support.next_power_of_two().max(16)
}

impl Projectron {
    /// Vectors within a distance of `eta` are projected.
    pub fn new(eta: f64) -> Self {
        Projectron { eta, inverse: Vec::new(), stride: 0, size: 0, values: Vec::new(), mixture: Vec::new() }
    }

    /// An entry of K⁻¹.
    pub fn inverse(&self, i: usize, j: usize) -> f64 {
        self.inverse[i * self.stride + j]
    }

    /// d = K⁻¹k into `mixture`; returns k·d.
    fn project(&mut self, budget: &BudgetState) -> f64 {
        budget.current_values(&mut self.values);
        self.mixture.clear();
        for i in 0..self.size {
            let row = &self.inverse[i * self.stride..][..self.size];
            self.mixture.push(crate::rows::dot(row, &self.values));
        }
        crate::rows::dot(&self.mixture, &self.values)
    }

    /// K⁻¹ of the support with one more vector, whose mixture is known and whose squared distance is `sq_delta`.
    fn grow(&mut self, sq_delta: f64) {
        let size = self.size + 1;
        if size > self.stride {
            let stride = stride_for(size);
            let mut wider = vec![0.0; stride * stride];
            for i in 0..self.size {
                wider[i * stride..][..self.size].copy_from_slice(&self.inverse[i * self.stride..][..self.size]);
            }
            (self.inverse, self.stride) = (wider, stride);
        }
        self.mixture.push(-1.0);
        for i in 0..size {
            let scale = self.mixture[i] / sq_delta;
            crate::rows::add(&self.mixture, &mut self.inverse[i * self.stride..][..size], scale);
        }
        self.size = size;
    }

    fn spread(&self, budget: &mut BudgetState, output: u32, scale: f64) {
        for (slot, d) in self.mixture.iter().enumerate() {
            budget.add_coefficient(slot, output as usize, scale * d);
        }
    }
}

impl Policy for Projectron {
    const MENDS_SHORT: bool = true;

    fn correct(&mut self, budget: &mut BudgetState, correction: &Correction<'_>, most: usize) {
        let mut sq_projection = self.project(budget);
        let sq_len = budget.current_sq_len();
        let sq_delta = f64::max(0.0, sq_len - sq_projection);
        // In lengths of the longest row.
        let mut delta = (sq_delta / budget.sq_radius()).sqrt();
        if !correction.moves.is_empty() {
            if delta <= self.eta && self.size > 0 || self.size >= most || sq_delta <= CLOSEST * sq_len {
                correction.moves.iter().for_each(|&(output, scale)| self.spread(budget, output, scale));
            } else {
                let slot = budget.insert_current();
                debug_assert_eq!(slot, self.size, "a vector of the support is at no distance from it");
                correction
                    .moves
                    .iter()
                    .for_each(|&(output, scale)| budget.add_coefficient(slot, output as usize, scale));
                // Now x is in the support, and its mixture is itself.
                self.grow(sq_delta);
                self.mixture.iter_mut().for_each(|d| *d = 0.0);
                self.mixture[slot] = 1.0;
                (sq_projection, delta) = (sq_len, 0.0);
            }
        }
        for short in correction.short {
            let loss = 1.0 - short.margin;
            let sq = short.stretch * sq_projection / budget.sq_radius();
            let tau = (loss / sq).min(2.0 * (loss - delta / self.eta) / sq).min(1.0);
            if sq > 0.0 && tau > 0.0 {
                self.spread(budget, short.output, tau * short.by);
            }
        }
    }

    fn reserve(&self, support: usize) -> Result<()> {
        if support <= self.stride {
            return Ok(());
        }
        // The wider inverse, and its copies in a checkpoint and in the file of one.
        let numbers = (stride_for(support) as u128).pow(2) + 2 * (support as u128).pow(2);
        limits::room_for::<f64>(numbers, || format!("the inverse Gram matrix of {support} support vectors").into())
    }

    fn save(&self, state: &mut State) {
        let rows = (0..self.size).flat_map(|i| self.inverse[i * self.stride..][..self.size].iter().copied());
        state.put("inverse", Array::F64(rows.collect()));
    }

    fn restore(&mut self, state: &State, support: usize) -> Result<()> {
        let inverse = state.f64s("inverse")?;
        if Some(inverse.len()) != support.checked_mul(support) {
            return Err(Error::bad_model("the inverse does not have a row and a column for each support vector"));
        }
        (self.inverse, self.stride, self.size) = (inverse.to_vec(), support, support);
        Ok(())
    }
}
