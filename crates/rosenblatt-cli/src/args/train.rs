//! `rosenblatt train`.

use std::path::{Path, PathBuf};

use clap::Args;

use rosenblatt::fit::Mixing;

use super::choice;
use super::learning::{KernelArgs, LearnArgs};
use super::reading::DataArgs;
use super::validation::ValidationArgs;
use crate::commands::tag::TagArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt train data.svm -o model
  rosenblatt train monday.csv tuesday.csv -o model
  rosenblatt train iris.csv --label species --learner perceptron --epochs 50
  rosenblatt train data.csv --learner pa1 --set c=0.1 --json
  rosenblatt train data.csv --kernel rbf:0.5 --learner voted -o model
  rosenblatt train data.csv --holdout 0.2 --patience 3 --epochs 100 --calibrate -o model
  rosenblatt train sentences.conll --holdout 0.1 --patience 2 --epochs 30 -o tagger
  rosenblatt train data.svm --epochs 1000 --save-interrupted -o model
  rosenblatt train data.svm --shards 8 --epochs 10 -o model
  zcat big.svm.gz | rosenblatt train - --learner arow --epochs 1 -o model";

#[derive(Args, Clone)]
pub struct TrainArgs {
    /// The examples; `-` is standard input
    pub data: String,
    /// More files of examples, in the same format and with the same columns, learned from as if they were one file
    #[arg(value_name = "DATA")]
    pub more: Vec<String>,
    /// Write the model here (as JSON if the name ends in .json)
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    /// Which learner (see `rosenblatt help learners`); auto: the averaged margin perceptron with a margin that suits the first
    /// rows, and `averaged` for kernels and sentences
    #[arg(long, value_name = "NAME", default_value = AUTO, help_heading = "Learning")]
    pub learner: String,
    /// At most N passes; training stops early after a pass without a mistake. auto: as many as give the fewest errors on a
    /// tenth of the examples, held out for this; then all examples are learned from
    #[arg(long, value_name = "N", default_value = "10", help_heading = "Learning")]
    pub epochs: Passes,
    /// shuffled, cyclic, or a file of example numbers
    #[arg(long, value_name = "ORDER", default_value = "shuffled", help_heading = "Learning")]
    pub order: String,
    #[command(flatten)]
    pub learn: LearnArgs,
    #[command(flatten)]
    pub space: KernelArgs,
    #[command(flatten)]
    pub validate: ValidationArgs,
    #[command(flatten)]
    pub read: DataArgs,
    #[command(flatten)]
    pub tag: TagArgs,
    /// The cache on disk for data that do not fit in memory: auto (a temporary file, if one is needed), off, or a FILE to keep
    /// and use again
    #[arg(long, value_name = "WHERE", default_value = "auto", help_heading = "Memory")]
    pub cache: String,
    /// Train in rounds on N shards of the examples, each a pass at a time, and mix their weights: what a cluster does, on the
    /// threads of this machine. --epochs is the number of rounds; the model depends on N
    #[arg(
        long,
        value_name = "N",
        help_heading = "Shards",
        value_parser = clap::value_parser!(u32).range(1..),
        conflicts_with_all = ["holdout", "validation", "patience", "calibrate", "progressive", "kernel", "init"]
    )]
    pub shards: Option<u32>,
    /// How shards are mixed: their mean, with momentum or uniform, or each by its errors
    #[arg(long, value_name = "HOW", default_value = "momentum", requires = "shards", help_heading = "Shards", hide_possible_values = true, value_parser = choice::<Mixing>())]
    pub mixing: Mixing,
    /// Resume from a checkpoint, with its settings, up to --epochs passes in all
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Checkpoints",
        conflicts_with_all = ["learner", "order", "set", "keep", "multiclass", "rate", "schedule", "epsilon",
                              "average_gradient", "tie", "bias", "no_bias", "init", "class_weight", "seed", "min_count", "tf",
                              "tf_idf", "degree", "hash_bits", "scale", "lift", "kernel", "budget", "policy", "templates",
                              "tag", "search", "update", "constrain", "encode", "tag_dictionary", "mixing"]
    )]
    pub resume: Option<PathBuf>,
    /// Save a checkpoint here after every pass and on Ctrl-C
    #[arg(long, value_name = "FILE", help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,
    /// On Ctrl-C, save the model as it was learned until then
    #[arg(long, requires = "output", conflicts_with = "shards", help_heading = "Checkpoints")]
    pub save_interrupted: bool,
}

impl TrainArgs {
    /// The input files, which must not be overwritten.
    pub fn reads(&self) -> impl Iterator<Item = &Path> {
        let typed = [Some(&self.data), Some(&self.order), self.validate.validation.as_ref(), self.read.labels.as_ref()];
        let typed = typed.into_iter().chain([self.tag.templates.as_ref()]).chain(self.more.iter().map(Some));
        typed.flatten().map(Path::new).chain(self.learn.init.as_deref())
    }
}

/// The name of the learner that the data decide.
pub const AUTO: &str = "auto";

/// The number of passes, or that held-out examples decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    Auto,
    Given(u32),
}

impl Passes {
    /// The most passes.
    pub fn most(self) -> u32 {
        match self {
            Passes::Auto => rosenblatt::fit::MOST_PASSES,
            Passes::Given(n) => n,
        }
    }
}

impl std::str::FromStr for Passes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == AUTO => Ok(Passes::Auto),
            Ok(0) => Err("0 is not in 1..4294967295".to_string()),
            Ok(n) => Ok(Passes::Given(n)),
            Err(_) => Err("expected a number of passes, say 20, or auto".to_string()),
        }
    }
}
