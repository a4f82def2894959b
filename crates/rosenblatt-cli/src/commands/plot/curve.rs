//! `rosenblatt plot curve`: how training went, pass by pass.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::model;
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
    let model = model::load(&args.model)?;
    let facts = &model.facts;
    let mistakes: Vec<f64> = facts.mistakes_by_epoch.iter().map(|&m| m as f64).collect();
    if mistakes.is_empty() {
        bail!("{}: the model was saved before its first pass was done: there is no curve", args.model.display());
    }
    let name = short_name(&args.model.display().to_string());
    let curve = Curve {
        title: args.picture.title(format!("{name}: mistakes by pass")),
        notes: vec![format!(
            "{} over {} examples; {} mistakes in all; stopped: {}",
            made_by(&model),
            thousands(facts.examples),
            thousands(facts.mistakes),
            facts.stopped.name()
        )],
        unit: "mistakes".into(),
        series: vec![Series { name: "mistakes while learning".into(), values: &mistakes }],
    };
    let said = json!({ "passes": mistakes.len(), "mistakes_by_epoch": facts.mistakes_by_epoch });
    args.picture.save(form, &curve.draw(), "curve", said, out)
}
