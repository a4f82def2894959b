//! What is kept of a run: the last vector, the average, the voters, the pocket, the dual counts.

use super::{
    MultiRun, MultiTask, Run, Task, Tie, argmax, count_correct, dot, extended, label, multi_count_correct, plus,
    scores, times,
};

/// w_T, or the start if nothing was presented.
pub fn last(task: &Task<'_>, run: &Run) -> Vec<f64> {
    run.path.last().cloned().unwrap_or_else(|| task.start_vector())
}

/// S_T = Σ_{t=1..T} w_t, over all presented examples.
pub fn sum(run: &Run) -> Vec<f64> {
    let mut sum = vec![0.0; run.path[0].len()];
    for w in &run.path {
        sum = plus(&sum, 1.0, w);
    }
    sum
}

/// S_T/T: the mean of w after each presented example (the start itself is not counted).
pub fn average(run: &Run) -> Vec<f64> {
    sum(run).iter().map(|s| s / run.path.len() as f64).collect()
}

/// u = w_0 + Σ_t t(w_t − w_{t−1}), so that S_T = (T+1) w_T − u.
pub fn stamped(task: &Task<'_>, run: &Run) -> Vec<f64> {
    let mut before = task.start_vector();
    let mut u = before.clone();
    for (t, w) in run.path.iter().enumerate() {
        u = plus(&u, (t + 1) as f64, &plus(w, -1.0, &before));
        before = w.clone();
    }
    u
}

/// The start, then w after each update.
pub fn moves(task: &Task<'_>, run: &Run) -> Vec<Vec<f64>> {
    let mut moves = vec![task.start_vector()];
    moves.extend(run.updates.iter().map(|&t| run.path[t].clone()));
    moves
}

/// α_i = the number of updates made on example i, so that a unit-rate perceptron from 0 has w = Σ α_i y_i x_i.
pub fn dual(task: &Task<'_>, run: &Run) -> Vec<usize> {
    let mut alpha = vec![0; task.examples.len()];
    for &t in &run.updates {
        alpha[task.order[t]] += 1;
    }
    alpha
}

/// Voters (w, c): the start with the examples it survived (maybe none), then each new w, counting the example that made it.
fn lives<W: Clone>(start: W, path: &[W], updates: &[usize]) -> Vec<(W, usize)> {
    let mut voters = vec![(start, 0)];
    for (t, w) in path.iter().enumerate() {
        if updates.contains(&t) {
            voters.push((w.clone(), 1));
        } else {
            voters.last_mut().expect("the start is there").1 += 1;
        }
    }
    voters
}

/// The voted perceptron's list (w_j, c_j), the start first; Σ c_j = T.
pub fn votes(task: &Task<'_>, run: &Run) -> Vec<(Vec<f64>, usize)> {
    lives(task.start_vector(), &run.path, &run.updates)
}

/// Σ_j c_j label(w_j·x), where a voter's score 0 counts as +1, except −1 under `Tie::Negative`.
pub fn voted_score(voters: &[(Vec<f64>, usize)], x: &[f64], bias: bool, tie: Tie) -> f64 {
    let x = extended(x, bias);
    let mut score = 0.0;
    for (w, count) in voters {
        score += *count as f64 * label(dot(w, &x), tie);
    }
    score
}

/// The label of the voted score; 0 counts as +1, except −1 under `Tie::Negative`.
pub fn voted_label(voters: &[(Vec<f64>, usize)], x: &[f64], bias: bool, tie: Tie) -> f64 {
    label(voted_score(voters, x, bias, tie), tie)
}

/// What the pocket holds at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Pocket<W> {
    /// The best weights found.
    pub w: W,
    /// How many examples of the whole set they get right.
    pub correct: usize,
    /// The longest run that counts for them.
    pub run: usize,
    /// Positions where the pocket was replaced.
    pub replaced: Vec<usize>,
}

/// Gallant's ratchet over a finished run, for any way to count: see `pocket`.
pub fn ratchet<W: Clone>(
    start: W,
    path: &[W],
    mistakes: &[usize],
    updates: &[usize],
    correct: impl Fn(&W) -> usize,
) -> Pocket<W> {
    let mut pocket = Pocket { correct: correct(&start), w: start, run: 0, replaced: Vec::new() };
    let mut run = 0;
    let mut current_is_pocket = true;
    for (t, w) in path.iter().enumerate() {
        if updates.contains(&t) {
            run = 0;
            current_is_pocket = false;
        } else if mistakes.contains(&t) {
            run = 0;
        } else {
            run += 1;
            if run > pocket.run {
                if current_is_pocket {
                    pocket.run = run;
                } else {
                    let c = correct(w);
                    if c > pocket.correct {
                        pocket.w = w.clone();
                        pocket.correct = c;
                        pocket.run = run;
                        pocket.replaced.push(t);
                        current_is_pocket = true;
                    }
                }
            }
        }
    }
    pocket
}

/// Pocket with ratchet: when a run of right answers by one w grows longer than the pocket's, w replaces it iff it is
/// right on strictly more of all examples. Two equal vectors from different updates are not the same w.
pub fn pocket(task: &Task<'_>, run: &Run) -> Pocket<Vec<f64>> {
    let correct = |w: &Vec<f64>| count_correct(w, task.examples, task.bias, task.tie);
    ratchet(task.start_vector(), &run.path, &run.mistakes, &run.updates, correct)
}

/// Multi-class w_T, or the start if nothing was presented.
pub fn multi_last(task: &MultiTask<'_>, run: &MultiRun) -> Vec<Vec<f64>> {
    run.path.last().cloned().unwrap_or_else(|| task.start_matrix())
}

/// Multi-class S_T/T, row by row.
pub fn multi_average(run: &MultiRun) -> Vec<Vec<f64>> {
    let mut sum: Vec<Vec<f64>> = run.path[0].iter().map(|row| vec![0.0; row.len()]).collect();
    for w in &run.path {
        sum = sum.iter().zip(w).map(|(sum, row)| plus(sum, 1.0, row)).collect();
    }
    sum.iter().map(|row| row.iter().map(|s| s / run.path.len() as f64).collect()).collect()
}

/// Multi-class voters (W_j, c_j), the start first; Σ c_j = T.
pub fn multi_votes(task: &MultiTask<'_>, run: &MultiRun) -> Vec<(Vec<Vec<f64>>, usize)> {
    lives(task.start_matrix(), &run.path, &run.updates)
}

/// Each voter gives its c_j votes to its argmax class; the class with most votes wins (lowest index on ties).
pub fn multi_voted_label(voters: &[(Vec<Vec<f64>>, usize)], x: &[f64], bias: bool) -> usize {
    let mut ballots = vec![0.0; voters[0].0.len()];
    for (w, count) in voters {
        ballots[argmax(&scores(w, x, bias))] += *count as f64;
    }
    argmax(&ballots)
}

/// Multi-class pocket with ratchet.
pub fn multi_pocket(task: &MultiTask<'_>, run: &MultiRun) -> Pocket<Vec<Vec<f64>>> {
    let correct = |w: &Vec<Vec<f64>>| multi_count_correct(w, task.examples, task.bias, task.tie);
    ratchet(task.start_matrix(), &run.path, &run.mistakes, &run.updates, correct)
}
