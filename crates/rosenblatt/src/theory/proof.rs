//! The mistake bound at work: kγ ≤ u·w ≤ ‖w‖ ≤ √k·R after every update.
//!
//! Any unit vector u that separates the data will do; γ is its margin. With a rate η both ends are multiplied by η.

use serde::Serialize;

use super::geometry::Geometry;
use crate::base::weights::Weights;
use crate::data::Table;
use crate::error::Result;
use crate::fit::{Order, Stop, Trainer};

/// A separating unit vector and the two numbers of the bound.
#[derive(Debug, Clone)]
pub struct Proof {
    /// u, of length 1.
    pub unit: Weights,
    /// R.
    pub radius: f64,
    /// γ, the margin of u.
    pub margin: f64,
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

/// Passes after which the search for a separating vector gives up.
const PATIENCE: u32 = 10_000;

impl Proof {
    /// Looks for a separating vector with a wide margin: the plain perceptron's, or that of a margin perceptron with
    /// b = 10R², whose margin is at least 10/21 of the best. `None` if the data were not separated.
    pub fn find(table: &Table, bias: bool, rate: f64) -> Result<Option<Proof>> {
        let examples = table.examples()?;
        let zeros = Weights::zeros(table.matrix.features(), 1, bias);
        let radius = Geometry::measure(&zeros, examples).radius;
        let wide = (10.0 * radius * radius).to_string();
        let trainers = [Trainer::new("perceptron"), Trainer::new("margin").set("margin", &wide)];
        let mut best: Option<Proof> = None;
        for trainer in trainers {
            let fitted = trainer.order(Order::Cyclic).epochs(PATIENCE).bias(bias).fit(table)?;
            if fitted.report.stopped != Stop::Separated {
                break;
            }
            let mut unit = fitted.model.hypothesis.hyperplane();
            let norm = unit.norm();
            unit.map(|w| w / norm);
            let margin = Geometry::measure(&unit, examples).margin;
            if best.as_ref().is_none_or(|b| b.margin < margin) {
                best = Some(Proof { unit, radius, margin, rate });
            }
        }
        Ok(best)
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

    /// (R/γ)².
    pub fn bound(&self) -> f64 {
        (self.radius / self.margin).powi(2)
    }
}
