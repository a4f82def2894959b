//! `rosenblatt demo`.

use clap::{Args, ValueEnum};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt demo
  rosenblatt demo xor";

#[derive(Args)]
pub struct DemoArgs {
    /// and, or, xor, iris, margin or spam; all of them if left out
    pub name: Option<DemoName>,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
pub enum DemoName {
    And,
    Or,
    Xor,
    Iris,
    Margin,
    Spam,
}
