//! Does a training do better than the most frequent class? If not, a hyperplane is the wrong shape.

use super::Finding;
use crate::evaluate::Majority;
use crate::fit::{Trainer, mean_square};
use crate::rows::Table;

/// An error above this share of the majority's is no better.
const NO_BETTER: f64 = 0.95;
/// The most rows that a kernel is advised for, and the most features that products are advised for.
const ROWS: usize = 20_000;
const FEATURES: usize = 50;

/// The finding, if an error is no better than the majority's, with what may be.
pub fn no_better(trainer: &Trainer, table: &Table, error: f64) -> Option<Finding> {
    let majority = Majority::of(table).error;
    let linear =
        trainer.recipe.kernel.is_none() && trainer.preparation.degree == 1 && trainer.preparation.lift.is_none();
    if error < NO_BETTER * majority || majority == 0.0 || !linear {
        return None;
    }
    let prepared = trainer.prepare(table).ok()?;
    let rows = prepared.matrix.rows().ok()?;
    let mean = mean_square(rows);
    let narrow = rows.features() <= FEATURES;
    let gamma = (mean > 0.0 && mean.is_finite() && rows.len() <= ROWS)
        .then(|| format!("{:.0e}", 1.0 / mean).parse().unwrap_or(1.0));
    Some(Finding::NoBetterThanMajority { error, majority, gamma, narrow })
}
