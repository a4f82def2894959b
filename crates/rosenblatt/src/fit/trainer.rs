//! The settings of a training.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::data::{Data, With};
use super::{Fitted, LeftOpen, Order, Plan, Until};
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::learners::Multiclass;
use crate::learn::machine::Tie;
use crate::learn::{AnyLearner, Bias, CustomRule, Progress, Recipe, Stop, Weights};
use crate::map::{Preparation, Prepared};
use crate::model::Facts;
use crate::rows::{HashedWords, Labels, Table};

/// The weight of each class.
///
/// ```
/// use rosenblatt::{ClassWeights, Table, Trainer};
/// let table = Table::dense(&[[2.0], [1.0], [3.0], [-1.0]], &["common", "common", "common", "rare"])?;
/// Trainer::new("averaged").class_weights(ClassWeights::Balanced).fit(&table)?;
/// Trainer::new("averaged").class_weights(ClassWeights::Given([("rare".into(), 5.0)].into())).fit(&table)?;
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeights {
    /// All 1.
    #[default]
    Equal,
    /// n / (classes · examples of the class): every class has the same total weight.
    Balanced,
    /// As given, by label; others are 1.
    Given(#[serde(deserialize_with = "crate::learn::map")] BTreeMap<String, f64>),
}

/// The initial weights.
///
/// ```
/// use rosenblatt::{Hypothesis, Start, Table, Trainer};
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let model = Trainer::new("perceptron").fit(&table)?.model;
/// let Hypothesis::Linear(weights) = model.hypothesis else { unreachable!("the last weights are kept") };
/// let again = Trainer::new("perceptron").start(Start::At(weights)).fit(&table)?;
/// assert_eq!(again.report.mistakes, 0);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Start {
    /// Zero, as the theorems require.
    #[default]
    Zero,
    /// These weights.
    At(Weights),
}

/// Trains: choose a learner, set options, fit.
///
/// ```
/// use rosenblatt::{Table, Trainer};
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0]], &["up", "up", "down"])?;
/// let fitted = Trainer::new("perceptron").epochs(5).set("rate", "0.5").fit(&table)?;
/// assert_eq!(fitted.model.predict(&[4.0, 4.0])?, "up");
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Trainer {
    /// The feature maps, fitted on the training rows.
    pub preparation: Preparation,
    /// The learner and its settings.
    pub recipe: Recipe,
    /// The number of passes, and the order.
    pub plan: Plan,
    /// The weight of each class.
    pub class_weights: ClassWeights,
    /// The initial weights.
    pub start: Start,
    /// A rule that is not in the registry: [`with_rule`](Self::with_rule).
    pub rule: Option<CustomRule>,
    /// What the first rows decide.
    pub left_open: LeftOpen,
    /// What has to separate the examples before training stops.
    pub until: Until,
}

impl Default for Trainer {
    fn default() -> Self {
        Trainer {
            preparation: Preparation::default(),
            recipe: Recipe::default(),
            plan: Plan { epochs: 10, order: Order::Shuffled { seed: 0 } },
            class_weights: ClassWeights::default(),
            start: Start::default(),
            rule: None,
            left_open: LeftOpen::default(),
            until: Until::default(),
        }
    }
}

impl Trainer {
    /// A trainer for the learner of this name in the registry; [`fit`](Self::fit) refuses unknown names.
    pub fn new(learner: &str) -> Self {
        let recipe = Recipe { learner: learner.to_string(), ..Recipe::default() };
        Trainer { recipe, ..Trainer::default() }
    }

    /// The feature maps (default: none).
    pub fn preparation(mut self, preparation: Preparation) -> Self {
        self.preparation = preparation;
        self.left_open.scale = false;
        self
    }

    /// At most this many passes (default 10).
    pub fn epochs(mut self, epochs: u32) -> Self {
        self.plan.epochs = epochs;
        self
    }

    /// The order of each pass (default: shuffled with seed 0).
    pub fn order(mut self, order: Order) -> Self {
        self.plan.order = order;
        self
    }

    /// One of the learner's own parameters.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.recipe.params.insert(name.to_string(), value.to_string());
        self
    }

    /// Which weights are kept: last, averaged, voted, pocket.
    pub fn keep(mut self, keep: KeepKind) -> Self {
        self.recipe.keep = Some(keep);
        self
    }

    /// How a score of zero counts during training.
    pub fn tie(mut self, tie: Tie) -> Self {
        self.recipe.tie = tie;
        self
    }

    /// Whether a bias is learned (default: yes), or which ([`Bias::new`]).
    pub fn bias(mut self, bias: impl Into<Bias>) -> Self {
        self.recipe.bias = bias.into();
        self
    }

    /// How more than two classes are handled.
    pub fn multiclass(mut self, multiclass: Multiclass) -> Self {
        self.recipe.multiclass = multiclass;
        self
    }

    /// The initial weights.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// The weight of each class.
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.class_weights = weights;
        self
    }

    /// Builds the learner for so many (prepared) features.
    pub fn learner(&self, features: usize, classes: usize) -> Result<Box<dyn AnyLearner>> {
        let start = match &self.start {
            Start::Zero => None,
            Start::At(weights) => Some(weights.clone()),
        };
        let blueprint = self.recipe.blueprint(features, classes, start)?;
        self.build(&blueprint)
    }

    /// Fits the feature maps on a table and applies them to its rows.
    pub fn prepare<'a>(&self, table: &'a Table) -> Result<Prepared<'a>> {
        table.check_learnable()?;
        if self.left_open.scale {
            return self.settle(table)?.trainer.preparation.fit(table);
        }
        self.preparation.fit(table)
    }

    /// Trains on a table, whose rows are prepared first.
    pub fn fit(&self, table: &Table) -> Result<Fitted> {
        self.fit_with(Data::Table(table), With::default())
    }

    /// Whether these settings allow learning from one block of rows of a file at a time, once what is left open is decided so.
    pub fn learns_by_blocks(&self) -> bool {
        let decided = Trainer { left_open: LeftOpen::default(), ..self.clone() };
        decided.learns_blocks_of(self.preparation.hashed(self.left_open.scale))
    }

    /// Whether these settings allow learning from one block of rows at a time, whose words were `hashed` while they were read.
    pub(super) fn learns_blocks_of(&self, hashed: Option<HashedWords>) -> bool {
        matches!(self.plan.order, Order::Cyclic | Order::Shuffled { .. })
            && self.class_weights != ClassWeights::Balanced
            && self.start == Start::Zero
            && self.preparation.behind(hashed) == Preparation::default()
            && self.is_settled()
            && self.until == Until::Last
            && self.recipe.kernel.is_none()
            && self.recipe.keep().is_ok_and(|keep| keep != KeepKind::Pocket)
    }

    /// Example weights times class weights; `None` if all are 1.
    pub(super) fn weights<'a>(
        &self,
        labels: &Labels,
        classes: &[u32],
        own: Option<&'a [f64]>,
    ) -> Result<Option<Cow<'a, [f64]>>> {
        let Some(by_class) = self.class_weights.resolve(labels, classes)? else {
            return Ok(own.map(Cow::Borrowed));
        };
        let own = |i: usize| own.map_or(1.0, |w| w[i]);
        Ok(Some(classes.iter().enumerate().map(|(i, &c)| own(i) * by_class[c as usize]).collect()))
    }
}

impl ClassWeights {
    pub(super) fn resolve(&self, labels: &Labels, classes: &[u32]) -> Result<Option<Vec<f64>>> {
        match self {
            ClassWeights::Equal => Ok(None),
            ClassWeights::Balanced => {
                let mut counts = vec![0u64; labels.len()];
                classes.iter().for_each(|&c| counts[c as usize] += 1);
                let share = classes.len() as f64 / labels.len() as f64;
                Ok(Some(counts.iter().map(|&n| if n == 0 { 1.0 } else { share / n as f64 }).collect()))
            }
            ClassWeights::Given(given) => {
                let mut weights = vec![1.0; labels.len()];
                for (label, &weight) in given {
                    let class = labels.find(label).ok_or_else(|| {
                        Error::settings(format!(
                            "class weight for \"{label}\": the data have {}",
                            crate::rows::list(labels.names())
                        ))
                    })?;
                    if !(weight.is_finite() && weight >= 0.0) {
                        return Err(Error::settings(format!("class weight {label}={weight} must be zero or more")));
                    }
                    weights[class as usize] = weight;
                }
                Ok(Some(weights))
            }
        }
    }
}

impl Facts {
    pub(super) fn new(trainer: &Trainer, examples: usize, progress: &Progress, stop: Stop) -> Result<Self> {
        let recipe = Recipe {
            params: trainer.recipe.params()?.texts(),
            keep: Some(trainer.recipe.keep()?),
            ..trainer.recipe.clone()
        };
        let seed = match trainer.plan.order {
            Order::Shuffled { seed } => Some(seed),
            Order::Cyclic | Order::Given(_) => None,
        };
        Ok(Facts {
            recipe,
            examples: examples as u64,
            presented: progress.presented,
            mistakes: progress.mistakes,
            updates: progress.updates,
            mistakes_by_epoch: progress.mistakes_by_epoch.clone(),
            stopped: stop,
            order: trainer.plan.order.kind(),
            seed,
            data: None,
            validation: None,
        })
    }
}
