//! The radius of the data and the margin of a hyperplane on them: the two numbers of every mistake bound.
//!
//! Both are taken in the space in which the perceptron moves: with a bias, x has one more coordinate that is β (1 by
//! default), and b = βv with v one more weight. There R = max ‖(x,β)‖ and γ = min y(w·x + b)/‖(w,v)‖, and
//! the bound (R/γ)² holds.
//! For more than two classes γ = min (s_y − max s_r)/‖W‖ with the Frobenius norm.

use serde::Serialize;

use super::learner::View;
use super::weights::Weights;
use crate::parallel;
use crate::rows::{Examples, Rows, each_kind};

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
    pub fn measure(weights: &Weights, examples: Examples<'_>) -> Geometry {
        each_kind!(examples.rows, rows => measure(weights, View::new(rows, examples)))
    }

    /// Measures a hyperplane by its scores on all examples, row by row; same result as [`measure`](Self::measure).
    pub fn of_hyperplane(weights: &Weights, scores: &[f64], examples: Examples<'_>) -> Geometry {
        let sq_radius = examples.rows.sq_longest() + weights.constant().squared();
        Least::of_scores(scores, weights.outputs(), examples.classes).of_hyperplane(weights, sq_radius, examples.len())
    }

    /// Measures vectors of any space by their scores on all examples, row by row, and their squared lengths, one for
    /// each output; `radius` is that of the examples in the same space.
    pub fn of_scores(scores: &[f64], sq_norms: &[f64], radius: f64, classes: &[u32]) -> Geometry {
        Least::of_scores(scores, sq_norms.len(), classes).geometry(radius, sq_norms, classes.len())
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

/// Rows per task; fewer are not worth a thread.
const CHUNK: usize = 1 << 12;

fn measure<R: Rows>(weights: &Weights, view: View<'_, R>) -> Geometry {
    let outputs = weights.outputs();
    let parts = parallel::map(view.len().div_ceil(CHUNK), &|part| {
        let (mut scores, mut most, mut least) = (vec![0.0; outputs], 0.0f64, Least::new(outputs));
        for i in part * CHUNK..view.len().min((part + 1) * CHUNK) {
            let (x, class, _) = view.get(i);
            weights.scores(x, &mut scores);
            least.add(&scores, class);
            most = most.max(weights.sq_len(x));
        }
        (most, least)
    });
    let (sq_radius, least) =
        parts.into_iter().fold((0.0f64, Least::new(outputs)), |(a, least), (b, other)| (a.max(b), least.join(other)));
    least.of_hyperplane(weights, sq_radius, view.len())
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
struct Least {
    margin: f64,
    against_rest: Vec<f64>,
}

impl Least {
    fn new(outputs: usize) -> Self {
        Least { margin: f64::INFINITY, against_rest: vec![f64::INFINITY; if outputs == 1 { 0 } else { outputs }] }
    }

    fn of_scores(scores: &[f64], outputs: usize, classes: &[u32]) -> Self {
        let mut least = Least::new(outputs);
        scores.chunks(outputs).zip(classes).for_each(|(scores, &class)| least.add(scores, class));
        least
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

    fn of_hyperplane(&self, weights: &Weights, sq_radius: f64, examples: usize) -> Geometry {
        let geometry = self.geometry(sq_radius.sqrt(), &sq_norms(weights), examples);
        Geometry { margin: geometric(self.margin, weights.norm()), ..geometry }
    }

    fn geometry(&self, radius: f64, sq_norms: &[f64], examples: usize) -> Geometry {
        let each = self.against_rest.iter().zip(sq_norms).map(|(&m, sq)| geometric(m, sq.sqrt()));
        let together = sq_norms.iter().sum::<f64>().sqrt();
        Geometry { radius, margin: geometric(self.margin, together), margins_against_rest: each.collect(), examples }
    }
}
