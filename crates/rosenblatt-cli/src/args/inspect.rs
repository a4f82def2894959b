//! `rosenblatt inspect`.

use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt inspect model
  rosenblatt inspect model --json";

#[derive(Args)]
pub struct InspectArgs {
    /// The model
    pub model: PathBuf,
}
