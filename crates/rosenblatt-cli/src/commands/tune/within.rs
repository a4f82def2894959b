//! The search without a grid: within a time, and not for the luckiest.
//!
//! Of seventeen settings validated on a few hundred examples, the best is often the one that was lucky by a mistake or two. So the
//! settings that come close are validated again on other folds, and the first setting, which is the default of `train`, gives
//! way only to one that is better by more than the standard error of the difference. Folds share training examples: the
//! variance of a mean of n differences is (1/n + 1/(k − 1)) times theirs (Nadeau and Bengio, 2003).

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use rosenblatt::evaluate::{CrossValidation, Folds, Split, Trial, best, search};
use rosenblatt::limits::{self, Limits};
use rosenblatt::{ErrorKind, Result};

/// Of more examples than these a fifth is held out, in place of folds.
pub const FEW: usize = 5000;
/// How many settings are validated again, and on how many other partitions into folds.
const FINALISTS: usize = 6;
const PARTITIONS: u64 = 4;

/// The outcomes of the first trials, as many as end in time; the first is always among them.
pub struct Found {
    /// The outcomes, in the order of the trials.
    pub outcomes: Vec<Result<CrossValidation>>,
    /// The best, or the first.
    pub winner: usize,
    /// How many settings were validated again, and on how many other partitions.
    pub again: Option<(usize, u64)>,
}

/// Tries the trials, whose folds are of this seed.
pub fn within(trials: &[Trial<'_>], seed: u64, begin: Instant, seconds: f64, bar: &ProgressBar) -> Result<Found> {
    let (mut outcomes, mut took) = (Vec::new(), Vec::new());
    let own = limits::current();
    let end = begin.checked_add(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let until = Limits { deadline: end.map_or(own.deadline.clone(), |end| own.deadline.sooner(&end.into())), ..own };
    for trial in trials {
        let now = begin.elapsed().as_secs_f64();
        let first = outcomes.is_empty();
        if !first && now >= seconds || limits::has_passed() {
            break;
        }
        let run = || search(std::slice::from_ref(trial), &|| bar.inc(1));
        let done = if first { run() } else { limits::within(&until, run) };
        // What was not ended in time was not tried.
        if !first && done.iter().any(|one| one.as_ref().is_err_and(is_late)) {
            break;
        }
        outcomes.extend(done);
        took.push(begin.elapsed().as_secs_f64() - now);
    }
    let lowest = best(&outcomes)?;
    if trials[0].splits.len() == 1 || outcomes[0].is_err() {
        return Ok(Found { outcomes, winner: lowest, again: None });
    }
    let close = finalists(&outcomes);
    let expected: f64 = close.iter().map(|&i| took[i]).sum();
    let mut partitions = 0;
    while partitions < PARTITIONS && begin.elapsed().as_secs_f64() + expected < seconds {
        bar.inc_length((close.len() * trials[0].splits.len()) as u64);
        let done = limits::within(&until, || again(trials, &close, seed + partitions + 1, bar))?;
        let Ok(done) = done.into_iter().collect::<Result<Vec<_>>>() else { break };
        for (&i, more) in close.iter().zip(done) {
            if let Ok(outcome) = &mut outcomes[i] {
                let folds = outcome.folds.iter().cloned().chain(more.folds).collect();
                *outcome = CrossValidation::new(folds);
            }
        }
        partitions += 1;
    }
    let winner = chosen(&outcomes, &close, trials[0].splits.len());
    Ok(Found { outcomes, winner, again: (partitions > 0).then_some((close.len(), partitions)) })
}

/// Whether the time was up, and not the caller's signal.
fn is_late(error: &rosenblatt::Error) -> bool {
    match error.kind() {
        ErrorKind::Time => true,
        ErrorKind::Interrupted => !limits::is_interrupted(),
        _ => false,
    }
}

fn error(outcomes: &[Result<CrossValidation>], i: usize) -> f64 {
    outcomes[i].as_ref().map_or(f64::INFINITY, |judged| judged.mean_error)
}

/// The first setting and the best of the others, in their order.
fn finalists(outcomes: &[Result<CrossValidation>]) -> Vec<usize> {
    let mut others: Vec<usize> = (1..outcomes.len()).filter(|&i| outcomes[i].is_ok()).collect();
    others.sort_by(|&a, &b| error(outcomes, a).total_cmp(&error(outcomes, b)));
    others.truncate(FINALISTS - 1);
    others.push(0);
    others.sort_unstable();
    others
}

/// The same trials on the folds of another seed.
fn again(trials: &[Trial<'_>], which: &[usize], seed: u64, bar: &ProgressBar) -> Result<Vec<Result<CrossValidation>>> {
    let mut splits: Vec<Vec<Split>> = Vec::with_capacity(which.len());
    for &i in which {
        let folds = Folds::stratified(trials[i].table, trials[i].splits.len() as u32, seed)?;
        splits.push((0..folds.len()).map(|k| folds.split(k)).collect());
    }
    let trials: Vec<Trial<'_>> = which.iter().zip(&splits).map(|(&i, splits)| Trial { splits, ..trials[i] }).collect();
    Ok(search(&trials, &|| bar.inc(1)))
}

/// The one with the lowest error that is better than the first by more than a standard error of their difference, or the first.
fn chosen(outcomes: &[Result<CrossValidation>], close: &[usize], folds: usize) -> usize {
    let Some(Ok(first)) = outcomes.first() else { return 0 };
    let better = |&i: &usize| {
        let Ok(other) = &outcomes[i] else { return false };
        let each: Vec<f64> = first.folds.iter().zip(&other.folds).map(|(a, b)| a.error - b.error).collect();
        let n = each.len() as f64;
        let mean = each.iter().sum::<f64>() / n;
        let variance = each.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
        mean > 0.0 && mean > (variance * (1.0 / n + 1.0 / (folds as f64 - 1.0))).sqrt()
    };
    let better = close.iter().copied().filter(|i| *i != 0 && better(i));
    better.min_by(|&a, &b| error(outcomes, a).total_cmp(&error(outcomes, b))).unwrap_or(0)
}
