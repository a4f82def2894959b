//! `rosenblatt plot proof`: the mistake bound at every update; or, if no line separates the classes, the proof of that.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::fit::{Data, Now, Observer, With};
use rosenblatt::learn::Stop;
use rosenblatt::map::Preparation;
use rosenblatt::report;
use rosenblatt::theory::{Plane, Proof};
use serde_json::json;

use super::{PictureArgs, plane, separating, short_name};
use crate::args::{DataArgs, LearnArgs};
use crate::commands::{choose, open};
use crate::output::{Output, at_most, count, number};

#[derive(Args)]
pub struct ProofArgs {
    /// The examples, of two classes; `-` is standard input
    data: String,
    #[command(flatten)]
    picture: PictureArgs,
    /// At most N passes; training stops early after a pass without a mistake
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Learning")]
    epochs: u32,
    /// cyclic, shuffled, or a file of example numbers
    #[arg(long, value_name = "ORDER", default_value = "cyclic", help_heading = "Learning")]
    order: String,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    read: DataArgs,
}

pub fn run(args: &ProofArgs, out: &mut Output) -> Result<()> {
    let form = args.picture.form(&[Path::new(&args.data)], out)?;
    let trainer = choose::trainer("perceptron", args.epochs, &args.order, &args.learn)?;
    let input = open::rereadable_input(&args.data)?;
    let dataset = open::training_input(&input, &args.read)?;
    open::print_notes(&dataset, out.json);
    let prepared = trainer.prepare(&dataset.table).map_err(|e| e.in_file(&dataset.name))?;
    let trainer = choose::begin(trainer, &args.learn, &prepared)?.preparation(Preparation::default());
    let raw = prepared.chain.is_empty();
    let table = &*prepared.into_table();
    let Some(proof) = report::proof(&trainer, table)? else {
        if table.schema.features() != 2 || args.learn.no_bias || !raw {
            bail!(
                "{}: no separating hyperplane was found in floating point, so there is no bound to draw; \
                 `rosenblatt separable` decides whether there is one",
                dataset.name
            );
        }
        let plane = Plane { x: 0, y: 1 };
        let axes = plane::axes(&table.schema, plane);
        let shown = separating::Shown { plane, axes, features: 2, picture: &args.picture, form };
        return separating::draw(&input, &dataset, &shown, "proof", out);
    };
    table.check_lengths().map_err(|e| e.in_file(&dataset.name))?;
    let mut path = Steps { proof: &proof, steps: Vec::new(), on_support: Vec::new() };
    let fitted = trainer
        .fit_with(Data::Table(table), With { observer: Some(&mut path), ..With::default() })
        .map_err(|e| e.in_file(&dataset.name))?;
    let Steps { steps, on_support, .. } = path;
    let ended = match fitted.report.stopped {
        Stop::Separated => format!("separated after {}", count(fitted.report.epochs.into(), "pass", "passes")),
        _ => format!("not yet separated after {}", count(fitted.report.epochs.into(), "pass", "passes")),
    };
    let picture = rosenblatt_plot::Proof {
        title: args.picture.title(format!("The perceptron's proof on {}", short_name(&dataset.name))),
        notes: vec![
            format!(
                "{} made, {ended}; the theorem allows (R/γ)² = {}",
                count(steps.len() as u64, "mistake", "mistakes"),
                at_most(proof.bound())
            ),
            format!(
                "R = {}, γ = {}, held by {}",
                number(proof.radius),
                number(proof.margin),
                count(proof.support.len() as u64, "support example", "support examples")
            ),
        ],
        gain: proof.rate() * proof.margin,
        reach: proof.rate() * proof.radius,
        path: &steps,
        support: &on_support,
    };
    let facts = json!({ "mistakes": steps.len(), "bound": proof.bound(), "radius": proof.radius, "margin": proof.margin,
                       "support": proof.support.iter().map(|i| i + 1).collect::<Vec<_>>() });
    args.picture.save(form, &picture.draw(), "proof", facts, out)
}

/// u·w and ‖w‖ after each update, and which updates (from 1) were on an example of the support.
struct Steps<'a> {
    proof: &'a Proof,
    steps: Vec<[f64; 2]>,
    on_support: Vec<usize>,
}

impl Observer for Steps<'_> {
    fn stride(&self) -> usize {
        1
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        if let (1.., Some(weights)) = (now.tally.updates, now.learner.current()) {
            let line = self.proof.line(&weights, now.progress.updates);
            self.steps.push([line.u_dot_w, line.norm]);
            if self.proof.support.contains(&(now.examples.first() as usize)) {
                self.on_support.push(self.steps.len());
            }
        }
        ControlFlow::Continue(())
    }
}
