//! A paused training: everything needed to resume at the same example.

use super::fitted::Description;
use super::order::Order;
use super::row_trainee::RowTrainee;
use super::train::Training;
use super::trainer::{ClassWeights, Start, Trainer};
use crate::error::{Error, Result};
use crate::io::show;
use crate::learn::{AnyLearner, Array, Progress, Recipe, State};
use crate::map::{Chain, Preparation};
use crate::rows::{Labels, Schema};

/// A paused training. A model is not enough to resume: an average, for example, cannot be continued from its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// What is done to rows before they are learned from.
    pub preparation: Preparation,
    /// The learner and its settings.
    pub recipe: Recipe,
    /// The order of each pass.
    pub order: Order,
    /// How much each class counts.
    pub class_weights: ClassWeights,
    /// Where the weights began.
    pub start: Start,
    /// How far training has come.
    pub progress: Progress,
    /// How often each example was a mistake.
    pub failures: Vec<u32>,
    /// The learner's state.
    pub learner: State,
    /// The names of the classes.
    pub labels: Labels,
    /// How raw columns became features.
    pub schema: Schema,
    /// The maps as they were fitted.
    pub chain: Chain,
    /// XXH3-64 of the training file's (decompressed) bytes, if it came from a file.
    pub data: Option<u64>,
    /// The fingerprint of the labels and weights of the examples, where the file of the rows does not determine them.
    pub targets: Option<u64>,
}

impl Checkpoint {
    /// The state of a training.
    pub(super) fn of(trainer: &Trainer, description: &Description, training: &Training<'_, RowTrainee<'_>>) -> Self {
        Self::new(trainer, description, &*training.trainee.learner, &training.progress, training.failures())
    }

    /// The same, from its parts.
    pub(super) fn new(
        trainer: &Trainer,
        description: &Description,
        learner: &dyn AnyLearner,
        progress: &Progress,
        failures: &[u32],
    ) -> Self {
        let mut state = State::default();
        learner.save(&mut state);
        let Description { labels, schema, chain, data, targets, .. } = description.clone();
        Checkpoint {
            preparation: trainer.preparation.clone(),
            recipe: trainer.recipe.clone(),
            order: trainer.plan.order.clone(),
            class_weights: trainer.class_weights.clone(),
            start: trainer.start.clone(),
            progress: progress.clone(),
            failures: failures.to_vec(),
            learner: state,
            labels,
            schema,
            chain,
            data,
            targets,
        }
    }

    /// How many features the learner sees.
    pub(super) fn features(&self) -> usize {
        self.chain.features(self.schema.features())
    }

    /// A trainer with the same settings, for up to `epochs` passes in all.
    pub fn trainer(&self, epochs: u32) -> Trainer {
        let mut trainer =
            Trainer { preparation: self.preparation.clone(), recipe: self.recipe.clone(), ..Trainer::default() };
        trainer.plan.epochs = epochs;
        trainer.plan.order = self.order.clone();
        trainer.class_weights = self.class_weights.clone();
        trainer.start = self.start.clone();
        trainer
    }

    /// Refuses contents that no training can have written, as far as that shows without the data.
    pub(super) fn check(&self) -> Result<()> {
        self.progress.check()?;
        let examples = self.failures.len();
        let failed: u64 = self.failures.iter().map(|&n| u64::from(n)).sum();
        if failed > self.progress.mistakes {
            let mistakes = self.progress.mistakes;
            return Err(Error::bad_model(format!("{failed} failures of examples, but {mistakes} mistakes in all")));
        }
        if let Order::Given(list) = &self.order
            && (list.is_empty() || list.iter().any(|&i| i as usize >= examples))
        {
            return Err(Error::bad_model(format!(
                "the order must name some of the {examples} examples, and no others"
            )));
        }
        if let ClassWeights::Given(given) = &self.class_weights {
            let sound = |(label, &weight): (&String, &f64)| {
                self.labels.find(label).is_some() && weight.is_finite() && weight >= 0.0
            };
            if let Some((label, weight)) = given.iter().find(|&pair| !sound(pair)) {
                return Err(Error::bad_model(format!(
                    "class weight {weight} for {}, which cannot be",
                    show(label.as_bytes())
                )));
            }
        }
        // Learners that count examples name the count `presented`, in each of their parts.
        let mut counts = self.learner.arrays().filter(|(name, _)| name.rsplit('.').next() == Some("presented"));
        if let Some((name, _)) = counts.find(|(_, array)| **array != Array::U64(vec![self.progress.presented])) {
            let presented = self.progress.presented;
            return Err(Error::bad_model(format!(
                "{presented} examples were presented, but \"{name}\" says otherwise"
            )));
        }
        Ok(())
    }

    /// Refuses a state that changes when the learner restores and saves it.
    /// A custom rule is not known here; [`AnyLearner::restore`] checks its state when training resumes.
    pub(super) fn check_learner(&self) -> Result<()> {
        if self.recipe.is_custom() {
            return Ok(());
        }
        let mut learner = self.trainer(1).learner(self.features(), self.labels.len())?;
        learner.restore(&self.learner)?;
        let mut again = State::default();
        learner.save(&mut again);
        if again != self.learner {
            return Err(Error::bad_model(format!("arrays that the learner \"{}\" does not have", self.recipe.learner)));
        }
        Ok(())
    }

    /// Refuses settings and data other than those that training began with, and a checkpoint that contradicts itself.
    pub(super) fn check_fits(&self, trainer: &Trainer, data: &Description) -> Result<()> {
        self.check()?;
        let Trainer { preparation, recipe, plan, class_weights, start, .. } = trainer;
        let others = [
            ("preparation", *preparation != self.preparation),
            ("learner", *recipe != self.recipe),
            ("order", plan.order != self.order),
            ("class weights", *class_weights != self.class_weights),
            ("initial weights", *start != self.start),
        ];
        if let Some((what, _)) = others.iter().find(|(_, other)| *other) {
            return Err(Error::settings(format!(
                "the checkpoint was made with another {what}: resume with its trainer"
            )));
        }
        if self.data.is_some() && data.data.is_some() && self.data != data.data {
            return Err(Error::bad_data("not the file that the checkpoint was made on; resume with the same data"));
        }
        let same = self.labels == data.labels && self.schema == data.schema && self.chain == data.chain;
        if self.failures.len() as u64 != data.examples || !same {
            return Err(Error::bad_model(format!(
                "the checkpoint was made on other data: {} examples, {} features, {} classes; these have {}, {}, {}",
                self.failures.len(),
                self.schema.features(),
                self.labels.len(),
                data.examples,
                data.schema.features(),
                data.labels.len()
            )));
        }
        let other_targets = match (self.targets, data.targets) {
            (Some(before), Some(now)) => before != now,
            (Some(_), None) => true,
            // Checkpoints of tables in memory did not always store them.
            (None, Some(_)) => self.data.is_some(),
            (None, None) => false,
        };
        if other_targets {
            return Err(Error::bad_data(
                "the examples have other labels or weights than when the checkpoint was made; resume with the same",
            ));
        }
        Ok(())
    }
}
