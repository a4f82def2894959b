//! What is done to rows before they are learned from.

use clap::Args;
use rosenblatt::map::{Lift, Scaling, Tf};

use super::choice;

/// What is done to rows before they are learned from: fitted on the training rows, and kept in the model.
#[derive(Args, Clone)]
#[command(next_help_heading = "Preparing")]
pub struct PrepareArgs {
    /// Leave out features that fewer than N training rows have; columns of numbers stay
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_count: u32,
    /// What a count of a word is worth: itself (count), 1 + ln(count) (log), or one (binary)
    #[arg(long, value_name = "HOW", default_value = "count", value_parser = choice::<Tf>())]
    pub tf: Tf,
    /// Let words count the more, the fewer texts have them
    #[arg(long)]
    pub tf_idf: bool,
    /// Take products of up to D features as features too
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub degree: u32,
    /// Hash the features into 2^B buckets
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=28))]
    pub hash_bits: Option<u32>,
    /// Divide by the greatest length (ball), give each row length 1 (unit), or each column of numbers mean 0 and
    /// deviation 1 (standard) or the range 0 to 1 (minmax)
    #[arg(long, value_name = "HOW", default_value = "none", value_parser = choice::<Scaling>())]
    pub scale: Scaling,
    /// Take the space of a kernel by M features, for very many rows: rff:GAMMA:M or nystroem:KERNEL:M
    #[arg(long, value_name = "LIFT")]
    pub lift: Option<Lift>,
}
