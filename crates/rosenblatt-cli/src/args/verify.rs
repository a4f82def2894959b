//! `rosenblatt verify`.

use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt verify proof.json data.csv
  rosenblatt verify proof.json X.npy --labels y.npy

Exit status: 0 the certificate holds, 1 it is refused, 2 failure.";

#[derive(Args)]
pub struct VerifyArgs {
    /// The certificate that `rosenblatt separable --certificate` wrote
    pub certificate: PathBuf,
    /// The data that it was made for; `-` is standard input
    pub data: String,
    /// The labels of an npy file
    #[arg(long, value_name = "FILE")]
    pub labels: Option<String>,
}
