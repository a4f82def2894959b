//! What else to do with the examples than to learn from them.

use clap::Args;

/// What else to do with the examples than to learn from them.
#[derive(Args, Clone)]
#[command(next_help_heading = "Judging")]
pub struct JudgeArgs {
    /// Hold back this share of each class, and judge every pass on it
    #[arg(long, value_name = "F", conflicts_with = "validation")]
    pub holdout: Option<f64>,
    /// Judge every pass on the examples of this file
    #[arg(long, value_name = "FILE")]
    pub validation: Option<String>,
    /// Stop after N passes in a row without fewer errors on them, and keep the best pass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub patience: Option<u32>,
    /// Learn probabilities, from the scores of examples that were left out in turn
    #[arg(long)]
    pub calibrate: bool,
    /// Show the error of predicting each example of the first pass before learning from it
    #[arg(long)]
    pub progressive: bool,
}

impl JudgeArgs {
    /// Whether anything is asked for that needs the examples side by side.
    pub fn looks_on(&self) -> bool {
        self.holdout.is_some()
            || self.validation.is_some()
            || self.patience.is_some()
            || self.calibrate
            || self.progressive
    }
}
