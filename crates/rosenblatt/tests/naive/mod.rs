//! Naive twins: dense textbook versions of the algorithms, for the fast ones to agree with.
//!
//! Nothing here uses the library. A run takes the full presented sequence of example numbers and keeps everything:
//! the weights after each example, where the prediction was wrong, where the rule took a step. A bias is one more
//! coordinate, constantly 1, at the END of x and of w. Labels are ±1 here, class numbers in `multi`.
#![allow(dead_code, unused_imports, unreachable_pub)]

mod keep;
mod make;
mod multi;

pub use keep::*;
pub use make::*;
pub use multi::*;

/// What a score of exactly zero means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// A score of zero is wrong for both labels: wrong iff y(w·x) ≤ 0.
    Update,
    /// Predict +1 iff w·x ≥ 0; wrong iff the prediction differs from y.
    Positive,
    /// Predict +1 iff w·x > 0; wrong iff the prediction differs from y.
    Negative,
}

/// All three tie rules.
pub const TIES: [Tie; 3] = [Tie::Update, Tie::Positive, Tie::Negative];

/// The step η_k of the k-th update, k = 1, 2, …
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// η_k = η.
    Constant(f64),
    /// η_k = η/√k.
    InverseSqrt(f64),
    /// η_k = η/k.
    Inverse(f64),
}

/// The three passive-aggressive steps, with l = max(0, 1 − y w·x).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pa {
    /// PA: τ = l/‖x‖².
    Hard,
    /// PA-I: τ = min(C, l/‖x‖²).
    Capped(f64),
    /// PA-II: τ = l/(‖x‖² + 1/(2C)).
    Soft(f64),
}

/// One binary job: which examples, in which order, from where.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The examples (x, y), y = ±1, x without the bias coordinate.
    pub examples: &'a [(Vec<f64>, f64)],
    /// The numbers of the presented examples, all passes one after the other.
    pub order: &'a [usize],
    /// w before the first example, bias last; empty means the zero vector.
    pub start: &'a [f64],
    /// Whether x gets one more coordinate, constantly 1, at its end.
    pub bias: bool,
    /// What a score of zero means.
    pub tie: Tie,
    /// One weight for each example (not for each position); none means 1 for all.
    pub weights: Option<&'a [f64]>,
}

impl<'a> Task<'a> {
    /// From w = 0, no bias, `Tie::Update`, all weights 1.
    pub fn new(examples: &'a [(Vec<f64>, f64)], order: &'a [usize]) -> Self {
        Task { examples, order, start: &[], bias: false, tie: Tie::Update, weights: None }
    }

    /// w before the first example, bias included.
    pub fn start_vector(&self) -> Vec<f64> {
        let d = self.examples[0].0.len() + usize::from(self.bias);
        if self.start.is_empty() {
            return vec![0.0; d];
        }
        assert_eq!(self.start.len(), d, "the start vector has the bias at its end");
        self.start.to_vec()
    }

    /// The weight of example i.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }
}

/// Everything that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// w after each presented example.
    pub path: Vec<Vec<f64>>,
    /// Positions in the presented sequence where the prediction (before learning) was wrong under the tie rule.
    pub mistakes: Vec<usize>,
    /// Positions where the rule added a non-zero multiple of a non-zero x to w.
    pub updates: Vec<usize>,
}

/// a·b = Σ a_k b_k, summed from left to right.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
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
    assert_eq!(w.len(), x.len());
    w.iter().zip(x).map(|(w, x)| w + a * x).collect()
}

/// a·x, a new vector.
pub fn times(a: f64, x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| a * x).collect()
}

/// x, or (x, 1) with a bias.
pub fn extended(x: &[f64], bias: bool) -> Vec<f64> {
    let mut x = x.to_vec();
    if bias {
        x.push(1.0);
    }
    x
}

/// The predicted label: the sign of s, and for s = 0 it is +1, except −1 under `Tie::Negative`.
pub fn label(s: f64, tie: Tie) -> f64 {
    let plus = if tie == Tie::Negative { s > 0.0 } else { s >= 0.0 };
    if plus { 1.0 } else { -1.0 }
}

/// Whether score s is wrong for label y: ys ≤ 0 under `Tie::Update`, else label(s) ≠ y.
pub fn wrong(s: f64, y: f64, tie: Tie) -> bool {
    match tie {
        Tie::Update => y * s <= 0.0,
        Tie::Positive | Tie::Negative => label(s, tie) != y,
    }
}

/// #{i : w is right on example i under the tie rule}.
pub fn count_correct(w: &[f64], examples: &[(Vec<f64>, f64)], bias: bool, tie: Tie) -> usize {
    examples.iter().filter(|(x, y)| !wrong(dot(w, &extended(x, bias)), *y, tie)).count()
}

impl Rate {
    /// η_k, the step of the k-th update (k from 1).
    pub fn at(self, k: usize) -> f64 {
        match self {
            Rate::Constant(eta) => eta,
            Rate::InverseSqrt(eta) => eta / (k as f64).sqrt(),
            Rate::Inverse(eta) => eta / k as f64,
        }
    }
}

impl Pa {
    /// τ for margin m = y(w·x) and ‖x‖² > 0.
    pub fn tau(self, m: f64, square: f64) -> f64 {
        let loss = (1.0 - m).max(0.0);
        match self {
            Pa::Hard => loss / square,
            Pa::Capped(c) => c.min(loss / square),
            Pa::Soft(c) => loss / (square + 1.0 / (2.0 * c)),
        }
    }
}

/// One diagonal AROW step: v = Σ σ_k x_k², β = 1/(v + r); w_k += (1 − m) β y σ_k x_k; σ_k −= β σ_k² x_k².
pub fn arow_step(w: &[f64], sigma: &[f64], x: &[f64], y: f64, m: f64, r: f64) -> (Vec<f64>, Vec<f64>) {
    let mut v = 0.0;
    for (s, x) in sigma.iter().zip(x) {
        v += s * x * x;
    }
    let beta = 1.0 / (v + r);
    let moved = w.iter().zip(sigma).zip(x).map(|((w, s), x)| w + (1.0 - m) * beta * y * s * x).collect();
    let shrunk = sigma.iter().zip(x).map(|(s, x)| s - beta * s * s * x * x).collect();
    (moved, shrunk)
}

/// The common loop: predict, note a mistake, let `rule(w, x, y, weight)` say the new w, or nothing for no step.
///
/// A zero x or a zero weight cannot move w: the rule is not asked, its clock k stands still.
fn each(task: &Task<'_>, mut rule: impl FnMut(&[f64], &[f64], f64, f64) -> Option<Vec<f64>>) -> Run {
    let mut w = task.start_vector();
    let mut run = Run { path: Vec::new(), mistakes: Vec::new(), updates: Vec::new() };
    for (position, &i) in task.order.iter().enumerate() {
        let x = extended(&task.examples[i].0, task.bias);
        let y = task.examples[i].1;
        let weight = task.weight(i);
        if wrong(dot(&w, &x), y, task.tie) {
            run.mistakes.push(position);
        }
        if weight != 0.0
            && x.iter().any(|&x| x != 0.0)
            && let Some(moved) = rule(&w, &x, y, weight)
        {
            w = moved;
            run.updates.push(position);
        }
        run.path.push(w.clone());
    }
    run
}

/// Perceptron: on a mistake under the tie rule, w += η_k y x (times the example's weight).
pub fn perceptron(task: &Task<'_>, rate: Rate) -> Run {
    let mut k = 0;
    each(task, |w, x, y, weight| {
        if !wrong(dot(w, x), y, task.tie) {
            return None;
        }
        k += 1;
        Some(plus(w, rate.at(k) * weight * y, x))
    })
}

/// Margin perceptron (PAM): iff y(w·x) ≤ b, w += η_k y x (times the example's weight).
pub fn margin_perceptron(task: &Task<'_>, b: f64, rate: Rate) -> Run {
    let mut k = 0;
    each(task, |w, x, y, weight| {
        if y * dot(w, x) > b {
            return None;
        }
        k += 1;
        Some(plus(w, rate.at(k) * weight * y, x))
    })
}

/// PA, PA-I, PA-II: iff y(w·x) < 1, w += τ y x (times the example's weight); a zero x is skipped.
pub fn passive_aggressive(task: &Task<'_>, pa: Pa) -> Run {
    each(task, |w, x, y, weight| {
        let m = y * dot(w, x);
        if m >= 1.0 {
            return None;
        }
        Some(plus(w, pa.tau(m, dot(x, x)) * weight * y, x))
    })
}

/// Diagonal AROW: iff y(w·x) < 1, `arow_step` with r divided by the example's weight; σ starts at 1 and is returned.
pub fn arow(task: &Task<'_>, r: f64) -> (Run, Vec<f64>) {
    let mut sigma = vec![1.0; task.start_vector().len()];
    let run = each(task, |w, x, y, weight| {
        let m = y * dot(w, x);
        if m >= 1.0 {
            return None;
        }
        let (moved, shrunk) = arow_step(w, &sigma, x, y, m, r / weight);
        sigma = shrunk;
        Some(moved)
    });
    (run, sigma)
}

/// ALMA_2(α): x̂ = x/‖x‖; iff y(w·x̂) ≤ (1−α)B/√k, w += (C/√k) y x̂, w /= max(1, ‖w‖), k += 1; B = √8/α, C = √2.
pub fn alma(task: &Task<'_>, alpha: f64) -> Run {
    let (b, c) = (8f64.sqrt() / alpha, 2f64.sqrt());
    let mut k = 1.0f64;
    each(task, |w, x, y, weight| {
        let unit = times(1.0 / norm(x), x);
        if y * dot(w, &unit) > (1.0 - alpha) * b / k.sqrt() {
            return None;
        }
        let moved = plus(w, c / k.sqrt() * weight * y, &unit);
        k += 1.0;
        Some(times(1.0 / norm(&moved).max(1.0), &moved))
    })
}

/// Half-margin perceptron: x̂ = x/‖x‖; iff y(w·x̂) ≤ (g/2)‖w‖, w += y x̂. With γ known g = γ; else g = 1 at first, and a
/// guess that has made 8/g² + 4/g moves and wants another is halved, w begins again at 0.
pub fn half_margin(task: &Task<'_>, gamma: Option<f64>) -> Run {
    let mut guess = Halving::new(gamma);
    each(task, |w, x, y, weight| {
        let unit = times(1.0 / norm(x), x);
        if y * dot(w, &unit) > guess.g / 2.0 * norm(w) {
            return None;
        }
        Some(plus(&guess.move_from(w), weight * y, &unit))
    })
}

/// The guess of a half-margin perceptron.
pub struct Halving {
    /// What γ is taken to be.
    pub g: f64,
    known: bool,
    moves: f64,
}

impl Halving {
    /// A known γ, or the first guess.
    pub fn new(gamma: Option<f64>) -> Self {
        Halving { g: gamma.unwrap_or(1.0), known: gamma.is_some(), moves: 0.0 }
    }

    /// Counts a move; returns where it begins: at w, or at zero under a new guess.
    pub fn move_from(&mut self, w: &[f64]) -> Vec<f64> {
        self.moves += 1.0;
        if self.known || self.moves <= 8.0 / (self.g * self.g) + 4.0 / self.g {
            return w.to_vec();
        }
        self.g /= 2.0;
        self.moves = 1.0;
        vec![0.0; w.len()]
    }
}

/// Whether a batch step sums over the wrong examples or divides that sum by n, the number of all examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// g = Σ_{i wrong} y_i x_i.
    Sum,
    /// g = (1/n) Σ_{i wrong} y_i x_i.
    Mean,
}

/// Why the batch perceptron stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchStop {
    /// A pass found no wrong example.
    Separated,
    /// The step was made and its length α‖g‖ is below ε; not known to be separated.
    SmallStep,
    /// All passes were made.
    Passes,
}

/// Everything that happened to the batch perceptron.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRun {
    /// w after each pass; the pass that finds nothing wrong is a pass too, and leaves w as it was.
    pub path: Vec<Vec<f64>>,
    /// The numbers of the wrong examples in each pass.
    pub mistakes: Vec<Vec<usize>>,
    /// Why it stopped.
    pub stop: BatchStop,
}

/// Batch perceptron: each pass, g = Σ (or mean) of weight·y x over the wrong examples, w += αg; `order` is not looked at.
pub fn batch_perceptron(task: &Task<'_>, passes: usize, alpha: f64, batch: Batch, epsilon: f64) -> BatchRun {
    let mut w = task.start_vector();
    let mut run = BatchRun { path: Vec::new(), mistakes: Vec::new(), stop: BatchStop::Passes };
    for _ in 0..passes {
        let mut g = vec![0.0; w.len()];
        let mut mistakes = Vec::new();
        for (i, (x, y)) in task.examples.iter().enumerate() {
            let x = extended(x, task.bias);
            if wrong(dot(&w, &x), *y, task.tie) {
                g = plus(&g, task.weight(i) * y, &x);
                mistakes.push(i);
            }
        }
        if batch == Batch::Mean {
            g = g.iter().map(|g| g / task.examples.len() as f64).collect();
        }
        w = plus(&w, alpha, &g);
        let separated = mistakes.is_empty();
        run.path.push(w.clone());
        run.mistakes.push(mistakes);
        if separated {
            run.stop = BatchStop::Separated;
            break;
        }
        if alpha * norm(&g) < epsilon {
            run.stop = BatchStop::SmallStep;
            break;
        }
    }
    run
}
