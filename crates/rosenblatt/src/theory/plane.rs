//! Two of the features, and the scores of a model over their plane: for pictures.

use std::cell::RefCell;

use crate::error::Result;
use crate::learn::{Hypothesis, Scratch, decide};
use crate::map::Entries;
use crate::model::Model;
use crate::rows::{AnyRows, Dense, DenseMatrix, Matrix, Row, Rows, Schema, Table};

/// Two features, by number from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plane {
    /// The horizontal axis.
    pub x: usize,
    /// The vertical axis.
    pub y: usize,
}

impl Plane {
    /// The two features of every row.
    pub fn points(self, rows: AnyRows<'_>) -> Vec<[f64; 2]> {
        (0..rows.len())
            .map(|i| {
                let mut point = [0.0; 2];
                rows.row(i).each(|j, v| {
                    if j == self.x {
                        point[0] = v
                    }
                    if j == self.y {
                        point[1] = v
                    }
                });
                point
            })
            .collect()
    }

    /// A table with these two features only.
    pub fn table(self, table: &Table) -> Result<Table> {
        let values = self.points(table.matrix.rows()?).concat();
        Ok(Table {
            matrix: Matrix::Dense(DenseMatrix { values, features: 2 }),
            classes: table.classes.clone(),
            labels: table.labels.clone(),
            weights: table.weights.clone(),
            schema: Schema::Indexed { first: 1, features: 2 },
        })
    }
}

/// The mean of each feature.
fn means(rows: AnyRows<'_>) -> Vec<f64> {
    let mut means = vec![0.0; rows.features()];
    let share = 1.0 / rows.len().max(1) as f64;
    (0..rows.len()).for_each(|i| rows.row(i).each(|j, v| means[j] += share * v));
    means
}

/// Scores of a model over a plane, all other features at their mean.
pub struct PlaneScorer<'a> {
    model: &'a Model,
    kind: Kind,
}

enum Kind {
    /// c + w·(x, y) for each output: the other features are summed up beforehand.
    Linear(Vec<[f64; 3]>),
    /// Any other model predicts a row in which two features change.
    RowScorer(Box<RefCell<RowScorer>>, Plane),
}

/// A row, and buffers to map and score it.
struct RowScorer {
    row: Vec<f64>,
    entries: Entries,
    spare: Entries,
    scratch: Scratch,
}

impl<'a> PlaneScorer<'a> {
    /// A scorer for a model with the features of `rows`, which give the means.
    pub fn new(model: &'a Model, plane: Plane, rows: AnyRows<'_>) -> PlaneScorer<'a> {
        let mut held = means(rows);
        let kind = match &model.hypothesis {
            Hypothesis::Linear(w) if model.chain.is_empty() => {
                let outputs = w.outputs();
                (held[plane.x], held[plane.y]) = (0.0, 0.0);
                let mut constant = vec![0.0; outputs];
                w.scores(Dense(&held[..]), &mut constant);
                let weight = |j: usize, k: usize| w.values()[j * outputs + k];
                Kind::Linear((0..outputs).map(|k| [constant[k], weight(plane.x, k), weight(plane.y, k)]).collect())
            }
            _ => {
                let (entries, spare) = (Entries::default(), Entries::default());
                let asked = RowScorer { row: held, entries, spare, scratch: Scratch::default() };
                Kind::RowScorer(Box::new(RefCell::new(asked)), plane)
            }
        };
        PlaneScorer { model, kind }
    }

    fn with<T>(&self, [x, y]: [f64; 2], see: impl Fn(&[f64]) -> T) -> T {
        match &self.kind {
            Kind::Linear(terms) => {
                let score = |[c, a, b]: &[f64; 3]| c + a * x + b * y;
                match &terms[..] {
                    [one] => see(&[score(one)]),
                    many => see(&many.iter().map(score).collect::<Vec<_>>()),
                }
            }
            Kind::RowScorer(asked, plane) => {
                let RowScorer { row, entries, spare, scratch } = &mut *asked.borrow_mut();
                (row[plane.x], row[plane.y]) = (x, y);
                self.model.chain.apply(Dense(&row[..]), entries, spare);
                self.model.hypothesis.scores(entries.row(), self.model.tie(), scratch);
                see(&scratch.scores)
            }
        }
    }

    /// The class at a point.
    pub fn class(&self, at: [f64; 2]) -> u32 {
        self.with(at, |scores| decide(scores, self.model.tie()))
    }

    /// The score of the positive of two classes.
    pub fn score(&self, at: [f64; 2]) -> f64 {
        self.with(at, |scores| scores[0])
    }
}
