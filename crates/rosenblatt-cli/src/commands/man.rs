//! `rosenblatt man`: the manual pages, from the same definitions as the help.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::CommandFactory;

use crate::args::Cli;
use crate::output::Output;

/// The page of the program, or of one command: `rosenblatt-train(1)`.
pub fn run(command: Option<&str>, out: &mut Output) -> Result<ExitCode> {
    let mut cli = Cli::command();
    cli.build();
    let page = match command {
        None => cli,
        Some(name) => match cli.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bail!("there is no command \"{name}\": `rosenblatt help` lists them"),
        },
    };
    let mut bytes = Vec::new();
    clap_mangen::Man::new(page).render(&mut bytes)?;
    out.bytes(&bytes)?;
    Ok(ExitCode::SUCCESS)
}
