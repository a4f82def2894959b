//! `rosenblatt predict`: a label for each row.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::Model;
use rosenblatt::data::NeedLabels;
use rosenblatt::model::{self, AnyModel, decide};
use serde_json::{Map, Value, json};

use super::{open, tag};
use crate::args::PredictArgs;
use crate::output::Output;

pub fn run(args: &PredictArgs, out: &mut Output) -> Result<ExitCode> {
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = path {
        open::refuse_overwriting(&[&args.model, Path::new(&args.data)], path)?;
        model::check_place(path)?;
    }
    let model = match model::load_any(&args.model)? {
        AnyModel::Classifier(model) => *model,
        AnyModel::Tagger(tagger) => return tag::predict::run(args, &tagger, out),
    };
    let dataset = open::data_for(&model, &args.data, &args.read, NeedLabels::No)?;
    open::say_notes(&dataset, true);
    let rows = dataset.table.matrix.rows()?;
    let scores = model.score_all(rows)?;
    let mut text = String::new();
    let mut file = path.map(|_| Vec::new());
    for scores in scores.chunks(model.hypothesis.outputs()) {
        text.clear();
        answer(&model, scores, args.scores, out.json, &mut text)?;
        match &mut file {
            Some(bytes) => bytes.extend_from_slice(text.as_bytes()),
            None => out.bytes(text.as_bytes())?,
        }
    }
    if let (Some(path), Some(bytes)) = (path, file) {
        model::write_file(path, &bytes)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The score of each class: a binary score is the positive class's, and its negative the other's.
fn by_class(scores: &[f64]) -> Vec<f64> {
    match scores {
        [score] => vec![-score + 0.0, score + 0.0],
        many => many.to_vec(),
    }
}

fn answer(model: &Model, scores: &[f64], with_scores: bool, json: bool, text: &mut String) -> Result<()> {
    let label = model.labels.name(decide(scores, model.tie()));
    if json {
        let mut object = json!({ "label": label });
        if with_scores {
            let each = model.labels.names().iter().cloned().zip(by_class(scores).into_iter().map(Value::from));
            object["scores"] = Value::Object(each.collect::<Map<_, _>>());
            if let Some(calibration) = &model.calibration {
                let likely = calibration.probabilities(scores).into_iter().map(Value::from);
                let each = model.labels.names().iter().cloned().zip(likely);
                object["probabilities"] = Value::Object(each.collect::<Map<_, _>>());
            }
        }
        writeln!(text, "{object}")?;
        return Ok(());
    }
    text.push_str(label);
    if with_scores {
        for score in by_class(scores) {
            write!(text, "\t{score}")?;
        }
        if let Some(calibration) = &model.calibration {
            calibration.probabilities(scores).iter().try_for_each(|p| write!(text, "\t{p:.6}"))?;
        }
    }
    text.push('\n');
    Ok(())
}
