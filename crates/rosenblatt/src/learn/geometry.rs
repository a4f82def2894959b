//! The radius of the data and the margin of a hyperplane on them: the two numbers of every mistake bound.
//!
//! Both are taken in the space in which the perceptron moves: with a bias, x has one more coordinate that is β (1 by
//! default), and b = βv with v one more weight. There R = max ‖(x,β)‖ and γ = min y(w·x + b)/‖(w,v)‖, and
//! the bound (R/γ)² holds.
//! For more than two classes γ = min (s_y − max s_r)/‖W‖ with the Frobenius norm.

use serde::Serialize;

use super::learner::View;
use super::weights::Weights;
use crate::error::Result;
use crate::limits;
use crate::parallel;
use crate::rows::{Examples, Rows};

/// The radius of labelled examples, and the margin of a hyperplane on them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Geometry {
    /// R: the greatest length of an example, the bias's coordinate counted.
    pub radius: f64,
    /// γ: the least geometric margin; negative when an example is on the wrong side, zero for zero weights.
    pub margin: f64,
    /// For more than two classes, the margin of each class against the rest by the sign of its own score.
    pub margins_against_rest: Vec<f64>,
    /// The number of examples measured.
    pub examples: usize,
}

impl Geometry {
    /// Measures a hyperplane.
    pub fn measure(weights: &Weights, examples: Examples<'_>) -> Result<Geometry> {
        measure(weights, View::new(examples.rows, examples))
    }

    /// Measures vectors of any space by their scores on all examples, row by row, and their squared lengths, one for
    /// each output; `radius` is that of the examples in the same space.
    pub fn of_scores(scores: &[f64], sq_norms: &[f64], radius: f64, classes: &[u32]) -> Geometry {
        let mut least = Least::new(sq_norms.len());
        least.add_all(scores, classes);
        least.geometry(radius, sq_norms, classes.len())
    }

    /// Merges the measurements of two sets of examples, made with the same weights.
    /// (Roots and quotients are monotonic, so the result equals that of measuring both at once.)
    pub fn join(&mut self, other: &Geometry) {
        self.radius = self.radius.max(other.radius);
        self.margin = self.margin.min(other.margin);
        let each = self.margins_against_rest.iter_mut().zip(&other.margins_against_rest);
        each.for_each(|(own, other)| *own = own.min(*other));
        self.examples += other.examples;
    }
}

/// The most rows of a task; fewer are not worth a thread.
const CHUNK: usize = 1 << 12;
/// Scores of a task, where there are many outputs.
const CHUNK_SCORES: usize = 1 << 20;

fn measure<R: Rows>(weights: &Weights, view: View<'_, R>) -> Result<Geometry> {
    let outputs = weights.outputs();
    let chunk = (CHUNK_SCORES / outputs).clamp(1, CHUNK);
    let (mut sq_radius, mut least) = (0.0f64, Least::new(outputs));
    // A few tasks at a time: each has its own least margins, and between them the limits are checked.
    let (tasks, together) = (view.len().div_ceil(chunk), 16 * parallel::threads());
    for first in (0..tasks).step_by(together) {
        limits::check()?;
        let parts = parallel::map(together.min(tasks - first), &|part| {
            let (mut scores, mut most, mut least) = (vec![0.0; outputs], 0.0f64, Least::new(outputs));
            for i in (first + part) * chunk..view.len().min((first + part + 1) * chunk) {
                let (x, class, _) = view.get(i);
                weights.scores(x, &mut scores);
                least.add(&scores, class);
                most = most.max(weights.sq_len(x));
            }
            (most, least)
        });
        for (most, other) in parts {
            sq_radius = sq_radius.max(most);
            least = least.join(other);
        }
    }
    Ok(least.of_hyperplane(weights, sq_radius, view.len()))
}

/// ‖w‖² of each output, its bias counted.
fn sq_norms(weights: &Weights) -> Vec<f64> {
    let sq_norm_of =
        |k: usize| weights.column(k).map(|w| w * w).sum::<f64>() + weights.of_coordinates(weights.bias()[k].powi(2));
    (0..weights.outputs()).map(sq_norm_of).collect()
}

fn geometric(functional: f64, norm: f64) -> f64 {
    if norm > 0.0 { functional / norm } else { 0.0 }
}

/// The least margins so far, not yet divided by any length.
pub(super) struct Least {
    margin: f64,
    against_rest: Vec<f64>,
}

impl Least {
    pub(super) fn new(outputs: usize) -> Self {
        Least { margin: f64::INFINITY, against_rest: vec![f64::INFINITY; if outputs == 1 { 0 } else { outputs }] }
    }

    /// Adds the scores of some examples, row by row.
    pub(super) fn add_all(&mut self, scores: &[f64], classes: &[u32]) {
        let outputs = self.against_rest.len().max(1);
        scores.chunks(outputs).zip(classes).for_each(|(scores, &class)| self.add(scores, class));
    }

    #[inline]
    fn add(&mut self, scores: &[f64], class: u32) {
        if let [score] = *scores {
            self.margin = self.margin.min(if class == 1 { score } else { -score });
            return;
        }
        let own = class as usize;
        for (k, &score) in scores.iter().enumerate() {
            if k != own {
                self.margin = self.margin.min(scores[own] - score);
            }
            let toward = if k == own { score } else { -score };
            self.against_rest[k] = self.against_rest[k].min(toward);
        }
    }

    fn join(mut self, other: Least) -> Least {
        self.margin = self.margin.min(other.margin);
        self.against_rest.iter_mut().zip(other.against_rest).for_each(|(a, b)| *a = a.min(b));
        self
    }

    pub(super) fn of_hyperplane(&self, weights: &Weights, sq_radius: f64, examples: usize) -> Geometry {
        let geometry = self.geometry(sq_radius.sqrt(), &sq_norms(weights), examples);
        Geometry { margin: geometric(self.margin, weights.norm()), ..geometry }
    }

    pub(super) fn geometry(&self, radius: f64, sq_norms: &[f64], examples: usize) -> Geometry {
        let each = self.against_rest.iter().zip(sq_norms).map(|(&m, sq)| geometric(m, sq.sqrt()));
        let together = sq_norms.iter().sum::<f64>().sqrt();
        Geometry { radius, margin: geometric(self.margin, together), margins_against_rest: each.collect(), examples }
    }
}
