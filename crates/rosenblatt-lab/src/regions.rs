//! `regions`: the scores of a model over a plane of two features, after any step of its training.

use std::ops::ControlFlow;

use rosenblatt::fit::{Data as Source, With};
use rosenblatt::rows::{DenseMatrix, Matrix};
use rosenblatt::{Error, Fitted, Hypothesis, Now, Observer, Result, Stop, Table, Trainer};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::settings::{Data, Settings};
use crate::steps;

/// Which model, and where.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    data: Data,
    #[serde(default)]
    settings: Settings,
    /// After this many steps; none: after all.
    #[serde(default)]
    step: Option<u64>,
    /// The corners: left, bottom, right, top.
    #[serde(rename = "box")]
    corners: [f64; 4],
    /// How many columns and rows of the grid.
    grid: [usize; 2],
    /// The two features, from 0.
    #[serde(default = "first_two")]
    plane: [usize; 2],
}

fn first_two() -> [usize; 2] {
    [0, 1]
}

/// The most cells of a grid.
const MOST_CELLS: usize = 40_000;

pub fn answer(request: &Request) -> Result<Value> {
    let dataset = request.data.read(false)?;
    let table = &dataset.table;
    let [columns, rows] = request.grid;
    if columns < 2 || rows < 2 || columns.saturating_mul(rows) > MOST_CELLS {
        return Err(Error::settings(format!("a grid of {columns} × {rows}: expected 2 × 2 to {MOST_CELLS} cells")));
    }
    if !request.corners.iter().all(|v| v.is_finite()) {
        return Err(Error::settings("the corners of the plane must be finite numbers"));
    }
    let features = table.matrix.features();
    if request.plane.iter().any(|&f| f >= features.max(1)) && features > 1 {
        return Err(Error::settings(format!("the plane of features {:?}: there are {features}", request.plane)));
    }
    let fitted = fitted(request, table)?;
    let model = &fitted.model;
    let grid = grid(request, table);
    let scores = model.score_all(grid.rows()?)?;
    let predicted = model.classify_all(table.matrix.rows()?)?;
    let wrong: Vec<usize> = (0..predicted.len()).filter(|&i| predicted[i] != table.classes[i]).collect();
    let outputs = if table.labels.len() == 2 { 1 } else { table.labels.len() };
    // Six digits draw a smooth boundary; the sign of a score that rounds to zero is kept by the digits before it.
    let scores: Vec<f32> = scores.into_iter().map(|v| v as f32).collect();
    Ok(json!({
        "outputs": outputs, "grid": request.grid, "scores": scores, "classes": table.labels.names(), "wrong": wrong,
        "train_error": wrong.len() as f64 / table.classes.len().max(1) as f64,
        "weights": model.hypothesis.linear().filter(|_| matches!(model.hypothesis, Hypothesis::Linear(_)))
            .map(|w| json!({ "values": w.values(), "bias": w.bias() })),
        "support_vectors": fitted.report.support_vectors,
        "positive_at_zero": model.tie() != rosenblatt::Tie::Negative,
    }))
}

/// The model after some steps.
fn fitted(request: &Request, table: &Table) -> Result<Fitted> {
    let trainer = request.settings.trainer(table.matrix.len())?;
    let prepared = trainer.prepare(table)?;
    let features = prepared.features();
    let trainer = request.settings.begin(trainer, features, table.labels.len())?;
    let mut stop = StopAt { step: request.step.unwrap_or(u64::MAX) };
    let with = With { observer: Some(&mut stop), ..With::default() };
    let mut fitted = trainer.fit_with(Source::Prepared(&prepared), with)?;
    if request.step == Some(0) {
        fitted.model.hypothesis = start(&trainer, features, table)?;
    }
    Ok(fitted)
}

fn start(trainer: &Trainer, features: usize, table: &Table) -> Result<Hypothesis> {
    Ok(trainer.learner(features, table.labels.len())?.hypothesis())
}

struct StopAt {
    step: u64,
}

impl Observer for StopAt {
    fn stride(&self) -> usize {
        if self.step == u64::MAX { usize::MAX } else { 1 }
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        if now.progress.presented >= self.step {
            ControlFlow::Break(Stop::Interrupted)
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The rows of the grid, from the bottom left; all other features at their mean.
fn grid(request: &Request, table: &Table) -> Matrix {
    let features = table.matrix.features();
    let floats = table.matrix.clone().in_floats();
    let mut means = vec![0.0; features];
    for i in 0..floats.len() {
        means.iter_mut().zip(steps::row(&floats, i)).for_each(|(mean, v)| *mean += v / floats.len() as f64);
    }
    let [columns, rows] = request.grid;
    let [left, bottom, right, top] = request.corners;
    let mut values = Vec::with_capacity(columns * rows * features);
    for r in 0..rows {
        for c in 0..columns {
            let at = values.len();
            values.extend_from_slice(&means);
            let [x, y] = request.plane;
            if features > 1 {
                values[at + y] = bottom + (top - bottom) * r as f64 / (rows - 1) as f64;
            }
            if features > 0 {
                values[at + x.min(features - 1)] = left + (right - left) * c as f64 / (columns - 1) as f64;
            }
        }
    }
    Matrix::Dense(DenseMatrix { values, features })
}
