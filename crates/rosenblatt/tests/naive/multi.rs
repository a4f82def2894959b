//! Multi-class: one machine with K weight vectors through Kesler's construction, and one-vs-rest.

use super::{Run, Signed, Task, Tie, dot, extended};

/// One multi-class job; as `Task`, with class numbers 0..K for labels and K start vectors.
#[derive(Clone, Copy, Debug)]
pub struct MultiTask<'a> {
    /// The examples (x, y), y in 0..K, x without the bias coordinate.
    pub examples: &'a [(Vec<f64>, usize)],
    /// K, at least 2.
    pub classes: usize,
    /// The numbers of the presented examples, all passes one after the other.
    pub order: &'a [usize],
    /// The K vectors before the first example, bias last; empty means all zero.
    pub start: &'a [Vec<f64>],
    /// Whether x gets one more coordinate, constantly 1, at its end.
    pub bias: bool,
    /// Whether equal scores are a mistake.
    pub tie: Tie,
    /// One weight for each example (not for each position); none means 1 for all.
    pub weights: Option<&'a [f64]>,
}

impl<'a> MultiTask<'a> {
    /// From zero, no bias, `Tie::Update`, all weights 1.
    pub fn new(examples: &'a [(Vec<f64>, usize)], classes: usize, order: &'a [usize]) -> Self {
        MultiTask { examples, classes, order, start: &[], bias: false, tie: Tie::Update, weights: None }
    }

    /// The K vectors before the first example, bias included.
    pub fn start_matrix(&self) -> Vec<Vec<f64>> {
        let d = self.examples[0].0.len() + usize::from(self.bias);
        if self.start.is_empty() {
            return vec![vec![0.0; d]; self.classes];
        }
        assert_eq!(self.start.len(), self.classes);
        assert!(self.start.iter().all(|row| row.len() == d), "each start vector has the bias at its end");
        self.start.to_vec()
    }

    /// The weight of example i.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }
}

/// Everything that happened; as `Run`, with K weight vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiRun {
    /// The K vectors after each presented example.
    pub path: Vec<Vec<Vec<f64>>>,
    /// Positions in the presented sequence where the prediction (before learning) was wrong under the tie rule.
    pub mistakes: Vec<usize>,
    /// Positions where the rule added a non-zero multiple of a non-zero x to some w.
    pub updates: Vec<usize>,
}

/// s_r = w_r·x for each class r.
pub fn scores(w: &[Vec<f64>], x: &[f64], bias: bool) -> Vec<f64> {
    let x = extended(x, bias);
    w.iter().map(|row| dot(row, &x)).collect()
}

/// argmax_r s_r, the lowest index on ties.
pub fn argmax(s: &[f64]) -> usize {
    let mut best = 0;
    for (r, &score) in s.iter().enumerate() {
        if score > s[best] {
            best = r;
        }
    }
    best
}

/// argmax_{r ≠ y} s_r, the lowest index on ties.
pub fn worst(s: &[f64], y: usize) -> usize {
    let mut best = if y == 0 { 1 } else { 0 };
    for (r, &score) in s.iter().enumerate() {
        if r != y && score > s[best] {
            best = r;
        }
    }
    best
}

/// Wrong: s_y − max_{r≠y} s_r ≤ 0 under `Tie::Update`, else argmax s ≠ y.
pub fn multi_wrong(s: &[f64], y: usize, tie: Tie) -> bool {
    match tie {
        Tie::Update => s[y] - s[worst(s, y)] <= 0.0,
        Tie::Positive | Tie::Negative => argmax(s) != y,
    }
}

/// #{i : w is right on example i under the tie rule}.
pub fn multi_count_correct(w: &[Vec<f64>], examples: &[(Vec<f64>, usize)], bias: bool, tie: Tie) -> usize {
    examples.iter().filter(|(x, y)| !multi_wrong(&scores(w, x, bias), *y, tie)).count()
}

/// Kesler's z in R^{Kd}: x in block y, −x in block r, zero elsewhere; ‖z‖² = 2‖x‖².
pub fn kesler(x: &[f64], classes: usize, y: usize, r: usize) -> Vec<f64> {
    let mut z = Vec::new();
    for class in 0..classes {
        let sign = f64::from(u8::from(class == y)) - f64::from(u8::from(class == r));
        z.extend(x.iter().map(|x| sign * x));
    }
    z
}

/// The examples as class k sees them: +1 for class k, −1 for the rest.
pub fn against_rest(examples: &[(Vec<f64>, usize)], k: usize) -> Signed {
    examples.iter().map(|(x, y)| (x.clone(), if *y == k { 1.0 } else { -1.0 })).collect()
}

/// One-vs-rest: K independent binary runs of `rule`, class k being +1 in the k-th; predict with `argmax` of the scores.
pub fn one_vs_rest(task: &MultiTask<'_>, rule: impl Fn(&Task<'_>) -> Run) -> Vec<Run> {
    let mut runs = Vec::new();
    for (k, start) in task.start_matrix().iter().enumerate() {
        let examples = against_rest(task.examples, k);
        let binary = Task {
            examples: &examples,
            order: task.order,
            start,
            bias: task.bias,
            tie: task.tie,
            weights: task.weights,
        };
        runs.push(rule(&binary));
    }
    runs
}
