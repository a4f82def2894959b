//! `rosenblatt train`: from a file to a model, and why training stopped.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use rosenblatt::evaluate::{Milestone, Progressive};
use rosenblatt::fit::{BLOCK_ROWS, Begun, Checkpoint, Report, Storage, Streamed, Validated, half_of_free_memory};
use rosenblatt::io::Input;
use rosenblatt::learn::kernel::Choice;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::learn::{Recipe, Stop};
use rosenblatt::map::Prepared;
use rosenblatt::read::memory_needed;
use rosenblatt::report::{self, Look};
use rosenblatt::{ErrorKind, Fitted, Model, Trainer};
use serde::Serialize;

use super::held::{self, Parts};
use super::{choose, open, tag};
use crate::args::TrainArgs;
use crate::output::{Output, at_most, count, note, number, percent, thousands, warning};
use crate::progress::{self, Late, ProgressBar};

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

/// What can be said of a training that was interrupted while the file was still being read.
#[derive(Serialize)]
struct Unfinished {
    stopped: Stop,
    seconds: Seconds,
    model: Option<String>,
}

/// Where learning goes on while the file is still being read, only the total can be told; where only the first pass does,
/// it counts as reading.
#[derive(Serialize, Clone, Copy)]
struct Seconds {
    read: Option<f64>,
    learn: Option<f64>,
    total: f64,
}

pub fn run(args: &TrainArgs, out: &mut Output) -> Result<ExitCode> {
    progress::catch_interrupts()?;
    if let Some(found) = tag::sequences(&args.data, &args.read, &args.tag)? {
        return tag::train::run(args, &found, out);
    }
    args.tag.refuse()?;
    let begin = Instant::now();
    // What is wrong without looking at the data is said before the data are read, let alone learned from.
    let resumed = args.resume.as_ref().map(Checkpoint::load).transpose()?;
    let chosen = match &resumed {
        Some(checkpoint) => checkpoint.trainer(args.epochs),
        None => {
            let trainer = choose::trainer(&args.learner, args.epochs, &args.order, &args.learn)?;
            choose::in_space(trainer, &args.space, &args.learn)?
        }
    };
    held::check(args, &chosen)?;
    if args.output.is_some() && args.output == args.checkpoint {
        anyhow::bail!("-o and --checkpoint name the same file: a model and a checkpoint are two things");
    }
    if let Some(path) = &args.output {
        // A checkpoint may be saved over the one that it goes on from; a model may not.
        let reads: Vec<&Path> = args.reads().chain(args.resume.as_deref()).collect();
        open::check_output("-o", &reads, path)?;
    }
    if let Some(path) = &args.checkpoint {
        open::check_output("--checkpoint", &args.reads().collect::<Vec<_>>(), path)?;
    }
    let from_scratch = resumed.is_none() && args.checkpoint.is_none() && args.learn.init.is_none();
    let goes_by = from_scratch && !args.judge.looks_on();
    if goes_by && let Some(streamed) = stream(args, &chosen)? {
        return tell_streamed(args, &chosen, streamed, begin, out);
    }
    tell_of_memory(args)?;
    let (dataset, resumed) = if goes_by {
        let (options, mut progress) = (open::training_options(&args.read)?, Late::new(args.epochs));
        match chosen.read_and_begin(&Input::new(&args.data), &options, &mut progress)? {
            Begun::Read { dataset, after_first } if !progress.was_asked() => {
                (open::check_training(dataset)?, after_first)
            }
            Begun::Read { .. } | Begun::Stopped => {
                let seconds = Seconds { read: None, learn: None, total: begin.elapsed().as_secs_f64() };
                if out.json {
                    out.object(&Unfinished { stopped: Stop::Interrupted, seconds, model: None })?;
                }
                return interrupted(args);
            }
        }
    } else {
        (open::training_data(&args.data, &args.read)?, resumed)
    };
    open::say_notes(&dataset, out.json);
    let read = begin.elapsed();
    let parts = Parts::new(&dataset, args)?;
    let prepared = chosen.prepare(parts.train()).map_err(|e| e.in_file(&dataset.name))?;
    let trainer = match &resumed {
        Some(checkpoint) => {
            if checkpoint.data.is_some_and(|data| data != dataset.fingerprint) {
                anyhow::bail!(
                    "{}: not the file that the checkpoint was made on; resume with the same data",
                    dataset.name
                );
            }
            let done = checkpoint.course.epochs() + u32::from(checkpoint.course.position > 0);
            if done > args.epochs {
                anyhow::bail!(
                    "{}: it has already begun pass {done}, where --epochs {} asks for fewer: name at least {done}",
                    args.resume.as_deref().unwrap_or(Path::new("")).display(),
                    args.epochs
                );
            }
            chosen
        }
        None => choose::begin(chosen, &args.learn, &prepared)?,
    };
    let (fitted, look) = beside(
        || fit(args, &trainer, &parts, &prepared, dataset.fingerprint, resumed.as_ref()),
        || Look::at(parts.train()).ok(),
        parts.train().classes.len() > BLOCK_ROWS && trainer.recipe.kernel.is_none(),
    );
    let (mut fitted, progressive) = fitted.map_err(|e| match &args.resume {
        // What does not fit is the checkpoint.
        Some(path) if e.kind() == ErrorKind::Model => e.in_file(&path.display().to_string()),
        _ => e.in_file(&dataset.name),
    })?;
    if args.judge.calibrate && fitted.report.stopped != Stop::Interrupted {
        parts.calibrate(&trainer, &mut fitted, args.learn.seed).map_err(|e| e.in_file(&dataset.name))?;
    }
    fitted.model.facts.data = Some(dataset.fingerprint);
    fitted.checkpoint.data = Some(dataset.fingerprint);
    fitted.report.seed = fitted.report.seed.or(Some(args.learn.seed));
    let learn = begin.elapsed() - read;

    if let Some(path) = &args.checkpoint {
        fitted.checkpoint.save(path)?;
    }
    if fitted.report.stopped == Stop::Interrupted {
        if out.json {
            let total = begin.elapsed().as_secs_f64();
            let seconds = Seconds { read: Some(read.as_secs_f64()), learn: Some(learn.as_secs_f64()), total };
            out.object(&Json { report: &fitted.report, progressive, seconds, warnings: &[], model: None })?;
        }
        return interrupted(args);
    }
    let findings = report::examine(&trainer, parts.train(), &fitted, look)?;
    let warnings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    if let Some(path) = &args.output {
        fitted.model.clone().compact().save(path)?;
    }
    let total = begin.elapsed().as_secs_f64();
    let seconds = Seconds { read: Some(read.as_secs_f64()), learn: Some(learn.as_secs_f64()), total };
    let model = args.output.as_ref().map(|p| p.display().to_string());
    if out.json {
        out.object(&Json { report: &fitted.report, progressive, seconds, warnings: &warnings, model })?;
    } else {
        let what = format!("{} [{}]", dataset.name, dataset.format);
        print(out, &what, (&fitted.report, &fitted.model), seconds, model.as_deref())?;
        print_progressive(out, &progressive)?;
        out.flush()?;
        warnings.iter().for_each(warning);
    }
    Ok(ExitCode::SUCCESS)
}

/// Does the work, and something else beside it if there are threads to spare and it `pays`: `None` where it was not done.
fn beside<T, U: Send>(
    work: impl FnOnce() -> T,
    other: impl FnOnce() -> Option<U> + Send,
    pays: bool,
) -> (T, Option<U>) {
    let pays = pays && rayon::current_num_threads() > 1;
    std::thread::scope(|scope| {
        // With one thread of its own, so that it takes none from the work.
        let alone = move || rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?.install(other);
        let other = pays.then(|| scope.spawn(alone));
        let done = work();
        (done, other.and_then(|other| other.join().ok().flatten()))
    })
}

fn fit(
    args: &TrainArgs,
    trainer: &Trainer,
    parts: &Parts<'_>,
    prepared: &Prepared<'_>,
    fingerprint: u64,
    resumed: Option<&Checkpoint>,
) -> rosenblatt::Result<(Fitted, Vec<Milestone>)> {
    let mut progress = ProgressBar::new(
        args.epochs,
        Box::new(|course, learner, failures| {
            let Some(path) = &args.checkpoint else { return Ok(()) };
            let mut checkpoint = Checkpoint::new(trainer, prepared, learner, course, failures);
            checkpoint.data = Some(fingerprint);
            checkpoint.save(path)
        }),
    );
    if !args.judge.progressive {
        return Ok((parts.fit(trainer, prepared, resumed, &mut progress)?, Vec::new()));
    }
    let mut progressive = Progressive::new(&mut progress);
    let fitted = parts.fit(trainer, prepared, resumed, &mut progressive)?;
    Ok((fitted, progressive.milestones()))
}

/// Trains on a file that need not fit in memory, where that can be done and makes a difference.
fn stream(args: &TrainArgs, trainer: &Trainer) -> Result<Option<Streamed>> {
    let (input, options) = (Input::new(&args.data), open::options(&args.read)?);
    if !input.opens_again() || !trainer.learns_by_blocks() {
        return match &args.cache[..] {
            "auto" | "off" => Ok(None),
            _ => anyhow::bail!("--cache {}: a cache is for data in a file, learned from block by block", args.cache),
        };
    }
    let through = match &args.cache[..] {
        "auto" => Storage::Either {
            memory: args.memory.unwrap_or_else(half_of_free_memory),
            place: std::env::temp_dir().join(format!("rosenblatt-{}.cache", std::process::id())),
        },
        "off" => Storage::Memory,
        file => {
            open::refuse_overwriting(&args.reads().collect::<Vec<_>>(), Path::new(file))?;
            Storage::Cache(file.into())
        }
    };
    let mut progress = ProgressBar::new(args.epochs, Box::new(|_, _, _| Ok(())));
    let fitted = trainer.fit_unkept(&input, &options, &through, &mut progress)?;
    if let (Storage::Cache(_), None) = (&through, &fitted) {
        note(format!("{}: no cache: it is for libsvm text and for tables of numbers alone", input.name()));
    }
    Ok(fitted)
}

/// That the data are kept in memory though they take more than the user has allowed.
fn tell_of_memory(args: &TrainArgs) -> Result<()> {
    let Some(memory) = args.memory else { return Ok(()) };
    let input = Input::new(&args.data);
    let needed = memory_needed(&input, &open::options(&args.read)?)?;
    if needed > memory {
        let megabytes = needed.div_ceil(1_000_000);
        note(format!("{}: read whole, which takes about {megabytes} MB, more than --memory", input.name()));
    }
    Ok(())
}

fn tell_streamed(
    args: &TrainArgs,
    trainer: &Trainer,
    mut streamed: Streamed,
    begin: Instant,
    out: &mut Output,
) -> Result<ExitCode> {
    open::say_notes_of(&streamed.name, streamed.format, streamed.guessed, &streamed.notes, out.json);
    streamed.report.seed = streamed.report.seed.or(Some(args.learn.seed));
    if streamed.report.stopped == Stop::Interrupted {
        if out.json {
            let seconds = Seconds { read: None, learn: None, total: begin.elapsed().as_secs_f64() };
            let (report, progressive) = (&streamed.report, Vec::new());
            out.object(&Json { report, progressive, seconds, warnings: &[], model: None })?;
        }
        return interrupted(args);
    }
    let findings = report::examine_streamed(trainer, &streamed.report, &streamed.failures)?;
    let warnings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    if let Some(path) = &args.output {
        streamed.model.save(path)?;
    }
    let seconds = Seconds { read: None, learn: None, total: begin.elapsed().as_secs_f64() };
    let model = args.output.as_ref().map(|p| p.display().to_string());
    if out.json {
        out.object(&Json { report: &streamed.report, progressive: Vec::new(), seconds, warnings: &warnings, model })?;
    } else {
        let what = format!("{} [{}]", streamed.name, streamed.format);
        print(out, &what, (&streamed.report, &streamed.model), seconds, model.as_deref())?;
        out.flush()?;
        warnings.iter().for_each(warning);
    }
    Ok(ExitCode::SUCCESS)
}

fn interrupted(args: &TrainArgs) -> Result<ExitCode> {
    match &args.checkpoint {
        Some(path) => {
            // Everything else that was asked for stands in the checkpoint.
            let mut again = vec!["rosenblatt".into(), "train".into(), args.data.clone()];
            again.extend(["--resume".into(), path.display().to_string(), "--epochs".into(), args.epochs.to_string()]);
            if let Some(output) = &args.output {
                again.extend(["-o".into(), output.display().to_string()]);
            }
            again.extend(args.read.typed());
            let again: Vec<String> = again.iter().map(|word| shell_word(word)).collect();
            warning(format!("interrupted; go on with `{}`", again.join(" ")));
        }
        None => warning("interrupted; nothing was saved (with --checkpoint FILE it could be resumed)"),
    }
    Ok(ExitCode::from(progress::INTERRUPTED))
}

/// A word as a shell takes it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=+:,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn print(
    out: &mut Output,
    what: &str,
    (r, trained): (&Report, &Model),
    seconds: Seconds,
    model: Option<&str>,
) -> Result<()> {
    let facts = &trained.facts;
    out.item(
        "data",
        format!(
            "{what}: {}, {}, {}",
            count(r.examples, "example", "examples"),
            count(r.features as u64, "feature", "features"),
            classes(&r.classes)
        ),
    )?;
    for done in trained.chain.describe() {
        out.item("prepared", done)?;
    }
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
    if let Some(said) = &r.validation {
        out.item("validation", validation(said))?;
    }
    if let Some(calibration) = &trained.calibration {
        let folds = count(calibration.sigmoids.len() as u64, "sigmoid", "sigmoids");
        out.item("confidence", format!("{folds} fitted to out-of-fold scores: predict --scores has probabilities"))?;
    }
    let bound = match r.bound {
        Some(bound) => {
            // The margin shown is that of what was kept; where that errs, the bound is the last weights' own.
            let whose = if r.margin.is_some_and(|margin| margin > 0.0) { "" } else { " (margin of the last weights)" };
            let most = at_most(bound);
            format!("   at most {most} mistakes, by the theorem{whose}")
        }
        None => String::new(),
    };
    let margin = r.margin.map(|margin| format!("   margin γ = {}", number(margin))).unwrap_or_default();
    out.item("geometry", format!("radius R = {}{margin}{bound}", number(r.radius)))?;
    if let Some(any) = &r.first_pass_bound {
        let made = count(r.mistakes_by_epoch.first().copied().unwrap_or(0), "mistake", "mistakes");
        let (most, gamma, lack) = (at_most(any.mistakes), number(any.margin), number(any.shortfall));
        out.item(
            "theory",
            format!("first pass: {made}, at most {most} on any data: ((R + D)/γ)² with γ = {gamma}, D = {lack}"),
        )?;
    }
    let seconds = match (seconds.read, seconds.learn) {
        (Some(read), Some(learn)) => format!("read {read:.2}, learn {learn:.2}, total {:.2}", seconds.total),
        _ if r.train_error.is_none() => {
            format!("{:.2}, learned while reading; the examples were not kept", seconds.total)
        }
        _ => format!("{:.2}, through a cache", seconds.total),
    };
    out.item("seconds", seconds)?;
    out.item("model", model.unwrap_or("not saved (use -o FILE)"))?;
    Ok(())
}

/// The learner and what was chosen for it: `margin (margin=1, rate=1, schedule=constant, keeps average)`.
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

/// The kernel and what it cost: `poly:4:1, 312 support vectors`.
pub fn kernel(choice: &Choice, support: u64) -> String {
    let vectors = count(support, "support vector", "support vectors");
    match &choice.budget {
        None => format!("{}, {vectors}", choice.function),
        Some(b) => format!("{}, {vectors} of at most {} ({})", choice.function, thousands(b.most.into()), b.policy),
    }
}

fn validation(said: &Validated) -> String {
    let each: Vec<String> = said.error_by_epoch.iter().map(|&e| percent(e)).collect();
    let error = said.error.map_or("unknown".into(), percent);
    let held = count(said.examples, "example", "examples");
    format!("{error} of {held} held back, after pass {}; by pass: {}", said.kept_epoch, ends(&each))
}

fn print_progressive(out: &mut Output, milestones: &[Milestone]) -> Result<()> {
    if milestones.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.heading("predicted before learned")?;
    out.heading("  examples    error  since the last line")?;
    for m in milestones {
        let (error, since) = (percent(m.error), percent(m.error_since));
        out.line(format!("{:>10}  {error:>7}  {since:>7}", thousands(m.examples)))?;
    }
    Ok(())
}

pub fn classes(names: &[String]) -> String {
    const SHOWN: usize = 6;
    const LONGEST: usize = 24;
    let short = |name: &String| match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.clone(),
    };
    let more = if names.len() > SHOWN { ", …" } else { "" };
    let shown: Vec<String> = names.iter().take(SHOWN).map(short).collect();
    format!("{} classes ({}{more})", thousands(names.len() as u64), shown.join(", "))
}

fn stopped(r: &Report) -> String {
    let passes = count(r.epochs.into(), "pass", "passes");
    match r.stopped {
        Stop::Separated => format!("separated after {passes} (no mistake in the last)"),
        Stop::MaxEpochs => format!("after {passes}, the limit; not separated"),
        Stop::SmallStep => format!("after {passes}: the step became shorter than epsilon; not separated"),
        Stop::NoProgress => {
            let kept = r.validation.as_ref().map_or(0, |said| said.kept_epoch);
            format!("after {passes}: no fewer validation errors since pass {kept}, whose model is kept")
        }
        _ => format!("interrupted after {passes}"),
    }
}

/// The first and last few of a long list.
fn ends(each: &[String]) -> String {
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
