//! Choosing among ways of training, as the textbooks say: learn from one part, judge on another, take the best.
//! (Learning again from all examples, and testing once, is for whoever asked.)

use rayon::prelude::*;

use super::crossval::{CrossValidation, Fold};
use super::split::Split;
use crate::data::Table;
use crate::error::{Error, Result};
use crate::fit::Trainer;

/// One way of training, and the examples to judge it by.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The way.
    pub trainer: &'a Trainer,
    /// The examples.
    pub table: &'a Table,
    /// What to learn from and what to be judged on: the folds, or one split.
    pub splits: &'a [Split],
}

/// What each trial came to, in the order in which they were given. A trial may fail (its weights overflow, say)
/// without spoiling the others.
///
/// All splits of all trials run in parallel, each by itself, so that the result is the same for any number of threads.
/// `done` is called after each.
pub fn search(trials: &[Trial<'_>], done: &(dyn Fn() + Sync)) -> Vec<Result<CrossValidation>> {
    let pairs: Vec<(&Trial<'_>, &Split)> =
        trials.iter().flat_map(|trial| trial.splits.iter().map(move |split| (trial, split))).collect();
    let judged: Vec<Result<Fold>> = pairs
        .par_iter()
        .map(|(trial, split)| {
            let fitted = trial.trainer.fit(&trial.table.select(&split.train));
            let fold = fitted.and_then(|fitted| Fold::judge(&fitted, &trial.table.select(&split.held)));
            done();
            fold
        })
        .collect();
    let mut judged = judged.into_iter();
    trials
        .iter()
        .map(|trial| judged.by_ref().take(trial.splits.len()).collect::<Vec<_>>())
        .map(|folds| folds.into_iter().collect::<Result<Vec<Fold>>>().map(CrossValidation::new))
        .collect()
}

/// The trial with the lowest mean error; of equal ones the first. An error if all failed: that of the first.
pub fn best(outcomes: &[Result<CrossValidation>]) -> Result<usize> {
    let error = |i: &usize| outcomes[*i].as_ref().map_or(f64::INFINITY, |judged| judged.mean_error);
    let sound = (0..outcomes.len()).filter(|&i| outcomes[i].is_ok());
    match (sound.min_by(|a, b| error(a).total_cmp(&error(b))), outcomes.first()) {
        (Some(best), _) => Ok(best),
        (None, Some(Err(first))) => Err(Error::bad_data(format!("every trial failed; the first: {}", first.message()))),
        (None, _) => Err(Error::settings("nothing to try")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Folds, cross_validate};
    use crate::random::Stream;

    #[test]
    fn a_search_is_a_cross_validation_of_each_trial() {
        let mut stream = Stream::new(1, &[]);
        let rows: Vec<[f64; 2]> = (0..90).map(|_| [stream.unit() - 0.4, stream.unit() - 0.6]).collect();
        let labels: Vec<bool> = rows.iter().map(|r| r[0] * r[1] + 0.1 * r[0] > 0.02 * stream.unit()).collect();
        let labels: Vec<&str> = labels.iter().map(|&l| if l { "yes" } else { "no" }).collect();
        let table = Table::dense(&rows, &labels).unwrap();
        let folds = Folds::stratified(&table, 3, 0).unwrap();
        let splits: Vec<Split> = (0..3).map(|k| folds.split(k)).collect();
        let trainers = ["perceptron", "averaged", "pa1", "no such learner", "averaged"].map(Trainer::new);
        let trials: Vec<Trial<'_>> =
            trainers.iter().map(|trainer| Trial { trainer, table: &table, splits: &splits }).collect();
        let outcomes = search(&trials, &|| {});
        for (trainer, outcome) in trainers.iter().zip(&outcomes) {
            match outcome {
                Ok(judged) => assert_eq!(*judged, cross_validate(trainer, &table, &folds).unwrap()),
                Err(error) => assert!(error.to_string().contains("no such learner"), "{error}"),
            }
        }
        assert_eq!(outcomes.iter().filter(|o| o.is_err()).count(), 1);
        let best = best(&outcomes).unwrap();
        let error = |i: usize| outcomes[i].as_ref().unwrap().mean_error;
        assert!([0, 1, 2, 4].iter().all(|&i| error(best) <= error(i)));
        assert_ne!(best, 4, "of equal trials the first is the best");
    }

    #[test]
    fn if_all_fail_the_first_says_why() {
        let said = best(&[Err(Error::bad_data("too large")), Err(Error::bad_data("other"))]).unwrap_err().to_string();
        assert_eq!(said, "every trial failed; the first: too large");
    }
}
