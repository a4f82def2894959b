//! Feature maps that are applied before learning.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rosenblatt::map::{Lift, Scaling, Tf};

use super::choice;

/// How to scale, or that the data decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleBy {
    /// What the first rows need; also weighs words.
    Auto,
    /// As given.
    Given(Scaling),
}

impl ScaleBy {
    pub const AUTO: &'static str = "auto";

    fn parser() -> impl TypedValueParser<Value = ScaleBy> {
        let names = Scaling::ALL.iter().map(|by| by.name());
        PossibleValuesParser::new(std::iter::once(Self::AUTO).chain(names)).try_map(|name| match name.as_str() {
            Self::AUTO => Ok(ScaleBy::Auto),
            _ => name.parse().map(ScaleBy::Given),
        })
    }
}

/// Feature maps that are applied before learning: fitted on the training rows, and kept in the model.
#[derive(Args, Clone)]
#[command(next_help_heading = "Preparing")]
pub struct PrepareArgs {
    /// Drop features that fewer than N training rows have; numeric columns stay
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_count: u32,
    /// Term frequency: the count of a word (count), 1 + ln(count) (log), or 1 (binary)
    #[arg(long, value_name = "HOW", default_value = "count", value_parser = choice::<Tf>())]
    pub tf: Tf,
    /// Multiply term frequencies by the inverse document frequency
    #[arg(long)]
    pub tf_idf: bool,
    /// Add products of up to D features as features
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub degree: u32,
    /// Hash the features into 2^B buckets
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=28))]
    pub hash_bits: Option<u32>,
    /// Divide by the greatest length of a row (ball), give each row length 1 (unit), or each numeric column mean 0 and
    /// deviation 1 (standard) or the range 0 to 1 (minmax). auto: what the first rows need, and log counts with tf-idf for
    /// words; nothing where columns are alike
    #[arg(long, value_name = "HOW", default_value = ScaleBy::AUTO, value_parser = ScaleBy::parser())]
    pub scale: ScaleBy,
    /// Approximate a kernel by M features, for very many rows: rff:GAMMA:M or nystroem:KERNEL:M
    #[arg(long, value_name = "LIFT")]
    pub lift: Option<Lift>,
}
