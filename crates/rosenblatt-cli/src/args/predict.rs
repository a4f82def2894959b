//! `rosenblatt predict`.

use std::path::PathBuf;

use clap::Args;

use super::reading::DataArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt predict model new.svm
  rosenblatt predict model new.csv --scores -o predictions.tsv

Each row is one line. In a label, control characters and line breaks are written as \\n, \\t, \\r or \\u{1b}, and a backslash as
\\\\; --json has JSON's own escapes.";

#[derive(Args)]
pub struct PredictArgs {
    /// The model
    pub model: PathBuf,
    /// The rows; labels in them are not needed; `-` is standard input
    pub data: String,
    /// Add the score of each class, tab-separated, and its probability if the model was trained with --calibrate
    #[arg(long)]
    pub scores: bool,
    /// Write the predictions here; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub read: DataArgs,
}
