//! `rosenblatt trace`: the textbook's table, a row for each presented example.

use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::learn::{Stop, Weights};
use rosenblatt::map::Preparation;
use rosenblatt::report::{self, Step, proof};
use rosenblatt::theory::{Cycle, Proof, ProofLine};
use rosenblatt::{Fitted, Table, Trainer};
use serde::Serialize;
use serde_json::{Value, json};

use super::{choose, open};
use crate::args::TraceArgs;
use crate::output::{Output, count, number};
use crate::show;

pub fn run(args: &TraceArgs, out: &mut Output) -> Result<ExitCode> {
    let trainer = choose::trainer(&args.learner, args.epochs, &args.order, &args.learn)?;
    let dataset = open::training_data(&args.data, &args.read)?;
    open::print_notes(&dataset, true);
    let prepared = trainer.prepare(&dataset.table).map_err(|e| e.in_file(&dataset.name))?;
    let trainer = choose::begin(trainer, &args.learn, &prepared)?.preparation(Preparation::default());
    trace(&trainer, &prepared.into_table(), args.proof, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Trains and prints every step; the demos use it, too.
pub fn trace(trainer: &Trainer, table: &Table, with_proof: bool, out: &mut Output) -> Result<()> {
    let proof = if with_proof { proof(trainer, table)? } else { None };
    if with_proof && proof.is_none() {
        bail!("--proof needs separable data, and no separating vector was found; leave out --proof to see the steps");
    }
    let mut lines =
        Lines { table, last_epoch: 0, labels: table.labels.names().iter().map(|name| show::name(name)).collect(), out };
    lines.head(trainer.recipe.bias.is_learned(), with_proof)?;
    let mut failed = None;
    let traced = report::trace(trainer, table, proof.as_ref(), &mut |step| match lines.line(&step) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(Stop::Interrupted)
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => end(&traced.fitted, table, proof.as_ref(), traced.cycle, out),
    }
}

#[derive(Serialize)]
struct Row<'a> {
    epoch: u32,
    step: u64,
    example: usize,
    label: &'a str,
    score: f64,
    mistake: bool,
    weights: Value,
    bias: Value,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    proof: Option<ProofLine>,
}

struct Lines<'a> {
    table: &'a Table,
    last_epoch: u32,
    /// The labels as they are printed.
    labels: Vec<String>,
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

/// A vector for display: a long one is cut.
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

impl Lines<'_> {
    fn head(&mut self, bias: bool, proof: bool) -> Result<()> {
        if self.out.json {
            return Ok(());
        }
        let proof = if proof { "      kγ ≤    u·w ≤    ‖w‖ ≤   √k·R " } else { "" };
        let bias = if bias { " and bias b" } else { "" };
        self.out.heading(&format!(
            "pass  step  example  {} {:>8}  mistake {proof} weights{bias} after the step",
            show::left("label", self.label_width()),
            "score",
        ))?;
        Ok(())
    }

    fn label_width(&self) -> usize {
        show::widest(&self.labels, 8)
    }

    fn line(&mut self, step: &Step) -> Result<()> {
        let label = self.table.labels.name(step.class);
        if self.out.json {
            let (weights, bias) = weights_json(&step.weights);
            return self.out.object(&Row {
                epoch: step.epoch,
                step: step.step,
                example: step.example + 1,
                label,
                score: step.score,
                mistake: step.mistake,
                weights,
                bias,
                proof: step.proof,
            });
        }
        if step.epoch != self.last_epoch && self.last_epoch > 0 {
            self.out.line("")?;
        }
        self.last_epoch = step.epoch;
        let mistake = if step.mistake { "yes" } else { "-" };
        let proof = step.proof.map(|p| {
            let [a, b, c, d] = [p.lower, p.u_dot_w, p.norm, p.upper].map(|v| format!("{v:.3}"));
            format!("{a:>8} {b:>8} {c:>8} {d:>8} ")
        });
        let text = format!(
            "{:>4} {:>5} {:>8}  {} {:>8}  {mistake:<7} {} {}",
            step.epoch,
            step.step,
            step.example + 1,
            show::left(&self.labels[step.class as usize], self.label_width()),
            number(step.score),
            proof.unwrap_or_default(),
            vector(&step.weights),
        );
        self.out.line(text)?;
        Ok(())
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
        (Some(cycle), _) => print_cycle(cycle, table, fitted.model.facts.recipe.bias.is_learned(), out)?,
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

/// Prints what a cycle of the weights proves.
fn print_cycle(cycle: &Cycle, table: &Table, bias: bool, out: &mut Output) -> Result<()> {
    let back = match cycle.first_pass {
        0 => "at the start".to_string(),
        n => format!("after pass {n}"),
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
    out.item("cycle", format!("after pass {} the weights are the same as {back}", cycle.again_pass))?;
    out.item("", format!("so the updates in between sum to zero: {}{more} = 0{with}", sum.trim_start_matches("+ ")))?;
    out.item("", "a line with every example on its correct side would make that sum positive,")?;
    out.item("", "so no line separates these data (proved: checked in whole numbers)")?;
    Ok(())
}
