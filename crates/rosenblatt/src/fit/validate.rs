//! Examples held back from learning, scored after every pass.

use std::borrow::Cow;

use super::source::BlockSource;
use super::student::Student;
use super::train::Training;
use crate::error::{Error, Result};
use crate::learn::Hypothesis;
use crate::learn::machine::Tie;
use crate::map::Prepared;
use crate::model::Validation;
use crate::rows::{Examples, Matrix, Table};

/// Examples held back, and what to do with what they say.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// The examples, with the features and classes of those that are learned from.
    pub table: &'a Table,
}

impl<'a> Held<'a> {
    /// The rows as the learner sees them, through maps that were fitted without them.
    pub(crate) fn prepare(self, prepared: &Prepared<'_>) -> Result<Cow<'a, Matrix>> {
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

/// Scores the held-back examples, and the training examples, at the end of each pass.
pub(super) struct Validator<'a> {
    held: Examples<'a>,
    tie: Tie,
    patience: Option<u32>,
    record: Validation,
    best: Option<Hypothesis>,
}

impl<'a> Validator<'a> {
    pub(super) fn new(held: Examples<'a>, patience: Option<u32>, tie: Tie) -> Self {
        let record = Validation { examples: held.len() as u64, ..Validation::default() };
        Validator { held, tie, patience, record, best: None }
    }

    /// Scores what the last pass left. `false`: the source restarted, and so does this.
    pub(super) fn score<'t>(
        &mut self,
        training: &Training<'_, Student<'t>>,
        source: &mut dyn BlockSource<Student<'t>>,
    ) -> Result<bool> {
        let hypothesis = training.trainee.learner.hypothesis();
        let wrong = hypothesis.wrong(self.held, self.tie);
        let mut train_wrong = 0;
        if !source.scan(&mut |shown| train_wrong += hypothesis.wrong(shown.examples, self.tie))? {
            *self = Validator::new(self.held, self.patience, self.tie);
            return Ok(false);
        }
        self.record.train_wrong_by_epoch.push(train_wrong);
        let best_so_far = self.record.wrong_by_epoch.iter().min().copied();
        self.record.wrong_by_epoch.push(wrong);
        let pass = self.record.wrong_by_epoch.len() as u32;
        if self.patience.is_none() {
            self.record.kept = pass;
        } else if best_so_far.is_none_or(|best| wrong < best) {
            self.record.kept = pass;
            self.best = Some(hypothesis);
        }
        Ok(true)
    }

    /// Whether the last passes were in vain.
    pub(super) fn is_out_of_patience(&self) -> bool {
        let in_vain = self.record.wrong_by_epoch.len() as u32 - self.record.kept;
        self.patience.is_some_and(|patience| in_vain >= patience)
    }

    /// The best hypothesis, if it was to be kept, and the record.
    pub(super) fn finish(self) -> (Option<Hypothesis>, Validation) {
        (self.best, self.record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Data, HeldBack, Trainer, With};
    use crate::learn::Stop;
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
                let with = With { held: Some(HeldBack::Table(&held)), patience, ..With::default() };
                trainer.fit_with(Data::Table(&train), with).unwrap()
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
        let other = Table::dense(&[[1.0], [2.0]], &["up", "down"]).unwrap();
        let with = With { held: Some(HeldBack::Table(&other)), ..With::default() };
        let said = trainer.fit_with(Data::Table(&train), with).err().unwrap().to_string();
        assert!(said.contains("other features or classes"), "{said}");
    }
}
