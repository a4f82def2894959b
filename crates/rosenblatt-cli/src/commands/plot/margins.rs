//! `rosenblatt plot margins`: a histogram of the margins of the examples.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::Model;
use rosenblatt::learn::{Hypothesis, count_wrong};
use rosenblatt::read::NeedLabels;
use rosenblatt_plot::Margins;
use serde_json::json;

use super::{PictureArgs, made_by, short_name};
use crate::args::DataArgs;
use crate::commands::open;
use crate::output::{Output, count};

#[derive(Args)]
pub struct MarginsArgs {
    /// The model
    model: PathBuf,
    /// The labelled examples; `-` is standard input
    data: String,
    #[command(flatten)]
    picture: PictureArgs,
    #[command(flatten)]
    read: DataArgs,
}

pub fn run(args: &MarginsArgs, out: &mut Output) -> Result<()> {
    let form = args.picture.form(&[&args.model, Path::new(&args.data)], out)?;
    let model = Model::load(&args.model)?;
    let dataset = open::data_for(&model, &args.data, &args.read, NeedLabels::Yes)?;
    open::print_notes(&dataset, out.json);
    let table = &dataset.table;
    if table.classes.is_empty() {
        bail!("{}: no examples to measure", dataset.name);
    }
    let scores = model.score_all(table.matrix.rows()?)?;
    // The length of all weights together, as in a report's margin; votes are shares of those cast.
    let (scale, unit) = match &model.hypothesis {
        Hypothesis::Linear(w) => (w.norm(), "geometric margin: divided by the length of the weights"),
        Hypothesis::Voted(v) => (v.presented() as f64, "votes for the true class minus those against, as a share"),
        _ => (1.0, "margin: the score of the true class minus the best other"),
    };
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let outputs = model.hypothesis.outputs();
    let wrong = count_wrong(&scores, outputs, model.tie(), &table.classes);
    let rows = scores.chunks(outputs).zip(&table.classes);
    let values: Vec<f64> = rows.map(|(scores, &class)| margin(scores, class) / scale).collect();
    let name = short_name(&args.model.display().to_string());
    let margins = Margins {
        title: args.picture.title(format!("Margins of {name} on {}", short_name(&dataset.name))),
        notes: vec![format!("{}; {}", made_by(&model), count(values.len() as u64, "example", "examples"))],
        unit: unit.into(),
        values: &values,
        wrong,
    };
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let facts = json!({ "examples": values.len(), "wrong": wrong, "least": least });
    args.picture.save(form, &margins.draw(), "margins", facts, out)
}

/// y·score for two classes; for more, the score of the true class minus the best other.
fn margin(scores: &[f64], class: u32) -> f64 {
    match scores {
        [score] if class == 1 => *score,
        [score] => -score,
        many => {
            let others = many.iter().enumerate().filter(|(k, _)| *k != class as usize).map(|(_, s)| *s);
            many[class as usize] - others.fold(f64::NEG_INFINITY, f64::max)
        }
    }
}
