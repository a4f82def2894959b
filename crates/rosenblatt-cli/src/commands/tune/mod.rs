//! `rosenblatt tune`: model selection. Trains each setting on one part, validates it on another, retrains the best on all
//! examples, and tests once.

mod expert;
pub mod trials;
mod within;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Arg, Args};
use indicatif::{ProgressBar, ProgressStyle};
use rosenblatt::evaluate::{CrossValidation, Folds, Setting, Space, Split, Trial, best, search};
use rosenblatt::limits;
use rosenblatt::read::NeedLabels;
use rosenblatt::rows::Table;
use rosenblatt::{Error, Evaluation, Fitted};
use serde_json::{Map, Value, json};

use super::held::Parts;
use super::train::shell_word;
use super::{open, outputs, tag};
use crate::args::TrainArgs;
use crate::output::{Output, count, note, percent, shows_progress, thousands};
use crate::{show, words};
use trials::Candidate;
use within::{FEW, Found};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt tune data.csv -o model
  rosenblatt tune data.csv --grid \"rate=0.1,1 epochs=5,10,20 learner=averaged,pa1\" -o model
  rosenblatt tune sentences.conll --grid \"epochs=5,10,20 search=viterbi,beam:8\" -o tagger
  rosenblatt tune data.csv --grid \"learner=pa1 c=0.001..10 epochs=2..50\" --random 30 --test test.csv
  rosenblatt tune train.svm --grid \"learner=arow r=0.1,1,10\" --validation valid.svm --json";

#[derive(Args)]
pub struct TuneArgs {
    #[command(flatten)]
    pub train: TrainArgs,
    /// What to try: KEY=VALUE,VALUE,… or KEY=LOW..HIGH, where KEY is an option of `train` or a parameter of a learner
    /// [default: learners, passes, products of features and kernels that suit the examples]
    #[arg(long, value_name = "SPACE", help_heading = "Tuning")]
    pub grid: Vec<String>,
    /// Without a grid: try for this many seconds; the winner is then trained on all examples
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, conflicts_with = "grid", help_heading = "Tuning")]
    pub time_limit: f64,
    /// Candidate N combinations drawn at random, numbers in ranges evenly on a logarithmic scale
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Tuning")]
    pub random: Option<u32>,
    /// Validate each setting by K-fold cross-validation [default: 5, unless --holdout or
    /// --validation; without a grid, a fifth of more than 5,000 examples is held out]
    #[arg(long, value_name = "K", conflicts_with_all = ["holdout", "validation"], help_heading = "Tuning")]
    pub folds: Option<u32>,
    /// Test the final model on this file: once, at the end
    #[arg(long, value_name = "FILE", help_heading = "Tuning")]
    pub test: Option<String>,
}

/// Options of `train` that make no sense here.
const REFUSED: [&str; 4] = ["resume", "checkpoint", "patience", "progressive"];

pub fn hide(arg: Arg) -> Arg {
    if REFUSED.contains(&arg.get_id().as_str()) { arg.hide(true) } else { arg }
}

pub fn run(args: &TuneArgs, out: &mut Output) -> Result<ExitCode> {
    check(args)?;
    if let Some(found) = tag::sentences(&args.train)? {
        return tag::tune::run(args, &found, out);
    }
    let begin = Instant::now();
    let mut candidates = candidates(args)?;
    trials::number_readings(&mut candidates);
    let readings = trials::readings(&args.train, &candidates)?;
    let judged_on = judged_on(args, &readings[0].dataset.table);
    let mut splits = Vec::new();
    for reading in &readings {
        open::print_notes(&reading.dataset, out.json);
        splits.push(
            split(args, &reading.dataset.table, reading.validation_from)
                .map_err(|e| e.in_file(&reading.dataset.name))?,
        );
    }
    let mut trainers = Vec::new();
    for one in &candidates {
        trainers.push(one.trainer(&readings[one.reading].dataset.table)?);
    }
    let trials: Vec<Trial<'_>> = candidates
        .iter()
        .zip(&trainers)
        .map(|(t, trainer)| Trial { trainer, table: &readings[t.reading].dataset.table, splits: &splits[t.reading] })
        .collect();
    let runs = trials.iter().map(|t| t.splits.len() as u64).sum();
    let bar = if shows_progress() { ProgressBar::new(runs) } else { ProgressBar::hidden() };
    bar.set_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} trainings, {eta} left").expect("a fixed template"),
    );
    let found = if args.grid.is_empty() {
        within::within(&trials, args.train.learn.seed, begin, args.time_limit, &bar)
    } else {
        let outcomes = search(&trials, &|| bar.inc(1));
        best(&outcomes).map(|winner| Found { outcomes, winner, again: None })
    };
    bar.finish_and_clear();
    let Found { outcomes, winner, again } = found.map_err(|e| e.in_file(&readings[0].dataset.name))?;
    candidates.truncate(outcomes.len());

    // From here on: all examples but those of the test file.
    let reading = &readings[candidates[winner].reading];
    let here = |e: Error| e.in_file(&reading.dataset.name);
    let mut fitted = trainers[winner].fit(&reading.dataset.table).map_err(here)?;
    if args.train.validate.calibrate {
        Parts::whole(&reading.dataset.table)
            .calibrate(&trainers[winner], &mut fitted, args.train.learn.seed)
            .map_err(here)?;
    }
    // Two files have no common fingerprint.
    fitted.model.facts.data = reading.validation_from.is_none().then_some(reading.dataset.fingerprint);
    if let Some(path) = &args.train.output {
        limits::check()?;
        fitted.model.clone().compact().save(path)?;
    }
    let tested = args.test.as_ref().map(|file| test(file, &candidates[winner], &fitted)).transpose()?;
    let outcome = Outcome {
        args,
        judged_on,
        again,
        candidates: &candidates,
        outcomes: &outcomes,
        winner,
        table: &reading.dataset.table,
        fitted,
        tested,
    };
    if out.json {
        out.object(&outcome.json())?;
    } else {
        outcome.print(&format!("{} [{}]", show::file(&reading.dataset.name), reading.dataset.format), out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The settings to try: those of the grid, or what an expert would try on these examples.
fn candidates(args: &TuneArgs) -> Result<Vec<Candidate>> {
    if args.grid.is_empty() {
        if args.random.is_some() {
            bail!("--random draws from --grid: name what to try");
        }
        if args.train.data == "-" {
            bail!("standard input is read once: name a file, or give --grid");
        }
        let dataset = open::training_data(&args.train)?;
        let mut all: Vec<Candidate> = Vec::new();
        for grid in expert::grids(&dataset.table).map_err(|e| e.in_file(&dataset.name))? {
            let space = Space::parse(&[grid])?;
            all.extend(trials::all(&space, &space.grid()?)?);
        }
        return Ok(all);
    }
    let space = Space::parse(&args.grid)?;
    let settings = match args.random {
        Some(n) => space.random(n as usize, args.train.learn.seed),
        None => space.grid()?,
    };
    trials::all(&space, &settings)
}

/// What is wrong without looking at the data.
fn check(args: &TuneArgs) -> Result<()> {
    let train = &args.train;
    if train.resume.is_some() || train.checkpoint.is_some() {
        bail!("--resume and --checkpoint are for `rosenblatt train`");
    }
    if train.validate.patience.is_some() || train.validate.progressive {
        bail!(
            "--patience and --progressive are for `rosenblatt train`: to tune the number of passes, put epochs=5,10,20 in --grid"
        );
    }
    if let Some(share) = train.validate.holdout
        && !(share > 0.0 && share < 1.0)
    {
        bail!("--holdout {share}: expected a share of the examples between 0 and 1, say 0.2");
    }
    if let Some(folds @ 0..2) = args.folds {
        bail!("--folds {folds}: expected at least 2");
    }
    for file in [&args.test, &train.validate.validation].into_iter().flatten() {
        if file != "-" && !Path::new(file).exists() {
            bail!("{file}: no such file");
        }
        if file == "-" && train.data == "-" {
            bail!("standard input cannot be two files: name one of them");
        }
    }
    if let Some(path) = &train.output {
        let reads: Vec<&Path> = train.reads().chain(args.test.as_ref().map(Path::new)).collect();
        outputs::check(&reads, &[("-o", path)])?;
    }
    Ok(())
}

fn split(args: &TuneArgs, table: &Table, validation_from: Option<u32>) -> rosenblatt::Result<Vec<Split>> {
    let seed = args.train.learn.seed;
    if let Some(from) = validation_from {
        return Ok(vec![Split { train: (0..from).collect(), held: (from..table.matrix.len() as u32).collect() }]);
    }
    if let Some(share) = share(args, table) {
        return Ok(vec![Split::holdout(table, share, seed)?]);
    }
    let folds = Folds::stratified(table, args.folds.unwrap_or(5), seed)?;
    Ok((0..folds.len()).map(|k| folds.split(k)).collect())
}

/// The share of the examples that is held out: without a grid, a fifth of many examples, unless folds are asked for.
fn share(args: &TuneArgs, table: &Table) -> Option<f64> {
    let many = args.grid.is_empty() && args.folds.is_none() && table.matrix.len() > FEW;
    args.train.validate.holdout.or(many.then_some(0.2))
}

fn judged_on(args: &TuneArgs, table: &Table) -> String {
    match (&args.train.validate.validation, share(args, table)) {
        (Some(file), _) => file.clone(),
        (None, Some(share)) => format!("a holdout of {}", percent(share)),
        (None, None) => format!("{} stratified folds", args.folds.unwrap_or(5)),
    }
}

/// Evaluates the final model on the test file.
fn test(file: &str, winner: &Candidate, fitted: &Fitted) -> Result<(String, Evaluation)> {
    let dataset = open::data_for(&fitted.model, file, &winner.args.read, NeedLabels::Yes)?;
    open::print_notes(&dataset, false);
    let judged = Evaluation::new(&fitted.model, &dataset.table).map_err(|e| e.in_file(&dataset.name))?;
    Ok((dataset.name, judged))
}

/// The result of the command.
struct Outcome<'a> {
    args: &'a TuneArgs,
    judged_on: String,
    again: Option<(usize, u64)>,
    candidates: &'a [Candidate],
    outcomes: &'a [rosenblatt::Result<CrossValidation>],
    winner: usize,
    table: &'a Table,
    fitted: Fitted,
    tested: Option<(String, Evaluation)>,
}

impl Outcome<'_> {
    fn json(&self) -> Value {
        let setting = |s: &Setting| -> Value {
            s.0.iter().map(|(key, value)| (key.clone(), json!(value))).collect::<Map<_, _>>().into()
        };
        let trials: Vec<Value> = self
            .candidates
            .iter()
            .zip(self.outcomes)
            .map(|(one, outcome)| match outcome {
                Ok(judged) => json!({
                    "setting": setting(&one.setting), "folds": judged.folds,
                    "mean_error": judged.mean_error, "std_error": judged.std_error,
                }),
                Err(error) => json!({ "setting": setting(&one.setting), "failed": words::message(error.message()) }),
            })
            .collect();
        json!({
            "trials": trials,
            "best": trials[self.winner],
            "judged_on": self.judged_on,
            "retrained_on": self.table.matrix.len(),
            "train_error": self.fitted.report.train_error,
            "test_error": self.tested.as_ref().map(|(_, judged)| judged.error),
            "test_examples": self.tested.as_ref().map(|(_, judged)| judged.examples),
            "seed": self.args.train.learn.seed,
            "model": self.args.train.output.as_ref().map(|p| p.display().to_string()),
        })
    }

    fn print(&self, what: &str, out: &mut Output) -> Result<()> {
        const SHOWN: usize = 20;
        let examples = count(self.table.matrix.len() as u64, "example", "examples");
        out.item("data", format!("{what}: {examples}, {}", super::train::classes(self.table.labels.names())))?;
        let settings = count(self.candidates.len() as u64, "setting", "settings");
        let seed = self.args.train.learn.seed;
        let more = |(finalists, partitions): (usize, u64)| {
            format!("; {finalists} of them again on {}", count(partitions, "other partition", "other partitions"))
        };
        let again = self.again.map(more).unwrap_or_default();
        out.item("tried", format!("{settings}, each validated on {}, seed {seed}{again}", self.judged_on))?;
        out.line("")?;
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        let error = |i: usize| self.outcomes[i].as_ref().map_or(f64::INFINITY, |judged| judged.mean_error);
        order.sort_by(|&a, &b| error(a).total_cmp(&error(b)));
        out.heading("   error  ±        setting")?;
        for &i in order.iter().take(SHOWN) {
            let setting = &self.candidates[i].setting;
            match &self.outcomes[i] {
                Ok(judged) => {
                    let (mean, spread) =
                        (percent(judged.mean_error), judged.std_error.map(percent).unwrap_or_default());
                    out.line(format!("{mean:>8}  {spread:<7}  {setting}"))?;
                }
                Err(error) => out.line(format!("  failed           {setting}: {}", words::message(error.message())))?,
            }
        }
        if order.len() > SHOWN {
            out.line(format!("  and {} more, which --json shows", thousands((order.len() - SHOWN) as u64)))?;
        }
        out.line("")?;
        out.item("best", &self.candidates[self.winner].setting)?;
        let words: Vec<String> = self.candidates[self.winner].words.iter().map(|word| shell_word(word)).collect();
        out.item("command", words.join(" ").replace(" -- ", " "))?;
        let train_error = self.fitted.report.train_error.map(|error| format!(", train error {}", percent(error)));
        out.item("retrained", format!("on all {examples}{}", train_error.unwrap_or_default()))?;
        if let Some((name, judged)) = &self.tested {
            let wrong = judged.examples as u64 - judged.confusion.right();
            let of = format!("{} of {}", thousands(wrong), thousands(judged.examples as u64));
            out.item("test error", format!("{}  ({of} in {}, used once)", show::file(name), percent(judged.error)))?;
        }
        let saved = self.args.train.output.as_ref().map(|p| p.display().to_string());
        out.item("model", saved.as_deref().unwrap_or("not saved (use -o FILE)"))?;
        out.flush()?;
        if self.args.grid.is_empty() && self.winner == 0 && order[0] != 0 {
            note(
                "the first setting, the default, is kept: no other is better by more than the standard error of the difference",
            );
        }
        if self.tested.is_none() && self.candidates.len() > 1 {
            note("the validation error of the best setting is optimistic: --test FILE measures an unbiased one");
        }
        Ok(())
    }
}
