//! `rosenblatt cv` for a tagger: each fold of sentences is tagged by what was learned from the others.

use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::io::Input;
use rosenblatt::structured::{Corpus, TagEvaluation, TaggerTrainer, sentence_folds};
use serde_json::{Value, json};

use super::{Sequences, train};
use crate::args::TrainArgs;
use crate::commands::cv::CvArgs;
use crate::commands::{held, open};
use crate::output::{Output, count, note, percent, thousands};
use crate::show;

pub fn run(args: &CvArgs, found: &Sequences, out: &mut Output) -> Result<ExitCode> {
    let train = &args.train;
    train::refuse(train)?;
    if train.validate.holdout.is_some() || train.validate.patience.is_some() {
        bail!("--holdout and --patience: cv of sentences takes --epochs as it is; leave them out");
    }
    let trainer = train::trainer(train)?;
    held::refuse_given_order(&trainer.order, "cv")?;
    let corpus = read(train, found, &trainer)?;
    let seed = train.learn.seed;
    let folds = judge(&trainer, &corpus, args.folds, seed)?;
    let learner = if trainer.averaged { "averaged" } else { "perceptron" };
    if out.json {
        let (mean, deviation) = Measure::Error.of(&folds);
        let mut object = json!({
            "examples": corpus.prepared.len(), "tokens": corpus.tags.len(), "classes": corpus.labels, "learner": learner,
            "folds": folds.iter().map(Fold::json).collect::<Vec<_>>(), "mean_error": mean, "std_error": deviation, "seed": seed,
        });
        if corpus.scheme.is_some() {
            object["mean_f1"] = (1.0 - Measure::Chunks.of(&folds).0).into();
        }
        out.object(&object)?;
        return Ok(ExitCode::SUCCESS);
    }
    out.item("data", about(&corpus, found))?;
    out.item("learner", format!("{learner}, up to {} passes, seed {seed}", trainer.epochs))?;
    print(out, &folds)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the sentences, and prints what is to be known about them.
pub fn read(args: &TrainArgs, found: &Sequences, trainer: &TaggerTrainer) -> Result<Corpus> {
    let input: Input = open::rereadable_input(&args.data)?;
    let corpus = trainer.read(&input, &train::options(args, found, None))?;
    corpus.notes.iter().for_each(|text| note(format!("{}: {text}", show::file(&corpus.name))));
    Ok(corpus)
}

/// The data in words.
pub fn about(corpus: &Corpus, found: &Sequences) -> String {
    format!(
        "{} [{}]: {}, {}, {}",
        show::file(&corpus.name),
        found.format.name(),
        count(corpus.prepared.len() as u64, "sentence", "sentences"),
        count(corpus.tags.len() as u64, "token", "tokens"),
        train::tags(&corpus.labels)
    )
}

/// The evaluation of one fold.
pub struct Fold {
    pub judged: TagEvaluation,
    pub passes: u32,
}

/// What is averaged over folds: the share of wrong tokens, or what is missing to an F1 of 1.
#[derive(Clone, Copy, PartialEq)]
pub enum Measure {
    Error,
    Chunks,
}

impl Measure {
    pub fn one(self, fold: &Fold) -> f64 {
        match (self, &fold.judged.chunks) {
            (Measure::Chunks, Some(chunks)) => 1.0 - chunks.f1,
            _ => 1.0 - fold.judged.token_accuracy,
        }
    }

    /// The mean over the folds, and the standard deviation if there are several.
    pub fn of(self, folds: &[Fold]) -> (f64, Option<f64>) {
        let n = folds.len() as f64;
        let mean = folds.iter().map(|fold| self.one(fold)).sum::<f64>() / n;
        let squares: f64 = folds.iter().map(|fold| (self.one(fold) - mean).powi(2)).sum();
        (mean, (folds.len() > 1).then(|| (squares / (n - 1.0)).sqrt()))
    }
}

/// Trains and evaluates fold by fold.
pub fn judge(trainer: &TaggerTrainer, corpus: &Corpus, folds: u32, seed: u64) -> rosenblatt::Result<Vec<Fold>> {
    let folds = sentence_folds(corpus.prepared.len(), folds, seed).map_err(|e| e.in_file(&corpus.name))?;
    let one = |fold: &Vec<u32>| {
        let (judged, passes) = trainer.judge_on(corpus, fold)?;
        Ok(Fold { judged, passes })
    };
    folds.iter().map(one).collect()
}

impl Fold {
    pub fn json(&self) -> Value {
        let judged = &self.judged;
        let mut object = json!({
            "sentences": judged.sentences, "tokens": judged.tokens, "error": 1.0 - judged.token_accuracy, "epochs": self.passes,
        });
        if let Some(chunks) = &judged.chunks {
            object["f1"] = chunks.f1.into();
        }
        if let Some(unknown) = &judged.unknown_words {
            object["unknown_words"] = json!(unknown);
        }
        object
    }
}

fn print(out: &mut Output, folds: &[Fold]) -> Result<()> {
    let chunks = folds.iter().all(|fold| fold.judged.chunks.is_some());
    let words = folds.iter().all(|fold| fold.judged.unknown_words.is_some());
    out.line("")?;
    let titles = [("  chunk F1", chunks), ("  error of new words", words)];
    let titles: String = titles.iter().filter(|(_, shown)| *shown).map(|(title, _)| *title).collect();
    out.heading(&format!("fold  sentences   tokens  token error{titles}  passes"))?;
    for (k, fold) in (1..).zip(folds) {
        let judged = &fold.judged;
        let f1 = judged.chunks.filter(|_| chunks).map_or(String::new(), |c| format!("  {:>8.2}", c.f1 * 100.0));
        let new = judged.unknown_words.filter(|_| words);
        let new = new.map_or(String::new(), |new| match new.tokens {
            0 => format!("  {:>18}", "-"),
            _ => format!("  {:>18}", percent(1.0 - new.accuracy)),
        });
        let (sentences, tokens) = (thousands(judged.sentences), thousands(judged.tokens));
        let error = percent(1.0 - judged.token_accuracy);
        out.line(format!("{k:>4}  {sentences:>9}  {tokens:>7}  {error:>11}{f1}{new}  {:>6}", fold.passes))?;
    }
    out.line("")?;
    let (mean, deviation) = Measure::Error.of(folds);
    let over = format!("(mean and standard deviation of {} folds)", folds.len());
    out.item("error", format!("{} of the tokens ± {}  {over}", percent(mean), percent(deviation.unwrap_or(0.0))))?;
    if chunks {
        let (missing, deviation) = Measure::Chunks.of(folds);
        let (f1, deviation) = ((1.0 - missing) * 100.0, deviation.unwrap_or(0.0) * 100.0);
        out.item("chunks", format!("F1 {f1:.2} ± {deviation:.2}"))?;
    }
    Ok(())
}
