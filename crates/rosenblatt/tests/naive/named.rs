//! The twins by name, with the parameters that the worked examples and theorems speak of.

use super::{MultiRun, MultiTask, Offenders, Run, Task, Twin, norm, plus};

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

impl Rate {
    fn settings(self) -> Vec<(&'static str, String)> {
        let (rate, schedule) = match self {
            Rate::Constant(eta) => (eta, "constant"),
            Rate::InverseSqrt(eta) => (eta, "inverse-sqrt"),
            Rate::Inverse(eta) => (eta, "inverse"),
        };
        vec![("rate", rate.to_string()), ("schedule", schedule.to_string())]
    }
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

impl Pa {
    fn twin(self) -> Twin {
        match self {
            Pa::Hard => Twin::new("pa", &[]),
            Pa::Capped(c) => Twin::new("pa1", &[("c", c.to_string())]),
            Pa::Soft(c) => Twin::new("pa2", &[("c", c.to_string())]),
        }
    }
}

fn margin_twin(b: f64, rate: Rate) -> Twin {
    Twin::new("margin", &[vec![("margin", b.to_string())], rate.settings()].concat())
}

fn arow_twin(r: f64) -> Twin {
    Twin::new("arow", &[("r", r.to_string())])
}

/// Perceptron: on a mistake under the tie rule, w += η_k y x (times the example's weight).
pub fn perceptron(task: &Task<'_>, rate: Rate) -> Run {
    Twin::new("perceptron", &rate.settings()).run(task).0
}

/// Margin perceptron (PAM): iff y(w·x) ≤ b, w += η_k y x (times the example's weight).
pub fn margin_perceptron(task: &Task<'_>, b: f64, rate: Rate) -> Run {
    margin_twin(b, rate).run(task).0
}

/// PA, PA-I, PA-II: iff y(w·x) < 1, w += τ y x (times the example's weight); a zero x is skipped.
pub fn passive_aggressive(task: &Task<'_>, pa: Pa) -> Run {
    pa.twin().run(task).0
}

/// Diagonal AROW with r divided by the example's weight; σ starts at 1 and is returned.
pub fn arow(task: &Task<'_>, r: f64) -> (Run, Vec<f64>) {
    arow_twin(r).run(task)
}

/// ALMA_2(α) with B = √8/α.
pub fn alma(task: &Task<'_>, alpha: f64) -> Run {
    Twin::new("alma", &[("alpha", alpha.to_string())]).run(task).0
}

/// Max-score perceptron: on a mistake, W += η_k z, so w_y += η_k x and w_r −= η_k x for the worst r.
pub fn multi_perceptron(task: &MultiTask<'_>, rate: Rate) -> MultiRun {
    Twin::new("perceptron", &rate.settings()).run_single(task, Offenders::Worst).0
}

/// Uniform perceptron: E = {r ≠ y : s_r ≥ s_y}; on a mistake, w_y += η_k x and w_r −= (η_k/|E|) x for each r in E.
pub fn multi_uniform(task: &MultiTask<'_>, rate: Rate) -> MultiRun {
    Twin::new("perceptron", &rate.settings()).run_single(task, Offenders::All).0
}

/// Margin perceptron: iff s_y − s_r ≤ b for the worst r, W += η_k z.
pub fn multi_margin_perceptron(task: &MultiTask<'_>, b: f64, rate: Rate) -> MultiRun {
    margin_twin(b, rate).run_single(task, Offenders::Worst).0
}

/// PA, PA-I, PA-II: iff s_y − s_r < 1 for the worst r, W += τ z with τ from the margin and ‖z‖² = 2‖x‖².
pub fn multi_passive_aggressive(task: &MultiTask<'_>, pa: Pa) -> MultiRun {
    pa.twin().run_single(task, Offenders::Worst).0
}

/// Diagonal AROW on z, one variance for each class and coordinate; they are returned.
pub fn multi_arow(task: &MultiTask<'_>, r: f64) -> (MultiRun, Vec<Vec<f64>>) {
    let (run, sigma) = arow_twin(r).run_single(task, Offenders::Worst);
    let width = task.start_matrix()[0].len();
    (run, sigma.chunks(width).map(<[f64]>::to_vec).collect())
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

/// Batch perceptron at the constant rate α: up to so many passes; `order` is not looked at.
pub fn batch_perceptron(task: &Task<'_>, passes: usize, alpha: f64, batch: Batch, epsilon: f64) -> BatchRun {
    let step = if batch == Batch::Sum { "sum" } else { "mean" };
    let twin = Twin::new("batch", &[("rate", alpha.to_string()), ("step", step.to_string())]);
    let mut run = BatchRun { path: Vec::new(), mistakes: Vec::new(), stop: BatchStop::Passes };
    let mut w = task.start_vector();
    for _ in 0..passes {
        // One pass at a time: the rate is constant, so the number of the update does not matter.
        let (moved, mistakes) = twin.run_passes(&Task { start: &w, ..*task }, 1).remove(0);
        let separated = mistakes.is_empty();
        run.path.push(moved.clone());
        run.mistakes.push(mistakes);
        if separated {
            run.stop = BatchStop::Separated;
            break;
        }
        if norm(&plus(&moved, -1.0, &w)) < epsilon {
            run.stop = BatchStop::SmallStep;
            break;
        }
        w = moved;
    }
    run
}
