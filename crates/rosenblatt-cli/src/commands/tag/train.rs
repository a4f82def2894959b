//! `rosenblatt train` for a tagger.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::structured::read::SequenceOptions;
use rosenblatt::structured::template::{BUILT_IN, Templates, parse};
use rosenblatt::structured::{Constrain, Scheme, Tagger, TaggerTrainer};
use serde_json::json;

use super::{Sequences, TagArgs};
use crate::args::{Keep, Multiclass, Scale, Tf, Tie, TrainArgs};
use crate::commands::{choose, outputs};
use crate::output::{Output, count, note, thousands, warning};
use crate::progress::ProgressBar;
use crate::{interrupt, show};

pub fn run(args: &TrainArgs, found: &Sequences, out: &mut Output) -> Result<ExitCode> {
    let begin = Instant::now();
    refuse(args)?;
    let trainer = trainer(args)?;
    if let Some(path) = &args.output {
        outputs::check(&args.reads().collect::<Vec<_>>(), &[("-o", path)])?;
    }
    let tag = args.tag.tag.clone().or_else(|| args.read.label.clone());
    let corpus = trainer.read(&Input::new(&args.data), &SequenceOptions { format: Some(found.format), tag })?;
    if let (true, Some(how)) = (out.json, found.guessed) {
        note(format!("{}: read as {}, by its {how}", corpus.name, found.format.name()));
    }
    corpus.notes.iter().for_each(|text| note(format!("{}: {text}", show::file(&corpus.name))));
    let read = begin.elapsed();
    let (name, scheme) = (corpus.name.clone(), corpus.scheme);
    let mut progress = ProgressBar::new(args.epochs);
    let mut tagger = trainer.fit(corpus, &mut progress)?;
    drop(progress);
    if args.data == "-" {
        tagger.facts.data = None;
    }
    if tagger.facts.stopped == Stop::Interrupted {
        warning("interrupted; nothing was saved");
        return Ok(ExitCode::from(interrupt::STATUS));
    }
    let learn = begin.elapsed() - read;
    if let Some(path) = &args.output {
        tagger.save(path)?;
    }
    let model = args.output.as_ref().map(|p| p.display().to_string());
    let facts = &tagger.facts;
    let seconds = [read, learn, begin.elapsed()].map(|d: Duration| d.as_secs_f64());
    if out.json {
        out.object(&json!({
            "examples": facts.sentences,
            "tokens": facts.tokens,
            "features": features(&tagger),
            "classes": tagger.labels,
            "learner": facts.learner,
            "templates": tagger.templates.as_ref().map(Templates::to_text),
            "scheme": scheme,
            "epochs": facts.mistakes_by_epoch.len(),
            "presented": facts.presented,
            "mistakes": facts.mistakes,
            "updates": facts.mistakes,
            "mistakes_by_epoch": facts.mistakes_by_epoch,
            "stopped": facts.stopped,
            // Not measured for taggers.
            "train_error": null,
            "radius": null,
            "margin": null,
            "bound": null,
            "seed": facts.seed.unwrap_or(args.learn.seed),
            "seconds": {"read": seconds[0], "learn": seconds[1], "total": seconds[2]},
            "warnings": Vec::<String>::new(),
            "model": model,
        }))?;
    } else {
        print(
            out,
            &format!("{} [{}]", show::file(&name), found.format.name()),
            &tagger,
            scheme,
            seconds,
            model.as_deref(),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The number of features with a weight.
fn features(tagger: &Tagger) -> usize {
    tagger.vocabulary.emissions.len() + tagger.vocabulary.edges.len()
}

/// Refuses options for tables.
fn refuse(args: &TrainArgs) -> Result<()> {
    super::refuse_columns(&args.read)?;
    let (learn, validate, prepare) = (&args.learn, &args.validate, &args.learn.prepare);
    let given = [
        ("--set", !learn.set.is_empty()),
        ("--keep", matches!(learn.keep, Some(Keep::Vote | Keep::Pocket))),
        ("--multiclass", !matches!(learn.multiclass, Multiclass::Single)),
        ("--rate", learn.rate.is_some()),
        ("--schedule", learn.schedule.is_some()),
        ("--epsilon", learn.epsilon.is_some()),
        ("--average-gradient", learn.average_gradient),
        ("--tie", !matches!(learn.tie, Tie::Update)),
        ("--bias", learn.bias.is_some()),
        ("--no-bias", learn.no_bias),
        ("--init", learn.init.is_some()),
        ("--class-weight", learn.class_weight.is_some()),
        ("--holdout", validate.holdout.is_some()),
        ("--validation", validate.validation.is_some()),
        ("--patience", validate.patience.is_some()),
        ("--calibrate", validate.calibrate),
        ("--progressive", validate.progressive),
        ("--min-count", prepare.min_count != 1),
        ("--tf", !matches!(prepare.tf, Tf::Count)),
        ("--tf-idf", prepare.tf_idf),
        ("--scale", !matches!(prepare.scale, Scale::None)),
        ("--degree", prepare.degree != 1),
        ("--hash-bits", prepare.hash_bits.is_some()),
        ("--lift", prepare.lift.is_some()),
        ("--kernel", args.space.kernel.is_some()),
        ("--labels", args.read.labels.is_some()),
        ("--cache", args.cache != "auto"),
        ("--resume", args.resume.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => bail!("{option} is for tables, and the data are sentences"),
        None => Ok(()),
    }
}

/// The trainer, checked before any data are read.
fn trainer(args: &TrainArgs) -> Result<TaggerTrainer> {
    let TagArgs { templates, constrain, encode, tag_dictionary, .. } = &args.tag;
    let averaged = match (args.learner.as_str(), args.learn.keep) {
        ("averaged", None) | ("averaged" | "perceptron", Some(Keep::Average)) => true,
        ("perceptron", None) | ("averaged" | "perceptron", Some(Keep::Last)) => false,
        (other, _) => bail!("--learner {other}: a tagger is trained by averaged or perceptron"),
    };
    Ok(TaggerTrainer {
        templates: templates.as_deref().map(read_templates).transpose()?,
        epochs: args.epochs,
        order: choose::order(&args.order, args.learn.seed)?,
        averaged,
        search: args.tag.search()?,
        constrain: constrain.unwrap_or(Constrain::No),
        encode: *encode,
        dictionary: *tag_dictionary,
    })
}

fn read_templates(name: &str) -> Result<Templates> {
    if let Some(set) = Templates::built_in(name) {
        return Ok(set);
    }
    let built_in: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    let text = std::fs::read_to_string(name)
        .with_context(|| format!("--templates {name}: none of {}, and no such file", built_in.join(", ")))?;
    Ok(parse(name, &text)?)
}

fn print(
    out: &mut Output,
    what: &str,
    tagger: &Tagger,
    scheme: Option<Scheme>,
    [read, learn, total]: [f64; 3],
    model: Option<&str>,
) -> Result<()> {
    let facts = &tagger.facts;
    let chunks = scheme.map(|s| format!(", {}", s.name())).unwrap_or_default();
    out.item(
        "data",
        format!(
            "{what}: {}, {}, {}{chunks}",
            count(facts.sentences, "sentence", "sentences"),
            count(facts.tokens, "token", "tokens"),
            tags(&tagger.labels)
        ),
    )?;
    out.item("features", super::inspect::features(tagger))?;
    let seed = facts.seed.map(|s| format!(", seed {s}")).unwrap_or_default();
    out.item("learner", format!("{}, {}, {} order{seed}", facts.learner, super::inspect::search(tagger), facts.order))?;
    let passes = count(facts.mistakes_by_epoch.len() as u64, "pass", "passes");
    out.item(
        "stopped",
        match facts.stopped {
            Stop::Separated => format!("separated after {passes} (no mistake in the last)"),
            _ => format!("after {passes}, the limit"),
        },
    )?;
    let by_pass: Vec<String> = facts.mistakes_by_epoch.iter().map(|&m| thousands(m)).collect();
    let (mistakes, presented) = (thousands(facts.mistakes), thousands(facts.presented));
    out.item("mistakes", format!("{mistakes} of {presented} sentences; by pass: {}", by_pass.join(" ")))?;
    out.item("seconds", format!("read {read:.2}, learn {learn:.2}, total {total:.2}"))?;
    out.item("model", model.unwrap_or("not saved (use -o FILE)"))?;
    Ok(())
}

/// The number of tags, and the first of them.
pub fn tags(labels: &[String]) -> String {
    crate::commands::train::classes(labels).replacen("classes", "tags", 1)
}
