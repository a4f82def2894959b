//! `rosenblatt completions`: from the same definitions as the help.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::output::Output;

pub fn run(args: &CompletionsArgs, out: &mut Output) -> Result<ExitCode> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rosenblatt", &mut bytes);
    out.bytes(&bytes)?;
    Ok(ExitCode::SUCCESS)
}
