//! `rosenblatt eval`.

use std::path::PathBuf;

use clap::Args;

use super::reading::DataArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt eval model test.svm
  rosenblatt eval model test.csv --json
  rosenblatt eval tagger test.conllu --training train.conllu";

#[derive(Args)]
pub struct EvalArgs {
    /// The model
    pub model: PathBuf,
    /// The labelled examples; `-` is standard input
    pub data: String,
    /// A tagger's training sentences: also evaluate it on the words that are not in this file
    #[arg(long, value_name = "FILE", help_heading = "Tagging")]
    pub training: Option<String>,
    /// A tagger: pass over tokens without a tag, and count them
    #[arg(long, help_heading = "Tagging")]
    pub skip_untagged: bool,
    #[command(flatten)]
    pub read: DataArgs,
}
