//! `rosenblatt plot curve`: mistakes and errors by pass.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::Model;
use rosenblatt_plot::{Curve, Series};
use serde_json::json;

use super::{PictureArgs, made_by, short_name};
use crate::output::{Output, thousands};

#[derive(Args)]
pub struct CurveArgs {
    /// The model
    model: PathBuf,
    #[command(flatten)]
    picture: PictureArgs,
}

pub fn run(args: &CurveArgs, out: &mut Output) -> Result<()> {
    let form = args.picture.form(&[&args.model], out)?;
    let model = Model::load(&args.model)?;
    let facts = &model.facts;
    let mistakes: Vec<f64> = facts.mistakes_by_epoch.iter().map(|&m| m as f64).collect();
    if mistakes.is_empty() {
        bail!("{}: the model was saved before its first pass was done: there is no curve", args.model.display());
    }
    let name = short_name(&args.model.display().to_string());
    let mut notes = vec![format!(
        "{} over {} examples; {} mistakes in all; stopped: {}",
        made_by(&model),
        thousands(facts.examples),
        thousands(facts.mistakes),
        facts.stopped.name()
    )];
    let mut shown = json!({ "passes": mistakes.len(), "mistakes_by_epoch": facts.mistakes_by_epoch });
    let curve = |title: &str, unit: &str, notes: Vec<String>, series: Vec<Series<'_>>| {
        Curve { title: args.picture.title(format!("{name}: {title} by pass")), notes, unit: unit.into(), series }.draw()
    };
    let picture = match &facts.validation {
        None => {
            let series = vec![Series { name: "mistakes while learning".into(), values: &mistakes }];
            curve("mistakes", "mistakes", notes, series)
        }
        Some(held) => {
            // Shares, because the numbers of examples differ.
            let share =
                |wrong: &[u64], of: u64| wrong.iter().map(|&w| 100.0 * w as f64 / of as f64).collect::<Vec<_>>();
            let learning = share(&facts.mistakes_by_epoch, facts.examples);
            let training = share(&held.train_wrong_by_epoch, facts.examples);
            let validation = share(&held.wrong_by_epoch, held.examples);
            let kept = format!("{} held out; the model after pass {} was kept", thousands(held.examples), held.kept);
            notes.push(kept);
            shown["validation"] = json!({ "examples": held.examples, "wrong_by_epoch": held.wrong_by_epoch,
                                         "train_wrong_by_epoch": held.train_wrong_by_epoch, "kept": held.kept });
            let series = vec![
                Series { name: "mistakes while learning".into(), values: &learning },
                Series { name: "training error".into(), values: &training },
                Series { name: "validation error".into(), values: &validation },
            ];
            curve("error", "error, %", notes, series)
        }
    };
    args.picture.save(form, &picture, "curve", shown, out)
}
