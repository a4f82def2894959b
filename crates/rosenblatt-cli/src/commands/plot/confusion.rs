//! `rosenblatt plot confusion`: the confusion matrix.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use rosenblatt::read::NeedLabels;
use rosenblatt::{Evaluation, Model};
use rosenblatt_plot::Confusion;
use serde_json::json;

use super::{PictureArgs, made_by, short_name};
use crate::args::DataArgs;
use crate::commands::open;
use crate::output::{Output, count, percent, thousands};

#[derive(Args)]
pub struct ConfusionArgs {
    /// The model
    model: PathBuf,
    /// The labelled examples; `-` is standard input
    data: String,
    #[command(flatten)]
    picture: PictureArgs,
    #[command(flatten)]
    read: DataArgs,
}

pub fn run(args: &ConfusionArgs, out: &mut Output) -> Result<()> {
    let form = args.picture.form(&[&args.model, Path::new(&args.data)], out)?;
    let model = Model::load(&args.model)?;
    let dataset = open::data_for(&model, &args.data, &args.read, NeedLabels::Yes)?;
    open::print_notes(&dataset, out.json);
    let evaluation = Evaluation::new(&model, &dataset.table).map_err(|e| e.in_file(&dataset.name))?;
    let right = evaluation.confusion.right();
    let examples = count(evaluation.examples as u64, "example", "examples");
    let name = short_name(&args.model.display().to_string());
    let confusion = Confusion {
        title: args.picture.title(format!("{name} on {}", short_name(&dataset.name))),
        notes: vec![format!(
            "{}; {} of {examples} right, error {}",
            made_by(&model),
            thousands(right),
            percent(evaluation.error)
        )],
        names: model.labels.names(),
        counts: evaluation.confusion.rows(),
    };
    let facts = json!({ "examples": evaluation.examples, "error": evaluation.error, "classes": evaluation.classes });
    args.picture.save(form, &confusion.draw(), "confusion", facts, out)
}
