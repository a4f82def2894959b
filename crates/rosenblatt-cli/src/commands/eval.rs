//! `rosenblatt eval`: evaluates a model on labelled examples.

use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::Evaluation;
use rosenblatt::read::NeedLabels;
use rosenblatt::structured::AnyModel;

use super::{open, tag};
use crate::args::EvalArgs;
use crate::output::{Output, count, number, percent, thousands};
use crate::show;

/// The most classes of a confusion matrix that is printed; --json has any.
const WIDEST: usize = 12;

pub fn run(args: &EvalArgs, out: &mut Output) -> Result<ExitCode> {
    let model = match AnyModel::load(&args.model)? {
        AnyModel::Classifier(model) => *model,
        AnyModel::Tagger(tagger) => return tag::eval::run(args, &tagger, out),
    };
    for (option, given) in [("--training", args.training.is_some()), ("--skip-untagged", args.skip_untagged)] {
        if given {
            bail!("{option} is for taggers, and this is a classifier");
        }
    }
    let dataset = open::data_for(&model, &args.data, &args.read, NeedLabels::Yes)?;
    open::print_notes(&dataset, out.json);
    let evaluation = Evaluation::new(&model, &dataset.table).map_err(|e| e.in_file(&dataset.name))?;
    if out.json {
        out.object(&evaluation)?;
    } else {
        print(out, &format!("{} [{}]", show::file(&dataset.name), dataset.format), &evaluation)?;
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
    let log_loss = e.log_loss.map(|l| format!("   log loss {l:.4}")).unwrap_or_default();
    let auc = e.auc.map(|auc| format!("   AUC {auc:.4}")).unwrap_or_default();
    out.item("scores", format!("macro F1 {:.4}{auc}   perceptron loss {}{log_loss}", e.macro_f1, number(e.hinge)))?;
    out.line("")?;

    let classes: Vec<String> = e.classes.iter().map(|class| show::name(class)).collect();
    let width = show::widest(&classes, 5);
    out.heading(&format!("{}  precision  recall      F1   support", show::left("class", width)))?;
    for (k, class) in classes.iter().enumerate() {
        let s = e.confusion.score(k);
        let (class, p, r, f1) = (show::left(class, width), s.precision, s.recall, s.f1);
        out.line(format!("{class}     {p:.4}  {r:.4}  {f1:.4}  {:>8}", thousands(s.support)))?;
    }
    print_confusion(out, e, &classes)?;
    print_reliability(out, e)
}

/// The reliability of the probabilities.
fn print_reliability(out: &mut Output, e: &Evaluation) -> Result<()> {
    let Some(bins) = &e.reliability else { return Ok(()) };
    let of = if e.classes.len() == 2 { show::name(&e.classes[1]) } else { "the predicted label".to_string() };
    out.line("")?;
    out.heading("probability   examples  predicted  observed")?;
    for b in bins {
        let range = format!("{:.1} to {:.1}", b.from, b.to);
        let (examples, predicted, observed) = (thousands(b.examples), b.predicted, b.observed);
        out.line(format!("{range:11}  {examples:>9}  {predicted:>9.4}  {observed:>8.4}"))?;
    }
    out.line(format!("(of {of})"))?;
    Ok(())
}

fn print_confusion(out: &mut Output, e: &Evaluation, classes: &[String]) -> Result<()> {
    if classes.len() > WIDEST {
        return Ok(());
    }
    let (width, cell) = (show::widest(classes, 5), show::widest(classes, 7));
    out.line("")?;
    let names: Vec<String> = classes.iter().map(|class| show::right(class, cell)).collect();
    out.heading(&format!("{}  {}", show::left("true", width), names.join(" ")))?;
    for (class, row) in classes.iter().zip(e.confusion.rows()) {
        let cells: Vec<String> = row.iter().map(|&n| show::right(&thousands(n), cell)).collect();
        out.line(format!("{}  {}", show::left(class, width), cells.join(" ")))?;
    }
    Ok(())
}
