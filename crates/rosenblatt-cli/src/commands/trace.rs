//! `rosenblatt trace`: the textbook's table, a row for each presented example.

use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::certify::exact::ExactRows;
use rosenblatt::certify::{Numbers, exact_rows};
use rosenblatt::learn::{Hypothesis, Stop, Weights};
use rosenblatt::map::Preparation;
use rosenblatt::report::{self, Step, TraceRow, cycle_object, proof, proof_object};
use rosenblatt::theory::{Cycle, Proof};
use rosenblatt::{Fitted, Table, Trainer};

use super::{choose, open};
use crate::args::{Keep, TraceArgs};
use crate::output::{Output, count, number};
use crate::show;

pub fn run(args: &TraceArgs, out: &mut Output) -> Result<ExitCode> {
    let trainer = choose::trainer(&args.learner, args.epochs, &args.order, &args.learn)?;
    let input = open::rereadable_input(&args.data)?;
    let dataset = open::check_training(open::any_input(&input, &args.read)?)?;
    open::print_notes(&dataset, true);
    let prepared = trainer.prepare(&dataset.table).map_err(|e| e.in_file(&dataset.name))?;
    let trainer = choose::begin(trainer, &args.learn, &prepared)?.preparation(Preparation::default());
    // The rows as written, where they are what the learner reads; formats without certificates have floats only.
    let written = if prepared.chain.is_empty() { exact_rows(&input, &dataset).ok() } else { None };
    trace(&trainer, &prepared.into_table(), args.proof, written.as_deref(), out)?;
    Ok(ExitCode::SUCCESS)
}

/// Trains and prints every step; the demos use it, too.
/// `written`: the exact rows of the data, if the table holds their floats.
pub fn trace(
    trainer: &Trainer,
    table: &Table,
    with_proof: bool,
    written: Option<&dyn ExactRows>,
    out: &mut Output,
) -> Result<()> {
    let proof = if with_proof { proof(trainer, table)? } else { None };
    if with_proof && proof.is_none() {
        bail!(
            "--proof needs separable data, and no separating vector was found in floating point; leave out --proof to see the steps"
        );
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
        None => {
            let bias = traced.fitted.model.facts.recipe.bias.is_learned();
            let cycle = match traced.cycle {
                Some(cycle) => Some((cycle.numbers(written, &table.classes, bias)?, cycle)),
                None => None,
            };
            end(&traced.fitted, table, proof.as_ref(), cycle, out)
        }
    }
}

struct Lines<'a> {
    table: &'a Table,
    last_epoch: u32,
    /// The labels as they are printed.
    labels: Vec<String>,
    out: &'a mut Output,
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
        if self.out.json {
            return self.out.object(&TraceRow::new(step, &self.table.labels));
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

fn end(
    fitted: &Fitted,
    table: &Table,
    proof: Option<&Proof>,
    cycle: Option<(Numbers, Cycle)>,
    out: &mut Output,
) -> Result<()> {
    let r = &fitted.report;
    if out.json {
        if let Some(p) = proof {
            out.object(&proof_object(p, r.mistakes))?;
        }
        if let Some((numbers, cycle)) = &cycle {
            out.object(&cycle_object(cycle, *numbers))?;
        }
        return Ok(());
    }
    out.line("")?;
    let passes = count(r.epochs.into(), "pass", "passes");
    let mistakes = count(r.mistakes, "mistake", "mistakes");
    match (&cycle, r.stopped) {
        (Some((numbers, cycle)), _) => {
            print_cycle(cycle, *numbers, table, fitted.model.facts.recipe.bias.is_learned(), out)?;
        }
        (None, Stop::Separated) => out.item("separated", format!("after {passes} and {mistakes}"))?,
        (None, _) => {
            let why = match r.stopped {
                Stop::MaxEpochs => ", the limit",
                Stop::SmallStep => ": the step became shorter than epsilon",
                Stop::Interrupted => ": interrupted",
                _ => "",
            };
            let last = r.mistakes_by_epoch.last().unwrap_or(&0);
            out.item("not separated", format!("after {passes} and {mistakes} ({last} in the last pass){why}"))?;
        }
    }
    kept(fitted, out)?;
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

/// Prints the weights that are kept, where they are not the last: the mean, the votes, the best.
fn kept(fitted: &Fitted, out: &mut Output) -> Result<()> {
    const SHOWN: usize = 20;
    match (&fitted.model.hypothesis, fitted.model.facts.recipe.keep()?) {
        (Hypothesis::Linear(w), Keep::Average) => {
            out.item("average", format!("{}, the mean of the weights after each step: the model", vector(w)))?;
        }
        (Hypothesis::Linear(w), Keep::Pocket) => {
            out.item("pocket", format!("{}, the weights with the fewest mistakes: the model", vector(w)))?;
        }
        (Hypothesis::Voted(voted), _) if table_of_two(fitted) => {
            let mut voters: Vec<(String, u64)> = Vec::new();
            voted.each_voter(|w, votes| voters.push((vector(w), votes)));
            // The first mistake comes before the first vote.
            voters.retain(|(_, votes)| *votes > 0);
            let all = count(voters.len() as u64, "voter", "voters");
            out.item("votes", format!("{all}, each with a vote for every step that it lasted: the model"))?;
            let width = voters.iter().take(SHOWN).map(|(w, _)| w.chars().count()).max().unwrap_or(0);
            for (w, votes) in voters.iter().take(SHOWN) {
                out.item("", format!("{}  {votes:>5}", show::left(w, width)))?;
            }
            if voters.len() > SHOWN {
                out.item("", format!("and {} more", voters.len() - SHOWN))?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// With three or more classes a step moves several of the voting vectors.
fn table_of_two(fitted: &Fitted) -> bool {
    fitted.model.labels.len() == 2
}

/// Prints what a cycle of the weights proves.
fn print_cycle(cycle: &Cycle, numbers: Numbers, table: &Table, bias: bool, out: &mut Output) -> Result<()> {
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
    match numbers {
        Numbers::AsWritten => out.item("", "so no line separates these data (proved: checked in whole numbers)")?,
        Numbers::Floats => {
            out.item("", "so no line separates the floats that these data are read as (checked in whole numbers);")?;
            out.item("", "of the numbers as they are written, `rosenblatt separable` decides")?;
        }
    }
    Ok(())
}
