//! `rosenblatt explain`: the strongest features of each class, and why each example got its label.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::Model;
use rosenblatt::evaluate::{ClassStrengths, Explainer, Explanation, Strength};
use rosenblatt::io::Input;
use rosenblatt::read::{NeedLabels, bucket_names, read_for};
use rosenblatt::structured::AnyModel;
use serde_json::json;

use super::{open, tag};
use crate::args::DataArgs;
use crate::output::{Output, count, note, number};
use crate::show;

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt explain model
  rosenblatt explain model new.csv --top 5
  rosenblatt explain model new.csv --json
  rosenblatt explain tagger new.conll --top 3";

#[derive(Args)]
pub struct ExplainArgs {
    /// The model
    pub model: PathBuf,
    /// Rows to explain; labels in them are not needed; `-` is standard input
    pub data: Option<String>,
    /// Show N features for and against each class, or N terms of each row; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    #[command(flatten)]
    pub read: DataArgs,
}

const SCALES: &str = "a weight is per unit of its feature: weights of features on different scales cannot be compared";
const SHARED: &str = "correlated features share their weight: a feature with a small weight may still be important";
const VOTED: &str = "votes are not a sum over features: these are the weights of the averaged model, which almost always \
                     predicts the same";

pub fn run(args: &ExplainArgs, out: &mut Output) -> Result<ExitCode> {
    let top = if args.top == 0 { usize::MAX } else { args.top };
    let model = match AnyModel::load(&args.model)? {
        AnyModel::Classifier(model) => *model,
        AnyModel::Tagger(tagger) => return tag::explain::run(&tagger, args, top, out),
    };
    if model.hypothesis.linear().is_none() {
        bail!("a kernel machine has weights of examples, not of features: export it with --to text to see them");
    }
    let explainer = Explainer::new(&model)?;
    let steps = model.preparation();
    let scales = match steps.is_empty() {
        true => format!("{SCALES}; train with --scale standard to compare them"),
        false => format!("{SCALES} (here: {})", steps.join(", ")),
    };
    let mut caveats = vec![scales.as_str(), SHARED];
    if !explainer.is_sum() {
        caveats.insert(0, VOTED);
    }
    match &args.data {
        None => weights(&explainer, top, &caveats, out)?,
        Some(data) => rows(&model, &explainer, data, args, top, &caveats, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn weights(explainer: &Explainer<'_>, top: usize, caveats: &[&str], out: &mut Output) -> Result<()> {
    let classes = explainer.strongest(top);
    if out.json {
        return out.object(&json!({ "classes": classes, "caveats": caveats }));
    }
    for (k, class) in classes.iter().enumerate() {
        if k > 0 {
            out.line("")?;
        }
        print_class(out, class)?;
    }
    out.flush()?;
    caveats.iter().for_each(note);
    Ok(())
}

fn print_class(out: &mut Output, strengths: &ClassStrengths) -> Result<()> {
    out.heading(&format!("{}  (bias {})", show::name(&strengths.class), signed(strengths.bias)))?;
    let side = |side: &[Strength]| -> Vec<(String, String)> {
        side.iter().map(|s| (show::name(&s.feature), signed(s.weight))).collect()
    };
    let (supports, opposes) = (side(&strengths.supports), side(&strengths.opposes));
    side_by_side(out, 12, ("for it", &supports), ("against it", &opposes))
}

/// Two lists of names and weights beside each other, each below its title.
pub fn side_by_side(
    out: &mut Output,
    weight_width: usize,
    left: (&str, &[(String, String)]),
    right: (&str, &[(String, String)]),
) -> Result<()> {
    let width =
        |(title, side): (&str, &[(String, String)])| show::widest(side.iter().map(|(name, _)| name), title.len());
    let widths = (width(left), width(right));
    let cell = |name: &str, weight: &str, width: usize| {
        format!("{}  {}", show::left(name, width), show::right(weight, weight_width))
    };
    let mut line = |a: (&str, &str), b: (&str, &str)| {
        let text = format!("  {}    {}", cell(a.0, a.1, widths.0), cell(b.0, b.1, widths.1));
        out.line(text.trim_end())
    };
    line((left.0, "weight"), (right.0, "weight"))?;
    for i in 0..left.1.len().max(right.1.len()) {
        let at = |side: &'_ [(String, String)]| side.get(i).cloned().unwrap_or_default();
        let (a, b) = (at(left.1), at(right.1));
        line((&a.0, &a.1), (&b.0, &b.1))?;
    }
    Ok(())
}

fn rows(
    model: &Model,
    explainer: &Explainer<'_>,
    data: &str,
    args: &ExplainArgs,
    top: usize,
    caveats: &[&str],
    out: &mut Output,
) -> Result<()> {
    let input = Input::new(data);
    // The names of hashed words are in the data alone, which are read once more for them.
    let input = if model.schema.hashed().is_some() { open::rereadable(input)? } else { input };
    let options = open::options(&args.read)?;
    let dataset = read_for(&input, &options, &model.schema, &model.labels, NeedLabels::No)?;
    let names = bucket_names(&input, &options, &model.schema, &model.labels)?;
    open::print_notes(&dataset, true);
    let rows = dataset.table.matrix.rows()?;
    for i in 0..rows.len() {
        let mut explanation = explainer.explain(rows, i)?;
        if let Some(names) = names.as_ref().and_then(|names| names.get(i)) {
            let known = explanation.terms.iter_mut().filter_map(|term| Some((names.get(&term.feature)?, term)));
            known.for_each(|(name, term)| term.feature.clone_from(name));
        }
        if out.json {
            let shown = &explanation.terms[..explanation.terms.len().min(top)];
            let rest: f64 = explanation.terms[shown.len()..].iter().map(|t| t.contribution).sum();
            out.object(&json!({
                "example": i + 1, "label": explanation.label, "runner_up": explanation.runner_up, "score": explanation.score,
                "bias": explanation.bias, "terms": shown, "rest": rest, "votes": explanation.votes,
            }))?;
        } else {
            print_row(out, model, i, &explanation, top)?;
        }
    }
    if !out.json {
        out.flush()?;
        caveats.iter().for_each(note);
    }
    Ok(())
}

fn print_row(out: &mut Output, model: &Model, i: usize, explanation: &Explanation, top: usize) -> Result<()> {
    if i > 0 {
        out.line("")?;
    }
    let score = match &explanation.runner_up {
        Some(second) => format!("ahead of {} by {}", show::name(second), number(explanation.score)),
        None => format!("the score of {} is {}", show::name(model.labels.name(1)), signed(explanation.score)),
    };
    let votes = explanation.votes.map(|votes| format!(", by votes {}", number(votes))).unwrap_or_default();
    out.heading(&format!("{}  {}  ({score}{votes})", i + 1, show::name(&explanation.label)))?;
    let shown = &explanation.terms[..explanation.terms.len().min(top)];
    let names: Vec<String> = shown.iter().map(|term| show::name(&term.feature)).collect();
    let width = show::widest(&names, 20);
    for (term, name) in shown.iter().zip(&names) {
        let value = if term.value == 1.0 { String::new() } else { format!("  (value {})", number(term.value)) };
        let name = show::left(name, width);
        out.line(format!("  {:>12}  {name}{value}", signed(term.contribution)).trim_end())?;
    }
    if let rest @ 1.. = explanation.terms.len() - shown.len() {
        let sum: f64 = explanation.terms[shown.len()..].iter().map(|t| t.contribution).sum();
        out.line(format!("  {:>12}  {}", signed(sum), count(rest as u64, "more feature", "more features")))?;
    }
    if model.facts.recipe.bias.is_learned() {
        out.line(format!("  {:>12}  (bias)", signed(explanation.bias)))?;
    }
    out.line(format!("  {:>12}  in all", signed(explanation.score)))?;
    Ok(())
}

/// A number with its sign.
fn signed(v: f64) -> String {
    if v > 0.0 { format!("+{}", number(v)) } else { number(v) }
}
