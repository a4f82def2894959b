//! The learner, its parameters and its kernel.

use std::path::PathBuf;

use clap::Args;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::kernel::Function;
use rosenblatt::learn::kernel::budget::Way;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::learn::machine::Tie;

use super::choice;
use super::preparing::PrepareArgs;

/// How to learn: shared by `train` and `trace`.
#[derive(Args, Clone)]
#[command(next_help_heading = "Learning")]
pub struct LearnArgs {
    /// A learner's own parameter; may be repeated (see `rosenblatt help learners`)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Which weights to keep: last, average, vote or pocket [default: the learner's own]
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = choice::<KeepKind>())]
    pub keep: Option<KeepKind>,
    /// Three or more classes: one joint classifier (single, uniform) or one for each class (one-vs-rest)
    #[arg(long, value_name = "HOW", default_value = "single", hide_possible_values = true, value_parser = choice::<Multiclass>())]
    pub multiclass: Multiclass,
    /// The learning rate; the same as --set rate=A
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub rate: Option<String>,
    /// constant, inverse-sqrt or inverse; the same as --set schedule=S
    #[arg(long, value_name = "S")]
    pub schedule: Option<String>,
    /// batch: stop once the gradient is shorter than E; the same as --set epsilon=E
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub epsilon: Option<String>,
    /// batch: use the mean of the gradients instead of the sum; the same as --set step=mean
    #[arg(long)]
    pub average_gradient: bool,
    /// What a score of exactly zero means while learning: always a mistake, or predicted +1 or -1
    #[arg(long, value_name = "RULE", default_value = "update", value_parser = choice::<Tie>())]
    pub tie: Tie,
    /// The constant input of the bias: the bias learns more slowly with a smaller one; 0.1 suits texts and other rows of
    /// length about 1 [default: 1]
    #[arg(long, value_name = "B")]
    pub bias: Option<f64>,
    /// Learn no bias: the boundary passes through the origin
    #[arg(long, conflicts_with = "bias")]
    pub no_bias: bool,
    /// Start from the weights of a model, or from numbers in a text file (the bias last)
    #[arg(long, value_name = "FILE")]
    pub init: Option<PathBuf>,
    /// LABEL=WEIGHT,… or balanced
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub class_weight: Option<String>,
    /// The seed of all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub prepare: PrepareArgs,
}

/// The kernel and its budget.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Learning")]
pub struct KernelArgs {
    /// The kernel: linear, poly:D, poly:D:C for (C + x·y)^D, or rbf:G for exp(-G‖x - y‖²)
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<Function>,
    /// With a kernel: at most N support vectors (needs --keep last)
    #[arg(long, value_name = "N", requires = "kernel", value_parser = clap::value_parser!(u32).range(1..))]
    pub budget: Option<u32>,
    /// What to do when the budget is full: random, forgetron, projectron or projectron:ETA [default: projectron]
    #[arg(long, value_name = "HOW", requires = "budget")]
    pub policy: Option<Way>,
}
