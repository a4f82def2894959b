//! `rosenblatt tune` for a tagger: trains each setting on some sentences, validates it on others, retrains the best on all,
//! and tests once. Chunks are judged by their F1, other tags by the share of wrong tokens.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use rosenblatt::evaluate::Space;
use rosenblatt::io::Input;
use rosenblatt::structured::read::Tags;
use rosenblatt::structured::{Corpus, HeldSentences, TagEvaluation, Tagger, TaggerTrainer, TaggerWith};
use rosenblatt::{io, limits};
use serde_json::{Map, Value, json};

use super::cv::{self, Fold, Measure};
use super::{Sequences, train};
use crate::commands::train::shell_word;
use crate::commands::tune::TuneArgs;
use crate::commands::tune::trials::{self, Candidate};
use crate::output::{Output, count, percent};
use crate::words;

/// What is tried without a grid, the most promising first.
const ANY: [&str; 4] = ["epochs=10", "epochs=5,20", "search=beam:8 epochs=10", "learner=perceptron epochs=10"];
const CHUNKS: [&str; 4] = ["epochs=10", "epochs=10 encode=iobes", "epochs=10 constrain=auto", "epochs=5,20"];
/// Where tokens have more columns than the word.
const COLUMNS: &str = "epochs=10 templates=chunk,entity";

struct Tried {
    candidate: Candidate,
    folds: rosenblatt::Result<Vec<Fold>>,
}

pub fn run(args: &TuneArgs, found: &Sequences, out: &mut Output) -> Result<ExitCode> {
    let (begin, base) = (Instant::now(), &args.train);
    train::refuse(base)?;
    if args.grid.is_empty() && args.random.is_some() {
        bail!("--random draws from --grid: name what to try");
    }
    if base.data == "-" {
        bail!("standard input is read once: name a file");
    }
    let first = cv::read(base, found, &train::trainer(base)?)?;
    let measure = if first.scheme.is_some() { Measure::Chunks } else { Measure::Error };
    let (about, columns) = (cv::about(&first, found), first.layout.columns);
    let mut tried: Vec<Tried> = Vec::new();
    let (mut known, mut longest) = (Some((base.tag.templates.clone(), base.tag.encode, first)), 0.0f64);
    for candidate in candidates(args, measure, columns)? {
        let now = begin.elapsed().as_secs_f64();
        if args.grid.is_empty() && !tried.is_empty() && now + longest > args.time_limit {
            break;
        }
        limits::check()?;
        let trainer = train::refuse(&candidate.args)
            .and_then(|()| train::trainer(&candidate.args))
            .map_err(|e| anyhow!("--grid {}: {e}", candidate.setting))?;
        // Only templates and the scheme change what is read.
        let tag = &candidate.args.tag;
        let corpus = match known.take() {
            Some((templates, encode, corpus)) if (&templates, encode) == (&tag.templates, tag.encode) => Ok(corpus),
            _ => trainer.read(&Input::new(&base.data), &train::options(&candidate.args, found, None)),
        };
        let (folds, corpus) = match corpus {
            Ok(corpus) => (judge(args, &trainer, &corpus), Some(corpus)),
            Err(error) => (Err(error), None),
        };
        let folds = match folds {
            Err(error) if error.kind() == rosenblatt::ErrorKind::Interrupted => return Err(error.into()),
            folds => folds,
        };
        known = corpus.map(|corpus| (tag.templates.clone(), tag.encode, corpus));
        tried.push(Tried { candidate, folds });
        longest = longest.max(begin.elapsed().as_secs_f64() - now);
    }
    let mean = |one: &Tried| one.folds.as_ref().map_or(f64::INFINITY, |folds| measure.of(folds).0);
    let winner = (0..tried.len()).min_by(|&a, &b| mean(&tried[a]).total_cmp(&mean(&tried[b]))).unwrap_or(0);
    if tried[winner].folds.is_err() {
        tried.swap_remove(winner).folds?;
    }
    let tagger = retrain(&tried[winner].candidate, found)?;
    if let Some(path) = &base.output {
        let json = path.extension().is_some_and(|e| e == "json");
        io::write_file(path, &tagger.checked_bytes(json)?)?;
    }
    let tested = args.test.as_deref().map(|file| test(&tagger, file)).transpose()?;
    let outcome = Outcome { args, measure, tried: &tried, winner, tagger: &tagger, tested: tested.as_ref() };
    if out.json {
        out.object(&outcome.json())?
    } else {
        outcome.print(&about, out)?
    }
    Ok(ExitCode::SUCCESS)
}

fn candidates(args: &TuneArgs, measure: Measure, columns: usize) -> Result<Vec<Candidate>> {
    if !args.grid.is_empty() {
        let space = Space::parse(&args.grid)?;
        let settings = match args.random {
            Some(n) => space.random(n as usize, args.train.learn.seed),
            None => space.grid()?,
        };
        return trials::all(&space, &settings);
    }
    let mut all: Vec<Candidate> = Vec::new();
    let more = (measure == Measure::Chunks && columns > 1).then_some(COLUMNS);
    for grid in if measure == Measure::Chunks { CHUNKS } else { ANY }.into_iter().chain(more) {
        let space = Space::parse(&[grid.to_string()])?;
        all.extend(trials::all(&space, &space.grid()?)?);
    }
    Ok(all)
}

/// Validates one setting.
fn judge(args: &TuneArgs, trainer: &TaggerTrainer, corpus: &Corpus) -> rosenblatt::Result<Vec<Fold>> {
    let (validate, seed) = (&args.train.validate, args.train.learn.seed);
    if let Some(file) = &validate.validation {
        let tagger = trainer.fit_with(corpus.clone(), TaggerWith::default())?.tagger;
        limits::check()?;
        let passes = tagger.facts.mistakes_by_epoch.len() as u32;
        let input = Input::new(file);
        let judged = tagger.evaluate(&mut tagger.open(&input, Tags::Needed)?, None)?;
        return Ok(vec![Fold { judged, passes }]);
    }
    if let Some(share) = validate.holdout {
        let with = TaggerWith { held: Some(HeldSentences::Share(share, seed)), ..TaggerWith::default() };
        let fitted = trainer.fit_with(corpus.clone(), with)?;
        limits::check()?;
        let passes = fitted.tagger.facts.mistakes_by_epoch.len() as u32;
        return Ok(fitted.held.map(|judged| Fold { judged, passes }).into_iter().collect());
    }
    cv::judge(trainer, corpus, args.folds.unwrap_or(5), seed)
}

/// Learns from all sentences but those for testing and those of a validation file.
fn retrain(candidate: &Candidate, found: &Sequences) -> Result<Tagger> {
    let trainer = train::trainer(&candidate.args)?;
    let corpus = trainer.read(&Input::new(&candidate.args.data), &train::options(&candidate.args, found, None))?;
    let tagger = trainer.fit_with(corpus, TaggerWith::default())?.tagger;
    limits::check()?;
    Ok(tagger)
}

fn test(tagger: &Tagger, file: &str) -> Result<TagEvaluation> {
    let input = Input::new(file);
    Ok(tagger.evaluate(&mut tagger.open(&input, Tags::Needed)?, None)?)
}

struct Outcome<'a> {
    args: &'a TuneArgs,
    measure: Measure,
    tried: &'a [Tried],
    winner: usize,
    tagger: &'a Tagger,
    tested: Option<&'a TagEvaluation>,
}

impl Outcome<'_> {
    fn json(&self) -> Value {
        let trials: Vec<Value> = self.tried.iter().map(|one| self.trial(one)).collect();
        json!({
            "best": trials[self.winner],
            "trials": trials,
            "judged_on": self.judged_on(),
            "measure": if self.measure == Measure::Chunks { "f1" } else { "token" },
            "retrained_on": self.tagger.facts.sentences,
            "test_error": self.tested.map(|judged| 1.0 - judged.token_accuracy),
            "test_f1": self.tested.and_then(|judged| judged.chunks).map(|chunks| chunks.f1),
            "seed": self.args.train.learn.seed,
            "model": self.args.train.output.as_ref().map(|p| p.display().to_string()),
        })
    }

    fn trial(&self, one: &Tried) -> Value {
        let setting = one.candidate.setting.0.iter().map(|(key, value)| (key.clone(), json!(value)));
        let setting: Value = setting.collect::<Map<_, _>>().into();
        match &one.folds {
            Ok(folds) => {
                let (mean, deviation) = Measure::Error.of(folds);
                let mut object = json!({
                    "setting": setting, "folds": folds.iter().map(Fold::json).collect::<Vec<_>>(),
                    "mean_error": mean, "std_error": deviation,
                });
                if self.measure == Measure::Chunks {
                    object["mean_f1"] = (1.0 - Measure::Chunks.of(folds).0).into();
                }
                object
            }
            Err(error) => json!({ "setting": setting, "failed": words::message(error.message()) }),
        }
    }

    fn judged_on(&self) -> String {
        let validate = &self.args.train.validate;
        match (&validate.validation, validate.holdout) {
            (Some(file), _) => file.clone(),
            (None, Some(share)) => format!("a holdout of {}", percent(share)),
            (None, None) => format!("{} folds of the sentences", self.args.folds.unwrap_or(5)),
        }
    }

    fn print(&self, about: &str, out: &mut Output) -> Result<()> {
        out.item("data", about)?;
        let settings = count(self.tried.len() as u64, "setting", "settings");
        out.item(
            "tried",
            format!("{settings}, each validated on {}, seed {}", self.judged_on(), self.args.train.learn.seed),
        )?;
        out.line("")?;
        let chunks = self.measure == Measure::Chunks;
        out.heading(if chunks { "chunk F1  token error  setting" } else { "token error  ±        setting" })?;
        let mut order: Vec<&Tried> = self.tried.iter().collect();
        let mean = |one: &Tried| one.folds.as_ref().map_or(f64::INFINITY, |folds| self.measure.of(folds).0);
        order.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
        for one in order {
            let setting = &one.candidate.setting;
            match &one.folds {
                Ok(folds) => {
                    let (error, deviation) = Measure::Error.of(folds);
                    let deviation = deviation.map(percent).unwrap_or_default();
                    let f1 = (1.0 - Measure::Chunks.of(folds).0) * 100.0;
                    let error = percent(error);
                    out.line(match chunks {
                        true => format!("{f1:>8.2}  {error:>11}  {setting}"),
                        false => format!("{error:>11}  {deviation:<7}  {setting}"),
                    })?;
                }
                Err(error) => out.line(format!("     failed  {setting}: {}", words::message(error.message())))?,
            }
        }
        out.line("")?;
        let winner = &self.tried[self.winner].candidate;
        out.item("best", format!("{}, retrained on all sentences", winner.setting))?;
        if let Some(judged) = self.tested {
            let f1 =
                judged.chunks.map_or(String::new(), |chunks| format!(", F1 of the chunks {:.2}", chunks.f1 * 100.0));
            let file = self.args.test.as_deref().unwrap_or_default();
            out.item("test error", format!("{} of the tokens of {file}{f1}", percent(1.0 - judged.token_accuracy)))?;
        }
        let words: Vec<String> =
            winner.words.iter().filter(|word| *word != "--").map(|word| shell_word(word)).collect();
        out.item("command", words.join(" "))?;
        let model = self.args.train.output.as_ref().map(|p| p.display().to_string());
        out.item("model", model.as_deref().unwrap_or("not saved (use -o FILE)"))?;
        Ok(())
    }
}
