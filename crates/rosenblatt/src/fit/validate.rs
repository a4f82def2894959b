//! Examples held back from learning, scored after every pass.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::{Now, Observer};
use crate::error::{Error, Result};
use crate::learn::machine::Tie;
use crate::learn::{AnyLearner, Hypothesis, Progress, Stop, count_wrong};
use crate::map::Prepared;
use crate::model::Validation;
use crate::rows::{Examples, Matrix, Table};

/// Examples held back, and what to do with what they say.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// The examples, with the features and classes of those that are learned from.
    pub table: &'a Table,
    /// Stop after so many passes in a row without fewer errors here, and keep the best pass (the first of equal ones).
    /// `None`: they are only watched, and the last pass is kept.
    pub patience: Option<u32>,
}

impl Held<'_> {
    /// The rows as the learner sees them, through maps that were fitted without them.
    pub(crate) fn prepare(&self, prepared: &Prepared<'_>) -> Result<Cow<'_, Matrix>> {
        let Table { matrix, classes, labels, .. } = self.table;
        if matrix.is_empty() {
            return Err(Error::bad_data("no examples to validate on"));
        }
        if matrix.features() != prepared.raw.matrix.features() || *labels != prepared.raw.labels {
            return Err(Error::bad_data("the examples to validate on have other features or classes than the others"));
        }
        if classes.iter().any(|&class| class as usize >= labels.len()) {
            return Err(Error::bad_data("the examples to validate on have a class that is not named"));
        }
        if prepared.chain.is_empty() {
            return Ok(Cow::Borrowed(matrix));
        }
        Ok(Cow::Owned(prepared.chain.matrix(matrix.rows()?)?))
    }
}

/// Looks over another observer's shoulder, and scores the held-back examples at the end of each pass.
pub(super) struct Watch<'a> {
    observer: &'a mut dyn Observer,
    held: Examples<'a>,
    train: Examples<'a>,
    tie: Tie,
    patience: Option<u32>,
    said: Validation,
    best: Option<Hypothesis>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        held: Examples<'a>,
        patience: Option<u32>,
        train: Examples<'a>,
        tie: Tie,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let said = Validation { examples: held.len() as u64, ..Validation::default() };
        Watch { observer, held, train, tie, patience, said, best: None }
    }

    /// The best hypothesis, if it was to be kept, and the story.
    pub(super) fn said(self) -> (Option<Hypothesis>, Validation) {
        (self.best, self.said)
    }

    fn wrong(&self, hypothesis: &Hypothesis, examples: Examples<'_>) -> u64 {
        let scores = hypothesis.score_all(examples.rows, self.tie);
        count_wrong(&scores, hypothesis.outputs(), self.tie, examples.classes)
    }
}

impl Observer for Watch<'_> {
    fn stride(&self) -> usize {
        self.observer.stride()
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        self.observer.advanced(now)
    }

    fn pass_ended(
        &mut self,
        course: &Progress,
        learner: &dyn AnyLearner,
        failures: &[u32],
    ) -> Result<ControlFlow<Stop>> {
        let hypothesis = learner.hypothesis();
        let (wrong, train_wrong) = (self.wrong(&hypothesis, self.held), self.wrong(&hypothesis, self.train));
        self.said.train_wrong_by_epoch.push(train_wrong);
        let best_so_far = self.said.wrong_by_epoch.iter().min().copied();
        self.said.wrong_by_epoch.push(wrong);
        let pass = self.said.wrong_by_epoch.len() as u32;
        if self.patience.is_none() {
            self.said.kept = pass;
        } else if best_so_far.is_none_or(|best| wrong < best) {
            self.said.kept = pass;
            self.best = Some(hypothesis);
        }
        let flow = self.observer.pass_ended(course, learner, failures)?;
        let in_vain = pass - self.said.kept;
        match self.patience {
            Some(patience) if flow.is_continue() && in_vain >= patience => Ok(ControlFlow::Break(Stop::NoProgress)),
            _ => Ok(flow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::trainer::Trainer;
    use crate::map::{Preparation, Scaling};
    use crate::model::Model;
    use crate::random::Stream;

    /// Labels that a plane explains up to some noise, columns of very different size.
    fn noisy(n: usize, seed: u64) -> Table {
        let mut stream = Stream::new(seed, &[]);
        let mut rows = Vec::new();
        let mut labels = Vec::new();
        for _ in 0..n {
            let (a, b) = (stream.unit() - 0.5, stream.unit() - 0.5);
            rows.push([a, 50.0 * b + 7.0]);
            labels.push(if a + b + 0.5 * (stream.unit() - 0.5) > 0.0 { "up" } else { "down" });
        }
        Table::dense(&rows, &labels).unwrap()
    }

    fn wrong(model: &Model, table: &Table) -> u64 {
        let answers = model.classify_all(table.matrix.rows().unwrap()).unwrap();
        answers.iter().zip(&table.classes).filter(|(a, c)| a != c).count() as u64
    }

    /// Training for k passes, for each k, and counting: what the watch says while one training runs.
    #[test]
    fn the_story_is_that_of_trainings_of_every_length() {
        let (train, held) = (noisy(120, 1), noisy(60, 2));
        for (learner, scaling) in
            [("perceptron", Scaling::None), ("averaged", Scaling::Standard), ("voted", Scaling::None)]
        {
            let trainer =
                Trainer::new(learner).epochs(12).preparation(Preparation { scale: scaling, ..Default::default() });
            let fit = |patience| {
                let prepared = trainer.prepare(&train).unwrap();
                trainer.fit_held(&prepared, Some(Held { table: &held, patience }), None, &mut ()).unwrap()
            };
            let watched = fit(None).model;
            let said = watched.facts.validation.clone().unwrap();
            assert_eq!((said.examples, said.kept, said.wrong_by_epoch.len()), (60, 12, 12), "{learner}");
            for k in 0..12 {
                let short = trainer.clone().epochs(k as u32 + 1).fit(&train).unwrap().model;
                assert_eq!(said.wrong_by_epoch[k], wrong(&short, &held), "{learner}, pass {}", k + 1);
                assert_eq!(said.train_wrong_by_epoch[k], wrong(&short, &train), "{learner}, pass {}", k + 1);
            }
            assert_eq!(watched.hypothesis, trainer.fit(&train).unwrap().model.hypothesis, "looking changes nothing");

            let patient = fit(Some(3));
            let told = patient.model.facts.validation.clone().unwrap();
            let passes = told.wrong_by_epoch.len();
            assert_eq!(told.wrong_by_epoch, said.wrong_by_epoch[..passes]);
            let best = told.wrong_by_epoch.iter().min().unwrap();
            assert_eq!(told.kept as usize, told.wrong_by_epoch.iter().position(|w| w == best).unwrap() + 1);
            if patient.report.stopped == Stop::NoProgress {
                assert_eq!(passes - told.kept as usize, 3);
            }
            let kept = trainer.clone().epochs(told.kept).fit(&train).unwrap().model.hypothesis;
            assert_eq!(patient.model.hypothesis, kept, "the model of the best pass");
            assert_eq!(patient.report.validation.as_ref().unwrap().error, told.error());

            let bytes = patient.model.to_bytes();
            let again = Model::from_bytes("m", &bytes).unwrap();
            assert_eq!(again, patient.model, "{learner}");
            assert_eq!(again.to_bytes(), bytes);
        }
    }

    #[test]
    fn other_features_are_refused() {
        let train = noisy(20, 1);
        let trainer = Trainer::new("averaged");
        let prepared = trainer.prepare(&train).unwrap();
        let other = Table::dense(&[[1.0], [2.0]], &["up", "down"]).unwrap();
        let held = Some(Held { table: &other, patience: None });
        let said = trainer.fit_held(&prepared, held, None, &mut ()).err().unwrap().to_string();
        assert!(said.contains("other features or classes"), "{said}");
    }
}
