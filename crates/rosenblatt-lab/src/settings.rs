//! The settings of a request, and the trainer that they mean: the one that `rosenblatt trace` builds from its arguments.

use std::collections::BTreeMap;

use rosenblatt::learn::kernel::{Choice, Function};
use rosenblatt::read::{Dataset, Header, ReadOptions, read};
use rosenblatt::{
    Bias, Error, Input, Keep, Multiclass, Order, Preparation, Result, Start, Table, Tie, Trainer, Weights,
};
use serde::Deserialize;

use crate::{MOST_EXAMPLES, MOST_FEATURES, MOST_STEPS};

/// The examples of a request: a table of CSV with a header.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The text.
    pub csv: String,
    /// The column of labels; none: as the library guesses it.
    #[serde(default)]
    pub label: Option<String>,
    /// Which of two labels is the positive one; none: as the library guesses it.
    #[serde(default)]
    pub positive: Option<String>,
}

/// How to learn. The defaults are those of `rosenblatt trace`.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The learner's name.
    pub learner: String,
    /// Its own parameters, by name.
    pub set: BTreeMap<String, String>,
    /// Which weights are kept.
    pub keep: Option<String>,
    /// What a score of zero means.
    pub tie: String,
    /// The constant of the bias; 0: none is learned.
    pub bias: f64,
    /// How more than two classes are told apart.
    pub multiclass: String,
    /// At most this many passes.
    pub epochs: u32,
    /// The order of the examples.
    pub order: OrderChoice,
    /// The seed of a shuffled order.
    pub seed: u64,
    /// The start weights, the bias last.
    pub init: Option<Vec<f64>>,
    /// The degree of the features.
    pub degree: u32,
    /// The kernel; none: linear.
    pub kernel: Option<String>,
}

/// The order of the examples: by name, or a list of example numbers from 1.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OrderChoice {
    /// `cyclic` or `shuffled`.
    Named(String),
    /// The examples of each pass.
    Given(Vec<u32>),
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            learner: "perceptron".into(),
            set: BTreeMap::new(),
            keep: None,
            tie: Tie::default().name().into(),
            bias: 1.0,
            multiclass: Multiclass::default().name().into(),
            epochs: 100,
            order: OrderChoice::Named("cyclic".into()),
            seed: 0,
            init: None,
            degree: 1,
            kernel: None,
        }
    }
}

impl Data {
    /// The file that these examples are in when they are taken along.
    pub const NAME: &'static str = "points.csv";

    /// The text as an input, to be read again in exact arithmetic.
    pub fn input(&self) -> Input {
        Input::memory(Self::NAME, self.csv.as_bytes())
    }

    /// Reads the table, as `rosenblatt` reads the file.
    pub fn read(&self, compact: bool) -> Result<Dataset> {
        let options = ReadOptions {
            header: Header::Yes,
            label: self.label.clone(),
            positive: self.positive.clone(),
            compact,
            ..ReadOptions::default()
        };
        let dataset = read(&self.input(), &options)?;
        check_size(&dataset.table)?;
        dataset.table.check_learnable()?;
        dataset.table.check_lengths()?;
        Ok(dataset)
    }
}

/// Refuses more examples or features than the lab shows.
pub fn check_size(table: &Table) -> Result<()> {
    let (examples, features) = (table.matrix.len(), table.matrix.features());
    if examples > MOST_EXAMPLES {
        return Err(Error::bad_data(format!(
            "{examples} examples: the lab takes at most {MOST_EXAMPLES}; the command line has no such limit"
        )));
    }
    if features > MOST_FEATURES {
        return Err(Error::bad_data(format!(
            "{features} features: the lab takes at most {MOST_FEATURES}; the command line has no such limit"
        )));
    }
    Ok(())
}

impl Settings {
    /// The trainer, which starts at zero.
    pub fn trainer(&self, examples: usize) -> Result<Trainer> {
        if u64::from(self.epochs) * examples as u64 > MOST_STEPS {
            return Err(Error::settings(format!(
                "{} passes over {examples} examples: the lab takes at most {MOST_STEPS} steps; lower “passes”",
                self.epochs
            )));
        }
        if self.epochs == 0 {
            return Err(Error::settings("“passes” 0: expected 1 or more"));
        }
        if !(1..=10).contains(&self.degree) {
            return Err(Error::settings(format!("“degree” {}: expected 1 to 10", self.degree)));
        }
        let bias = if self.bias == 0.0 { Bias::NONE } else { Bias::new(self.bias)? };
        let mut trainer = Trainer::new(&self.learner)
            .preparation(Preparation { degree: self.degree, ..Preparation::default() })
            .epochs(self.epochs)
            .order(self.order()?)
            .tie(self.tie.parse()?)
            .bias(bias)
            .multiclass(self.multiclass.parse()?);
        trainer.recipe.keep = self.keep.as_deref().map(str::parse::<Keep>).transpose()?;
        for (name, value) in &self.set {
            trainer = trainer.set(name, value);
        }
        trainer.recipe.kernel = self.kernel.as_deref().map(str::parse::<Function>).transpose()?.map(Choice::new);
        trainer.recipe.params()?;
        trainer.recipe.keep()?;
        trainer.recipe.kernel()?;
        Ok(trainer)
    }

    fn order(&self) -> Result<Order> {
        match &self.order {
            OrderChoice::Named(name) if name == "cyclic" => Ok(Order::Cyclic),
            OrderChoice::Named(name) if name == "shuffled" => Ok(Order::Shuffled { seed: self.seed }),
            OrderChoice::Named(name) => {
                Err(Error::settings(format!("“order” {name}: expected cyclic, shuffled, or a list of example numbers")))
            }
            OrderChoice::Given(numbers) => {
                let from_zero = |&n: &u32| n.checked_sub(1).ok_or(n);
                let list: std::result::Result<Vec<u32>, u32> = numbers.iter().map(from_zero).collect();
                list.map(Order::Given).map_err(|n| Error::settings(format!("“order” {n}: examples are counted from 1")))
            }
        }
    }

    /// The trainer at its start vector, for so many prepared features.
    pub fn begin(&self, trainer: Trainer, features: usize, classes: usize) -> Result<Trainer> {
        let Some(numbers) = &self.init else { return Ok(trainer) };
        let constant = trainer.recipe.bias;
        if classes != 2 {
            return Err(Error::settings("“start” is for two classes: reset it"));
        }
        let needed = features + usize::from(constant.is_learned());
        if numbers.len() != needed {
            let bias = if constant.is_learned() { " and a bias" } else { "" };
            return Err(Error::settings(format!(
                "“start” has {} numbers, where {features} weights{bias} are needed",
                numbers.len()
            )));
        }
        let bias = if constant.is_learned() { numbers[features] } else { 0.0 };
        let weights = Weights::from_parts(numbers[..features].to_vec(), vec![bias], constant);
        Ok(trainer.start(Start::At(weights)))
    }
}
