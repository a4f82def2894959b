//! The mistake bound, step by step: kγ ≤ u·w ≤ ‖w‖ ≤ √k·R after every update.
//!
//! This holds for any unit vector u that separates the data; the one with the widest margin γ gives the tightest bound and
//! is shown. With a rate η both ends are multiplied by η.

use serde::Serialize;

use crate::certify::Deadline;
use crate::certify::float::{Widest, widest};
use crate::error::Result;
use crate::learn::machine::POSITIVE;
use crate::learn::{Bias, Geometry, Weights};
use crate::limits;
use crate::rows::Table;

/// A separating unit vector and the two numbers of the bound.
#[derive(Debug, Clone)]
pub struct Proof {
    /// u, of length 1.
    pub unit: Weights,
    /// R.
    pub radius: f64,
    /// γ, the margin of u.
    pub margin: f64,
    /// The examples (from 0) that bound the margin: no vector has a wider margin on these alone.
    pub support: Vec<usize>,
    rate: f64,
}

/// The chain of inequalities after k updates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ProofLine {
    /// u·w.
    pub u_dot_w: f64,
    /// kγ, at most u·w.
    pub lower: f64,
    /// ‖w‖, at least u·w.
    pub norm: f64,
    /// √k·R, at least ‖w‖.
    pub upper: f64,
}

impl Proof {
    /// The unit vector with the widest margin, which gives the tightest bound. `None` if the data are not separable.
    pub fn find(table: &Table, bias: Bias, rate: f64) -> Result<Option<Proof>> {
        let rows = table.matrix.rows()?;
        let signs: Vec<i8> = table.classes.iter().map(|&class| if class == POSITIVE { 1 } else { -1 }).collect();
        let beta = bias.is_learned().then(|| bias.beta());
        let Some(Widest { mut weights, support }) = widest(rows, &signs, beta, &Deadline::NEVER)? else {
            // The search ends early where it has to stop.
            limits::check()?;
            return Ok(None);
        };
        let support = support.into_iter().filter(|(_, p)| *p > 0.0).map(|(i, _)| i).collect();
        let b = if bias.is_learned() { bias.beta() * weights.pop().unwrap_or(0.0) } else { 0.0 };
        let mut unit = Weights::from_parts(weights, vec![b], bias);
        let norm = unit.norm();
        unit.map(|w| w / norm);
        let seen = Geometry::measure(&unit, table.examples()?)?;
        let proof = Proof { unit, radius: seen.radius, margin: seen.margin, support, rate };
        Ok((proof.margin > 0.0).then_some(proof))
    }

    /// The chain after k updates that led to `weights`.
    pub fn line(&self, weights: &Weights, k: u64) -> ProofLine {
        ProofLine {
            u_dot_w: self.unit.inner(weights),
            lower: self.rate * k as f64 * self.margin,
            norm: weights.norm(),
            upper: self.rate * (k as f64).sqrt() * self.radius,
        }
    }

    /// The rate of the steps, by which both ends of the chain are multiplied.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// (R/γ)².
    pub fn bound(&self) -> f64 {
        (self.radius / self.margin).powi(2)
    }
}
