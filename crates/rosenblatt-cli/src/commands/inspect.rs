//! `rosenblatt inspect`: what a model file holds and how it was trained.

use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::learn::Hypothesis;
use rosenblatt::structured::AnyModel;
use rosenblatt::{Bias, Error, Model};
use serde_json::json;

use super::tag;
use crate::args::InspectArgs;
use crate::output::{Output, count, number, percent, thousands};

pub fn run(args: &InspectArgs, out: &mut Output) -> Result<ExitCode> {
    let bytes = std::fs::read(&args.model).map_err(|e| Error::io(&args.model, e))?;
    let model = match AnyModel::from_bytes(&args.model.display().to_string(), &bytes)? {
        AnyModel::Classifier(model) => *model,
        AnyModel::Tagger(tagger) => return tag::inspect::run(&tagger, &bytes, out),
    };
    if out.json {
        let w = model.hypothesis.linear();
        let support = match &model.hypothesis {
            Hypothesis::Kernel(machine) => Some(machine.support().len()),
            _ => None,
        };
        let norm = match &w {
            Some(w) => Some(w.norm()),
            None => kernel_norm(&model.hypothesis)?,
        };
        let mut object = json!({
            "kind": kind(&model),
            "classes": model.labels,
            "features": model.hypothesis.features(),
            "bias": w.as_ref().map(|w| w.bias().to_vec()),
            "norm": norm,
            "support_vectors": support,
            "schema": model.schema,
            "maps": model.chain.maps(),
            "training": model.facts,
            "bytes": bytes.len(),
        });
        if let Some(calibration) = &model.calibration {
            object["calibration"] = json!(calibration);
        }
        out.object(&object)?;
    } else {
        print(out, &model, &bytes)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The size of a model file, and whether a checksum protects it.
pub fn size(bytes: &[u8]) -> String {
    let json = bytes.trim_ascii_start().starts_with(b"{");
    let checked = if json { "JSON, which has no checksum" } else { "checksum correct" };
    format!("{} bytes, {checked}", thousands(bytes.len() as u64))
}

fn kind(model: &Model) -> &'static str {
    match model.hypothesis {
        Hypothesis::Linear(_) => "linear",
        Hypothesis::Voted(_) => "voted",
        Hypothesis::Kernel(_) => "kernel",
        _ => "unknown",
    }
}

/// ‖v‖ in the space of the kernel.
fn kernel_norm(hypothesis: &Hypothesis) -> Result<Option<f64>> {
    Ok(match hypothesis {
        Hypothesis::Kernel(machine) => Some(machine.sq_norms()?.iter().sum::<f64>().sqrt()),
        _ => None,
    })
}

fn print(out: &mut Output, model: &Model, bytes: &[u8]) -> Result<()> {
    let facts = &model.facts;
    let recipe = &facts.recipe;
    let voters = match &model.hypothesis {
        Hypothesis::Voted(v) => format!(", {} updates", thousands(v.updates().len() as u64)),
        Hypothesis::Kernel(machine) => match machine.voters() {
            Some(updates) => format!(", voted, {} updates", thousands(updates as u64)),
            None => String::new(),
        },
        _ => String::new(),
    };
    out.item("kind", format!("{}{voters}, {}", kind(model), size(bytes)))?;
    out.item("classes", super::train::classes(model.labels.names()))?;
    let bias = match recipe.bias {
        Bias::NONE => "no bias".to_string(),
        Bias::ONE => "with a bias".to_string(),
        other => format!("with a bias of {}", other.beta()),
    };
    out.item("features", format!("{}, {bias}", thousands(model.hypothesis.features() as u64)))?;
    for done in model.preparation() {
        out.item("prepared", done)?;
    }
    out.item("learner", super::train::learner(recipe))?;
    if let (Some(choice), Hypothesis::Kernel(machine)) = (&recipe.kernel, &model.hypothesis) {
        out.item("kernel", super::train::kernel(choice, machine.support().len() as u64))?;
    }
    let seed = facts.seed.map(|s| format!(", seed {s}")).unwrap_or_default();
    out.item(
        "training",
        format!(
            "{}, {}, {} order{seed}; stopped: {}",
            count(facts.examples, "example", "examples"),
            count(facts.mistakes_by_epoch.len() as u64, "pass", "passes"),
            facts.order,
            facts.stopped.name()
        ),
    )?;
    out.item("mistakes", format!("{} of {} presented", thousands(facts.mistakes), thousands(facts.presented)))?;
    if let Some(data) = facts.data {
        out.item("data", format!("XXH3-64 {data:016x}"))?;
    }
    if let Some(validated) = &facts.validation
        && let Some(error) = validated.error()
    {
        let held = count(validated.examples, "example", "examples");
        out.item("validation", format!("{} of {held} held out, after pass {}", percent(error), validated.kept))?;
    }
    if model.calibration.is_some() {
        out.item("confidence", "probabilities by Platt's sigmoid")?;
    }
    let Some(w) = model.hypothesis.linear() else {
        out.item("norm", kernel_norm(&model.hypothesis)?.map_or_else(String::new, number))?;
        return Ok(());
    };
    out.item("norm", number(w.norm()))?;
    if recipe.bias.is_learned() {
        let bias: Vec<String> = w.bias().iter().map(|&b| number(b)).collect();
        out.item("bias", bias.join(" "))?;
    }
    Ok(())
}
