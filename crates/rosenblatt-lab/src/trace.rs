//! `trace`: training step by step. The rows are the lines of `rosenblatt trace --json`, byte for byte.

use std::ops::ControlFlow;

use rosenblatt::certify::exact::ExactRows;
use rosenblatt::certify::exact_rows;
use rosenblatt::escape::json_line;
use rosenblatt::fit::{Data as Source, With};
use rosenblatt::report::{self, TraceRow, cycle_object, proof, proof_object};
use rosenblatt::{Error, Fitted, Now, Observer, Preparation, Proof, Result, Stop, Table, TraceStep, Trainer, Weights};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::settings::{Data, Settings};
use crate::steps::{self, Detail};
use crate::{commands, words};

/// Which steps of which training.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    data: Data,
    #[serde(default)]
    settings: Settings,
    /// The first row of the answer, from 0.
    #[serde(default)]
    from: u64,
    /// How many rows.
    #[serde(default = "many")]
    count: u64,
    /// Whether to follow the mistake bound.
    #[serde(default)]
    proof: bool,
    /// Whether to answer all lines as one text, for saving.
    #[serde(default)]
    lines: bool,
}

fn many() -> u64 {
    200
}

/// The most rows of an answer.
const MOST_ROWS: u64 = 2_000;
/// The most updates whose chain of inequalities is answered.
const MOST_LINKS: usize = 2_000;

/// A training, and the rows that were asked for.
#[derive(Serialize, Default)]
pub struct Answer {
    /// The rows from `from` on.
    rows: Vec<Box<RawValue>>,
    /// What each of these steps did; empty with a kernel.
    details: Vec<Detail>,
    from: u64,
    /// How many steps the training had.
    total: u64,
    /// The steps, from 1, that were mistakes.
    mistakes: Vec<u64>,
    /// The steps, from 1, after which the weights had changed.
    moves: Vec<u64>,
    /// The last step of each pass.
    passes: Vec<u64>,
    /// After the rows, as the command line prints it: the bound, the cycle.
    end: Vec<Box<RawValue>>,
    /// The features in the order of the weights.
    features: Vec<String>,
    classes: Vec<String>,
    /// The class of each example.
    codes: Vec<u32>,
    report: Value,
    /// k, kγ, u·w, ‖w‖, √k·R at each update.
    chain: Vec<[f64; 5]>,
    /// Where two weights suffice: both after each update, the path in the space of weights.
    path: Vec<[f64; 2]>,
    /// u, its bias last.
    unit: Option<Vec<f64>>,
    /// Why there is no proof.
    no_proof: Option<String>,
    cycle: Option<Value>,
    commands: Value,
    /// All lines, as the command line prints them.
    lines: Option<String>,
}

/// The most bytes of all lines.
const MOST_TEXT: usize = 64 << 20;

pub fn answer(request: &Request) -> Result<Answer> {
    let dataset = request.data.read(true)?;
    let raw = &dataset.table;
    let trainer = request.settings.trainer(raw.matrix.len())?;
    let mut answer = Answer {
        from: request.from,
        classes: raw.labels.names().to_vec(),
        codes: raw.classes.clone(),
        commands: commands::of(&request.data, &request.settings, raw)?,
        ..Answer::default()
    };
    answer.lines = request.lines.then(String::new);
    let window = Window { from: request.from, to: request.from.saturating_add(request.count.min(MOST_ROWS)) };
    let fitted = if trainer.recipe.kernel.is_some() {
        answer.no_proof = request.proof.then(|| "a kernel machine has no weights to follow".into());
        in_kernel_space(&trainer, raw, window, &mut answer)?
    } else {
        let prepared = trainer.prepare(raw)?;
        let trainer = request.settings.begin(trainer, prepared.features(), raw.labels.len())?;
        let trainer = trainer.preparation(Preparation::default());
        answer.features = prepared.chain.feature_names(&raw.schema)?;
        // The rows as written, where they are what the learner reads.
        let input = request.data.input();
        let written = if prepared.chain.is_empty() { exact_rows(&input, &dataset).ok() } else { None };
        linear(&trainer, &prepared.into_table(), (request.proof, window), written.as_deref(), &mut answer)?
    };
    for row in std::mem::take(&mut answer.end) {
        answer.print(&row)?;
        answer.end.push(row);
    }
    let r = &fitted.report;
    answer.report = json!({
        "mistakes": r.mistakes, "updates": r.updates, "epochs": r.epochs, "stopped": r.stopped,
        "mistakes_by_epoch": r.mistakes_by_epoch, "train_error": r.train_error, "margin": r.margin,
        "radius": r.radius, "bound": r.bound, "support_vectors": r.support_vectors,
    });
    Ok(answer)
}

#[derive(Clone, Copy)]
struct Window {
    from: u64,
    to: u64,
}

impl Window {
    /// Whether the step, counted from 1, is shown.
    fn shows(self, step: u64) -> bool {
        (self.from..self.to).contains(&(step - 1))
    }
}

fn raw(value: &impl Serialize) -> Result<Box<RawValue>> {
    let line = json_line(value).map(|line| line.trim_end().to_string());
    line.and_then(RawValue::from_string).map_err(|e| Error::bad_data(format!("a row cannot be written as JSON: {e}")))
}

fn linear(
    trainer: &Trainer,
    table: &Table,
    (with_proof, window): (bool, Window),
    written: Option<&dyn ExactRows>,
    answer: &mut Answer,
) -> Result<Fitted> {
    let proof = if with_proof { find_proof(trainer, table, answer) } else { None };
    let mut before = trainer.learner(table.matrix.features(), table.labels.len())?.hyperplane()?;
    let mut failed = None;
    let traced = report::trace(trainer, table, proof.as_ref(), &mut |step| match answer.see(
        &step,
        &mut before,
        table,
        window,
    ) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(Stop::Interrupted)
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(proof) = &proof {
        answer.end.push(raw(&proof_object(proof, traced.fitted.report.mistakes))?);
        answer.unit = Some(proof.unit.values().iter().chain(proof.unit.bias()).copied().collect());
    }
    if let Some(cycle) = &traced.cycle {
        let numbers = cycle.numbers(written, &table.classes, trainer.recipe.bias.is_learned())?;
        let mut object = cycle_object(cycle, numbers);
        answer.end.push(raw(&object)?);
        object["cycle"]["numbers"] = json!(numbers.name());
        answer.cycle = Some(object["cycle"].take());
    }
    Ok(traced.fitted)
}

fn find_proof(trainer: &Trainer, table: &Table, answer: &mut Answer) -> Option<Proof> {
    match proof(trainer, table) {
        Ok(Some(proof)) => Some(proof),
        Ok(None) => {
            answer.no_proof =
                Some("a proof needs separable data, and in floating point no separating line was found".into());
            None
        }
        Err(error) => {
            answer.no_proof = Some(words::error(&error));
            None
        }
    }
}

impl Answer {
    fn see(&mut self, step: &TraceStep, before: &mut Weights, table: &Table, window: Window) -> Result<()> {
        self.count(step.step, step.epoch, step.mistake);
        if steps::moved(before, &step.weights) {
            self.moves.push(step.step);
            if let Some(p) = step.proof.filter(|_| self.chain.len() < MOST_LINKS) {
                self.chain.push([self.moves.len() as f64, p.lower, p.u_dot_w, p.norm, p.upper]);
            }
            self.path.extend(steps::pair(&step.weights).filter(|_| self.path.len() < MOST_LINKS));
        }
        let shown = window.shows(step.step);
        if shown || self.lines.is_some() {
            let row = raw(&TraceRow::new(step, &table.labels))?;
            self.print(&row)?;
            if shown {
                self.rows.push(row);
            }
        }
        if shown {
            self.details.push(Detail::new(before, step, steps::row(&table.matrix, step.example)));
        }
        before.clone_from(&step.weights);
        Ok(())
    }

    /// Adds a line to the text, if it was asked for.
    fn print(&mut self, row: &RawValue) -> Result<()> {
        let Some(lines) = &mut self.lines else { return Ok(()) };
        if lines.len() > MOST_TEXT {
            return Err(Error::bad_data("the trace is too long to be saved from here: use the command line"));
        }
        lines.push_str(row.get());
        lines.push('\n');
        Ok(())
    }

    fn count(&mut self, step: u64, epoch: u32, mistake: bool) {
        self.total = step;
        if mistake {
            self.mistakes.push(step);
        }
        self.passes.resize(epoch as usize, 0);
        self.passes[epoch as usize - 1] = step;
    }
}

/// With a kernel there are no weights to show: scores and mistakes alone.
fn in_kernel_space(trainer: &Trainer, table: &Table, window: Window, answer: &mut Answer) -> Result<Fitted> {
    answer.features = table.schema.feature_names();
    let mut watch = KernelWatch { table, window, answer, failed: None };
    let fitted = trainer.fit_with(Source::Table(table), With { observer: Some(&mut watch), ..With::default() })?;
    match watch.failed {
        Some(error) => Err(error),
        None => Ok(fitted),
    }
}

struct KernelWatch<'a> {
    table: &'a Table,
    window: Window,
    answer: &'a mut Answer,
    failed: Option<Error>,
}

impl Observer for KernelWatch<'_> {
    fn stride(&self) -> usize {
        1
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        let (example, step, epoch) = (now.examples.first() as usize, now.progress.presented, now.progress.epochs() + 1);
        let class = self.table.classes[example];
        let two = self.table.labels.len() == 2;
        let score = if two && class == 0 { -now.tally.last_margin } else { now.tally.last_margin } + 0.0;
        let mistake = now.tally.mistakes > 0;
        self.answer.count(step, epoch, mistake);
        if now.tally.updates > 0 {
            self.answer.moves.push(step);
        }
        let shown = self.window.shows(step);
        if shown || self.answer.lines.is_some() {
            let row = json!({ "epoch": epoch, "step": step, "example": example + 1,
                              "label": self.table.labels.name(class), "score": score, "mistake": mistake });
            match raw(&row).and_then(|row| self.answer.print(&row).map(|()| row)) {
                Ok(row) if shown => self.answer.rows.push(row),
                Ok(_) => {}
                Err(error) => {
                    self.failed = Some(error);
                    return ControlFlow::Break(Stop::Interrupted);
                }
            }
        }
        ControlFlow::Continue(())
    }
}
