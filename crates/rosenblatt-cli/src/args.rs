//! What may be typed. Parsing does no work: each command turns its arguments into what they mean.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// The perceptron, done right.
#[derive(Parser)]
#[command(
    name = "rosenblatt",
    version,
    about = "The perceptron, done right: train, judge, trace, and be told why.",
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

#[derive(Args)]
pub struct Global {
    /// Print JSON, and nothing else, on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Colours: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub color: Color,
    /// Threads to use; the results are the same for any number [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_negative_numbers = true)]
    pub threads: Option<u16>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub fn apply(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

impl Global {
    pub fn set_threads(&self) -> anyhow::Result<()> {
        if let Some(n) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global()?;
        }
        Ok(())
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// Learn a classifier from labelled examples
    #[command(after_help = TRAIN_EXAMPLES)]
    Train(TrainArgs),
    /// Answer with a label for each row
    #[command(after_help = PREDICT_EXAMPLES)]
    Predict(PredictArgs),
    /// Judge a model on labelled examples
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(EvalArgs),
    /// Show every step of the textbook's algorithm with its numbers
    #[command(after_help = TRACE_EXAMPLES)]
    Trace(TraceArgs),
    /// Decide whether a hyperplane separates the classes, with a proof either way
    #[command(after_help = SEPARABLE_EXAMPLES)]
    Separable(SeparableArgs),
    /// Re-check a certificate of separability, exactly, with code of its own
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Say what a model file holds and how it was trained
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(InspectArgs),
    /// Write a model in another form
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArgs),
    /// See what the program can do, on built-in data
    #[command(after_help = DEMO_EXAMPLES)]
    Demo(DemoArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man {
        /// The page of this command alone
        command: Option<String>,
    },
    /// Explain a command, or list the learners
    #[command(after_help = HELP_EXAMPLES)]
    Help {
        /// A command, or `learners`
        topic: Option<String>,
    },
}

const TRAIN_EXAMPLES: &str = "\
Examples:
  rosenblatt train data.svm -o model
  rosenblatt train iris.csv --label species --learner perceptron --epochs 50
  rosenblatt train data.csv --learner pa1 --set c=0.1 --json
  zcat big.svm.gz | rosenblatt train - --learner arow --epochs 1 -o model";
const PREDICT_EXAMPLES: &str = "\
Examples:
  rosenblatt predict model new.svm
  rosenblatt predict model new.csv --scores -o answers.tsv";
const EVAL_EXAMPLES: &str = "\
Examples:
  rosenblatt eval model test.svm
  rosenblatt eval model test.csv --json";
const TRACE_EXAMPLES: &str = "\
Examples:
  rosenblatt trace points.csv --no-bias
  rosenblatt trace points.csv --tie positive --json
  rosenblatt trace points.csv --proof";
const SEPARABLE_EXAMPLES: &str = "\
Examples:
  rosenblatt separable data.csv
  rosenblatt separable data.svm --certificate proof.json
  rosenblatt separable xor.csv --minimal-degree

Exit status: 0 separable, 1 not, 2 failure, 3 undecided within the time limit.";
const VERIFY_EXAMPLES: &str = "\
Examples:
  rosenblatt verify proof.json data.csv

Exit status: 0 the certificate holds, 1 it is refused, 2 failure.";
const INSPECT_EXAMPLES: &str = "\
Examples:
  rosenblatt inspect model
  rosenblatt inspect model --json";
const EXPORT_EXAMPLES: &str = "\
Examples:
  rosenblatt export model --to json model.json
  rosenblatt export model --to text -";
const DEMO_EXAMPLES: &str = "\
Examples:
  rosenblatt demo
  rosenblatt demo xor";
const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  rosenblatt completions bash > ~/.local/share/bash-completion/completions/rosenblatt
  rosenblatt completions fish > ~/.config/fish/completions/rosenblatt.fish";
const HELP_EXAMPLES: &str = "\
Examples:
  rosenblatt help train
  rosenblatt help learners";

/// How to read a data file.
#[derive(Args, Clone)]
#[command(next_help_heading = "Reading")]
pub struct DataArgs {
    /// auto, libsvm, csv or tsv
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub format: String,
    /// Whether the first row names the columns
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub header: Header,
    /// The label column, by name or number [default: label, class, target or y, else the last]
    #[arg(long, value_name = "COLUMN", allow_negative_numbers = true)]
    pub label: Option<String>,
    /// Leave out a column; may be repeated
    #[arg(long, value_name = "COLUMN", allow_negative_numbers = true)]
    pub drop: Vec<String>,
    /// Take a column as categories although it looks like numbers; may be repeated
    #[arg(long, value_name = "COLUMN", allow_negative_numbers = true)]
    pub category: Vec<String>,
    /// The column with the weight of each example
    #[arg(long, value_name = "COLUMN", allow_negative_numbers = true)]
    pub weight: Option<String>,
    /// Which of two labels is the positive one
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<String>,
}

impl DataArgs {
    /// The options that differ from their defaults, as they were typed.
    pub fn typed(&self) -> Vec<String> {
        let header = match self.header {
            Header::Auto => None,
            Header::Yes => Some("yes".to_string()),
            Header::No => Some("no".to_string()),
        };
        let format = Some(self.format.clone()).filter(|format| format != "auto");
        let one = [
            ("--format", format),
            ("--header", header),
            ("--label", self.label.clone()),
            ("--weight", self.weight.clone()),
            ("--positive", self.positive.clone()),
        ];
        let one = one.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let drop = self.drop.iter().map(|column| ("--drop", column.clone()));
        let category = self.category.iter().map(|column| ("--category", column.clone()));
        one.chain(drop).chain(category).flat_map(|(option, value)| [option.to_string(), value]).collect()
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Header {
    Auto,
    Yes,
    No,
}

/// How to learn: shared by `train` and `trace`.
#[derive(Args, Clone)]
#[command(next_help_heading = "Learning")]
pub struct LearnArgs {
    /// A learner's own parameter; may be repeated (see `rosenblatt help learners`)
    #[arg(long, value_name = "NAME=VALUE", allow_negative_numbers = true)]
    pub set: Vec<String>,
    /// What to keep of the path: last, average, vote or pocket [default: the learner's own]
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    pub keep: Option<Keep>,
    /// Three or more classes: one machine (single, uniform) or one for each class (one-vs-rest)
    #[arg(long, value_name = "HOW", default_value = "single", hide_possible_values = true)]
    pub multiclass: Multiclass,
    /// The step length; the same as --set rate=A
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub rate: Option<String>,
    /// constant, inverse-sqrt or inverse; the same as --set schedule=S
    #[arg(long, value_name = "S")]
    pub schedule: Option<String>,
    /// batch: stop once the step's direction is shorter; the same as --set epsilon=E
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub epsilon: Option<String>,
    /// batch: step along the mean instead of the sum; the same as --set step=mean
    #[arg(long)]
    pub average_gradient: bool,
    /// What a score of exactly zero means while learning: always a mistake, or predicted +1 or -1
    #[arg(long, value_name = "RULE", default_value = "update")]
    pub tie: Tie,
    /// Learn no bias: the boundary passes through the origin
    #[arg(long)]
    pub no_bias: bool,
    /// Begin at the weights of a model, or at numbers in a text file (the bias last)
    #[arg(long, value_name = "FILE")]
    pub init: Option<PathBuf>,
    /// LABEL=WEIGHT,… or balanced
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub class_weight: Option<String>,
    /// Owns all randomness
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Keep {
    Last,
    Average,
    Vote,
    Pocket,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Multiclass {
    Single,
    Uniform,
    OneVsRest,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Tie {
    Update,
    Positive,
    Negative,
}

/// `500M` as bytes.
fn size(text: &str) -> Result<u64, String> {
    let upper = text.trim_end_matches(['B', 'b']).to_ascii_uppercase();
    let (digits, unit) = match upper.char_indices().next_back() {
        Some((at, 'K')) => (&upper[..at], 10),
        Some((at, 'M')) => (&upper[..at], 20),
        Some((at, 'G')) => (&upper[..at], 30),
        Some((at, 'T')) => (&upper[..at], 40),
        _ => (&upper[..], 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << unit));
    bytes.ok_or_else(|| "expected a size, say 500M or 8G".to_string())
}

/// The first of the registry.
fn default_learner() -> String {
    rosenblatt::fit::Recipe::default().learner
}

#[derive(Args)]
pub struct TrainArgs {
    /// The examples; `-` is standard input
    pub data: String,
    /// Write the model here (as JSON if the name ends in .json)
    #[arg(short, long, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    /// Which learner (see `rosenblatt help learners`)
    #[arg(long, value_name = "NAME", default_value_t = default_learner(), help_heading = "Learning")]
    pub learner: String,
    /// At most this many passes; it ends sooner once a pass makes no mistake
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true, help_heading = "Learning")]
    pub epochs: u32,
    /// shuffled, cyclic, or a file of example numbers
    #[arg(long, value_name = "ORDER", default_value = "shuffled", help_heading = "Learning")]
    pub order: String,
    #[command(flatten)]
    pub learn: LearnArgs,
    #[command(flatten)]
    pub read: DataArgs,
    /// Data that need more memory than this go through a cache on disk: 500M, 8G [default: half of what is free]
    #[arg(long, value_name = "SIZE", help_heading = "Memory", value_parser = size)]
    pub memory: Option<u64>,
    /// Where that cache is: auto (a passing file, where one is needed), off, or a FILE to keep and to use again
    #[arg(long, value_name = "WHERE", default_value = "auto", help_heading = "Memory")]
    pub cache: String,
    /// Go on from a checkpoint, with its settings, until --epochs passes are done in all
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Pausing",
        conflicts_with_all = ["learner", "order", "set", "keep", "multiclass", "rate", "schedule", "epsilon",
                              "average_gradient", "tie", "no_bias", "init", "class_weight", "seed"]
    )]
    pub resume: Option<PathBuf>,
    /// Save what resuming needs here, after every pass and on Ctrl-C
    #[arg(long, value_name = "FILE", help_heading = "Pausing")]
    pub checkpoint: Option<PathBuf>,
}

#[derive(Args)]
pub struct PredictArgs {
    /// The model
    pub model: PathBuf,
    /// The rows; labels in them are not needed; `-` is standard input
    pub data: String,
    /// Add the score of each class, tab-separated
    #[arg(long)]
    pub scores: bool,
    /// Write the answers here; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub read: DataArgs,
}

#[derive(Args)]
pub struct EvalArgs {
    /// The model
    pub model: PathBuf,
    /// The labelled examples; `-` is standard input
    pub data: String,
    #[command(flatten)]
    pub read: DataArgs,
}

#[derive(Args)]
pub struct TraceArgs {
    /// The examples; `-` is standard input
    pub data: String,
    /// Which learner (see `rosenblatt help learners`)
    #[arg(long, value_name = "NAME", default_value = "perceptron", help_heading = "Learning")]
    pub learner: String,
    /// At most this many passes; it ends sooner once a pass makes no mistake, or when the weights go in a circle
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true, help_heading = "Learning")]
    pub epochs: u32,
    /// cyclic, shuffled, or a file of example numbers
    #[arg(long, value_name = "ORDER", default_value = "cyclic", help_heading = "Learning")]
    pub order: String,
    #[command(flatten)]
    pub learn: LearnArgs,
    #[command(flatten)]
    pub read: DataArgs,
    /// Show the mistake bound at work: kγ ≤ u·w ≤ ‖w‖ ≤ √k·R
    #[arg(long)]
    pub proof: bool,
}

#[derive(Args)]
pub struct SeparableArgs {
    /// The examples; `-` is standard input
    pub data: String,
    /// Write a certificate here that anyone can check
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// How far apart the bounds of the margin may be, relative to the upper one
    #[arg(long, value_name = "E", default_value_t = 1e-6)]
    pub gap: f64,
    /// Give up after so many seconds
    #[arg(long, value_name = "S")]
    pub time_limit: Option<f64>,
    /// Take all monomials up to this degree as features
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub degree: u32,
    /// Look for the least degree that separates, with a proof for every one below
    #[arg(long, conflicts_with = "degree")]
    pub minimal_degree: bool,
    /// Only hyperplanes through the origin
    #[arg(long)]
    pub no_bias: bool,
    #[command(flatten)]
    pub read: DataArgs,
}

#[derive(Args)]
pub struct VerifyArgs {
    /// The certificate that `rosenblatt separable --certificate` wrote
    pub certificate: PathBuf,
    /// The data that it speaks of; `-` is standard input
    pub data: String,
}

#[derive(Args)]
pub struct InspectArgs {
    /// The model
    pub model: PathBuf,
}

#[derive(Args)]
pub struct ExportArgs {
    /// The model
    pub model: PathBuf,
    /// json (loss-free, can be loaded again) or text (a line for each weight)
    #[arg(long, value_name = "FORM")]
    pub to: ExportForm,
    /// The file to write; `-` is standard output
    pub out: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExportForm {
    Json,
    Text,
}

#[derive(Args)]
pub struct DemoArgs {
    /// and, or, xor, iris or margin; all of them if left out
    pub name: Option<DemoName>,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
pub enum DemoName {
    And,
    Or,
    Xor,
    Iris,
    Margin,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
