//! `rosenblatt plot curve`: mistakes and errors by pass.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::learn::Stop;
use rosenblatt::model::Validation;
use rosenblatt::structured::AnyModel;
use rosenblatt_plot::{Curve, Series};
use serde_json::json;

use super::{PictureArgs, made_by, short_name};
use crate::output::{Output, count, thousands};

#[derive(Args)]
pub struct CurveArgs {
    /// The model
    model: PathBuf,
    #[command(flatten)]
    picture: PictureArgs,
}

/// What a curve shows of a classifier or a tagger.
struct Facts {
    made_by: String,
    unit: &'static str,
    held_unit: &'static str,
    learning: &'static str,
    presented_each_pass: u64,
    /// Examples, or tokens, whose error is shown.
    judged: u64,
    mistakes: u64,
    mistakes_by_epoch: Vec<u64>,
    stopped: Stop,
    validation: Option<Validation>,
}

impl Facts {
    fn of(model: AnyModel) -> Self {
        match model {
            AnyModel::Classifier(model) => Facts {
                made_by: made_by(&model),
                unit: "examples",
                held_unit: "",
                learning: "mistakes while learning",
                presented_each_pass: model.facts.examples,
                judged: model.facts.examples,
                mistakes: model.facts.mistakes,
                mistakes_by_epoch: model.facts.mistakes_by_epoch,
                stopped: model.facts.stopped,
                validation: model.facts.validation,
            },
            AnyModel::Tagger(tagger) => {
                let facts = tagger.facts;
                let passes = count(facts.mistakes_by_epoch.len() as u64, "pass", "passes");
                Facts {
                    made_by: format!("{}, {passes}", facts.learner),
                    unit: "sentences",
                    held_unit: " tokens",
                    learning: "sentences with a mistake",
                    presented_each_pass: facts.sentences,
                    judged: facts.tokens,
                    mistakes: facts.mistakes,
                    mistakes_by_epoch: facts.mistakes_by_epoch,
                    stopped: facts.stopped,
                    validation: facts.validation,
                }
            }
        }
    }
}

pub fn run(args: &CurveArgs, out: &mut Output) -> Result<()> {
    let form = args.picture.form(&[&args.model], out)?;
    let facts = Facts::of(AnyModel::load(&args.model)?);
    let mistakes: Vec<f64> = facts.mistakes_by_epoch.iter().map(|&m| m as f64).collect();
    if mistakes.is_empty() {
        bail!("{}: the model was saved before its first pass was done: there is no curve", args.model.display());
    }
    let name = short_name(&args.model.display().to_string());
    let mut notes = vec![format!(
        "{} over {} {}; {} mistakes in all; stopped: {}",
        facts.made_by,
        thousands(facts.presented_each_pass),
        facts.unit,
        thousands(facts.mistakes),
        facts.stopped.name()
    )];
    let mut shown = json!({ "passes": mistakes.len(), "mistakes_by_epoch": facts.mistakes_by_epoch });
    let curve = |title: &str, unit: &str, notes: Vec<String>, series: Vec<Series<'_>>| {
        Curve { title: args.picture.title(format!("{name}: {title} by pass")), notes, unit: unit.into(), series }.draw()
    };
    let picture = match &facts.validation {
        None => {
            let series = vec![Series { name: facts.learning.into(), values: &mistakes }];
            curve("mistakes", "mistakes", notes, series)
        }
        Some(held) => {
            // Shares, because the numbers of examples differ.
            let share =
                |wrong: &[u64], of: u64| wrong.iter().map(|&w| 100.0 * w as f64 / of as f64).collect::<Vec<_>>();
            let learning = share(&facts.mistakes_by_epoch, facts.presented_each_pass);
            let training = share(&held.train_wrong_by_epoch, facts.judged);
            let validation = share(&held.wrong_by_epoch, held.examples);
            let kept = format!(
                "{}{} held out; the model after pass {} was kept",
                thousands(held.examples),
                facts.held_unit,
                held.kept
            );
            notes.push(kept);
            shown["validation"] = json!({ "examples": held.examples, "wrong_by_epoch": held.wrong_by_epoch,
                                         "train_wrong_by_epoch": held.train_wrong_by_epoch, "kept": held.kept });
            let series = vec![
                Series { name: facts.learning.into(), values: &learning },
                Series { name: "training error".into(), values: &training },
                Series { name: "validation error".into(), values: &validation },
            ];
            curve("error", "error, %", notes, series)
        }
    };
    args.picture.save(form, &picture, "curve", shown, out)
}
