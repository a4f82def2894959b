//! `rosenblatt train`: trains a model on a file, and reports why training stopped.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Result;
use rosenblatt::evaluate::{Milestone, Progressive};
use rosenblatt::fit::{
    Checkpoint, Data, FileData, FileFacts, HeldBack, Kept, Report, Settled, Storage, Validated, With,
};
use rosenblatt::io::Input;
use rosenblatt::learn::kernel::Choice;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::learn::{Progress, Recipe, Stop};
use rosenblatt::map::Prepared;
use rosenblatt::report::{self, Look};
use rosenblatt::rows::Table;
use rosenblatt::{ErrorKind, Fitted, Trainer, limits};
use serde::Serialize;

use super::interrupted::{interrupted, save_interrupted};
use super::outputs::{self, ModelFile};
use super::{about_data, choose, held, open, tag, train_shards};
use crate::args::{Passes, TrainArgs};
use crate::output::{Output, at_most, count, note, number, percent, thousands, warning};
use crate::progress::ProgressBar;
use crate::{show, words};

#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    progressive: Vec<Milestone>,
    seconds: Seconds,
    warnings: &'a [String],
    model: Option<String>,
}

/// The report of a training that was interrupted during reading.
#[derive(Serialize)]
struct Unfinished {
    stopped: Stop,
    seconds: Seconds,
    model: Option<String>,
}

/// Where learning overlaps reading, only the total is known; a first pass that overlaps counts as reading.
#[derive(Serialize, Clone, Copy)]
pub struct Seconds {
    read: Option<f64>,
    learn: Option<f64>,
    total: f64,
}

impl Seconds {
    pub fn since(begin: Instant, ready: Option<Instant>) -> Self {
        let total = begin.elapsed().as_secs_f64();
        let read = ready.map(|ready| (ready - begin).as_secs_f64());
        Seconds { read, learn: read.map(|read| total - read), total }
    }
}

pub fn run(args: &TrainArgs, out: &mut Output) -> Result<ExitCode> {
    if let Some(shards) = args.shards {
        return train_shards::run(args, shards, out);
    }
    let begin = Instant::now();
    let resumed = match tag::train::of_sentences(args)? {
        Ok((found, resumed)) => return tag::train::run(args, &found, resumed, out),
        Err(resumed) => resumed,
    };
    args.tag.refuse()?;
    if args.epochs == Passes::Auto {
        return run(&auto_passes(args)?, out);
    }
    // Errors that do not depend on the data are reported before reading.
    let trainer = chosen(args, resumed.as_ref())?;
    let model_file = hold_outputs(args)?;
    let (look, mut bar) = (Mutex::new(None), ProgressBar::new(args.epochs.most()).keeping(args.save_interrupted));
    if let Some(path) = &args.checkpoint {
        bar = bar.saving(move |checkpoint: Checkpoint| checkpoint.save(path));
    }
    let (fitted, progressive) = fit(args, &trainer, resumed.as_ref(), &look, &mut bar);
    let ready = bar.ready();
    drop(bar);
    let mut fitted = match fitted {
        Ok(fitted) => fitted,
        Err(e) if e.kind() == ErrorKind::Interrupted => {
            if out.json {
                let seconds = Seconds::since(begin, None);
                out.object(&Unfinished { stopped: Stop::Interrupted, seconds, model: None })?;
            }
            return interrupted(args, None);
        }
        // The checkpoint does not fit the data.
        Err(e) if e.kind() == ErrorKind::Model && args.resume.is_some() => {
            let path = args.resume.as_deref().unwrap_or(Path::new(""));
            return Err(e.in_file(&path.display().to_string()).into());
        }
        Err(e) => return Err(e.into()),
    };
    fitted.report.seed = fitted.report.seed.or(Some(args.learn.seed));
    print_file_notes(args, &fitted, out.json)?;
    if let (Some(path), Some(checkpoint)) = (&args.checkpoint, &fitted.checkpoint) {
        checkpoint.save(path)?;
    }
    if fitted.report.stopped == Stop::Interrupted {
        let saved = save_interrupted(args, model_file, |json| fitted.model.clone().compact().checked_bytes(json))?;
        if out.json {
            let seconds = Seconds::since(begin, ready);
            let model = saved.map(|path| path.display().to_string());
            out.object(&Json { report: &fitted.report, progressive, seconds, warnings: &[], model })?;
        }
        return interrupted(args, saved);
    }
    let settled = fitted.settled.take();
    let trainer = settled.as_ref().map_or(&trainer, |settled| &settled.trainer);
    let warnings = finish(args, trainer, &mut fitted, look.into_inner().ok().flatten(), model_file)?;
    let seconds = Seconds::since(begin, ready);
    let model = args.output.as_ref().map(|p| p.display().to_string());
    if out.json {
        out.object(&Json { report: &fitted.report, progressive, seconds, warnings: &warnings, model })?;
    } else {
        print(out, &fitted, settled.as_deref(), seconds, model.as_deref())?;
        print_progressive(out, &progressive)?;
        out.flush()?;
        warnings.iter().for_each(warning);
    }
    Ok(ExitCode::SUCCESS)
}

/// The trainer that the arguments or a checkpoint ask for.
fn chosen(args: &TrainArgs, resumed: Option<&Checkpoint>) -> Result<Trainer> {
    let trainer = match resumed {
        Some(checkpoint) => {
            check_passes(args, &checkpoint.progress)?;
            checkpoint.trainer(args.epochs.most())
        }
        None => {
            let trainer = choose::trainer(&args.learner, args.epochs.most(), &args.order, &args.learn)?;
            choose::in_space(trainer, &args.space, &args.learn)?
        }
    };
    held::check(args, &trainer.plan.order)?;
    Ok(trainer)
}

/// The arguments with the number of passes that a held-out tenth of the examples asks for.
fn auto_passes(args: &TrainArgs) -> Result<TrainArgs> {
    let validate = &args.validate;
    if args.resume.is_some() || validate.holdout.is_some() || validate.validation.is_some() {
        anyhow::bail!("--epochs auto holds out examples of its own: leave out --resume, --holdout and --validation");
    }
    if args.data == "-" {
        anyhow::bail!("--epochs auto reads the examples twice: name a file instead of standard input");
    }
    let trainer = chosen(args, None)?;
    held::refuse_given_order(&trainer.plan.order, "--epochs auto")?;
    let dataset = open::training_data(args)?;
    let passes = trainer.passes(&dataset.table, args.learn.seed).map_err(|e| e.in_file(&dataset.name))?;
    let made = count(passes.into(), "pass", "passes");
    note(format!("{made} made the fewest errors on a held-out tenth; now on all examples"));
    Ok(TrainArgs { epochs: Passes::Given(passes), ..args.clone() })
}

/// Refuses a checkpoint with more passes than are asked for.
pub fn check_passes(args: &TrainArgs, progress: &Progress) -> Result<()> {
    let done = progress.epochs() + u32::from(progress.position > 0);
    if done > args.epochs.most() {
        anyhow::bail!(
            "{}: the checkpoint is in pass {done}, beyond --epochs {}: give at least {done}",
            args.resume.as_deref().unwrap_or(Path::new("")).display(),
            args.epochs.most()
        );
    }
    Ok(())
}

/// Refuses outputs that cannot be written, or that are also read or written otherwise; holds the file of the model.
pub fn hold_outputs(args: &TrainArgs) -> Result<Option<ModelFile>> {
    let model = args.output.as_deref().map(|path| ("-o", path));
    let checkpoint = args.checkpoint.as_deref().map(|path| ("--checkpoint", path));
    let cache = Some(&args.cache).filter(|cache| !matches!(&cache[..], "auto" | "off"));
    let cache = cache.map(|path| ("--cache", Path::new(path)));
    let reads: Vec<&Path> = args.reads().collect();
    outputs::check(&reads, &[model, checkpoint, cache].into_iter().flatten().collect::<Vec<_>>())?;
    // A checkpoint may replace the one that it resumes; nothing else may.
    let resumed: Vec<&Path> = args.resume.as_deref().into_iter().collect();
    outputs::check(&resumed, &[model, cache].into_iter().flatten().collect::<Vec<_>>())?;
    args.output.as_deref().map(ModelFile::hold).transpose()
}

/// Where the rows are kept between passes.
fn storage(args: &TrainArgs, trainer: &Trainer, input: &Input) -> Result<Storage> {
    // What is left open needs nothing, or gives way to a cache.
    let by_blocks = input.opens_again() && trainer.learns_by_blocks();
    Ok(match &args.cache[..] {
        "auto" => Storage::Either { memory: limits::current().memory, folder: std::env::temp_dir() },
        "off" => Storage::Memory,
        _ if !by_blocks => {
            anyhow::bail!("--cache {}: a cache is for data in a file, learned from block by block", args.cache)
        }
        file => Storage::Cache(file.into()),
    })
}

/// Trains, with the progressive error of the first pass if requested.
fn fit(
    args: &TrainArgs,
    trainer: &Trainer,
    resume: Option<&Checkpoint>,
    look: &Mutex<Option<Look>>,
    bar: &mut ProgressBar<'_>,
) -> (rosenblatt::Result<Fitted>, Vec<Milestone>) {
    let prepare = || -> Result<_> {
        let input = open::examples(args)?;
        Ok((open::options(&args.read)?, storage(args, trainer, &input)?, input))
    };
    let (options, storage, input) = match prepare() {
        Ok(prepared) => prepared,
        Err(e) => return (Err(choose::known(e)), Vec::new()),
    };
    let validation = args.validate.validation.as_ref().map(|file| Input::new(file));
    let share = args.validate.holdout.map(|share| HeldBack::Share(share, args.learn.seed));
    let start = |prepared: &Prepared<'_>| choose::start_at(&args.learn, prepared);
    let beside = |table: &Table| {
        if let Ok(mut look) = look.lock() {
            *look = Look::at(table).ok();
        }
    };
    let data = FileData {
        rows_needed: args.validate.needs_all_rows(),
        start: if resume.is_none() && args.learn.init.is_some() { Some(&start) } else { None },
        beside: Some(&beside),
        ..FileData::new(&input, &options, &storage)
    };
    let held = share.or(validation.as_ref().map(HeldBack::File));
    let with = With { held, patience: args.validate.patience, resume, observer: None };
    if !args.validate.progressive {
        return (trainer.fit_with(Data::File(data), With { observer: Some(bar), ..with }), Vec::new());
    }
    let mut progressive = Progressive::new(bar);
    let fitted = trainer.fit_with(Data::File(data), With { observer: Some(&mut progressive), ..with });
    (fitted, progressive.milestones())
}

/// Prints the notes about the file and its storage.
fn print_file_notes(args: &TrainArgs, fitted: &Fitted, format_too: bool) -> Result<()> {
    let Some(FileFacts { name, format, guessed, notes, kept }) = &fitted.file else { return Ok(()) };
    open::print_notes_of(name, *format, *guessed, notes, format_too);
    let Kept::Memory(rows) = kept else { return Ok(()) };
    if let Some(validation) = rows.validation() {
        open::print_notes(validation, false);
    }
    if !matches!(&args.cache[..], "auto" | "off") {
        note(format!("{name}: no cache was made: only libsvm text and tables of numbers can have one"));
    }
    Ok(())
}

/// Calibrates, examines and saves a model; the warnings.
fn finish(
    args: &TrainArgs,
    trainer: &Trainer,
    fitted: &mut Fitted,
    look: Option<Look>,
    model_file: Option<ModelFile>,
) -> Result<Vec<String>> {
    let file = fitted.file.take();
    let rows = match file.as_ref().map(|file| &file.kept) {
        Some(Kept::Memory(rows)) => Some(rows),
        _ => None,
    };
    let findings = match rows {
        Some(rows) => {
            if args.validate.calibrate {
                held::calibrate_like(trainer, rows.train(), args.validate.patience, fitted, args.learn.seed)
                    .map_err(|e| e.in_file(&rows.dataset().name))?;
            }
            report::examine(trainer, rows.train(), fitted, look)?
        }
        None => report::examine_streamed(trainer, &fitted.report, &fitted.failures)?,
    };
    if let Some(place) = model_file {
        let prepares = !fitted.model.chain.is_empty();
        place.write(|json| match prepares {
            true => fitted.model.clone().compact().checked_bytes(json),
            false => fitted.model.checked_bytes(json),
        })?;
    }
    fitted.file = file;
    Ok(findings.iter().map(|found| words::message(&found.message())).collect())
}

/// A word, quoted for a shell if needed.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=+:,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

pub fn print(
    out: &mut Output,
    fitted: &Fitted,
    settled: Option<&Settled>,
    seconds: Seconds,
    model: Option<&str>,
) -> Result<()> {
    let (r, trained) = (&fitted.report, &fitted.model);
    let facts = &trained.facts;
    let what =
        fitted.file.as_ref().map_or_else(String::new, |file| format!("{} [{}]", show::file(&file.name), file.format));
    out.item(
        "data",
        format!(
            "{what}: {}, {}, {}",
            count(r.examples, "example", "examples"),
            count(r.features as u64, "feature", "features"),
            classes(&r.classes)
        ),
    )?;
    if let Some(Kept::Memory(rows)) = fitted.file.as_ref().map(|file| &file.kept) {
        about_data::majority(out, rows.train())?;
    }
    about_data::prepared(out, &trained.preparation(), settled.and_then(|settled| settled.need))?;
    let seed = facts.seed.map(|s| format!(", seed {s}")).unwrap_or_default();
    out.item("learner", format!("{}, {} order{seed}", learner(&facts.recipe), facts.order))?;
    if let Some(choice) = &facts.recipe.kernel {
        out.item("kernel", kernel(choice, r.support_vectors.unwrap_or(0)))?;
    }
    out.item("stopped", stopped(r))?;
    out.item("mistakes", mistakes(r))?;
    if let Some(error) = r.train_error {
        out.item("train error", percent(error))?;
    }
    if let Some(validated) = &r.validation {
        out.item("validation", validation(validated, ("example", "examples")))?;
    }
    if let Some(calibration) = &trained.calibration {
        let folds = count(calibration.sigmoids.len() as u64, "sigmoid", "sigmoids");
        out.item("confidence", format!("{folds} fitted to out-of-fold scores: predict --scores has probabilities"))?;
    }
    if let Some(radius) = r.radius {
        geometry(out, r, radius, &facts.recipe)?;
    }
    if let Some(any) = &r.first_pass_bound {
        let made = count(r.mistakes_by_epoch.first().copied().unwrap_or(0), "mistake", "mistakes");
        let (most, gamma, lack) = (at_most(any.mistakes), number(any.margin), number(any.shortfall));
        out.item(
            "theory",
            format!("first pass: {made}, at most {most} on any data: ((R + D)/γ)² with γ = {gamma}, D = {lack}"),
        )?;
    }
    let seconds = match (seconds.read, seconds.learn, fitted.file.as_ref().map(|file| &file.kept)) {
        (_, _, Some(Kept::Cache)) => format!("{:.2}, through a cache", seconds.total),
        (Some(read), Some(learn), _) => format!("read {read:.2}, learn {learn:.2}, total {:.2}", seconds.total),
        _ => format!("{:.2}, learned while reading; the examples were not kept", seconds.total),
    };
    out.item("seconds", seconds)?;
    out.item("model", model.unwrap_or("not saved (use -o FILE)"))?;
    Ok(())
}

/// The radius, the margin, and the bound on the mistakes that follows from them by its formula. What is kept may have another
/// margin than the last weights, which the bound is about: then it has a line of its own, with theirs.
fn geometry(out: &mut Output, r: &Report, radius: f64, recipe: &Recipe) -> Result<()> {
    let margin = r.margin.map(|margin| format!("   margin γ = {}", number(margin))).unwrap_or_default();
    let line = format!("radius R = {}{margin}", number(radius));
    let Some(bound) = r.bound else { return Ok(out.item("geometry", line)?) };
    let by = match recipe.entry().map_or("", |entry| entry.bound) {
        "" => "the theorem".to_string(),
        _ if r.classes.len() > 2 => format!("the theorem for {} classes", r.classes.len()),
        formula => formula.to_string(),
    };
    let bound = format!("at most {} mistakes, by {by}", at_most(bound));
    match r.bound_margin.filter(|margin| r.margin != Some(*margin)) {
        None => Ok(out.item("geometry", format!("{line}   {bound}"))?),
        Some(margin) => {
            out.item("geometry", line)?;
            Ok(out.item("bound", format!("{bound}, with γ = {} of the last weights", number(margin)))?)
        }
    }
}

/// The learner and its settings: `margin (margin=1, rate=1, schedule=constant, keeps average)`.
pub fn learner(recipe: &Recipe) -> String {
    let mut choices: Vec<String> = recipe.params.iter().map(|(key, value)| format!("{key}={value}")).collect();
    choices.extend(recipe.keep().map(|keep| format!("keeps {}", keep.name())).ok());
    match recipe.multiclass {
        Multiclass::Single => {}
        Multiclass::Uniform => choices.push("uniform".to_string()),
        Multiclass::OneVsRest => choices.push("one-vs-rest".to_string()),
    }
    format!("{} ({})", recipe.learner, choices.join(", "))
}

/// The kernel and its support vectors: `poly:4:1, 312 support vectors`.
pub fn kernel(choice: &Choice, support: u64) -> String {
    let vectors = count(support, "support vector", "support vectors");
    match &choice.budget {
        None => format!("{}, {vectors}", choice.function),
        Some(b) => format!("{}, {vectors} of at most {} ({})", choice.function, thousands(b.most.into()), b.policy),
    }
}

/// The validation error, in these units.
pub fn validation(validated: &Validated, (one, many): (&str, &str)) -> String {
    let each: Vec<String> = validated.error_by_epoch.iter().map(|&e| percent(e)).collect();
    let error = validated.error.map_or("unknown".into(), percent);
    let held = count(validated.examples, one, many);
    format!("{error} of {held} held out, after pass {}; by pass: {}", validated.kept_epoch, ends(&each))
}

fn print_progressive(out: &mut Output, milestones: &[Milestone]) -> Result<()> {
    if milestones.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.heading("progressive error")?;
    out.heading("  examples    error  since the last line")?;
    for m in milestones {
        let (error, since) = (percent(m.error), percent(m.error_since));
        out.line(format!("{:>10}  {error:>7}  {since:>7}", thousands(m.examples)))?;
    }
    Ok(())
}

pub fn classes(names: &[String]) -> String {
    const SHOWN: usize = 6;
    const LONGEST: usize = 25;
    let more = if names.len() > SHOWN { ", …" } else { "" };
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| show::cut(name, LONGEST)).collect();
    format!("{} classes ({}{more})", thousands(names.len() as u64), shown.join(", "))
}

fn stopped(r: &Report) -> String {
    let passes = count(r.epochs.into(), "pass", "passes");
    match r.stopped {
        Stop::Separated => format!("separated after {passes} (no mistake in the last)"),
        Stop::MaxEpochs if r.kept_separates() => format!("after {passes}, the limit; what is kept separates"),
        Stop::MaxEpochs => format!("after {passes}, the limit; not separated"),
        Stop::SmallStep => format!("after {passes}: the step became shorter than epsilon; not separated"),
        Stop::NoProgress => {
            let kept = r.validation.as_ref().map_or(0, |validated| validated.kept_epoch);
            format!("after {passes}: no fewer validation errors since pass {kept}, whose model is kept")
        }
        _ => format!("interrupted after {passes}"),
    }
}

/// The first and last few of a long list.
pub fn ends(each: &[String]) -> String {
    const SHOWN: usize = 10;
    if each.len() > SHOWN {
        format!("{} … {}", each[..SHOWN / 2].join(" "), each[each.len() - SHOWN / 2..].join(" "))
    } else {
        each.join(" ")
    }
}

fn mistakes(r: &Report) -> String {
    let each: Vec<String> = r.mistakes_by_epoch.iter().map(|&m| thousands(m)).collect();
    let by_pass = ends(&each);
    let updates = if r.updates == r.mistakes { String::new() } else { format!(", {} updates", thousands(r.updates)) };
    format!("{} of {} presented{updates}; by pass: {by_pass}", thousands(r.mistakes), thousands(r.presented))
}
