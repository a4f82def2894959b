//! `rosenblatt man`: the manual page, from the same definitions as the help.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use crate::args::Cli;
use crate::output::Output;

pub fn run(out: &mut Output) -> Result<ExitCode> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut bytes)?;
    out.bytes(&bytes)?;
    Ok(ExitCode::SUCCESS)
}
