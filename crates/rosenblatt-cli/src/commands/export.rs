//! `rosenblatt export`: a model in another form.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::escape::field;
use rosenblatt::learn::Hypothesis;
use rosenblatt::learn::kernel::KernelMachine;
use rosenblatt::rows::Row;
use rosenblatt::structured::AnyModel;
use rosenblatt::{Model, io};

use super::{outputs, tag};
use crate::args::{ExportArgs, ExportForm};
use crate::output::Output;

pub fn run(args: &ExportArgs, out: &mut Output) -> Result<ExitCode> {
    if args.out != "-" {
        outputs::check(&[&args.model], &[("OUT", Path::new(&args.out))])?;
    }
    let bytes = match (AnyModel::load(&args.model)?, args.to) {
        (AnyModel::Classifier(model), ExportForm::Json) => model.to_json(),
        (AnyModel::Classifier(model), ExportForm::Onnx) => {
            rosenblatt::export::onnx(&model).map_err(|e| e.in_file(&args.model.display().to_string()))?
        }
        (AnyModel::Classifier(model), ExportForm::Text) => text(&model)?.into_bytes(),
        (AnyModel::Tagger(tagger), ExportForm::Json) => tagger.to_json(),
        (AnyModel::Tagger(tagger), ExportForm::Text) => tag::inspect::text(&tagger)?.into_bytes(),
        (AnyModel::Tagger(_), ExportForm::Onnx) => {
            anyhow::bail!("--to onnx is for classifiers, and cannot express a tagger's search: choose json or text")
        }
    };
    if args.out == "-" {
        out.bytes(&bytes)?;
    } else {
        io::write_file(&args.out, &bytes)?;
        if out.json {
            out.object(&serde_json::json!({ "written": args.out, "bytes": bytes.len() }))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Names as columns.
fn fields(names: &[String]) -> String {
    names.iter().map(|name| field(name)).collect::<Vec<_>>().join("\t")
}

/// A line for each feature with a weight: its name, then the weight in each output.
fn text(model: &Model) -> Result<String> {
    let w = match &model.hypothesis {
        Hypothesis::Kernel(machine) => return support(model, machine),
        Hypothesis::Voted(_) => anyhow::bail!(
            "a voted model is many hyperplanes that vote, not one table of weights: export it with --to json, or train with \
             --keep average for one that almost always predicts the same"
        ),
        linear => linear.hyperplane(),
    };
    let names = model.labels.names();
    let outputs = if w.outputs() == 1 { &names[1..] } else { names };
    let mut text = format!("feature\t{}\n", fields(outputs));
    let line = |text: &mut String, name: &str, weights: &[f64]| {
        text.push_str(&field(name));
        weights.iter().try_for_each(|w| write!(text, "\t{w}"))?;
        text.push('\n');
        anyhow::Ok(())
    };
    if w.biased() {
        line(&mut text, "(bias)", w.bias())?;
    }
    for (name, weights) in model.feature_names()?.iter().zip(w.values().chunks(w.outputs())) {
        if weights.iter().any(|w| *w != 0.0) {
            line(&mut text, name, weights)?;
        }
    }
    Ok(text)
}

/// A line for each support vector: its coefficient in each output, then its nonzero features by name.
fn support(model: &Model, machine: &KernelMachine) -> Result<String> {
    if machine.voters().is_some() {
        anyhow::bail!("a voted kernel machine has a sequence of coefficients, not a table: export it with --to json");
    }
    let names = model.labels.names();
    let outputs = if machine.outputs() == 1 { &names[1..] } else { names };
    let features = model.feature_names()?;
    let mut text = format!("{}\tsupport vector\n", fields(outputs));
    for (slot, own) in machine.coefficients().chunks(machine.outputs()).enumerate() {
        own.iter().try_for_each(|c| write!(text, "{c}\t"))?;
        let mut values = Vec::new();
        machine.support_vector(slot).each(|j, v| values.push(format!("{}={v}", field(&features[j]))));
        text.push_str(&values.join(" "));
        text.push('\n');
    }
    Ok(text)
}
