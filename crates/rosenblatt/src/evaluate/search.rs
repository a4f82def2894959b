//! Model selection: train each trial on one part of the data, evaluate it on another, take the best.
//! (Training the best on all examples, and testing it once, is left to the caller.)
//!
//! Trials that differ only in the number of passes share one training, evaluated after 5, 10 and 20 passes: cost 20.

use std::ops::ControlFlow;

use super::crossval::{CrossValidation, Fold};
use super::loss::perceptron_loss;
use crate::error::{Error, Result};
use crate::fit::{Data, Held, Observer, Plan, Trainer, With};
use crate::learn::machine::Tie;
use crate::learn::{AnyLearner, Hypothesis, Progress, Stop, count_wrong};
use crate::limits;
use crate::message::Message;
use crate::parallel;
use crate::rows::{Examples, Split, Table};

/// A trainer and the examples to evaluate it on.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The trainer.
    pub trainer: &'a Trainer,
    /// The examples.
    pub table: &'a Table,
    /// Training and test parts: the folds, or one split.
    pub splits: &'a [Split],
}

/// The result of each trial, in the given order. A trial may fail (for example, its weights overflow) without affecting
/// the others.
///
/// All splits of all trials run in parallel and independently: the result is the same for any number of threads.
/// `done` is called after each.
pub fn search(trials: &[Trial<'_>], done: &(dyn Fn() + Sync)) -> Vec<Result<CrossValidation>> {
    let groups = groups(trials);
    let runs: Vec<(&Vec<usize>, &Split)> =
        groups.iter().flat_map(|group| trials[group[0]].splits.iter().map(move |split| (group, split))).collect();
    let judged: Vec<Vec<Result<Fold>>> = parallel::map(runs.len(), &|run| {
        let (group, split) = runs[run];
        let group: Vec<Trial<'_>> = group.iter().map(|&i| trials[i]).collect();
        let folds = judge(&group, split);
        group.iter().for_each(|_| done());
        folds
    });
    let mut by_trial: Vec<Vec<Result<Fold>>> = trials.iter().map(|_| Vec::new()).collect();
    for ((group, _), folds) in runs.iter().zip(judged) {
        group.iter().zip(folds).for_each(|(&i, fold)| by_trial[i].push(fold));
    }
    by_trial.into_iter().map(|folds| Ok(CrossValidation::new(folds.into_iter().collect::<Result<_>>()?))).collect()
}

/// Groups of trials that differ only in the number of passes.
fn groups(trials: &[Trial<'_>]) -> Vec<Vec<usize>> {
    let alike = |a: &Trial<'_>, b: &Trial<'_>| {
        let plan = Plan { epochs: a.trainer.plan.epochs, ..b.trainer.plan.clone() };
        std::ptr::eq(a.table, b.table)
            && std::ptr::eq(a.splits, b.splits)
            && *a.trainer == Trainer { plan, ..b.trainer.clone() }
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, trial) in trials.iter().enumerate() {
        match groups.iter_mut().find(|group| alike(&trials[group[0]], trial)) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// Trains one group on one split: once, unless a trial fails.
fn judge(group: &[Trial<'_>], split: &Split) -> Vec<Result<Fold>> {
    let (train, held) = (group[0].table.select(&split.train), group[0].table.select(&split.held));
    let mut on_the_way = match group {
        [_] => Vec::new(),
        _ => evaluate_passes(group, &train, &held),
    };
    let one = |trial: &Trial<'_>| {
        let epochs = trial.trainer.plan.epochs;
        // A training that stopped early stops at the same pass in a longer trial.
        match on_the_way
            .iter_mut()
            .find(|evaluated| evaluated.passes == epochs || evaluated.ended && evaluated.passes < epochs)
        {
            Some(evaluated) => Ok(evaluated.fold.clone()),
            // The separate training reports the error.
            None => trial.trainer.fit(&train).and_then(|fitted| {
                limits::check()?;
                Fold::judge(&fitted, &held)
            }),
        }
    };
    group.iter().map(one).collect()
}

/// The evaluation after some passes.
struct Evaluated {
    passes: u32,
    ended: bool,
    fold: Fold,
}

fn evaluate_passes(group: &[Trial<'_>], train: &Table, held: &Table) -> Vec<Evaluated> {
    let Some(longest) = group.iter().map(|trial| trial.trainer).max_by_key(|trainer| trainer.plan.epochs) else {
        return Vec::new();
    };
    let stops = group.iter().map(|trial| trial.trainer.plan.epochs).collect();
    let run = || {
        let prepared = longest.prepare(train)?;
        let rows = Held { table: held }.prepare(&prepared)?.into_owned();
        let held = Examples::new(rows.rows()?, &held.classes, None)?;
        let mut watch = PassEvaluator {
            stops,
            train: prepared.examples(None)?,
            held,
            tie: longest.recipe.tie,
            evaluated: Vec::new(),
        };
        // A later failure does not invalidate earlier evaluations.
        let _ = longest.fit_with(Data::Prepared(&prepared), With { observer: Some(&mut watch), ..With::default() });
        Result::Ok(watch.evaluated)
    };
    run().unwrap_or_default()
}

/// Evaluates at the ends of some passes.
struct PassEvaluator<'a> {
    stops: Vec<u32>,
    train: Examples<'a>,
    held: Examples<'a>,
    tie: Tie,
    evaluated: Vec<Evaluated>,
}

impl PassEvaluator<'_> {
    /// The share of wrong predictions, and the mean perceptron loss.
    fn losses(&self, hypothesis: &Hypothesis, examples: Examples<'_>) -> Result<(f64, f64)> {
        let (outputs, mut wrong, mut loss) = (hypothesis.outputs(), 0, 0.0);
        hypothesis.score_blocks(examples.rows, self.tie, &mut |first, scores| {
            let classes = &examples.classes[first..];
            wrong += count_wrong(scores, outputs, self.tie, classes);
            let rows = scores.chunks(outputs).zip(classes);
            loss = rows.fold(loss, |sum, (scores, &class)| sum + perceptron_loss(scores, class));
            Ok(())
        })?;
        Ok((wrong as f64 / examples.len() as f64, loss / examples.len() as f64))
    }
}

impl Observer for PassEvaluator<'_> {
    fn pass_ended(&mut self, progress: &Progress, learner: &dyn AnyLearner, _: &[u32]) -> Result<ControlFlow<Stop>> {
        let (passes, ended) = (progress.epochs(), progress.ended.is_some());
        if ended || self.stops.contains(&passes) {
            let hypothesis = learner.hypothesis();
            if hypothesis.hyperplane().is_finite() {
                let ((error, hinge), (train_error, _)) =
                    (self.losses(&hypothesis, self.held)?, self.losses(&hypothesis, self.train)?);
                let fold =
                    Fold { examples: self.held.len(), error, hinge, train_error: Some(train_error), epochs: passes };
                self.evaluated.push(Evaluated { passes, ended, fold });
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The trial with the lowest mean error; of equal ones the first. If all failed, the error of the first.
pub fn best(outcomes: &[Result<CrossValidation>]) -> Result<usize> {
    let error = |i: &usize| outcomes[*i].as_ref().map_or(f64::INFINITY, |judged| judged.mean_error);
    let sound = (0..outcomes.len()).filter(|&i| outcomes[i].is_ok());
    match (sound.min_by(|a, b| error(a).total_cmp(&error(b))), outcomes.first()) {
        (Some(best), _) => Ok(best),
        (None, Some(Err(first))) => {
            Err(Error::bad_data(Message::new("every trial failed; the first: ").then(first.message())))
        }
        (None, _) => Err(Error::settings("nothing to try")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::crossval::cross_validate;
    use crate::map::{Preparation, Scaling};
    use crate::random::Stream;
    use crate::rows::Folds;

    #[test]
    fn a_search_is_a_cross_validation_of_each_trial() {
        let mut stream = Stream::new(1, &[]);
        let rows: Vec<[f64; 2]> = (0..90).map(|_| [stream.unit() - 0.4, stream.unit() - 0.6]).collect();
        let labels: Vec<bool> = rows.iter().map(|r| r[0] * r[1] + 0.1 * r[0] > 0.02 * stream.unit()).collect();
        let labels: Vec<&str> = labels.iter().map(|&l| if l { "yes" } else { "no" }).collect();
        let table = Table::dense(&rows, &labels).unwrap();
        let folds = Folds::stratified(&table, 3, 0).unwrap();
        let splits: Vec<Split> = (0..3).map(|k| folds.split(k)).collect();
        let mut trainers = ["perceptron", "averaged", "pa1", "no such learner", "averaged"].map(Trainer::new).to_vec();
        for (learner, scale) in [("voted", Scaling::None), ("arow", Scaling::Standard), ("pocket", Scaling::MinMax)] {
            let preparation = Preparation { scale, ..Preparation::default() };
            trainers.extend([3, 40, 1].map(|n| Trainer::new(learner).epochs(n).preparation(preparation.clone())));
        }
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
        assert!((0..outcomes.len()).filter(|i| *i != 3).all(|i| error(best) <= error(i)));
        assert_ne!(best, 4, "of equal trials the first is the best");
        assert_eq!(groups(&trials).len(), 7);
    }

    /// Separable data, where training stops early; and so many passes that the weights overflow.
    #[test]
    fn a_group_judges_as_each_trial_by_itself() {
        let separable = Table::dense(&[[1.0], [2.0], [3.0], [-1.0], [-2.0], [-3.0]], &["a", "a", "a", "b", "b", "b"]);
        let huge = Table::dense(&[[1e150], [1.1e150], [-1e150], [1e150]], &["a", "b", "b", "a"]);
        for (table, rate) in [(separable.unwrap(), "1"), (huge.unwrap(), "1e157")] {
            let folds = Folds::stratified(&table, 2, 0).unwrap();
            let splits: Vec<Split> = (0..2).map(|k| folds.split(k)).collect();
            let trainers = [1, 2, 50, 400].map(|n| Trainer::new("averaged").epochs(n).set("rate", rate));
            let trials: Vec<Trial<'_>> =
                trainers.iter().map(|trainer| Trial { trainer, table: &table, splits: &splits }).collect();
            for (trainer, outcome) in trainers.iter().zip(search(&trials, &|| {})) {
                match (outcome, cross_validate(trainer, &table, &folds)) {
                    (Ok(a), Ok(b)) => assert_eq!(a, b),
                    (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
                    (a, b) => panic!("{:?} {:?}", a.is_ok(), b.is_ok()),
                }
            }
        }
    }

    #[test]
    fn if_all_fail_the_first_says_why() {
        let message =
            best(&[Err(Error::bad_data("too large")), Err(Error::bad_data("other"))]).unwrap_err().to_string();
        assert_eq!(message, "every trial failed; the first: too large");
    }
}
