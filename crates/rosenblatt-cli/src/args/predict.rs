//! `rosenblatt predict`.

use std::path::PathBuf;

use clap::Args;

use super::reading::DataArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt predict model new.svm
  rosenblatt predict model new.csv --scores -o predictions.tsv
  rosenblatt predict model new.csv --scores --names
  rosenblatt predict model new.tsv --top 3
  tail -f log.csv | rosenblatt predict model -
  echo 'It rains, again.' | rosenblatt predict tagger - --format text

Each row is one line; lines of a pipe are answered as they come. A tagger also takes --format text (a sentence a line) and
tokens (a token a line, a blank line between sentences). In a label, control characters and line breaks are written as \\n, \\t, \\r or \\u{1b}, and a backslash as
\\\\; --json has JSON's own escapes.";

#[derive(Args)]
pub struct PredictArgs {
    /// The model
    pub model: PathBuf,
    /// The rows; labels in them are not needed; `-` is standard input
    pub data: String,
    /// Add the score of each class, tab-separated, and its probability if the model was trained with --calibrate. A tagger
    /// adds the share of each tag of all sequences of tags, weighted by e^score: how much the sentence leaves open
    #[arg(long)]
    pub scores: bool,
    /// The K best labels of each row with their scores, best first, tab-separated; with their probabilities if the model was
    /// trained with --calibrate
    #[arg(long, value_name = "K", conflicts_with = "scores", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
    /// Begin with a line that names the columns
    #[arg(long, conflicts_with = "json")]
    pub names: bool,
    /// Write the predictions here; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub read: DataArgs,
}
