//! The arguments: a file for each command and for each group of options that commands share. Parsing does no work; each
//! command interprets its arguments. (The arguments of newer commands are beside their code.)

mod completions;
mod demo;
mod eval;
mod export;
mod global;
mod inspect;
mod learning;
mod predict;
mod preparing;
mod reading;
mod separable;
mod trace;
mod train;
mod validation;
mod verify;

pub use completions::CompletionsArgs;
pub use demo::{DemoArgs, DemoName};
pub use eval::EvalArgs;
pub use export::{ExportArgs, ExportForm};
pub use global::Global;
pub use inspect::InspectArgs;
pub use learning::{KernelArgs, LearnArgs};
pub use predict::PredictArgs;
pub use preparing::{PrepareArgs, ScaleBy};
pub use reading::DataArgs;
pub use rosenblatt::learn::keep::KeepKind as Keep;
pub use rosenblatt::learn::learners::Multiclass;
pub use rosenblatt::learn::machine::Tie;
pub use rosenblatt::map::{Scaling as Scale, Tf};
pub use separable::SeparableArgs;
pub use trace::TraceArgs;
pub use train::{AUTO, Passes, TrainArgs};
pub use validation::ValidationArgs;
pub use verify::VerifyArgs;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, CommandFactory, Parser, Subcommand};
use rosenblatt::named::Named;

use crate::commands;

/// Parses one of the library's choices by its name; help, completions and messages list all of them.
pub fn choice<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|choice| choice.name())).try_map(|name| name.parse::<T>())
}

/// The command line; a negative number is always a value, never an option.
pub fn command() -> clap::Command {
    fn with_negative_numbers(command: clap::Command) -> clap::Command {
        let value = |arg: Arg| {
            let option = !arg.is_positional() && arg.get_action().takes_values();
            if option { arg.allow_negative_numbers(true) } else { arg }
        };
        command.mut_args(value).mut_subcommands(with_negative_numbers)
    }
    // What a textbook shows is shown on the numbers as they are.
    let raw = |command: clap::Command| command.mut_arg("scale", |arg| arg.default_value("none"));
    let plots = |plot: clap::Command| plot.mut_subcommand("boundary", raw).mut_subcommand("proof", raw);
    with_negative_numbers(Cli::command()).mut_subcommand("trace", raw).mut_subcommand("plot", plots)
}

/// The perceptron, done right.
#[derive(Parser)]
#[command(
    name = "rosenblatt",
    version = env!("ROSENBLATT_VERSION"),
    about = "Perceptrons: train, evaluate and explain linear, kernel and sequence models; prove separability.",
    after_help = "Try `rosenblatt demo`, then `rosenblatt help train`.",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Train a classifier or a tagger on labelled examples
    #[command(after_help = train::EXAMPLES)]
    Train(TrainArgs),
    /// Predict a label for each row
    #[command(after_help = predict::EXAMPLES)]
    Predict(PredictArgs),
    /// Evaluate a model on labelled examples
    #[command(after_help = eval::EXAMPLES)]
    Eval(EvalArgs),
    /// Estimate the error of a training by stratified cross-validation
    #[command(after_help = commands::cv::EXAMPLES, mut_args(commands::cv::hide))]
    Cv(commands::cv::CvArgs),
    /// Choose settings by validation, retrain on all examples, test once
    #[command(after_help = commands::tune::EXAMPLES, mut_args(commands::tune::hide))]
    Tune(commands::tune::TuneArgs),
    /// Show the strongest features of each class, and why each example got its label
    #[command(after_help = commands::explain::EXAMPLES)]
    Explain(commands::explain::ExplainArgs),
    /// Show every step of training with its numbers, as a textbook does
    #[command(after_help = trace::EXAMPLES)]
    Trace(TraceArgs),
    /// Decide whether a hyperplane separates the classes, with a proof either way
    #[command(after_help = separable::EXAMPLES)]
    Separable(SeparableArgs),
    /// Bound the training error of any hyperplane from both sides, and name the rows in the way
    #[command(after_help = commands::audit::EXAMPLES)]
    Audit(commands::audit::AuditArgs),
    /// Check a certificate of separability or of an audit in exact arithmetic, with independent code
    #[command(after_help = verify::EXAMPLES)]
    Verify(VerifyArgs),
    /// Draw a boundary, a curve, margins, a proof, a confusion matrix or a polynomial fit
    #[command(after_help = commands::plot::EXAMPLES)]
    Plot(commands::plot::PlotArgs),
    /// Fit polynomials of one variable by least squares, and show over-fitting
    #[command(after_help = commands::polyfit::EXAMPLES)]
    Polyfit(commands::polyfit::PolyfitArgs),
    /// Open the lab in the browser: see a perceptron think, step by step
    #[cfg(feature = "serve")]
    #[command(after_help = commands::lab::EXAMPLES)]
    Lab(commands::lab::LabArgs),
    /// Serve models over HTTP: they answer while they learn, and lose nothing that they acknowledged
    #[cfg(feature = "serve")]
    #[command(after_help = commands::serve::EXAMPLES)]
    Serve(commands::serve::ServeArgs),
    /// Write data in another format
    #[command(after_help = commands::convert::EXAMPLES)]
    Convert(commands::convert::ConvertArgs),
    /// Show what a model file holds and how it was trained
    #[command(after_help = inspect::EXAMPLES)]
    Inspect(InspectArgs),
    /// Write a model in another form
    #[command(after_help = export::EXAMPLES)]
    Export(ExportArgs),
    /// Run examples on built-in data
    #[command(after_help = demo::EXAMPLES)]
    Demo(DemoArgs),
    /// Print a completion script for a shell
    #[command(after_help = completions::EXAMPLES)]
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man {
        /// The page of this command alone
        command: Option<String>,
    },
    /// Describe a command, the learners, or the templates of taggers
    #[command(after_help = HELP_EXAMPLES)]
    Help {
        /// A command, `learners` or `templates`
        topic: Option<String>,
    },
}

const HELP_EXAMPLES: &str = "\
Examples:
  rosenblatt help train
  rosenblatt help learners";

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    fn parse(words: &[&str]) -> Result<Cli, clap::Error> {
        let matches = command().try_get_matches_from([&["rosenblatt"], words].concat())?;
        Cli::from_arg_matches(&matches)
    }

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn a_choice_is_parsed_by_its_name() {
        let Ok(Cli { command: Some(Command::Train(args)), .. }) = parse(&["train", "x", "--multiclass", "one-vs-rest"])
        else {
            panic!("not parsed")
        };
        assert!(args.learn.multiclass == Multiclass::OneVsRest && args.learn.keep.is_none());
        let error = parse(&["train", "x", "--scale", "units"]).err().expect("refused").to_string();
        let expected = "invalid value 'units' for '--scale <HOW>'\n  \
                        [possible values: auto, none, ball, unit, standard, minmax]\n\n  tip: a similar value exists: 'unit'";
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_negative_number_is_a_value() {
        let error = parse(&["train", "x", "--bias", "-1"]).err().map(|error| error.to_string());
        assert_eq!(error, None);
    }
}
