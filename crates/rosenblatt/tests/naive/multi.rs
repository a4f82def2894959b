//! Multi-class: one machine with K weight vectors through Kesler's construction, and one-vs-rest.

use super::{Halving, Pa, Rate, Run, Signed, Task, Tie, arow_step, dot, extended, norm, plus, times};

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

/// What a rule may look at: W as one long vector, and the example as the binary example (z, +1) with margin s_y − s_r.
struct Seen<'a> {
    w: &'a [f64],
    z: &'a [f64],
    margin: f64,
    wrong: bool,
    x: &'a [f64],
    y: usize,
    s: &'a [f64],
    weight: f64,
}

/// The common loop: predict, note a mistake, let the rule say the new long vector, or nothing for no step.
///
/// A zero x or a zero weight cannot move W: the rule is not asked, its clock k stands still.
fn each(task: &MultiTask<'_>, mut rule: impl FnMut(&Seen<'_>) -> Option<Vec<f64>>) -> MultiRun {
    let mut w = task.start_matrix();
    let mut run = MultiRun { path: Vec::new(), mistakes: Vec::new(), updates: Vec::new() };
    for (position, &i) in task.order.iter().enumerate() {
        let (raw, y) = (&task.examples[i].0, task.examples[i].1);
        let x = extended(raw, task.bias);
        let s = scores(&w, raw, task.bias);
        let r = worst(&s, y);
        let seen = Seen {
            w: &w.concat(),
            z: &kesler(&x, task.classes, y, r),
            margin: s[y] - s[r],
            wrong: multi_wrong(&s, y, task.tie),
            x: &x,
            y,
            s: &s,
            weight: task.weight(i),
        };
        if seen.wrong {
            run.mistakes.push(position);
        }
        if seen.weight != 0.0
            && x.iter().any(|&x| x != 0.0)
            && let Some(moved) = rule(&seen)
        {
            w = moved.chunks(x.len()).map(<[f64]>::to_vec).collect();
            run.updates.push(position);
        }
        run.path.push(w.clone());
    }
    run
}

/// Max-score perceptron: on a mistake, W += η_k z, so w_y += η_k x and w_r −= η_k x for the worst r.
pub fn multi_perceptron(task: &MultiTask<'_>, rate: Rate) -> MultiRun {
    let mut k = 0;
    each(task, |seen| {
        if !seen.wrong {
            return None;
        }
        k += 1;
        Some(plus(seen.w, rate.at(k) * seen.weight, seen.z))
    })
}

/// Uniform perceptron: E = {r ≠ y : s_r ≥ s_y}; on a mistake, w_y += η_k x and w_r −= (η_k/|E|) x for each r in E.
pub fn multi_uniform(task: &MultiTask<'_>, rate: Rate) -> MultiRun {
    let mut k = 0;
    each(task, |seen| {
        if !seen.wrong {
            return None;
        }
        k += 1;
        let step = rate.at(k) * seen.weight;
        let above: Vec<usize> = (0..task.classes).filter(|&r| r != seen.y && seen.s[r] >= seen.s[seen.y]).collect();
        let mut moved = Vec::new();
        for (class, row) in seen.w.chunks(seen.x.len()).enumerate() {
            if class == seen.y {
                moved.extend(plus(row, step, seen.x));
            } else if above.contains(&class) {
                moved.extend(plus(row, -step / above.len() as f64, seen.x));
            } else {
                moved.extend(row);
            }
        }
        Some(moved)
    })
}

/// Margin perceptron: iff s_y − s_r ≤ b for the worst r, W += η_k z.
pub fn multi_margin_perceptron(task: &MultiTask<'_>, b: f64, rate: Rate) -> MultiRun {
    let mut k = 0;
    each(task, |seen| {
        if seen.margin > b {
            return None;
        }
        k += 1;
        Some(plus(seen.w, rate.at(k) * seen.weight, seen.z))
    })
}

/// PA, PA-I, PA-II: iff s_y − s_r < 1 for the worst r, W += τ z with τ from the margin and ‖z‖² = 2‖x‖².
pub fn multi_passive_aggressive(task: &MultiTask<'_>, pa: Pa) -> MultiRun {
    each(task, |seen| {
        if seen.margin >= 1.0 {
            return None;
        }
        let tau = pa.tau(seen.margin, 2.0 * dot(seen.x, seen.x));
        Some(plus(seen.w, tau * seen.weight, seen.z))
    })
}

/// ALMA_2(α) on z: ẑ = z/‖z‖; iff (s_y − s_r)/‖z‖ ≤ (1−α)B/√k, W += (√2/√k) ẑ, W /= max(1, ‖W‖), k += 1; B = √8/α.
pub fn multi_alma(task: &MultiTask<'_>, alpha: f64) -> MultiRun {
    let mut k = 1.0f64;
    each(task, |seen| {
        let length = norm(seen.z);
        if seen.margin / length > (1.0 - alpha) * 8f64.sqrt() / alpha / k.sqrt() {
            return None;
        }
        let moved = plus(seen.w, (2.0 / k).sqrt() / length * seen.weight, seen.z);
        k += 1.0;
        Some(times(1.0 / norm(&moved).max(1.0), &moved))
    })
}

/// Half-margin perceptron on z: ẑ = z/‖z‖; iff (s_y − s_r)/‖z‖ ≤ (g/2)‖W‖, W += ẑ; the guess g as in `half_margin`.
pub fn multi_half_margin(task: &MultiTask<'_>, gamma: Option<f64>) -> MultiRun {
    let mut guess = Halving::new(gamma);
    each(task, |seen| {
        let length = norm(seen.z);
        if seen.margin / length > guess.g / 2.0 * norm(seen.w) {
            return None;
        }
        Some(plus(&guess.move_from(seen.w), seen.weight / length, seen.z))
    })
}

/// Batch direction at W: the sum of weight·z over the wrong examples (uniform: −x shared by all offenders), and which.
pub fn multi_batch_direction(task: &MultiTask<'_>, w: &[Vec<f64>], uniform: bool) -> (Vec<f64>, Vec<usize>) {
    let mut g = vec![0.0; w.concat().len()];
    let mut mistakes = Vec::new();
    for (i, (raw, y)) in task.examples.iter().enumerate() {
        let s = scores(w, raw, task.bias);
        if !multi_wrong(&s, *y, task.tie) {
            continue;
        }
        mistakes.push(i);
        let x = extended(raw, task.bias);
        let above: Vec<usize> = (0..task.classes).filter(|r| r != y && s[*r] >= s[*y]).collect();
        let offenders = if uniform { above } else { vec![worst(&s, *y)] };
        for &r in &offenders {
            g = plus(&g, task.weight(i) / offenders.len() as f64, &kesler(&x, task.classes, *y, r));
        }
    }
    (g, mistakes)
}

/// Diagonal AROW: iff s_y − s_r < 1, `arow_step` on z, one variance for each class and coordinate; they are returned.
pub fn multi_arow(task: &MultiTask<'_>, r: f64) -> (MultiRun, Vec<Vec<f64>>) {
    let d = task.start_matrix()[0].len();
    let mut sigma = vec![1.0; task.classes * d];
    let run = each(task, |seen| {
        if seen.margin >= 1.0 {
            return None;
        }
        let (moved, shrunk) = arow_step(seen.w, &sigma, seen.z, 1.0, seen.margin, r / seen.weight);
        sigma = shrunk;
        Some(moved)
    });
    (run, sigma.chunks(d).map(<[f64]>::to_vec).collect())
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
