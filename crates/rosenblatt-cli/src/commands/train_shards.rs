//! `rosenblatt train --shards N`: rounds of parameter mixing on the threads of this machine.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use rosenblatt::fit::{FileFacts, Kept, LeftOpen, Mixing, Mixture, Rounds, Shards};
use rosenblatt::learn::Recipe;
use rosenblatt::{ErrorKind, Fitted, Trainer, report};
use serde::Serialize;

use super::interrupted::interrupted;
use super::train::{Seconds, ends, hold_outputs, print};
use super::{choose, open};
use crate::args::{AUTO, TrainArgs};
use crate::output::{Output, count, number, warning};
use crate::{interrupt, words};

#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    report: &'a rosenblatt::Report,
    rounds: &'a Rounds,
    seconds: Seconds,
    warnings: &'a [String],
    model: Option<String>,
}

pub fn run(args: &TrainArgs, shards: u32, out: &mut Output) -> Result<ExitCode> {
    let begin = Instant::now();
    let resume = args.resume.as_deref().map(Mixture::load).transpose()?;
    let trainer = match &resume {
        Some(mixture) => {
            check_resumed(args, mixture, shards)?;
            mixture.trainer(args.epochs.most())
        }
        // Partitions are learned from as they are: no first rows decide for all of them.
        None => {
            let learner = if args.learner == AUTO { Recipe::default().learner } else { args.learner.clone() };
            let trainer = choose::trainer(&learner, args.epochs.most(), &args.order, &args.learn)?;
            Trainer { left_open: LeftOpen::default(), ..trainer }
        }
    };
    let model_file = hold_outputs(args)?;
    let dataset = open::training_data(args)?;
    let read = Instant::now();
    open::print_notes(&dataset, out.json);
    let shards = Shards { count: shards, mixing: args.mixing, resume };
    let (mut fitted, rounds) = match fit(args, &trainer, &dataset.table, shards) {
        Ok(done) => done,
        Err(error) if error.kind() == ErrorKind::Interrupted => return interrupted(args, None),
        Err(error) if error.kind() == ErrorKind::Settings => return Err(error.into()),
        Err(error) => return Err(error.in_file(&dataset.name).into()),
    };
    let findings = report::examine_streamed(&trainer, &fitted.report, &fitted.failures)?;
    let warnings: Vec<String> = findings.iter().map(|found| words::message(&found.message())).collect();
    if let Some(place) = model_file {
        place.write(|json| fitted.model.checked_bytes(json))?;
    }
    let seconds = Seconds::since(begin, Some(read));
    let model = args.output.as_ref().map(|path| path.display().to_string());
    let (name, format, guessed) = (dataset.name, dataset.format, dataset.guessed);
    fitted.file = Some(FileFacts { name, format, guessed, notes: Vec::new(), kept: Kept::Nowhere });
    if out.json {
        out.object(&Json { report: &fitted.report, rounds: &rounds, seconds, warnings: &warnings, model })?;
    } else {
        print(out, &fitted, None, seconds, model.as_deref())?;
        print_rounds(out, &rounds)?;
        out.flush()?;
        warnings.iter().for_each(warning);
    }
    Ok(ExitCode::SUCCESS)
}

fn check_resumed(args: &TrainArgs, mixture: &Mixture, shards: u32) -> Result<()> {
    let (path, begun) = (args.resume.as_deref().unwrap_or(Path::new("")).display(), mixture.shards());
    if begun != shards {
        bail!("{path}: this training has {}: give --shards {begun}", count(begun.into(), "shard", "shards"));
    }
    if mixture.rounds() > args.epochs.most() {
        let done = mixture.rounds();
        bail!("{path}: {done} rounds are done, beyond --epochs {}: give at least {done}", args.epochs.most());
    }
    Ok(())
}

fn fit(
    args: &TrainArgs,
    trainer: &Trainer,
    table: &rosenblatt::Table,
    shards: Shards,
) -> rosenblatt::Result<(Fitted, Rounds)> {
    let prepared = trainer.prepare(table)?;
    trainer.fit_shards(&prepared, shards, &mut |mixture| {
        if let Some(path) = &args.checkpoint {
            // The file is whole before and after; a signal waits for the writing.
            interrupt::wait_for_save();
            mixture.save(path)?;
        }
        Ok(ControlFlow::Continue(()))
    })
}

fn print_rounds(out: &mut Output, rounds: &Rounds) -> Result<()> {
    let each: Vec<String> = rounds.mixed_mistakes.iter().map(|&mixed| number(mixed)).collect();
    out.item("shards", format!("{}, {}; Σμk by round: {}", rounds.shards, mixing(rounds), ends(&each)))?;
    let sum = number(rounds.mixed_mistakes_in_all);
    let theory = match rounds.bound {
        Some(bound) => format!("ΣΣμk = {sum}, at most R²/γ² = {} by the theorem of mixing", number(bound)),
        None => format!("ΣΣμk = {sum}; no bound (not separated, or the theorem does not speak of this learner)"),
    };
    Ok(out.item("mixing", theory)?)
}

fn mixing(rounds: &Rounds) -> &'static str {
    match rounds.mixing {
        Mixing::Momentum => "equal parts, with momentum",
        Mixing::Uniform => "equal parts",
        Mixing::Errors => "weighted by updates",
    }
}
