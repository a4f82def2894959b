//! `rosenblatt plot confusion`: the confusion matrix.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use rosenblatt::Evaluation;
use rosenblatt::io::Input;
use rosenblatt::read::NeedLabels;
use rosenblatt::structured::read::Tags;
use rosenblatt::structured::{AnyModel, Tagger};
use rosenblatt_plot::Confusion;
use serde_json::json;

use super::{Form, PictureArgs, made_by, short_name};
use crate::args::DataArgs;
use crate::commands::{open, tag};
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
    let model = match AnyModel::load(&args.model)? {
        AnyModel::Classifier(model) => *model,
        AnyModel::Tagger(tagger) => return tags(args, &tagger, form, out),
    };
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

/// The tags of a tagger: the true ones, and those that it gave.
fn tags(args: &ConfusionArgs, tagger: &Tagger, form: Form, out: &mut Output) -> Result<()> {
    tag::check_format(&args.read, tagger.layout.format)?;
    let input = Input::new(&args.data);
    let evaluation = tagger.evaluate(&mut tagger.open(&input, Tags::Needed)?, None)?;
    let names: Vec<String> = evaluation.per_tag.keys().cloned().collect();
    let times = |truth: &String, given: &String| evaluation.confusion.get(&(truth.clone(), given.clone())).copied();
    let counts: Vec<Vec<u64>> =
        names.iter().map(|truth| names.iter().map(|given| times(truth, given).unwrap_or(0)).collect()).collect();
    let right: u64 = (0..names.len()).map(|k| counts[k][k]).sum();
    let tokens = count(evaluation.tokens, "token", "tokens");
    let name = short_name(&args.model.display().to_string());
    let error = 1.0 - evaluation.token_accuracy;
    let confusion = Confusion {
        title: args.picture.title(format!("{name} on {}", short_name(&input.name()))),
        notes: vec![format!(
            "{}; {} of {tokens} right, error {}",
            tagger.facts.learner,
            thousands(right),
            percent(error)
        )],
        names: &names,
        counts: &counts,
    };
    let facts = json!({ "tokens": evaluation.tokens, "error": error, "classes": names });
    args.picture.save(form, &confusion.draw(), "confusion", facts, out)
}
