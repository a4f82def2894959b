//! `rosenblatt eval`.

use std::path::PathBuf;

use clap::Args;

use super::reading::DataArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt eval model test.svm
  rosenblatt eval model test.csv --json";

#[derive(Args)]
pub struct EvalArgs {
    /// The model
    pub model: PathBuf,
    /// The labelled examples; `-` is standard input
    pub data: String,
    #[command(flatten)]
    pub read: DataArgs,
}
