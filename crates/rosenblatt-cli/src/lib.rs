//! The program `rosenblatt`: arguments, printing, progress. One file for each command, and no algorithm.
//!
//! A library, so that the Python package contains the program, too.

mod args;
mod commands;
mod interrupt;
mod output;
mod picture;
mod progress;
mod show;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;

use args::{Cli, Command};
use output::Output;
use rosenblatt::limits::{self, Deadline, Limits};

/// Runs the program with these arguments, its name first.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    #[cfg(feature = "parquet")]
    silence_caught_panics();
    let parsed = args::command().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = parsed.unwrap_or_else(|error| output::exit_on_usage(&error));
    cli.global.color.apply();
    output::set_quiet(cli.global.quiet);
    let mut out = Output::new(cli.global.json);
    let done = cli.global.set_threads().and_then(|()| {
        let memory = cli.global.memory.unwrap_or_else(limits::half_of_free_memory);
        let limits = Limits { memory, deadline: Deadline::NEVER.or_when(interrupt::listen()?) };
        limits::within(&limits, || run(cli.command, &mut out))
    });
    match done.and_then(|code| Ok(out.flush().map(|()| code)?)) {
        // What was shown may not be all.
        Ok(_) if interrupt::was_asked() => ExitCode::from(interrupt::STATUS),
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        // Whatever failed then failed because it was asked to stop.
        Err(_) if interrupt::was_asked() => ExitCode::from(interrupt::STATUS),
        Err(error) => {
            output::error(&error);
            ExitCode::from(2)
        }
    }
}

/// Prints no message for a panic that a reader catches: it becomes an error of the file.
#[cfg(feature = "parquet")]
fn silence_caught_panics() {
    let show = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !rosenblatt::read::panic_is_caught() {
            show(panic);
        }
    }));
}

fn run(command: Option<Command>, out: &mut Output) -> anyhow::Result<ExitCode> {
    match command {
        None => commands::help::run(None, out),
        Some(Command::Train(args)) => commands::train::run(&args, out),
        Some(Command::Predict(args)) => commands::predict::run(&args, out),
        Some(Command::Eval(args)) => commands::eval::run(&args, out),
        Some(Command::Cv(args)) => commands::cv::run(&args, out),
        Some(Command::Tune(args)) => commands::tune::run(&args, out),
        Some(Command::Explain(args)) => commands::explain::run(&args, out),
        Some(Command::Trace(args)) => commands::trace::run(&args, out),
        Some(Command::Separable(args)) => commands::separable::run(&args, out),
        Some(Command::Audit(args)) => commands::audit::run(&args, out),
        Some(Command::Verify(args)) => commands::verify::run(&args, out),
        Some(Command::Plot(args)) => commands::plot::run(&args, out),
        Some(Command::Polyfit(args)) => commands::polyfit::run(&args, out),
        #[cfg(feature = "serve")]
        Some(Command::Lab(args)) => commands::lab::run(&args, out),
        #[cfg(feature = "serve")]
        Some(Command::Serve(args)) => commands::serve::run(&args, out),
        Some(Command::Convert(args)) => commands::convert::run(&args, out),
        Some(Command::Inspect(args)) => commands::inspect::run(&args, out),
        Some(Command::Export(args)) => commands::export::run(&args, out),
        Some(Command::Demo(args)) => commands::demo::run(&args, out),
        Some(Command::Completions(args)) => commands::completions::run(&args, out),
        Some(Command::Man { command }) => commands::man::run(command.as_deref(), out),
        Some(Command::Help { topic }) => commands::help::run(topic.as_deref(), out),
    }
}
