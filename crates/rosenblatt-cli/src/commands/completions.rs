//! `rosenblatt completions`: from the same definitions as the help.

use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use rosenblatt::learn::learners;
use rosenblatt::read::Format;
use rosenblatt::structured::read::SequenceFormat;

use super::help::TOPICS;
use crate::args::{AUTO, Cli, CompletionsArgs};
use crate::output::Output;

pub fn run(args: &CompletionsArgs, out: &mut Output) -> Result<ExitCode> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut with_names(Cli::command()), "rosenblatt", &mut bytes);
    out.bytes(&bytes)?;
    Ok(ExitCode::SUCCESS)
}

/// The commands with the names that a shell can complete: learners, formats, topics of the help.
///
/// Parsing does not use these: its own messages say more about a wrong name.
fn with_names(command: Command) -> Command {
    let known = |arg: Arg| match arg.get_id().as_str() {
        "learner" => arg.value_parser(PossibleValuesParser::new(learners::all().map(|entry| entry.name).chain([AUTO]))),
        "format" => {
            let formats = Format::ALL.iter().map(|format| format.name());
            let sentences = SequenceFormat::ALL.iter().map(|format| format.name());
            arg.value_parser(PossibleValuesParser::new(formats.chain(sentences).chain([AUTO])))
        }
        _ => arg,
    };
    // A program that prints one script and ends may keep the names for good.
    let names = command.get_subcommands().map(|one| &*one.get_name().to_string().leak());
    let topics: Vec<&'static str> = names.chain(TOPICS).collect();
    let topics = PossibleValuesParser::new(topics);
    each(command, &known).mut_subcommand("help", |help| help.mut_arg("topic", |topic| topic.value_parser(topics)))
}

/// Changes the arguments of a command and of all its subcommands.
fn each(command: Command, change: &impl Fn(Arg) -> Arg) -> Command {
    command.mut_args(change).mut_subcommands(|one| each(one, change))
}
