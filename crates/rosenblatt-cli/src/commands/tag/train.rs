//! `rosenblatt train` for a tagger.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rosenblatt::ErrorKind;
use rosenblatt::fit::Checkpoint;
use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::structured::read::{SequenceFormat, SequenceOptions};
use rosenblatt::structured::template::{BUILT_IN, Templates, parse};
use rosenblatt::structured::{
    AnyCheckpoint, Constrain, Corpus, FittedTagger, HeldSentences, Scheme, TagEvaluation, Tagger, TaggerCheckpoint,
    TaggerTrainer, TaggerWith,
};
use serde_json::{Value, json};

use super::{Sequences, TagArgs};
use crate::args::{AUTO, Keep, Multiclass, Passes, Scale, ScaleBy, Tf, Tie, TrainArgs};
use crate::commands::{choose, held, interrupted, train};
use crate::output::{Output, count, note, thousands};
use crate::progress::ProgressBar;
use crate::show;

/// Sentences and the checkpoint to resume, or the checkpoint of a table.
type Found = std::result::Result<(Sequences, Option<Box<TaggerCheckpoint>>), Option<Checkpoint>>;

/// Whether the data are sentences: by the checkpoint to resume, or by the data.
pub fn of_sentences(args: &TrainArgs) -> Result<Found> {
    let resumed = args.resume.as_ref().map(AnyCheckpoint::load).transpose()?;
    let name = || show::path(args.resume.as_deref().unwrap_or(Path::new("")));
    if let Some(AnyCheckpoint::Tagger(checkpoint)) = resumed {
        let (format, named) = (checkpoint.format(), &args.read.format);
        if named != "auto" && SequenceFormat::by_name(named) != Some(format) {
            bail!("--format {named}: {} is a checkpoint of a training on {} files", name(), format.name());
        }
        return Ok(Ok((Sequences { format, guessed: None }, Some(checkpoint))));
    }
    match (super::sequences(&args.data, &args.read, &args.tag)?, resumed) {
        (Some(_), _) if !args.more.is_empty() => {
            bail!("{}: sentences are read from one file: put them into one", show::file(&args.more[0]))
        }
        (Some(found), None) => Ok(Ok((found, None))),
        (Some(_), Some(_)) => bail!("{}: a checkpoint of a classifier, and the data are sentences", name()),
        (None, Some(AnyCheckpoint::Classifier(checkpoint))) => Ok(Err(Some(*checkpoint))),
        (None, _) => Ok(Err(None)),
    }
}

pub fn run(
    args: &TrainArgs,
    found: &Sequences,
    resumed: Option<Box<TaggerCheckpoint>>,
    out: &mut Output,
) -> Result<ExitCode> {
    let begin = Instant::now();
    refuse(args)?;
    let trainer = match &resumed {
        Some(checkpoint) => {
            train::check_passes(args, &checkpoint.progress)?;
            checkpoint.trainer(args.epochs.most())
        }
        None => trainer(args)?,
    };
    held::check(args, &trainer.order)?;
    let model_file = train::hold_outputs(args)?;
    let corpus = trainer.read(&Input::new(&args.data), &options(args, found, resumed.as_deref()))?;
    if let (true, Some(how)) = (out.json, found.guessed) {
        note(format!("{}: read as {}, by its {how}", corpus.name, found.format.name()));
    }
    corpus.notes.iter().for_each(|text| note(format!("{}: {text}", show::file(&corpus.name))));
    let read = begin.elapsed();
    let (name, scheme) = (corpus.name.clone(), corpus.scheme);
    let FittedTagger { mut tagger, checkpoint, held } = fit(args, &trainer, corpus, resumed.as_deref())?;
    if args.data == "-" {
        tagger.facts.data = None;
    }
    if let (Some(path), Some(checkpoint)) = (&args.checkpoint, checkpoint) {
        checkpoint.save(path)?;
    }
    if tagger.facts.stopped == Stop::Interrupted {
        let saved = interrupted::save_interrupted(args, model_file, |json| tagger.checked_bytes(json))?;
        return interrupted::interrupted(args, saved);
    }
    let learn = begin.elapsed() - read;
    if let Some(place) = model_file {
        place.write(|json| tagger.checked_bytes(json))?;
    }
    let model = args.output.as_ref().map(|p| p.display().to_string());
    let seconds = [read, learn, begin.elapsed()].map(|d: Duration| d.as_secs_f64());
    if out.json {
        out.object(&report(args, &tagger, scheme, seconds, model))?;
    } else {
        print(
            out,
            &format!("{} [{}]", show::file(&name), found.format.name()),
            (&tagger, held.as_ref()),
            scheme,
            seconds,
            model.as_deref(),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(
    args: &TrainArgs,
    tagger: &Tagger,
    scheme: Option<Scheme>,
    [read, learn, total]: [f64; 3],
    model: Option<String>,
) -> Value {
    let facts = &tagger.facts;
    let mut report = json!({
        "examples": facts.sentences,
        "tokens": facts.tokens,
        "features": features(tagger),
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
        "seconds": {"read": read, "learn": learn, "total": total},
        "warnings": Vec::<String>::new(),
        "model": model,
    });
    if let Some(validated) = facts.validated() {
        report["validation"] = json!(validated);
        report["validation"]["unit"] = json!("token");
    }
    report
}

/// How the sentences are read; a resumed training reads them as before.
pub fn options(args: &TrainArgs, found: &Sequences, resumed: Option<&TaggerCheckpoint>) -> SequenceOptions {
    let tag = args.tag.tag.clone().or_else(|| args.read.label.clone());
    let tag = tag.or_else(|| resumed.and_then(|c| c.options().tag));
    SequenceOptions { format: Some(found.format), tag, skip_untagged: args.tag.skip_untagged }
}

/// Trains, and saves a checkpoint after every pass.
fn fit(
    args: &TrainArgs,
    trainer: &TaggerTrainer,
    corpus: Corpus,
    resume: Option<&TaggerCheckpoint>,
) -> Result<FittedTagger> {
    let mut bar = ProgressBar::new(args.epochs.most()).keeping(args.save_interrupted);
    if let Some(path) = &args.checkpoint {
        bar = bar.saving(move |checkpoint: TaggerCheckpoint| checkpoint.save(path));
    }
    let validation = args.validate.validation.as_ref().map(|file| Input::new(file));
    let share = args.validate.holdout.map(|share| HeldSentences::Share(share, args.learn.seed));
    let held = share.or(validation.as_ref().map(HeldSentences::File));
    let with = TaggerWith { held, patience: args.validate.patience, resume, observer: Some(&mut bar) };
    trainer.fit_with(corpus, with).map_err(|e| match (&args.resume, e.kind()) {
        // The checkpoint does not fit the data.
        (Some(path), ErrorKind::Model) => e.in_file(&path.display().to_string()).into(),
        _ => e.into(),
    })
}

/// The number of features with a weight.
fn features(tagger: &Tagger) -> usize {
    tagger.vocabulary.emissions.len() + tagger.vocabulary.edges.len()
}

/// Refuses options for tables.
pub fn refuse(args: &TrainArgs) -> Result<()> {
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
        ("--calibrate", validate.calibrate),
        ("--progressive", validate.progressive),
        ("--min-count", prepare.min_count != 1),
        ("--tf", !matches!(prepare.tf, Tf::Count)),
        ("--tf-idf", prepare.tf_idf),
        ("--scale", !matches!(prepare.scale, ScaleBy::Auto | ScaleBy::Given(Scale::None))),
        ("--degree", prepare.degree != 1),
        ("--hash-bits", prepare.hash_bits.is_some()),
        ("--lift", prepare.lift.is_some()),
        ("--kernel", args.space.kernel.is_some()),
        ("--labels", args.read.labels.is_some()),
        ("--cache", args.cache != "auto"),
        ("--epochs auto", args.epochs == Passes::Auto),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => bail!("{option} is for tables, and the data are sentences"),
        None => Ok(()),
    }
}

/// The trainer, checked before any data are read.
pub fn trainer(args: &TrainArgs) -> Result<TaggerTrainer> {
    let TagArgs { templates, constrain, encode, tag_dictionary, .. } = &args.tag;
    let averaged = match (args.learner.as_str(), args.learn.keep) {
        ("averaged" | AUTO, None) | ("averaged" | "perceptron" | AUTO, Some(Keep::Average)) => true,
        ("perceptron", None) | ("averaged" | "perceptron" | AUTO, Some(Keep::Last)) => false,
        (other, _) => bail!("--learner {other}: a tagger is trained by averaged or perceptron"),
    };
    Ok(TaggerTrainer {
        templates: templates.as_deref().map(read_templates).transpose()?,
        epochs: args.epochs.most(),
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
    (tagger, held): (&Tagger, Option<&TagEvaluation>),
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
            Stop::NoProgress => {
                let kept = facts.validation.as_ref().map_or(0, |record| record.kept);
                format!("after {passes}: no fewer validation errors since pass {kept}, whose tagger is kept")
            }
            _ => format!("after {passes}, the limit"),
        },
    )?;
    let by_pass: Vec<String> = facts.mistakes_by_epoch.iter().map(|&m| thousands(m)).collect();
    let (mistakes, presented) = (thousands(facts.mistakes), thousands(facts.presented));
    out.item("mistakes", format!("{mistakes} of {presented} sentences; by pass: {}", by_pass.join(" ")))?;
    if let Some(validated) = facts.validated() {
        let chunks = match held.and_then(|held| held.chunks) {
            Some(chunks) => format!("; F1 of the chunks {:.2}", chunks.f1 * 100.0),
            None if scheme.is_some() => "; wrong tokens, not chunks (see `rosenblatt eval`)".to_string(),
            None => String::new(),
        };
        out.item("validation", format!("{}{chunks}", train::validation(&validated, ("token", "tokens"))))?;
    }
    out.item("seconds", format!("read {read:.2}, learn {learn:.2}, total {total:.2}"))?;
    out.item("model", model.unwrap_or("not saved (use -o FILE)"))?;
    Ok(())
}

/// The number of tags, and the first of them.
pub fn tags(labels: &[String]) -> String {
    crate::commands::train::classes(labels).replacen("classes", "tags", 1)
}
