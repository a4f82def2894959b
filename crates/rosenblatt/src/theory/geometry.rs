//! The radius of the data and the margin of a hyperplane on them: the two numbers of every mistake bound.
//!
//! Both are taken in the space in which the perceptron moves: with a bias, x has one more coordinate that is 1, and
//! the bias is one more weight. There R = max ‖(x,1)‖ and γ = min y(w·x + b)/‖(w,b)‖, and the bound (R/γ)² holds.
//! For more than two classes γ = min (s_y − max s_r)/‖W‖ with the Frobenius norm.

use serde::Serialize;

use crate::base::learner::View;
use crate::base::weights::Weights;
use crate::data::{Examples, Rows};
use crate::each_kind;

/// How a hyperplane lies to labelled examples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Geometry {
    /// R: the greatest length of an example, the bias's coordinate counted.
    pub radius: f64,
    /// γ: the least geometric margin; negative when an example is on the wrong side, zero for zero weights.
    pub margin: f64,
    /// For more than two classes, the margin of each class against the rest by the sign of its own score.
    pub margins_against_rest: Vec<f64>,
    /// How many examples were measured.
    pub examples: usize,
}

impl Geometry {
    /// Measures a hyperplane.
    pub fn measure(weights: &Weights, examples: Examples<'_>) -> Geometry {
        each_kind!(examples.rows, rows => measure(weights, View::new(rows, examples)))
    }

    /// Measures vectors of any space by their scores on all examples, row by row, and their squared lengths, one for
    /// each output; `radius` is that of the examples in the same space.
    pub fn of_scores(scores: &[f64], sq_norms: &[f64], radius: f64, classes: &[u32]) -> Geometry {
        let mut least = Least::new(sq_norms.len());
        scores.chunks(sq_norms.len()).zip(classes).for_each(|(scores, &class)| least.add(scores, class));
        least.geometry(radius, sq_norms, classes.len())
    }
}

fn measure<R: Rows>(weights: &Weights, view: View<'_, R>) -> Geometry {
    let outputs = weights.outputs();
    let mut scores = vec![0.0; outputs];
    let mut sq_radius: f64 = 0.0;
    let mut least = Least::new(outputs);
    for i in 0..view.len() {
        let (x, class, _) = view.get(i);
        sq_radius = sq_radius.max(weights.sq_len(x));
        weights.scores(x, &mut scores);
        least.add(&scores, class);
    }
    let sq_norm_of = |k: usize| weights.column(k).map(|w| w * w).sum::<f64>() + weights.bias()[k].powi(2);
    let sq_norms: Vec<f64> = (0..outputs).map(sq_norm_of).collect();
    let together = weights.norm();
    Geometry { margin: geometric(least.margin, together), ..least.geometry(sq_radius.sqrt(), &sq_norms, view.len()) }
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

    fn geometry(&self, radius: f64, sq_norms: &[f64], examples: usize) -> Geometry {
        let each = self.against_rest.iter().zip(sq_norms).map(|(&m, sq)| geometric(m, sq.sqrt()));
        let together = sq_norms.iter().sum::<f64>().sqrt();
        Geometry { radius, margin: geometric(self.margin, together), margins_against_rest: each.collect(), examples }
    }
}
