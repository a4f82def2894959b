//! `rosenblatt export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt export model --to json model.json
  rosenblatt export model --to onnx model.onnx
  rosenblatt export model --to text -";

#[derive(Args)]
pub struct ExportArgs {
    /// The model
    pub model: PathBuf,
    /// json (loss-free, can be loaded again), text (a line for each weight) or onnx (a LinearClassifier of 32-bit
    /// numbers)
    #[arg(long, value_name = "FORM")]
    pub to: ExportForm,
    /// The file to write; `-` is standard output
    pub out: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExportForm {
    Json,
    Onnx,
    Text,
}
