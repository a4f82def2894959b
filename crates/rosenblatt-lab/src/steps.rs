//! What one step did, in numbers: w·x + b term by term, and the difference of the weights.

use rosenblatt::rows::{Matrix, SparseMatrix, Value};
use rosenblatt::{TraceStep, Weights};
use serde::Serialize;

/// The terms of a score and the update that followed.
#[derive(Debug, Serialize)]
pub struct Detail {
    /// The example's features.
    x: Vec<f64>,
    /// For two classes +1 or −1: the side of the example.
    y: Option<i8>,
    /// y·(w·x + b), or for more classes by how much the right class was ahead.
    margin: f64,
    /// The same of this example after the step: by how much the step helped it.
    margin_after: f64,
    /// The weights before the step, for each output.
    before: Vec<Vec<f64>>,
    /// The biases before the step.
    before_bias: Vec<f64>,
    /// The terms w·x of each output.
    terms: Vec<Vec<f64>>,
    /// The scores of each output.
    scores: Vec<f64>,
    /// The weights after the step minus those before.
    delta: Vec<Vec<f64>>,
    /// The same of the biases.
    delta_bias: Vec<f64>,
    /// Whether any weight changed.
    moved: bool,
}

/// The most features of which a detail shows every term.
const SHOWN: usize = 24;

impl Detail {
    pub fn new(before: &Weights, step: &TraceStep, x: Vec<f64>) -> Detail {
        let outputs = before.outputs();
        let column = |w: &Weights, k: usize| w.column(k).take(SHOWN).collect::<Vec<f64>>();
        let mut scores = vec![0.0; outputs];
        before.scores(rosenblatt::rows::Dense(&x[..]), &mut scores);
        let delta = (0..outputs)
            .map(|k| column(&step.weights, k).iter().zip(column(before, k)).map(|(after, w)| after - w).collect())
            .collect();
        let mut after = vec![0.0; outputs];
        step.weights.scores(rosenblatt::rows::Dense(&x[..]), &mut after);
        let y = (outputs == 1).then_some(if step.class == 1 { 1 } else { -1 });
        let minus = y == Some(-1);
        Detail {
            y,
            margin: if minus { -step.score + 0.0 } else { step.score },
            margin_after: ahead(&after, step.class as usize),
            before: (0..outputs).map(|k| column(before, k)).collect(),
            before_bias: before.bias().to_vec(),
            terms: (0..outputs).map(|k| column(before, k).iter().zip(&x).map(|(w, v)| w * v).collect()).collect(),
            scores,
            delta,
            delta_bias: step.weights.bias().iter().zip(before.bias()).map(|(after, b)| after - b).collect(),
            moved: moved(before, &step.weights),
            x: x.into_iter().take(SHOWN).collect(),
        }
    }
}

/// By how much the right class is ahead: y·score of two classes, else its score minus the highest of the others.
fn ahead(scores: &[f64], class: usize) -> f64 {
    if let [score] = scores {
        return if class == 1 { *score } else { 0.0 - score };
    }
    let others = scores.iter().enumerate().filter(|(k, _)| *k != class).map(|(_, score)| *score);
    scores[class] - others.fold(f64::NEG_INFINITY, f64::max)
}

/// Whether two weight vectors differ.
pub fn moved(before: &Weights, after: &Weights) -> bool {
    before.values() != after.values() || before.bias() != after.bias()
}

/// The two weights of a model that has two: of two features, or of one and the bias.
pub fn pair(weights: &Weights) -> Option<[f64; 2]> {
    match (weights.outputs(), weights.values(), weights.bias()) {
        (1, &[a, b], _) => Some([a, b]),
        (1, &[a], &[b]) => Some([a, b]),
        _ => None,
    }
}

/// One row of a matrix, dense.
pub fn row(matrix: &Matrix, i: usize) -> Vec<f64> {
    fn dense<V: Value>(values: &[V], features: usize, i: usize) -> Vec<f64> {
        values[i * features..(i + 1) * features].iter().map(|v| v.to_f64()).collect()
    }
    fn sparse(m: &SparseMatrix, i: usize) -> Vec<f64> {
        let mut row = vec![0.0; m.features];
        for at in m.offsets[i]..m.offsets[i + 1] {
            row[m.indices[at] as usize] = m.values[at];
        }
        row
    }
    match matrix {
        Matrix::Dense(m) => dense(&m.values, m.features, i),
        Matrix::DenseF32(m) => dense(&m.values, m.features, i),
        Matrix::DenseU8(m) => dense(&m.values, m.features, i),
        Matrix::Sparse(m) => sparse(m, i),
        Matrix::DenseDecimal(_) | Matrix::SparseDecimal(_) => row(&matrix.clone().in_floats(), i),
    }
}
