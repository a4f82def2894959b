//! Examples held back from learning, scored after every pass.

use std::borrow::Cow;

use super::source::BlockSource;
use super::train::{Trainee, Training};
use crate::error::{Error, Result};
use crate::map::Prepared;
use crate::model::Validation;
use crate::rows::{Matrix, Table};

/// Examples to validate on.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// The examples, with the features and classes of those that are learned from.
    pub table: &'a Table,
}

impl<'a> Held<'a> {
    /// The rows after the maps, which were fitted without them.
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

/// A trainee whose passes can be scored.
pub(crate) trait Scored: Trainee {
    /// What predicts after a pass.
    type Hypothesis;

    /// What predicts now.
    fn hypothesis(&self) -> Self::Hypothesis;
    /// How many answers the examples need: one for each row, or for each token.
    fn answers(examples: Self::Examples<'_>) -> u64;
    /// How many of these answers are wrong.
    fn wrong(&self, hypothesis: &Self::Hypothesis, examples: Self::Examples<'_>) -> Result<u64>;
}

/// Scores the held-back examples and the training examples at the end of each pass.
pub(crate) struct Validator<'a, T: Scored> {
    held: T::Examples<'a>,
    patience: Option<u32>,
    record: Validation,
    best: Option<T::Hypothesis>,
}

impl<'a, T: Scored> Validator<'a, T> {
    pub(crate) fn new(held: T::Examples<'a>, patience: Option<u32>) -> Self {
        let record = Validation { examples: T::answers(held), ..Validation::default() };
        Validator { held, patience, record, best: None }
    }

    /// Scores the model after a pass. `false`: the source restarted, and so does this.
    pub(super) fn score(&mut self, training: &Training<'_, T>, source: &mut dyn BlockSource<T>) -> Result<bool> {
        let trainee = &training.trainee;
        let hypothesis = trainee.hypothesis();
        let wrong = trainee.wrong(&hypothesis, self.held)?;
        let mut train_wrong = 0;
        let scanned = source.scan(&mut |examples| {
            train_wrong += trainee.wrong(&hypothesis, examples)?;
            Ok(())
        })?;
        if !scanned {
            *self = Validator::new(self.held, self.patience);
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

    /// Whether the last `patience` passes brought no improvement.
    pub(super) fn is_out_of_patience(&self) -> bool {
        let since_best = self.record.wrong_by_epoch.len() as u32 - self.record.kept;
        self.patience.is_some_and(|patience| since_best >= patience)
    }

    /// The best hypothesis, if patience was set, and the record.
    pub(crate) fn finish(self) -> (Option<T::Hypothesis>, Validation) {
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

    /// The record of one training equals those of trainings of every shorter length.
    #[test]
    fn the_record_equals_trainings_of_every_length() {
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
            let record = watched.facts.validation.clone().unwrap();
            assert_eq!((record.examples, record.kept, record.wrong_by_epoch.len()), (60, 12, 12), "{learner}");
            for k in 0..12 {
                let short = trainer.clone().epochs(k as u32 + 1).fit(&train).unwrap().model;
                assert_eq!(record.wrong_by_epoch[k], wrong(&short, &held), "{learner}, pass {}", k + 1);
                assert_eq!(record.train_wrong_by_epoch[k], wrong(&short, &train), "{learner}, pass {}", k + 1);
            }
            assert_eq!(
                watched.hypothesis,
                trainer.fit(&train).unwrap().model.hypothesis,
                "validation does not change training"
            );

            let patient = fit(Some(3));
            let best_kept = patient.model.facts.validation.clone().unwrap();
            let passes = best_kept.wrong_by_epoch.len();
            assert_eq!(best_kept.wrong_by_epoch, record.wrong_by_epoch[..passes]);
            let best = best_kept.wrong_by_epoch.iter().min().unwrap();
            assert_eq!(best_kept.kept as usize, best_kept.wrong_by_epoch.iter().position(|w| w == best).unwrap() + 1);
            if patient.report.stopped == Stop::NoProgress {
                assert_eq!(passes - best_kept.kept as usize, 3);
            }
            let kept = trainer.clone().epochs(best_kept.kept).fit(&train).unwrap().model.hypothesis;
            assert_eq!(patient.model.hypothesis, kept, "the model of the best pass");
            assert_eq!(patient.report.validation.as_ref().unwrap().error, best_kept.error());

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
        let message = trainer.fit_with(Data::Table(&train), with).err().unwrap().to_string();
        assert!(message.contains("other features or classes"), "{message}");
    }
}
