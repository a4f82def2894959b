//! `rosenblatt verify`.

use std::path::PathBuf;

use clap::Args;

use super::reading::DataArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt verify proof.json data.csv
  rosenblatt verify proof.json X.npy --labels y.npy
  rosenblatt verify proof.json data.csv --drop id --degree 2
  rosenblatt verify proof.json data.csv --reading-as-certified

The statement is printed in full: which rows, columns and numbers it is about. If the certificate reads the data otherwise
than `rosenblatt separable` would with the same options, that is said first, and the statement is not accepted.

Exit status: 0 the certificate holds, 1 it is refused, or is about another reading of the data, 2 failure.";

#[derive(Args)]
pub struct VerifyArgs {
    /// The certificate that `separable --certificate` or `audit --certificate` wrote; `-` is standard input
    pub certificate: PathBuf,
    /// The data that it was made for; `-` is standard input
    pub data: String,
    /// Accept the reading that the certificate states, whatever it is
    #[arg(long)]
    pub reading_as_certified: bool,
    /// Expect monomials up to this degree as features
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub degree: u32,
    /// Expect hyperplanes through the origin
    #[arg(long)]
    pub no_bias: bool,
    #[command(flatten)]
    pub read: DataArgs,
}
