//! `rosenblatt cv`: stratified cross-validation.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Arg, Args};
use rosenblatt::evaluate::{CrossValidation, Fold, Folds, Majority, each_fold};
use rosenblatt::fit::Settled;
use rosenblatt::report;
use rosenblatt::{Finding, Table, Trainer};
use serde::Serialize;

use super::held::{self, Parts};
use super::{about_data, choose, open, tag};
use crate::args::{Passes, TrainArgs};
use crate::output::{Output, count, number, percent, thousands, warning};
use crate::{show, words};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt cv data.csv
  rosenblatt cv data.svm --folds 10 --learner pa1 --set c=0.1
  rosenblatt cv sentences.conll --folds 10
  rosenblatt cv data.csv --epochs 100 --holdout 0.1 --patience 3 --json";

#[derive(Args)]
pub struct CvArgs {
    #[command(flatten)]
    pub train: TrainArgs,
    /// The number of folds; a model trained on the others is evaluated on each
    #[arg(long, value_name = "K", default_value_t = 5, help_heading = "Validation")]
    pub folds: u32,
}

/// Options of `train` that make no sense here.
const REFUSED: [&str; 6] = ["output", "resume", "checkpoint", "validation", "calibrate", "progressive"];

pub fn hide(arg: Arg) -> Arg {
    if REFUSED.contains(&arg.get_id().as_str()) { arg.hide(true) } else { arg }
}

#[derive(Serialize)]
struct Json<'a> {
    examples: usize,
    features: usize,
    classes: &'a [String],
    learner: &'a str,
    #[serde(flatten)]
    judged: &'a CrossValidation,
    majority_error: f64,
    warnings: &'a [String],
    seed: u64,
}

pub fn run(args: &CvArgs, out: &mut Output) -> Result<ExitCode> {
    let train = &args.train;
    refuse(train)?;
    if args.folds < 2 {
        bail!("--folds {}: expected at least 2", args.folds);
    }
    if let Some(found) = tag::sentences(train)? {
        return tag::cv::run(args, &found, out);
    }
    let trainer = choose::trainer(&train.learner, train.epochs.most(), &train.order, &train.learn)?;
    let trainer = choose::in_space(trainer, &train.space, &train.learn)?;
    held::check(train, &trainer.plan.order)?;
    held::refuse_given_order(&trainer.plan.order, "cv")?;
    let dataset = open::training_data(train)?;
    open::print_notes(&dataset, out.json);
    let table = &dataset.table;
    let trainer = choose::begin_on(trainer, &train.learn, table)?;
    let seed = train.learn.seed;
    let here = |e: rosenblatt::Error| e.in_file(&dataset.name);
    let folds = Folds::stratified(table, args.folds, seed).map_err(here)?;
    let fit = |rest: &_| {
        let parts = Parts::of_fold(rest, &train.validate, seed)?;
        let trainer = match train.epochs {
            Passes::Auto => &trainer.clone().epochs(trainer.passes(parts.train(), seed)?),
            Passes::Given(_) => &trainer,
        };
        parts.fit(trainer, &trainer.prepare(parts.train())?)
    };
    let judged = each_fold(table, &folds, fit, |fitted, held| Fold::judge(&fitted, held)).map_err(here)?;
    let judged = CrossValidation::new(judged);
    let (settled, warnings) = examine(&trainer, table, &judged).map_err(here)?;
    if out.json {
        let (examples, features) = (table.matrix.len(), table.matrix.features());
        let (classes, learner) = (table.labels.names(), &settled.trainer.recipe.learner);
        let (majority_error, warnings) = (Majority::of(table).error, &warnings);
        out.object(&Json { examples, features, classes, learner, judged: &judged, majority_error, warnings, seed })?;
    } else {
        let what = format!("{} [{}]", show::file(&dataset.name), dataset.format);
        let examples = count(table.matrix.len() as u64, "example", "examples");
        out.item("data", format!("{what}: {examples}, {}", super::train::classes(table.labels.names())))?;
        about_data::majority(out, table)?;
        let chain = settled.trainer.prepare(table).map_err(here)?.chain;
        about_data::prepared(out, &chain.describe(), settled.need)?;
        let learner = super::train::learner(&settled.trainer.recipe);
        out.item("learner", format!("{learner}, up to {} passes, seed {seed}", trainer.plan.epochs))?;
        print(out, &judged)?;
        out.flush()?;
        warnings.iter().for_each(warning);
    }
    Ok(ExitCode::SUCCESS)
}

/// What a training on all examples shows: what was left to the data, and warnings.
fn examine(trainer: &Trainer, table: &Table, judged: &CrossValidation) -> rosenblatt::Result<(Settled, Vec<String>)> {
    let settled = trainer.settle(table)?;
    let fitted = settled.trainer.fit(table)?;
    let mut findings = report::examine(&settled.trainer, table, &fitted, None)?;
    let no_better = |found: &Finding| matches!(found, Finding::NoBetterThanMajority { .. });
    if !findings.iter().any(no_better) {
        findings.extend(report::no_better(&settled.trainer, table, judged.mean_error));
    }
    Ok((settled, findings.iter().map(|found| words::message(&found.message())).collect()))
}

fn refuse(train: &TrainArgs) -> Result<()> {
    if train.output.is_some() || train.resume.is_some() || train.checkpoint.is_some() {
        bail!("cv saves no model; `rosenblatt train` does");
    }
    if train.validate.validation.is_some() {
        bail!(
            "--validation: cv holds out its own examples, fold by fold; leave it out, or use --holdout for --patience"
        );
    }
    if train.validate.calibrate || train.validate.progressive {
        bail!("--calibrate and --progressive are for `rosenblatt train`: they do not change the error of a fold");
    }
    Ok(())
}

fn print(out: &mut Output, judged: &CrossValidation) -> Result<()> {
    out.line("")?;
    out.heading("fold  examples    error  train error  perceptron loss  passes")?;
    for (k, fold) in (1..).zip(&judged.folds) {
        let (error, train) = (percent(fold.error), fold.train_error.map_or_else(|| "-".into(), percent));
        let (examples, hinge) = (thousands(fold.examples as u64), number(fold.hinge));
        out.line(format!("{k:>4}  {examples:>8}  {error:>7}  {train:>11}  {hinge:>15}  {:>6}", fold.epochs))?;
    }
    out.line("")?;
    let folds = judged.folds.len();
    out.item(
        "error",
        format!(
            "{} ± {}  (mean and standard deviation of {folds} folds)",
            percent(judged.mean_error),
            percent(judged.std_error.unwrap_or(0.0))
        ),
    )?;
    Ok(())
}
