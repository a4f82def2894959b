//! `rosenblatt export`: a model in another form.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::Model;
use rosenblatt::model::{self, AnyModel};

use super::tag;
use crate::args::{ExportArgs, ExportForm};
use crate::output::Output;

pub fn run(args: &ExportArgs, out: &mut Output) -> Result<ExitCode> {
    let bytes = match (model::load_any(&args.model)?, args.to) {
        (AnyModel::Classifier(model), ExportForm::Json) => model::to_json(&model),
        (AnyModel::Classifier(model), ExportForm::Onnx) => {
            rosenblatt::export::onnx(&model).map_err(|e| e.in_file(&args.model.display().to_string()))?
        }
        (AnyModel::Classifier(model), ExportForm::Text) => text(&model)?.into_bytes(),
        (AnyModel::Tagger(tagger), ExportForm::Json) => tagger.to_json(),
        (AnyModel::Tagger(tagger), ExportForm::Text) => tag::inspect::text(&tagger)?.into_bytes(),
        (AnyModel::Tagger(_), ExportForm::Onnx) => {
            anyhow::bail!("--to onnx is for classifiers: a tagger's search has no place in it; choose json or text")
        }
    };
    if args.out == "-" {
        out.bytes(&bytes)?;
    } else {
        model::write_file(&args.out, &bytes)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line for each feature that has a weight: its name, then the weight in each output.
fn text(model: &Model) -> Result<String> {
    let w = model.hypothesis.hyperplane();
    let names = model.labels.names();
    let outputs = if w.outputs() == 1 { &names[1..] } else { names };
    let mut text = format!("feature\t{}\n", outputs.join("\t"));
    let line = |text: &mut String, name: &str, weights: &[f64]| {
        text.push_str(name);
        weights.iter().try_for_each(|w| write!(text, "\t{w}"))?;
        text.push('\n');
        anyhow::Ok(())
    };
    if w.biased() {
        line(&mut text, "(bias)", w.bias())?;
    }
    for (name, weights) in model.feature_names().iter().zip(w.values().chunks(w.outputs())) {
        if weights.iter().any(|w| *w != 0.0) {
            line(&mut text, name, weights)?;
        }
    }
    Ok(text)
}
