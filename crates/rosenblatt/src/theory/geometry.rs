//! The radius of the data and the margin of a hyperplane on them: the two numbers of every mistake bound.
//!
//! Both are taken in the space in which the perceptron moves: with a bias, x has one more coordinate that is 1, and
//! the bias is one more weight. There R = max ‖(x,1)‖ and γ = min y(w·x + b)/‖(w,b)‖, and the bound (R/γ)² holds.
//! For more than two classes γ = min (s_y − max s_r)/‖W‖ with the Frobenius norm.

use rayon::prelude::*;
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

/// Fewer rows than this are not worth another thread.
const CHUNK: usize = 1 << 12;

/// The squares of the radius and the functional margins of some rows.
struct Extremes {
    sq_radius: f64,
    least: f64,
    rest: Vec<f64>,
}

impl Extremes {
    #[inline]
    fn see(&mut self, scores: &[f64], own: usize) {
        if let [score] = *scores {
            self.least = self.least.min(if own == 1 { score } else { -score });
            return;
        }
        for (k, &score) in scores.iter().enumerate() {
            if k != own {
                self.least = self.least.min(scores[own] - score);
            }
            let toward = if k == own { score } else { -score };
            self.rest[k] = self.rest[k].min(toward);
        }
    }

    fn join(mut self, other: Extremes) -> Extremes {
        self.sq_radius = self.sq_radius.max(other.sq_radius);
        self.least = self.least.min(other.least);
        self.rest.iter_mut().zip(other.rest).for_each(|(a, b)| *a = a.min(b));
        self
    }
}

fn measure<R: Rows>(weights: &Weights, view: View<'_, R>) -> Geometry {
    let outputs = weights.outputs();
    let many = if outputs == 1 { 0 } else { outputs };
    let begin =
        || (vec![0.0; outputs], Extremes { sq_radius: 0.0, least: f64::INFINITY, rest: vec![f64::INFINITY; many] });
    // The least and the greatest are the same in any order, so on any number of threads.
    let parts = (0..view.len()).into_par_iter().with_min_len(CHUNK).fold(begin, |(mut scores, mut seen), i| {
        let (x, class, _) = view.get(i);
        seen.sq_radius = seen.sq_radius.max(weights.sq_len(x));
        weights.scores(x, &mut scores);
        seen.see(&scores, class as usize);
        (scores, seen)
    });
    let seen = parts.map(|(_, seen)| seen).reduce(|| begin().1, Extremes::join);
    let Extremes { sq_radius, least, rest: least_against_rest } = seen;
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
