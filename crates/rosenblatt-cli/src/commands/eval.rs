//! `rosenblatt eval`: how good a model is on labelled examples.

use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::Evaluation;
use rosenblatt::data::NeedLabels;
use rosenblatt::model::{self, AnyModel};

use super::{open, tag};
use crate::args::EvalArgs;
use crate::output::{Output, count, number, percent, thousands};

/// A confusion matrix wider than this is left to --json.
const WIDEST: usize = 12;

pub fn run(args: &EvalArgs, out: &mut Output) -> Result<ExitCode> {
    let model = match model::load_any(&args.model)? {
        AnyModel::Classifier(model) => *model,
        AnyModel::Tagger(tagger) => return tag::eval::run(args, &tagger, out),
    };
    let dataset = open::data_for(&model, &args.data, &args.read, NeedLabels::Yes)?;
    open::say_notes(&dataset, out.json);
    let evaluation = Evaluation::new(&model, dataset.table.examples()?).map_err(|e| e.in_file(&dataset.name))?;
    if out.json {
        out.object(&evaluation)?;
    } else {
        print(out, &format!("{} [{}]", dataset.name, dataset.format), &evaluation)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut Output, what: &str, e: &Evaluation) -> Result<()> {
    let wrong = e.examples as u64 - e.confusion.right();
    out.item("data", format!("{what}: {}", count(e.examples as u64, "example", "examples")))?;
    out.item(
        "error",
        format!("{}  ({} wrong, {} right)", percent(e.error), thousands(wrong), thousands(e.confusion.right())),
    )?;
    let auc = e.auc.map(|auc| format!("   AUC {auc:.4}")).unwrap_or_default();
    out.item("scores", format!("macro F1 {:.4}{auc}   perceptron loss {}", e.macro_f1, number(e.hinge)))?;
    out.line("")?;

    let width = e.classes.iter().map(|c| c.chars().count()).max().unwrap_or(0).max(5);
    out.heading(&format!("{:width$}  precision  recall      F1   support", "class"))?;
    for (k, class) in e.classes.iter().enumerate() {
        let s = e.confusion.score(k);
        let (p, r, f1) = (s.precision, s.recall, s.f1);
        out.line(format!("{class:width$}     {p:.4}  {r:.4}  {f1:.4}  {:>8}", thousands(s.support)))?;
    }
    if e.classes.len() > WIDEST {
        return Ok(());
    }
    let cell = e.classes.iter().map(|c| c.chars().count()).max().unwrap_or(0).max(7);
    out.line("")?;
    let names: Vec<String> = e.classes.iter().map(|c| format!("{c:>cell$}")).collect();
    out.heading(&format!("{:width$}  {}", "true", names.join(" ")))?;
    for (class, row) in e.classes.iter().zip(e.confusion.rows()) {
        let cells: Vec<String> = row.iter().map(|&n| format!("{:>cell$}", thousands(n))).collect();
        out.line(format!("{class:width$}  {}", cells.join(" ")))?;
    }
    Ok(())
}
