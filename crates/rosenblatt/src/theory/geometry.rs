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
    /// Measures.
    pub fn measure(weights: &Weights, examples: Examples<'_>) -> Geometry {
        each_kind!(examples.rows, rows => measure(weights, View::new(rows, examples)))
    }
}

impl Geometry {
    /// What two lots of examples come to together, measured with the same weights.
    /// (Roots and quotients keep the order of numbers, so this is what measuring them at once would have given.)
    pub fn join(&mut self, other: &Geometry) {
        self.radius = self.radius.max(other.radius);
        self.margin = self.margin.min(other.margin);
        let each = self.margins_against_rest.iter_mut().zip(&other.margins_against_rest);
        each.for_each(|(own, other)| *own = own.min(*other));
        self.examples += other.examples;
    }
}

fn measure<R: Rows>(weights: &Weights, view: View<'_, R>) -> Geometry {
    let outputs = weights.outputs();
    let mut scores = vec![0.0; outputs];
    let mut sq_radius: f64 = 0.0;
    let mut least = f64::INFINITY;
    let mut least_against_rest = vec![f64::INFINITY; if outputs == 1 { 0 } else { outputs }];
    for i in 0..view.len() {
        let (x, class, _) = view.get(i);
        sq_radius = sq_radius.max(weights.sq_len(x));
        weights.scores(x, &mut scores);
        if let [score] = scores[..] {
            least = least.min(if class == 1 { score } else { -score });
            continue;
        }
        let own = class as usize;
        for (k, &score) in scores.iter().enumerate() {
            if k != own {
                least = least.min(scores[own] - score);
            }
            let toward = if k == own { score } else { -score };
            least_against_rest[k] = least_against_rest[k].min(toward);
        }
    }
    let norm_of = |k: usize| {
        let squares: f64 = weights.column(k).map(|w| w * w).sum();
        (squares + weights.bias()[k].powi(2)).sqrt()
    };
    let geometric = |functional: f64, norm: f64| if norm > 0.0 { functional / norm } else { 0.0 };
    let each = least_against_rest.iter().enumerate().map(|(k, &m)| geometric(m, norm_of(k)));
    Geometry {
        radius: sq_radius.sqrt(),
        margin: geometric(least, weights.norm()),
        margins_against_rest: each.collect(),
        examples: view.len(),
    }
}
