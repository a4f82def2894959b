//! The naive twins against the worked examples: what is trusted must be checked first.

mod by_hand;
#[path = "../naive/mod.rs"]
mod naive;
mod textbook;

use naive::*;

/// Rows with signs, from literals.
fn rows(list: &[(&[f64], f64)]) -> Signed {
    list.iter().map(|(x, y)| (x.to_vec(), *y)).collect()
}

/// Vectors, from literals.
fn vectors(list: &[&[f64]]) -> Vec<Vec<f64>> {
    list.iter().map(|w| w.to_vec()).collect()
}

/// The unit-rate perceptron.
fn unit(task: &Task<'_>) -> Run {
    perceptron(task, Rate::Constant(1.0))
}

/// (pass, example) of each update, both from 1.
fn places(run: &Run, n: usize) -> Vec<(usize, usize)> {
    run.updates.iter().map(|t| (t / n + 1, t % n + 1)).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= 1e-12, "{a:?} is not {b:?}");
    }
}

fn cmu() -> Signed {
    rows(&[
        (&[-1.0, 2.0], -1.0),
        (&[1.0, 0.0], 1.0),
        (&[1.0, 1.0], 1.0),
        (&[-1.0, 0.0], -1.0),
        (&[-1.0, -2.0], -1.0),
        (&[1.0, -1.0], 1.0),
    ])
}
