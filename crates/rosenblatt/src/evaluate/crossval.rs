//! Cross-validation: the error of a training on examples that it did not learn from.

use serde::Serialize;

use super::Evaluation;
use crate::error::{ErrorKind, Result};
use crate::fit::{Fitted, Trainer};
use crate::limits;
use crate::parallel;
use crate::rows::{Folds, Split, Table, the_rows};

/// One fold: a model trained on the other folds, evaluated on this one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fold {
    /// Examples evaluated.
    pub examples: usize,
    /// The share of them that the model gets wrong.
    pub error: f64,
    /// The mean perceptron loss on them.
    pub hinge: f64,
    /// The share of its own training examples that it gets wrong.
    pub train_error: Option<f64>,
    /// Passes of its training.
    pub epochs: u32,
}

/// The results of all folds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossValidation {
    /// Each fold in turn.
    pub folds: Vec<Fold>,
    /// The mean of the folds' errors.
    pub mean_error: f64,
    /// Their sample standard deviation (with n − 1); not defined for a single fold.
    pub std_error: Option<f64>,
}

/// Trains and evaluates on each split, in parallel. The preparation of the features belongs to the trainer, so it is
/// fitted on the training part only.
///
/// ```
/// use rosenblatt::evaluate::{cross_validate, Folds};
/// use rosenblatt::{Table, Trainer};
/// let points: Vec<[f64; 1]> = (0..20).map(|i| [f64::from(i) - 9.5]).collect();
/// let labels: Vec<&str> = points.iter().map(|p| if p[0] > 0.0 { "up" } else { "down" }).collect();
/// let table = Table::dense(&points, &labels)?;
/// let folds = Folds::stratified(&table, 5, 0)?;
/// let judged = cross_validate(&Trainer::new("perceptron"), &table, &folds)?;
/// assert_eq!(judged.folds.len(), 5);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub fn cross_validate(trainer: &Trainer, table: &Table, folds: &Folds) -> Result<CrossValidation> {
    let each = each_fold(table, folds, |train| trainer.fit(train), |fitted, held| Fold::judge(&fitted, held))?;
    Ok(CrossValidation::new(each))
}

/// For each fold, in parallel: fits on the other folds and evaluates the result on this one.
pub fn each_fold<T: Send>(
    table: &Table,
    folds: &Folds,
    fit: impl Fn(&Table) -> Result<Fitted> + Sync,
    look: impl Fn(Fitted, &Table) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    // Each fold copies the rows, its two parts and its model the names of features, and it counts each pair of classes.
    let pairs = size_of::<u64>() as u128 * (table.labels.len() as u128).pow(2);
    let needed = u128::from(table.bytes()? + 2 * table.schema.bytes()) + pairs;
    let one = |k: usize| {
        let Split { train, held } = folds.split(k as u32);
        let train = table.select(&train);
        let fitted = fit(&train)?;
        drop(train);
        // A training that was interrupted says nothing about the fold.
        limits::check()?;
        look(fitted, &table.select(&held))
    };
    // A training copies about as much again, and what a thread frees is not at once another's.
    let (count, threads) = (folds.len() as usize, parallel::threads());
    if limits::room_for::<u8>(2 * needed * threads.min(count) as u128, the_rows).is_err() {
        return (0..count).map(one).collect();
    }
    let again = |(k, done): (usize, Result<T>)| match done {
        // Several folds at once may need more memory than there is where one does not.
        Err(error) if error.kind() == ErrorKind::Memory && threads > 1 => one(k),
        done => done,
    };
    parallel::map(count, &one).into_iter().enumerate().map(again).collect()
}

impl Fold {
    /// Evaluates a model on held-out examples.
    pub fn judge(fitted: &Fitted, held: &Table) -> Result<Fold> {
        let judged = Evaluation::new(&fitted.model, held)?;
        Ok(Fold {
            examples: judged.examples,
            error: judged.error,
            hinge: judged.hinge,
            train_error: fitted.report.train_error,
            epochs: fitted.report.epochs,
        })
    }
}

impl CrossValidation {
    /// Mean and spread of some folds.
    pub fn new(folds: Vec<Fold>) -> Self {
        let n = folds.len() as f64;
        let mean_error = folds.iter().map(|f| f.error).sum::<f64>() / n;
        let squares: f64 = folds.iter().map(|f| (f.error - mean_error).powi(2)).sum();
        let std_error = (folds.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        CrossValidation { folds, mean_error, std_error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{Preparation, Scaling};
    use crate::random::Stream;

    fn noisy(n: usize) -> Table {
        let mut stream = Stream::new(3, &[]);
        let rows: Vec<[f64; 3]> =
            (0..n).map(|_| [stream.unit() - 0.5, stream.unit() - 0.5, stream.unit() - 0.5]).collect();
        let labels: Vec<&str> = rows
            .iter()
            .map(|r| if r[0] + 0.3 * r[1] + 0.4 * (stream.unit() - 0.5) > 0.0 { "+1" } else { "-1" })
            .collect();
        Table::dense(&rows, &labels).unwrap()
    }

    /// One fold after the other.
    #[test]
    fn folds_in_parallel_are_folds_in_turn() {
        let table = noisy(203);
        let folds = Folds::stratified(&table, 4, 7).unwrap();
        let trainer = Trainer::new("averaged").epochs(3);
        let judged = cross_validate(&trainer, &table, &folds).unwrap();
        for (k, fold) in (0..).zip(&judged.folds) {
            let split = folds.split(k);
            let model = trainer.fit(&table.select(&split.train)).unwrap().model;
            let held = table.select(&split.held);
            let answers = model.classify_all(held.matrix.rows().unwrap()).unwrap();
            let wrong = answers.iter().zip(&held.classes).filter(|(a, c)| a != c).count();
            assert_eq!(fold.error, wrong as f64 / split.held.len() as f64);
        }
        let errors: Vec<f64> = judged.folds.iter().map(|f| f.error).collect();
        assert_eq!(judged.mean_error, errors.iter().sum::<f64>() / 4.0);
        assert!(judged.mean_error > 0.0 && judged.std_error > Some(0.0));
    }

    /// One row is a million times larger than the others. Scaled by all rows, every fold's features would be tiny; scaled
    /// by the training part, only those of the folds that train on that row.
    #[test]
    fn maps_are_fitted_on_what_is_learned_from_alone() {
        let mut rows: Vec<[f64; 1]> = (0..40).map(|i| [f64::from(i % 20) + 1.0]).collect();
        rows[7][0] = 1e6;
        let labels: Vec<&str> = (0..40).map(|i| if i % 20 < 10 { "low" } else { "high" }).collect();
        let table = Table::dense(&rows, &labels).unwrap();
        let trainer =
            Trainer::new("perceptron").preparation(Preparation { scale: Scaling::MinMax, ..Preparation::default() });
        let folds = Folds::stratified(&table, 4, 0).unwrap();
        let chains = each_fold(&table, &folds, |rest| trainer.fit(rest), |fitted, _| Ok(fitted.model.chain)).unwrap();
        for (k, chain) in (0..).zip(chains) {
            let Split { train, held } = folds.split(k);
            let own = trainer.prepare(&table.select(&train)).unwrap().chain;
            assert_eq!(chain, own, "the preparation was fitted on the other folds");
            let all = trainer.prepare(&table).unwrap().chain;
            assert!(chain != all || !held.contains(&7), "the large row affects only the folds that train on it");
        }
    }

    #[test]
    fn spread_is_the_sample_standard_deviation() {
        let fold = |error| Fold { examples: 10, error, hinge: 0.0, train_error: Some(0.0), epochs: 1 };
        let judged = CrossValidation::new(vec![fold(0.1), fold(0.3)]);
        assert!((judged.mean_error - 0.2).abs() < 1e-15 && (judged.std_error.unwrap() - 0.02f64.sqrt()).abs() < 1e-15);
        assert_eq!(CrossValidation::new(vec![fold(0.1)]).std_error, None);
    }
}
