//! Naive twins: each learner a second time, as a textbook writes it, for tests to compare with.
//!
//! A twin works on plain vectors, allocates freely and shares no code with the fast learner. It is in the learner's
//! file as data ([`Entry::naive`](super::learners::Entry::naive)); the tests find it in the registry and run it in a plain
//! loop for every machine, because Kesler's construction makes one long vector of all classes: see [`Observed`].

use super::params::Params;

/// One example before the step.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// All weights as one vector: class after class, each with its bias at the end.
    pub w: &'a [f64],
    /// The correction: y·x for two classes; for more, x in the block of the right class and −x in that of the offender
    /// (−x divided among the offenders, where they share the step). A row of zeros is not passed to [`Naive::Example`].
    pub z: &'a [f64],
    /// w·z.
    pub margin: f64,
    /// Whether the prediction is wrong under the tie rule.
    pub wrong: bool,
    /// How much the example counts, above 0.
    pub weight: f64,
    /// The number of the update that would be made now, from 1.
    pub k: usize,
    /// The coordinates of one class in `w`.
    pub block: usize,
    /// Whether the last of them is the bias.
    pub biased: bool,
}

/// How a twin learns. The last argument is its memory beside the weights; it begins empty.
#[derive(Debug, Clone, Copy)]
pub enum Naive {
    /// The weights after one example; `None`: they stay.
    Example(fn(&Observed<'_>, &Params, &mut Vec<f64>) -> Option<Vec<f64>>),
    /// The weights after one example, where they change with every example; an update is a mistake.
    Always(fn(&Observed<'_>, &Params) -> Vec<f64>),
    /// The weights after a pass over these examples, all judged with the same weights; `None`: they stay.
    Pass(fn(&[Observed<'_>], &Params) -> Option<Vec<f64>>),
}

/// a·b = Σ aₖbₖ, summed from left to right.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of one length");
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}

/// ‖a‖ = √(a·a).
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// w + a·x, a new vector.
pub fn plus(w: &[f64], a: f64, x: &[f64]) -> Vec<f64> {
    assert_eq!(w.len(), x.len(), "vectors of one length");
    w.iter().zip(x).map(|(w, x)| w + a * x).collect()
}

/// a·x, a new vector.
pub fn times(a: f64, x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| a * x).collect()
}

/// η of update k, from the parameters "rate" and "schedule".
pub fn rate(params: &Params, k: usize) -> f64 {
    let eta = params.number("rate");
    match params.choice("schedule") {
        "constant" => eta,
        "inverse-sqrt" => eta / (k as f64).sqrt(),
        "inverse" => eta / k as f64,
        other => panic!("no schedule {other}"),
    }
}
