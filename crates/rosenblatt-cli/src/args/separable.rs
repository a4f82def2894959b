//! `rosenblatt separable`.

use std::path::PathBuf;

use clap::Args;
use rosenblatt::learn::kernel::Function;

use super::reading::DataArgs;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt separable data.csv
  rosenblatt separable data.svm --certificate proof.json
  rosenblatt separable X.npy --labels y.npy
  rosenblatt separable xor.csv --minimal-degree
  rosenblatt separable xor.csv --kernel poly:2

Exit status: 0 separable, 1 not, 2 failure, 3 undecided within the time limit.";

#[derive(Args)]
pub struct SeparableArgs {
    /// The examples; `-` is standard input
    pub data: String,
    /// Write a certificate here, which `rosenblatt verify` checks
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// The largest relative gap between the two bounds of the margin
    #[arg(long, value_name = "E", default_value_t = 1e-6)]
    pub gap: f64,
    /// Give up after so many seconds; what is read is read to its end
    #[arg(long, value_name = "S")]
    pub time_limit: Option<f64>,
    /// Take all monomials up to this degree as features
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub degree: u32,
    /// Find the least degree that separates, with a proof for each lower one
    #[arg(long, conflicts_with = "degree")]
    pub minimal_degree: bool,
    /// Decide in the space of a kernel: linear, poly:D, poly:D:C or rbf:G
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["degree", "minimal_degree"])]
    pub kernel: Option<Function>,
    /// Only hyperplanes through the origin
    #[arg(long)]
    pub no_bias: bool,
    #[command(flatten)]
    pub read: DataArgs,
}
