//! What may be typed. Parsing does no work: each command turns its arguments into what they mean.

use std::path::{Path, PathBuf};

use clap::{Arg, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use rosenblatt::learn::kernel::Function;
use rosenblatt::learn::kernel::budget::Way;
use rosenblatt::map::Lift;

use crate::commands::tag::TagArgs;
use crate::commands::{convert, cv, explain, plot, polyfit, tune};

/// The command line as it is read: a negative number is a value everywhere, and never an option.
pub fn command() -> clap::Command {
    fn taught(command: clap::Command) -> clap::Command {
        let value = |arg: Arg| {
            let option = !arg.is_positional() && arg.get_action().takes_values();
            if option { arg.allow_negative_numbers(true) } else { arg }
        };
        command.mut_args(value).mut_subcommands(taught)
    }
    taught(Cli::command())
}

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
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
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
    /// Judge a way of training on examples that it did not learn from, fold by fold
    #[command(after_help = cv::EXAMPLES, mut_args(cv::hide))]
    Cv(cv::CvArgs),
    /// Try settings, take the best, learn again from everything, test once
    #[command(after_help = tune::EXAMPLES, mut_args(tune::hide))]
    Tune(tune::TuneArgs),
    /// Show what speaks for each class, and why each example got its label
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Show every step of the textbook's algorithm with its numbers
    #[command(after_help = TRACE_EXAMPLES)]
    Trace(TraceArgs),
    /// Decide whether a hyperplane separates the classes, with a proof either way
    #[command(after_help = SEPARABLE_EXAMPLES)]
    Separable(SeparableArgs),
    /// Re-check a certificate of separability, exactly, with code of its own
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Draw a boundary, a curve, margins, a proof, a confusion matrix or a polynomial fit
    #[command(after_help = plot::EXAMPLES)]
    Plot(plot::PlotArgs),
    /// Fit a polynomial of one variable by least squares, and see over-fitting happen
    #[command(after_help = polyfit::EXAMPLES)]
    Polyfit(polyfit::PolyfitArgs),
    /// Write data in another format
    #[command(after_help = convert::EXAMPLES)]
    Convert(convert::ConvertArgs),
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
    /// Explain a command, the learners, or the templates of taggers
    #[command(after_help = HELP_EXAMPLES)]
    Help {
        /// A command, `learners` or `templates`
        topic: Option<String>,
    },
}

const TRAIN_EXAMPLES: &str = "\
Examples:
  rosenblatt train data.svm -o model
  rosenblatt train iris.csv --label species --learner perceptron --epochs 50
  rosenblatt train data.csv --learner pa1 --set c=0.1 --json
  rosenblatt train data.csv --kernel rbf:0.5 --learner voted -o model
  rosenblatt train data.csv --holdout 0.2 --patience 3 --epochs 100 --calibrate -o model
  rosenblatt train sentences.conll -o tagger
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
  rosenblatt separable X.npy --labels y.npy
  rosenblatt separable xor.csv --minimal-degree
  rosenblatt separable xor.csv --kernel poly:2

Exit status: 0 separable, 1 not, 2 failure, 3 undecided within the time limit.";
const VERIFY_EXAMPLES: &str = "\
Examples:
  rosenblatt verify proof.json data.csv
  rosenblatt verify proof.json X.npy --labels y.npy

Exit status: 0 the certificate holds, 1 it is refused, 2 failure.";
const INSPECT_EXAMPLES: &str = "\
Examples:
  rosenblatt inspect model
  rosenblatt inspect model --json";
const EXPORT_EXAMPLES: &str = "\
Examples:
  rosenblatt export model --to json model.json
  rosenblatt export model --to onnx model.onnx
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
    /// auto, libsvm, csv, tsv, vw, idx, npy or parquet; of sentences: conll, conllu or crfsuite
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub format: String,
    /// Whether the first row names the columns
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub header: Header,
    /// The label column, by name or number [default: label, class, target or y, else the last]
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Leave out a column; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub drop: Vec<String>,
    /// Take a column as categories although it looks like numbers; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub category: Vec<String>,
    /// Read a column as text: a feature for each word, how often the row has it; may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub text: Vec<String>,
    /// Count runs of up to N words of a text too
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub ngrams: u32,
    /// What missing values (nothing, NA, ? or nan) become: zero, the column's mean, or zero and one more feature that
    /// says so (indicator) [default: an error]
    #[arg(long, value_name = "HOW", hide_possible_values = true)]
    pub missing: Option<Missing>,
    /// The column with the weight of each example
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// The file of labels of an idx or npy file: a list in either format, or a text with one on each line
    #[arg(long, value_name = "FILE")]
    pub labels: Option<String>,
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
        let missing = self.missing.map(|how| match how {
            Missing::Zero => "zero".to_string(),
            Missing::Mean => "mean".to_string(),
            Missing::Indicator => "indicator".to_string(),
        });
        let one = [
            ("--format", format),
            ("--header", header),
            ("--label", self.label.clone()),
            ("--ngrams", Some(self.ngrams.to_string()).filter(|_| self.ngrams > 1)),
            ("--missing", missing),
            ("--weight", self.weight.clone()),
            ("--labels", self.labels.clone()),
            ("--positive", self.positive.clone()),
        ];
        let one = one.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let drop = self.drop.iter().map(|column| ("--drop", column.clone()));
        let category = self.category.iter().map(|column| ("--category", column.clone()));
        let text = self.text.iter().map(|column| ("--text", column.clone()));
        one.chain(drop).chain(category).chain(text).flat_map(|(option, value)| [option.to_string(), value]).collect()
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Header {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Missing {
    Zero,
    Mean,
    Indicator,
}

/// How to learn: shared by `train` and `trace`.
#[derive(Args, Clone)]
#[command(next_help_heading = "Learning")]
pub struct LearnArgs {
    /// A learner's own parameter; may be repeated (see `rosenblatt help learners`)
    #[arg(long, value_name = "NAME=VALUE")]
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
    /// The constant that the bias belongs to, one more value of every row: a smaller one lets the bias learn more slowly;
    /// 0.1 suits texts and other rows that are about 1 long [default: 1]
    #[arg(long, value_name = "B")]
    pub bias: Option<f64>,
    /// Learn no bias: the boundary passes through the origin
    #[arg(long, conflicts_with = "bias")]
    pub no_bias: bool,
    /// Begin at the weights of a model, or at numbers in a text file (the bias last)
    #[arg(long, value_name = "FILE")]
    pub init: Option<PathBuf>,
    /// LABEL=WEIGHT,… or balanced
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub class_weight: Option<String>,
    /// Owns all randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub prepare: PrepareArgs,
}

/// What is done to rows before they are learned from: fitted on the training rows, and kept in the model.
#[derive(Args, Clone)]
#[command(next_help_heading = "Preparing")]
pub struct PrepareArgs {
    /// Leave out features that fewer than N training rows have; columns of numbers stay
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_count: u32,
    /// What a count of a word is worth: itself (count), 1 + ln(count) (log), or one (binary)
    #[arg(long, value_name = "HOW", default_value = "count")]
    pub tf: Tf,
    /// Let words count the more, the fewer texts have them
    #[arg(long)]
    pub tf_idf: bool,
    /// Take products of up to D features as features too
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub degree: u32,
    /// Hash the features into 2^B buckets
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=28))]
    pub hash_bits: Option<u32>,
    /// Divide by the greatest length (ball), give each row length 1 (unit), or each column of numbers mean 0 and
    /// deviation 1 (standard) or the range 0 to 1 (minmax)
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub scale: Scale,
    /// Take the space of a kernel by M features, for very many rows: rff:GAMMA:M or nystroem:KERNEL:M
    #[arg(long, value_name = "LIFT")]
    pub lift: Option<Lift>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Tf {
    Count,
    Log,
    Binary,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Scale {
    None,
    Ball,
    Unit,
    Standard,
    #[value(name = "minmax")]
    MinMax,
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

/// In which space to learn.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Learning")]
pub struct KernelArgs {
    /// Learn where no line will do: linear, poly:D, poly:D:C for (C + x·y)^D, or rbf:G for exp(-G‖x - y‖²)
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<Function>,
    /// With a kernel: never more than so many support vectors (needs --keep last)
    #[arg(long, value_name = "N", requires = "kernel", value_parser = clap::value_parser!(u32).range(1..))]
    pub budget: Option<u32>,
    /// What to do when the budget is used up: random, forgetron, projectron or projectron:ETA [default: projectron]
    #[arg(long, value_name = "HOW", requires = "budget")]
    pub policy: Option<Way>,
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
    rosenblatt::learn::Recipe::default().learner
}

/// What else to do with the examples than to learn from them.
#[derive(Args, Clone)]
#[command(next_help_heading = "Judging")]
pub struct JudgeArgs {
    /// Hold back this share of each class, and judge every pass on it
    #[arg(long, value_name = "F", conflicts_with = "validation")]
    pub holdout: Option<f64>,
    /// Judge every pass on the examples of this file
    #[arg(long, value_name = "FILE")]
    pub validation: Option<String>,
    /// Stop after N passes in a row without fewer errors on them, and keep the best pass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub patience: Option<u32>,
    /// Learn probabilities, from the scores of examples that were left out in turn
    #[arg(long)]
    pub calibrate: bool,
    /// Show the error of predicting each example of the first pass before learning from it
    #[arg(long)]
    pub progressive: bool,
}

impl JudgeArgs {
    /// Whether anything is asked for that needs the examples side by side.
    pub fn looks_on(&self) -> bool {
        self.holdout.is_some()
            || self.validation.is_some()
            || self.patience.is_some()
            || self.calibrate
            || self.progressive
    }
}

#[derive(Args, Clone)]
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
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Learning")]
    pub epochs: u32,
    /// shuffled, cyclic, or a file of example numbers
    #[arg(long, value_name = "ORDER", default_value = "shuffled", help_heading = "Learning")]
    pub order: String,
    #[command(flatten)]
    pub learn: LearnArgs,
    #[command(flatten)]
    pub space: KernelArgs,
    #[command(flatten)]
    pub judge: JudgeArgs,
    #[command(flatten)]
    pub read: DataArgs,
    #[command(flatten)]
    pub tag: TagArgs,
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
                              "average_gradient", "tie", "bias", "no_bias", "init", "class_weight", "seed", "min_count", "tf",
                              "tf_idf", "degree", "hash_bits", "scale", "lift", "kernel", "budget", "policy"]
    )]
    pub resume: Option<PathBuf>,
    /// Save what resuming needs here, after every pass and on Ctrl-C
    #[arg(long, value_name = "FILE", help_heading = "Pausing")]
    pub checkpoint: Option<PathBuf>,
}

impl TrainArgs {
    /// The files that are read, as far as they are files: what must not be written over.
    pub fn reads(&self) -> impl Iterator<Item = &Path> {
        let typed = [Some(&self.data), Some(&self.order), self.judge.validation.as_ref(), self.read.labels.as_ref()];
        let typed = typed.into_iter().chain([self.tag.templates.as_ref()]);
        typed.flatten().map(Path::new).chain(self.learn.init.as_deref())
    }
}

#[derive(Args)]
pub struct PredictArgs {
    /// The model
    pub model: PathBuf,
    /// The rows; labels in them are not needed; `-` is standard input
    pub data: String,
    /// Add the score of each class, tab-separated, and its probability if the model was trained with --calibrate
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
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Learning")]
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
    /// Give up after so many seconds; what is read is read to its end
    #[arg(long, value_name = "S")]
    pub time_limit: Option<f64>,
    /// Take all monomials up to this degree as features
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub degree: u32,
    /// Look for the least degree that separates, with a proof for every one below
    #[arg(long, conflicts_with = "degree")]
    pub minimal_degree: bool,
    /// Ask it in the space of a kernel: linear, poly:D, poly:D:C or rbf:G
    #[arg(long, value_name = "KERNEL", conflicts_with_all = ["degree", "minimal_degree"])]
    pub kernel: Option<Function>,
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
    /// The file of labels of an npy file
    #[arg(long, value_name = "FILE")]
    pub labels: Option<String>,
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
    /// json (loss-free, can be loaded again), text (a line for each weight) or onnx (a LinearClassifier of 32-bit
    /// numbers)
    #[arg(long, value_name = "FORM")]
    pub to: ExportForm,
    /// The file to write; `-` is standard output
    pub out: String,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExportForm {
    Json,
    Onnx,
    Text,
}

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

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
