//! `rosenblatt trace`: the textbook's table, a row for each presented example.

use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::base::learner::AnyLearner;
use rosenblatt::base::weights::Weights;
use rosenblatt::fit::{ClassWeights, Course, Now, Observer, Start, Stop};
use rosenblatt::map::Preparation;
use rosenblatt::theory::{Cycle, CycleWatch, Proof, ProofLine};
use rosenblatt::{Fitted, Order, Table, Trainer};
use serde::Serialize;
use serde_json::{Value, json};

use super::{choose, open};
use crate::args::TraceArgs;
use crate::output::{Output, count, number};

pub fn run(args: &TraceArgs, out: &mut Output) -> Result<ExitCode> {
    let trainer = choose::trainer(&args.learner, args.epochs, &args.order, &args.learn)?;
    let dataset = open::training_data(&args.data, &args.read)?;
    open::say_notes(&dataset, true);
    let prepared = trainer.prepare(&dataset.table).map_err(|e| e.in_file(&dataset.name))?;
    let trainer = choose::begin(trainer, &args.learn, &prepared)?.preparation(Preparation::default());
    trace(&trainer, &prepared.into_table(), args.proof, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Trains while every step is written down. Also what the demos show.
pub fn trace(trainer: &Trainer, table: &Table, with_proof: bool, out: &mut Output) -> Result<()> {
    let proof = if with_proof { proof(trainer, table)? } else { None };
    if with_proof && proof.is_none() {
        bail!(
            "--proof needs a vector that separates the data, and none was found; without --proof the steps can be seen"
        );
    }
    let start = trainer.learner(table.matrix.features(), table.labels.len())?.current();
    let cyclic = matches!(trainer.plan.order, Order::Cyclic | Order::Given(_));
    let examples = table.examples()?;
    let mut tracer = Tracer {
        table,
        proof: proof.as_ref(),
        cycles: (cyclic && table.labels.len() == 2).then(|| CycleWatch::new(&start, examples)),
        cycle: None,
        bias: trainer.recipe.bias,
        last_epoch: 0,
        label_width: table.labels.names().iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8),
        failed: None,
        out,
    };
    tracer.head()?;
    let fitted = trainer.fit_watched(table, None, &mut tracer)?;
    let Tracer { cycle, failed, .. } = tracer;
    if let Some(error) = failed {
        return Err(error);
    }
    end(&fitted, table, proof.as_ref(), cycle, out)
}

/// What the bound needs. `None` if nothing separates the data.
pub fn proof(trainer: &Trainer, table: &Table) -> Result<Option<Proof>> {
    let recipe = &trainer.recipe;
    if table.labels.len() != 2 {
        bail!("a proof is for two classes; the data have {}", table.labels.len());
    }
    let plain = recipe.params.get("schedule").is_none_or(|s| s == "constant") && trainer.start == Start::Zero;
    if !matches!(recipe.learner.as_str(), "perceptron" | "averaged" | "voted" | "pocket") || !plain {
        bail!(
            "a proof follows the perceptron from zero with a constant rate: leave out --learner, --schedule and --init"
        );
    }
    if trainer.class_weights != ClassWeights::Equal || table.weights.is_some() {
        bail!("a proof follows steps of equal length: leave out --class-weight and --weight");
    }
    let rate = recipe.params()?.number("rate");
    Ok(Proof::find(table, recipe.bias, rate)?)
}

#[derive(Serialize)]
struct Row<'a> {
    epoch: u32,
    step: u64,
    example: u32,
    label: &'a str,
    score: f64,
    mistake: bool,
    weights: Value,
    bias: Value,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    proof: Option<ProofLine>,
}

struct Tracer<'a> {
    table: &'a Table,
    proof: Option<&'a Proof>,
    cycles: Option<CycleWatch>,
    cycle: Option<Cycle>,
    bias: bool,
    last_epoch: u32,
    label_width: usize,
    failed: Option<anyhow::Error>,
    out: &'a mut Output,
}

/// Weights of one output as a list, of many as a list for each class.
fn weights_json(w: &Weights) -> (Value, Value) {
    if w.outputs() == 1 {
        (json!(w.values()), json!(w.bias()[0]))
    } else {
        let columns: Vec<Vec<f64>> = (0..w.outputs()).map(|k| w.column(k).collect()).collect();
        (json!(columns), json!(w.bias()))
    }
}

/// A vector for people: all of a short one, the beginning of a long one.
fn vector(w: &Weights) -> String {
    const SHOWN: usize = 12;
    let list = |values: Vec<f64>| {
        let more = if values.len() > SHOWN { " …" } else { "" };
        let shown: Vec<String> = values.iter().take(SHOWN).map(|&v| number(v)).collect();
        format!("({}{more})", shown.join(", "))
    };
    let each = (0..w.outputs()).map(|k| {
        let bias = if w.biased() { format!(" b {}", number(w.bias()[k])) } else { String::new() };
        format!("{}{bias}", list(w.column(k).collect()))
    });
    each.collect::<Vec<_>>().join("  ")
}

impl Tracer<'_> {
    fn head(&mut self) -> Result<()> {
        if self.out.json {
            return Ok(());
        }
        let proof = if self.proof.is_some() { "      kγ ≤    u·w ≤    ‖w‖ ≤   √k·R " } else { "" };
        let bias = if self.bias { " and bias b" } else { "" };
        self.out.heading(&format!(
            "pass  step  example  {:<width$} {:>8}  mistake {proof} weights{bias} after the step",
            "label",
            "score",
            width = self.label_width
        ))?;
        Ok(())
    }

    fn row(&mut self, now: &Now<'_>) -> Result<()> {
        let i = now.examples[0];
        let weights = now.learner.current();
        let class = self.table.classes[i as usize];
        // For two classes the margin is the score times the label.
        let score =
            if self.table.labels.len() == 2 && class == 0 { -now.tally.last_margin } else { now.tally.last_margin };
        if let Some(cycles) = &mut self.cycles
            && now.tally.updates > 0
        {
            cycles.added(i as usize, &weights);
        }
        let (w, bias) = weights_json(&weights);
        let row = Row {
            epoch: now.course.epochs() + 1,
            step: now.course.presented,
            example: i + 1,
            label: self.table.labels.name(class),
            score: score + 0.0,
            mistake: now.tally.mistakes > 0,
            weights: w,
            bias,
            proof: self.proof.map(|p| p.line(&weights, now.course.updates)),
        };
        if self.out.json {
            return self.out.object(&row);
        }
        if row.epoch != self.last_epoch && self.last_epoch > 0 {
            self.out.line("")?;
        }
        self.last_epoch = row.epoch;
        let mistake = if row.mistake { "yes" } else { "-" };
        let proof = row.proof.map(|p| {
            let [a, b, c, d] = [p.lower, p.u_dot_w, p.norm, p.upper].map(|v| format!("{v:.3}"));
            format!("{a:>8} {b:>8} {c:>8} {d:>8} ")
        });
        let text = format!(
            "{:>4} {:>5} {:>8}  {:<width$} {:>8}  {mistake:<7} {} {}",
            row.epoch,
            row.step,
            row.example,
            row.label,
            number(row.score),
            proof.unwrap_or_default(),
            vector(&weights),
            width = self.label_width
        );
        self.out.line(text)?;
        Ok(())
    }
}

impl Observer for Tracer<'_> {
    fn stride(&self) -> usize {
        1
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        match self.row(now) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(Stop::Interrupted)
            }
        }
    }

    fn pass_ended(&mut self, _: &Course, learner: &dyn AnyLearner, _: &[u32]) -> rosenblatt::Result<ControlFlow<Stop>> {
        let Some(cycles) = &mut self.cycles else { return Ok(ControlFlow::Continue(())) };
        let found = cycles.end_pass(&learner.current());
        let examples = self.table.examples()?;
        self.cycle = found.filter(|cycle| cycle.verify(examples, self.bias));
        Ok(if self.cycle.is_some() { ControlFlow::Break(Stop::NoProgress) } else { ControlFlow::Continue(()) })
    }
}

fn end(fitted: &Fitted, table: &Table, proof: Option<&Proof>, cycle: Option<Cycle>, out: &mut Output) -> Result<()> {
    let r = &fitted.report;
    if out.json {
        if let Some(p) = proof {
            out.object(&json!({ "bound": p.bound(), "radius": p.radius, "margin": p.margin, "mistakes": r.mistakes }))?;
        }
        if let Some(c) = cycle {
            let counts: Vec<Value> = c.counts.iter().map(|(i, n)| json!({ "example": i + 1, "count": n })).collect();
            out.object(&json!({ "stopped": Stop::NoProgress, "separable": false, "cycle": {
                "first_pass": c.first_pass, "again_pass": c.again_pass, "counts": counts } }))?;
        }
        return Ok(());
    }
    out.line("")?;
    let passes = count(r.epochs.into(), "pass", "passes");
    let mistakes = count(r.mistakes, "mistake", "mistakes");
    match (&cycle, r.stopped) {
        (Some(cycle), _) => circle(cycle, table, fitted.model.facts.recipe.bias, out)?,
        (None, Stop::Separated) => out.item("separated", format!("after {passes} and {mistakes}"))?,
        (None, _) => {
            let text = format!(
                "after {passes} and {mistakes} ({} in the last pass)",
                r.mistakes_by_epoch.last().unwrap_or(&0)
            );
            out.item("not separated", text)?;
        }
    }
    if let Some(p) = proof {
        let (k, bound) = (r.mistakes, p.bound());
        let text =
            format!("k = {k} ≤ (R/γ)² = {}   with R = {}, γ = {}", number(bound), number(p.radius), number(p.margin));
        out.item("bound", text)?;
        out.item(
            "",
            format!("each update adds at least γ to u·w, and at most R² to ‖w‖²; for u = {}", vector(&p.unit)),
        )?;
    }
    Ok(())
}

/// Says what a circle proves.
fn circle(cycle: &Cycle, table: &Table, bias: bool, out: &mut Output) -> Result<()> {
    let back = match cycle.first_pass {
        0 => "where they began".to_string(),
        n => format!("where they were after pass {n}"),
    };
    let terms: Vec<String> = cycle
        .counts
        .iter()
        .take(12)
        .map(|(i, n)| {
            let sign = if table.classes[*i] == 1 { '+' } else { '-' };
            format!("{sign} {n}·x{}", i + 1)
        })
        .collect();
    let more = if cycle.counts.len() > 12 { " …" } else { "" };
    let sum = terms.join(" ");
    let with = if bias { ", x with a 1 for the bias" } else { "" };
    out.item("circle", format!("after pass {} the weights are back {back}", cycle.again_pass))?;
    out.item(
        "",
        format!("so the updates between add up to nothing: {}{more} = 0{with}", sum.trim_start_matches("+ ")),
    )?;
    out.item("", "a line that had every example on its right side would make that sum positive,")?;
    out.item("", "so this proves that no line separates these data (checked in whole numbers)")?;
    Ok(())
}
