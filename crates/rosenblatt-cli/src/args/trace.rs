//! `rosenblatt trace`.

use clap::Args;

use super::learning::LearnArgs;
use super::reading::DataArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt trace points.csv --no-bias
  rosenblatt trace points.csv --tie positive --json
  rosenblatt trace points.csv --proof";

#[derive(Args)]
pub struct TraceArgs {
    /// The examples; `-` is standard input
    pub data: String,
    /// Which learner (see `rosenblatt help learners`)
    #[arg(long, value_name = "NAME", default_value = "perceptron", help_heading = "Learning")]
    pub learner: String,
    /// At most N passes; training stops early after a pass without a mistake, or when the weights repeat
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Learning")]
    pub epochs: u32,
    /// cyclic, shuffled, or a file of example numbers
    #[arg(long, value_name = "ORDER", default_value = "cyclic", help_heading = "Learning")]
    pub order: String,
    #[command(flatten)]
    pub learn: LearnArgs,
    #[command(flatten)]
    pub read: DataArgs,
    /// Show the mistake bound at every step: kγ ≤ u·w ≤ ‖w‖ ≤ √k·R
    #[arg(long)]
    pub proof: bool,
}
