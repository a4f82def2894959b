//! Shards on the threads of one machine: what mixing costs and gains, without a cluster.

use std::ops::ControlFlow;

use super::delta::Delta;
use super::mixing::Mixing;
use super::mixture::{Mixture, Rounds};
use crate::error::{Error, Result};
use crate::fit::memory::MemorySource;
use crate::fit::report::{Measured, Report};
use crate::fit::{Fitted, Trainer};
use crate::learn::Stop;
use crate::map::Prepared;
use crate::parallel;
use crate::rows::Examples;

/// How to train on shards.
#[derive(Debug, Clone)]
pub struct Shards {
    /// How many: shard i of S has the examples i·n/S up to (i + 1)·n/S, rounded down.
    pub count: u32,
    /// How they are mixed.
    pub mixing: Mixing,
    /// Resumes from here.
    pub resume: Option<Mixture>,
}

impl Shards {
    /// So many shards, mixed in the usual way.
    pub fn new(count: u32) -> Self {
        Shards { count, mixing: Mixing::default(), resume: None }
    }
}

impl Trainer {
    /// Trains on shards of prepared rows, each a pass at a time, on all threads. The trainer's passes are the rounds.
    /// `after_round` is called after every round, and may stop.
    ///
    /// ```
    /// use rosenblatt::fit::Shards;
    /// use rosenblatt::{Table, Trainer};
    /// use std::ops::ControlFlow;
    ///
    /// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["up", "up", "down", "down"])?;
    /// let trainer = Trainer::new("perceptron");
    /// let prepared = trainer.prepare(&table)?;
    /// let (fitted, rounds) = trainer.fit_shards(&prepared, Shards::new(2), &mut |_| Ok(ControlFlow::Continue(())))?;
    /// assert_eq!(fitted.report.train_error, Some(0.0));
    /// assert!(rounds.mixed_mistakes_in_all <= rounds.bound.unwrap());
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn fit_shards(
        &self,
        prepared: &Prepared<'_>,
        shards: Shards,
        after_round: &mut dyn FnMut(&Mixture) -> Result<ControlFlow<Stop>>,
    ) -> Result<(Fitted, Rounds)> {
        let table = prepared.raw;
        let examples = prepared.examples(table.weights.as_deref())?;
        if shards.count as usize > examples.len() {
            return Err(Error::settings(format!("{} shards of {} examples", shards.count, examples.len())));
        }
        let mut mixture = match shards.resume {
            Some(mixture) => mixture,
            None => {
                let mut counts = vec![0; table.labels.len()];
                table.classes.iter().for_each(|&class| counts[class as usize] += 1);
                let shape = (table.labels.clone(), table.schema.clone(), prepared.chain.clone());
                Mixture::begin_prepared(self, shards.mixing, shards.count, shape, &counts)?
            }
        };
        mixture.check_data(prepared, examples.len())?;
        let mut stop = mixture.ended();
        while stop.is_none() && mixture.rounds() < self.plan.epochs {
            let made = parallel::map(mixture.shards() as usize, &|shard| {
                mixture.local_round(shard as u32, part(examples, shard, mixture.shards() as usize), &mut ())
            });
            mixture.mix(made.into_iter().collect::<Result<Vec<Delta>>>()?)?;
            stop = after_round(&mixture)?.break_value().or(mixture.ended());
        }
        let mut model = mixture.model()?;
        model.facts.stopped = stop.unwrap_or(Stop::MaxEpochs);
        let (learner, classes) = (mixture.learner()?, table.labels.len());
        let mut source = MemorySource::new(examples, classes, &self.plan, false)?;
        let measured = Measured::scan_soon(&model, &*learner, &mut source)?;
        let report = Report::new(&model, &*learner, measured, false);
        let rounds = mixture.report()?;
        Ok((Fitted { model, report, failures: Vec::new(), checkpoint: None, file: None, settled: None }, rounds))
    }
}

impl Mixture {
    /// Refuses to resume with other data than those that training began with, as far as that shows.
    fn check_data(&self, prepared: &Prepared<'_>, examples: usize) -> Result<()> {
        let (own, table) = (&self.checkpoint, prepared.raw);
        let same = own.labels == table.labels && own.schema == table.schema && own.chain == prepared.chain;
        if !same || (self.rounds() > 0 && self.examples != examples as u64) {
            return Err(Error::bad_model("the training on shards began with other data; resume with the same"));
        }
        Ok(())
    }
}

/// The examples of one shard.
fn part(examples: Examples<'_>, shard: usize, shards: usize) -> Examples<'_> {
    let at = |shard: usize| (shard as u128 * examples.len() as u128 / shards as u128) as usize;
    let range = at(shard)..at(shard + 1);
    Examples {
        rows: examples.rows.slice(range.clone()),
        classes: &examples.classes[range.clone()],
        weights: examples.weights.map(|weights| &weights[range]),
    }
}
