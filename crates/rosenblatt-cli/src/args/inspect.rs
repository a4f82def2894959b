//! `rosenblatt inspect`.

use clap::Args;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt inspect model
  rosenblatt inspect model --json";

#[derive(Args)]
pub struct InspectArgs {
    /// The model
    pub model: PathBuf,
}
