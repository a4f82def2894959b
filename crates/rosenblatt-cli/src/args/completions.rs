//! `rosenblatt completions`.

use clap::Args;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt completions bash > ~/.local/share/bash-completion/completions/rosenblatt
  rosenblatt completions fish > ~/.config/fish/completions/rosenblatt.fish";

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
