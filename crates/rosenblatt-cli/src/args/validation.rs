//! Validation and calibration of a training.

use clap::Args;

/// Validation and calibration of a training.
#[derive(Args, Clone)]
#[command(next_help_heading = "Validation")]
pub struct ValidationArgs {
    /// Hold out this share of each class, or of the sentences, and validate every pass on it
    #[arg(long, value_name = "F", conflicts_with = "validation")]
    pub holdout: Option<f64>,
    /// Validate every pass on the examples of this file; the error of a tagger is its share of wrong tokens
    #[arg(long, value_name = "FILE")]
    pub validation: Option<String>,
    /// Stop after N passes in a row without fewer validation errors, and keep the best pass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub patience: Option<u32>,
    /// Fit probabilities to out-of-fold scores
    #[arg(long)]
    pub calibrate: bool,
    /// Show the progressive error of the first pass: each example is predicted, then learned from
    #[arg(long)]
    pub progressive: bool,
}

impl ValidationArgs {
    /// Whether an option needs all rows in memory.
    pub fn needs_all_rows(&self) -> bool {
        self.holdout.is_some()
            || self.validation.is_some()
            || self.patience.is_some()
            || self.calibrate
            || self.progressive
    }
}
