//! The state of one model: names, labels and weights after so many examples.
//!
//! The state after n examples is a function of those examples alone: it is what `rosenblatt train --order cyclic
//! --epochs 1` makes of them. So a label that was not there before changes the past: training on all examples knows it
//! from the start. Then the examples are learned from again, from the log; labels are few, and most come early.
//!
//! A row is presented in the order of its names, as in a file whose features are sorted, while features are numbered as
//! they come. Sums depend on the order of the terms only, so the bits are the same. Maps that need no other rows apply to the
//! row: a name that is not known goes into none of them, as in a file for a model.

mod answer;
mod fingerprint;
mod keys;
mod meter;
mod reach;

pub use answer::{LEARNED, Learned, Prediction, json_number, json_text};
pub use fingerprint::Fingerprint;
pub use keys::Keys;
pub use meter::Meter;
pub use reach::{Bound, Reach};

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use rosenblatt::learn::{Step, decide};
use rosenblatt::map;
use rosenblatt::read::VwExample;
use rosenblatt::rows::{LabelCollector, Sparse};
use rosenblatt::{Checkpoint, Error, Hypothesis, Model, OnlineTrainer, Result, Schema, Trainer, Weights};
use serde::{Deserialize, Serialize};

use crate::rows::readable;

/// The state.
pub struct Engine {
    trainer: Trainer,
    ids: HashMap<Arc<str>, u32, ahash::RandomState>,
    names: Vec<Arc<str>>,
    labels: LabelCollector,
    /// The class of each label, by first appearance.
    classes: Vec<u32>,
    /// The names of the classes, for answers.
    shown: Arc<Vec<String>>,
    /// `None` until there are two classes.
    online: Option<OnlineTrainer>,
    seq: u64,
    /// Progressive error.
    pub meter: Meter,
    /// Answers to requests that may come again.
    pub keys: Keys,
    /// The numbers of the names of a row, and its entries, kept so that they need not be allocated again.
    found: Vec<u32>,
    row: map::Entries,
    spare: (map::Entries, map::Entries),
    reach: Reach,
    /// Of the text of all examples.
    data: Fingerprint,
    /// The example that brought the newest class.
    settled: u64,
}

/// A name that is not known.
const UNKNOWN: u32 = u32::MAX;
const NO_NAMES: &[&str] = &[];

/// Nobody outside can make names that collide.
fn keyed() -> ahash::RandomState {
    let random = std::hash::RandomState::new();
    let [a, b, c, d] = [0u8, 1, 2, 3].map(|key| random.hash_one(key));
    ahash::RandomState::with_seeds(a, b, c, d)
}

/// Names and values of a row.
pub type Entries = Vec<(Arc<str>, f64)>;

/// Reads the examples so far again: calls back with each of them, in order.
pub type History<'h> = dyn FnMut(u64, &mut dyn FnMut(&VwExample) -> Result<()>) -> Result<()> + 'h;

/// What a snapshot holds beside the checkpoint.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    seq: u64,
    names: Vec<String>,
    labels: Vec<String>,
    meter: Meter,
    keys: Keys,
    batches: u64,
    counts: Vec<u64>,
    reach: Reach,
    data: Fingerprint,
    settled: u64,
}

impl Engine {
    /// Before the first example. Refuses settings under which examples cannot be learned from one by one.
    pub fn new(trainer: Trainer) -> Result<Engine> {
        let two = rosenblatt::Labels::new(vec!["a".into(), "b".into()]);
        let probe = OnlineTrainer::growing(trainer.clone(), two, NO_NAMES)?;
        let other = trainer.recipe.keep()? == rosenblatt::Keep::Pocket || trainer.recipe.learner == "batch";
        if other || probe.kept_at(&[]).is_none() {
            return Err(Error::settings(format!(
                "{}, keeping {}: this needs all examples, or all its updates, for each answer; \
                 serve a learner that keeps the last or the average weights",
                trainer.recipe.learner,
                trainer.recipe.keep()?.name()
            )));
        }
        Ok(Engine {
            trainer,
            ids: HashMap::with_hasher(keyed()),
            names: Vec::new(),
            labels: LabelCollector::default(),
            classes: Vec::new(),
            shown: Arc::default(),
            online: None,
            seq: 0,
            meter: Meter::default(),
            keys: Keys::default(),
            found: Vec::new(),
            row: map::Entries::default(),
            spare: Default::default(),
            reach: Reach::default(),
            data: Fingerprint::default(),
            settled: 0,
        })
    }

    /// Examples learned from.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Known features.
    pub fn features(&self) -> usize {
        self.names.len()
    }

    /// Whether a feature is known.
    pub fn knows(&self, name: &str) -> bool {
        self.ids.contains_key(name)
    }

    /// The classes, in the order of the scores.
    pub fn shown(&self) -> &Arc<Vec<String>> {
        &self.shown
    }

    /// The settings.
    pub fn trainer(&self) -> &Trainer {
        &self.trainer
    }

    /// Mistakes and updates of the learner.
    pub fn progress(&self) -> (u64, u64) {
        self.online.as_ref().map_or((0, 0), |online| (online.progress().mistakes, online.progress().updates))
    }

    /// What the mistakes of a perceptron say of the margin, for two classes.
    pub fn bound(&self) -> Option<Bound> {
        let named = ["perceptron", "averaged"].contains(&self.trainer.recipe.learner.as_str());
        if named && self.shown.len() == 2 { self.reach.bound(self.progress().0) } else { None }
    }

    /// Whether a label is known, as it is written; another text of the same number counts as a new one.
    pub fn knows_label(&self, label: &str) -> bool {
        let label = readable(label);
        self.shown.iter().any(|shown| *shown == label)
    }

    /// Whether a label would be a new class, for which all examples are learned from again.
    pub fn is_new_class(&self, label: &str) -> bool {
        !self.knows_label(label) && {
            let mut labels = self.labels.clone();
            labels.collect(label);
            labels.len() > self.labels.len()
        }
    }

    /// The example that brought the newest class, once there are two: a state from then on never needs those before it.
    pub fn settled(&self) -> Option<u64> {
        self.online.is_some().then_some(self.settled)
    }

    /// Weights of each output: a known feature has one, unless features share buckets.
    pub fn weights(&self, features: usize) -> usize {
        self.trainer.preparation.hash_bits.map_or(features, |bits| 1 << bits)
    }

    /// The entries of known features that are not zero, in the order of their names.
    fn known(&self, example: &VwExample) -> map::Entries {
        let mut row = map::Entries::default();
        let most = example.entries().len();
        row.indices.reserve(most);
        row.values.reserve(most);
        let known = example.entries().filter_map(|(name, value)| Some((*self.ids.get(name)?, value)));
        known.for_each(|(id, value)| row.push(id, value));
        row
    }

    /// Whether maps apply.
    fn has_maps(&self) -> bool {
        self.online.as_ref().is_some_and(|online| !online.chain().is_empty())
    }

    /// A row behind the maps.
    fn mapped(&self, row: map::Entries) -> map::Entries {
        match &self.online {
            Some(online) if !online.chain().is_empty() => {
                let (mut out, mut spare) = Default::default();
                online.chain().apply(row.row(), &mut out, &mut spare);
                out
            }
            _ => row,
        }
    }

    /// The answer for a row.
    pub fn predict(&self, example: &VwExample) -> Prediction {
        let row = if self.online.is_some() { self.mapped(self.known(example)) } else { Default::default() };
        self.predict_row(row.row())
    }

    /// The answer for a row behind the maps.
    fn predict_row(&self, x: Sparse<'_, f64>) -> Prediction {
        let classes = self.shown.clone();
        let mut scores = Vec::new();
        let Some(online) = &self.online else {
            let class = (classes.len() == 1).then_some(0);
            return Prediction { classes, class, scores, probabilities: None };
        };
        online.score_one(x, &mut scores);
        // 0 and −0 are one score.
        scores.iter_mut().for_each(|score| *score += 0.0);
        let class = Some(decide(&scores, self.trainer.recipe.tie));
        Prediction { classes, class, scores, probabilities: None }
    }

    /// The terms of the scores of a row: name, value and weights of each known feature, then the biases. Features that share
    /// a bucket share a term.
    pub fn explain(&self, example: &VwExample) -> Option<(Entries, Weights)> {
        let (online, raw) = (self.online.as_ref()?, self.known(example));
        let mut names: HashMap<u32, String> = HashMap::new();
        for &id in &raw.indices {
            let mut alone = map::Entries::default();
            alone.push(id, 1.0);
            let alone = self.mapped(alone);
            for (&at, &value) in alone.indices.iter().zip(&alone.values) {
                let shown = names.entry(at).or_default();
                let between = if shown.is_empty() { "" } else { " | " };
                *shown += &format!("{between}{}{}", if value < 0.0 { "-" } else { "" }, self.names[id as usize]);
            }
        }
        let row = self.mapped(raw);
        let name = |at: &u32| names.remove(at).unwrap_or_default().into();
        let names: Vec<Arc<str>> = row.indices.iter().map(name).collect();
        Some((names.into_iter().zip(row.values.iter().copied()).collect(), online.kept_at(&row.indices)?))
    }

    /// Learns from the next example, whose text is `line`, and returns the answer before. An error that comes from the
    /// history changes nothing.
    pub fn learn_next(&mut self, line: &str, example: &VwExample, history: &mut History<'_>) -> Result<Learned> {
        self.look_up(example);
        self.apply_maps();
        let row = std::mem::take(&mut self.row);
        let before = self.predict_row(row.row());
        self.row = row;
        let label = example.label.as_deref().unwrap_or_default();
        let (names, known) = (self.names.len(), self.labels.len());
        self.seq += 1;
        self.admit_names(example);
        let id = self.labels.collect(label);
        let margin = if self.labels.len() > known {
            match self.add_class(history) {
                Ok(margin) => margin,
                Err(error) => {
                    self.take_back(names, known)?;
                    return Err(error);
                }
            }
        } else if self.online.is_some() {
            self.fill(example);
            Some(self.step(id, example.weight)?.margin)
        } else {
            None
        };
        let mistake = match margin {
            Some(margin) => margin <= 0.0,
            None => before.class.is_none(),
        };
        if self.labels.len() == known || margin.is_none() {
            let name = &self.shown[self.classes[id as usize] as usize];
            self.meter.add(name, mistake);
        }
        if self.labels.len() > known {
            self.settled = self.seq;
        }
        self.data.write(line.as_bytes());
        self.data.write(b"\n");
        Ok(Learned { before, mistake, seq: self.seq })
    }

    /// Looks each name up, once, and makes the row of those that are known.
    fn look_up(&mut self, example: &VwExample) {
        self.found.clear();
        self.found.extend(example.entries().map(|(name, _)| self.ids.get(name).copied().unwrap_or(UNKNOWN)));
        self.fill(example);
    }

    /// Makes the row of the names that were found: their entries that are not zero.
    fn fill(&mut self, example: &VwExample) {
        self.row.clear();
        for (&id, (_, value)) in self.found.iter().zip(example.entries()) {
            if id != UNKNOWN {
                self.row.push(id, value);
            }
        }
    }

    /// Sends the row through the maps.
    fn apply_maps(&mut self) {
        if let Some(online) = self.online.as_ref().filter(|online| !online.chain().is_empty()) {
            let (out, spare) = &mut self.spare;
            online.chain().apply(self.row.row(), out, spare);
            std::mem::swap(&mut self.row, out);
        }
    }

    /// Numbers the names that were not found.
    fn admit_names(&mut self, example: &VwExample) {
        for (id, (name, _)) in self.found.iter_mut().zip(example.entries()) {
            if *id == UNKNOWN {
                let name: Arc<str> = name.into();
                *id = self.names.len() as u32;
                self.ids.insert(name.clone(), *id);
                self.names.push(name);
            }
        }
    }

    /// One step of the learner on the row, of the label `id`.
    fn step(&mut self, id: u32, weight: f64) -> Result<Step> {
        let Some(online) = &mut self.online else { return Err(Error::settings("no learner")) };
        online.grow_named(&self.names)?;
        self.apply_maps();
        let Some(online) = &mut self.online else { return Err(Error::settings("no learner")) };
        self.reach.add(&self.row.values, self.trainer.recipe.bias.beta(), weight);
        online.learn_one(self.row.row(), self.classes[id as usize], weight)
    }

    /// A label is new: with two classes or more, all examples so far are learned from again. The margin of the last one.
    fn add_class(&mut self, history: &mut History<'_>) -> Result<Option<f64>> {
        self.order_classes()?;
        if self.labels.len() < 2 {
            return Ok(None);
        }
        let (labels, _) = self.labels.clone().finish(None)?;
        let fresh = Some(OnlineTrainer::growing(self.trainer.clone(), labels, &self.names)?);
        let before = (
            std::mem::replace(&mut self.online, fresh),
            std::mem::take(&mut self.meter),
            std::mem::take(&mut self.reach),
        );
        let learned = self.learn_again(history);
        if learned.is_err() {
            (self.online, self.meter, self.reach) = before;
        }
        learned
    }

    /// Learns from all examples so far. The margin of the last one.
    fn learn_again(&mut self, history: &mut History<'_>) -> Result<Option<f64>> {
        let mut last = None;
        history(self.seq, &mut |example| {
            let label = example.label.as_deref().unwrap_or_default();
            let id = self.labels.collect(label);
            if id as usize >= self.classes.len() {
                let message =
                    format!("the log has the label {label:?}, which the snapshot lacks: they are of two models");
                return Err(Error::bad_data(message));
            }
            self.look_up(example);
            let margin = self.step(id, example.weight)?.margin;
            let name = &self.shown[self.classes[id as usize] as usize];
            self.meter.add(name, margin <= 0.0);
            last = Some(margin);
            Ok(())
        })?;
        if self.meter.examples() != self.seq {
            let (found, expected) = (self.meter.examples(), self.seq);
            return Err(Error::bad_data(format!("the log has {found} examples where {expected} were learned from")));
        }
        Ok(last)
    }

    /// The state before an example that brought a label: so many names and labels.
    fn take_back(&mut self, names: usize, labels: usize) -> Result<()> {
        self.seq -= 1;
        for name in self.names.drain(names..) {
            self.ids.remove(&name);
        }
        let texts = self.label_texts()?;
        self.labels = LabelCollector::default();
        for label in &texts[..labels] {
            self.labels.collect(label);
        }
        self.order_classes()
    }

    /// The labels in the order of their first appearance.
    fn label_texts(&self) -> Result<Vec<String>> {
        if self.labels.is_empty() {
            return Ok(Vec::new());
        }
        let (named, classes) = self.labels.clone().finish(None)?;
        Ok(classes.into_iter().map(|class| named.names()[class as usize].clone()).collect())
    }

    fn order_classes(&mut self) -> Result<()> {
        if self.labels.is_empty() {
            (self.classes, self.shown) = Default::default();
            return Ok(());
        }
        let (labels, classes) = self.labels.clone().finish(None)?;
        self.classes = classes;
        self.shown = Arc::new(labels.names().iter().map(|name| readable(name).into_owned()).collect());
        Ok(())
    }

    /// The model, as `rosenblatt train` writes it.
    pub fn model(&self) -> Result<Model> {
        let Some(online) = &self.online else {
            return Err(Error::bad_data("there is no model before examples of two classes"));
        };
        let mut model = online.model()?;
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.names[a as usize].as_bytes().cmp(self.names[b as usize].as_bytes()));
        if let Hypothesis::Linear(weights) = &model.hypothesis
            && self.trainer.preparation.hash_bits.is_none()
        {
            model.hypothesis = Hypothesis::Linear(weights.pick(&order));
        }
        if self.has_maps() {
            model.chain = self.trainer.preparation.online_for(order.iter().map(|&id| &*self.names[id as usize]))?;
        }
        model.schema = Schema::Named { names: order.iter().map(|&id| self.names[id as usize].to_string()).collect() };
        model.facts.data = Some(self.data.finish());
        Ok(model)
    }

    /// The snapshot of this state: a header and a checkpoint.
    pub fn snapshot(&self) -> Result<(Vec<u8>, Vec<u8>)> {
        let (batches, counts) = self.online.as_ref().map_or((0, &[][..]), OnlineTrainer::history);
        let header = Header {
            seq: self.seq,
            names: self.names.iter().map(|name| name.to_string()).collect(),
            labels: self.label_texts()?,
            meter: self.meter.clone(),
            keys: self.keys.clone(),
            batches,
            counts: counts.to_vec(),
            reach: self.reach,
            data: self.data.clone(),
            settled: self.settled,
        };
        let header = serde_json::to_vec(&header).map_err(|error| Error::bad_model(error.to_string()))?;
        Ok((header, self.online.as_ref().map_or_else(Vec::new, |online| online.checkpoint().to_bytes())))
    }

    /// The state of a snapshot.
    pub fn restore(trainer: Trainer, header: &[u8], checkpoint: &[u8]) -> Result<Engine> {
        let header: Header = serde_json::from_slice(header).map_err(|error| Error::bad_model(error.to_string()))?;
        let mut engine = Engine::new(trainer.clone())?;
        for (id, name) in header.names.into_iter().enumerate() {
            let name: Arc<str> = name.into();
            engine.ids.insert(name.clone(), id as u32);
            engine.names.push(name);
        }
        for label in &header.labels {
            engine.labels.collect(label);
        }
        engine.order_classes()?;
        if !checkpoint.is_empty() {
            let checkpoint = Checkpoint::from_bytes("snapshot", checkpoint)?;
            engine.online = Some(OnlineTrainer::resume(trainer, &checkpoint, header.batches, &header.counts)?);
        }
        if !header.data.is_sound() {
            return Err(Error::bad_model("the fingerprint of a snapshot is none"));
        }
        (engine.seq, engine.meter, engine.keys, engine.reach) = (header.seq, header.meter, header.keys, header.reach);
        (engine.data, engine.settled) = (header.data, header.settled);
        Ok(engine)
    }
}

#[cfg(test)]
mod tests;
