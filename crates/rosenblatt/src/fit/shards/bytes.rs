//! Mixtures and reports as bytes: they travel between processes, and a mixture is the checkpoint of a training.
//!
//! The container is that of FORMAT.md. Arrays of floating-point numbers are stored sparse where that is smaller: `NAME` has
//! the numbers that differ from the base, and `NAME#` their places.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::delta::{Counts, Delta};
use super::mixing::{Mixing, check_mixes};
use super::mixture::Mixture;
use super::momentum::{Momentum, is_weights};
use super::part::Part;
use crate::error::{Error, Result};
use crate::fit::checkpoint_file::{CheckpointContent, checkpoint_parts, restore};
use crate::io::write_file;
use crate::learn::{Array, State};
use crate::model::{Frame, Kind, Versioned, pack, read_model};

/// What is known of a sparse array: its length, and the number that is not stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sparse {
    length: u64,
    base: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MixtureContent {
    kind: Kind,
    checkpoint: CheckpointContent,
    mixing: Mixing,
    shards: u32,
    examples: u64,
    equal: bool,
    separated: bool,
    #[serde(deserialize_with = "crate::learn::map")]
    sparse: BTreeMap<String, Sparse>,
}

impl Versioned for MixtureContent {
    fn version(&self) -> u32 {
        self.checkpoint.version()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeltaContent {
    kind: Kind,
    round: u32,
    first: u32,
    replaces: bool,
    #[serde(deserialize_with = "crate::learn::map")]
    increments: BTreeMap<String, u64>,
    #[serde(deserialize_with = "crate::learn::map")]
    sparse: BTreeMap<String, Sparse>,
}

impl Versioned for DeltaContent {
    fn version(&self) -> u32 {
        1
    }
}

/// The prefix of the arrays that a mixture has beside those of its checkpoint.
const OWN: &str = "shards";

/// Stores a part under its name.
fn put(name: &str, part: &Part, base: u8, arrays: &mut State, sparse: &mut BTreeMap<String, Sparse>) {
    let (values, indices) = part.arrays();
    arrays.insert(name, values);
    if let Some(indices) = indices {
        arrays.insert(format!("{name}#"), indices);
        sparse.insert(name.to_string(), Sparse { length: part.len() as u64, base });
    }
}

/// The part of this name.
fn get(name: &str, arrays: &State, sparse: Option<&Sparse>) -> Result<Part> {
    let values = arrays.f64s(name)?;
    match sparse {
        Some(Sparse { length, .. }) => Part::read(values, Some((*length, arrays.u32s(&format!("{name}#"))?))),
        None => Part::read(values, None),
    }
}

/// The same arrays, sparse ones as such. Most numbers of an array are 0, or 1 (the variances of features that did not occur).
fn compact(arrays: State) -> (State, BTreeMap<String, Sparse>) {
    let (mut small, mut sparse) = (State::default(), BTreeMap::new());
    for (name, array) in arrays.canonical().into_arrays() {
        match array {
            Array::F64(values) => {
                let ones = values.iter().filter(|v| **v == 1.0).count();
                let base = u8::from(ones > values.len() / 2);
                let part = Part::new(values, |_, v| v != f64::from(base));
                put(&name, &part, base, &mut small, &mut sparse);
            }
            other => small.insert(name, other),
        }
    }
    (small, sparse)
}

/// All arrays, dense.
fn expand(arrays: &State, sparse: &BTreeMap<String, Sparse>) -> Result<State> {
    let mut all = State::default();
    if let Some(name) = sparse.keys().find(|name| arrays.f64s(name).is_err()) {
        return Err(Error::bad_model(format!("no array \"{name}\" of floating-point numbers")));
    }
    for (name, array) in arrays.arrays() {
        match array {
            Array::F64(_) => {
                let kind = sparse.get(name);
                let base = kind.map_or(0.0, |kind| f64::from(kind.base));
                all.insert(name, Array::F64(get(name, arrays, kind)?.into_dense(base)?));
            }
            Array::U32(_) if name.strip_suffix('#').is_some_and(|name| sparse.contains_key(name)) => {}
            other => all.insert(name, other.clone()),
        }
    }
    Ok(all)
}

impl Mixture {
    /// The bytes of a file: what a shard needs for its round, and what resuming needs.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes(true)
    }

    /// The bytes of what a shard needs for its round: without the momentum, which only the driver needs.
    pub fn to_task_bytes(&self) -> Vec<u8> {
        self.bytes(false)
    }

    fn bytes(&self, with_momentum: bool) -> Vec<u8> {
        let (_, checkpoint, mut arrays) = checkpoint_parts(&self.checkpoint);
        arrays.insert(format!("{OWN}.mistakes"), Array::U64(self.mistakes.concat()));
        arrays.insert(format!("{OWN}.mixed"), Array::F64(self.mixed_mistakes.clone()));
        let geometry = vec![self.sq_radius, self.margin.unwrap_or(0.0)];
        arrays.insert(format!("{OWN}.geometry"), Array::F64(geometry));
        if let Some(momentum) = self.momentum.as_ref().filter(|_| with_momentum) {
            let numbers = vec![momentum.ahead, momentum.progress, momentum.gain];
            arrays.insert(format!("{OWN}.momentum"), Array::F64(numbers));
            for (name, velocity) in &momentum.velocity {
                arrays.insert(format!("{OWN}.velocity.{name}"), Array::F64(velocity.clone()));
            }
        }
        let (arrays, sparse) = compact(arrays);
        let content = MixtureContent {
            kind: Kind::Mixture,
            checkpoint,
            mixing: self.mixing,
            shards: self.shards,
            examples: self.examples,
            equal: self.equal,
            separated: self.margin.is_some(),
            sparse,
        };
        pack(content.version(), content, arrays)
    }

    /// A mixture from its bytes; `name` is what errors call it. Nothing in them is trusted.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Mixture> {
        let frame = Frame::open(name, bytes)?;
        if frame.kind != Kind::Mixture {
            return Err(Error::model(name, "not the state of a training on shards"));
        }
        let content = frame.content().and_then(|c: MixtureContent| frame.check_version(&c).map(|()| c));
        content.and_then(|c| restore_mixture(&frame.arrays, c)).map_err(|e| frame.fault(e))
    }

    /// Writes it, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_file(path.as_ref(), &self.to_bytes())
    }

    /// Reads it.
    pub fn load(path: impl AsRef<Path>) -> Result<Mixture> {
        let path = path.as_ref();
        let bytes = read_model(path)?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}

fn restore_mixture(arrays: &State, content: MixtureContent) -> Result<Mixture> {
    let all = expand(arrays, &content.sparse)?;
    let own = all.below(OWN);
    let mut rest = State::default();
    for (name, array) in all.into_arrays().filter(|(name, _)| !name.starts_with("shards.")) {
        rest.insert(name, array);
    }
    let checkpoint = restore(&rest, content.checkpoint)?;
    check_mixes(&checkpoint.trainer(1))?;
    let (rounds, shards) = (checkpoint.progress.epochs() as usize, content.shards as usize);
    let (mistakes, mixed) = (own.u64s("mistakes")?, own.f64s("mixed")?.to_vec());
    let [sq_radius, margin] = *own.f64s("geometry")? else {
        return Err(Error::bad_model("\"shards.geometry\" must hold two numbers"));
    };
    let sound = shards > 0
        && Some(mistakes.len()) == rounds.checked_mul(shards)
        && mixed.len() == rounds
        && mistakes
            .chunks(shards)
            .zip(&checkpoint.progress.mistakes_by_epoch)
            .all(|(each, all)| each.iter().map(|&k| u128::from(k)).sum::<u128>() == u128::from(*all));
    if !sound {
        return Err(Error::bad_model("the counts of the rounds and shards contradict each other"));
    }
    let momentum = restore_momentum(&own, &checkpoint.learner)?;
    if momentum.is_some() && content.mixing != Mixing::Momentum {
        return Err(Error::bad_model("momentum, where shards are mixed without"));
    }
    Ok(Mixture {
        checkpoint,
        mixing: content.mixing,
        shards: content.shards,
        examples: content.examples,
        equal: content.equal,
        sq_radius,
        margin: content.separated.then_some(margin),
        mistakes: mistakes.chunks(shards).map(<[u64]>::to_vec).collect(),
        mixed_mistakes: mixed,
        momentum,
    })
}

/// The momentum, if it was stored; `learner` has the arrays of weights that it belongs to.
fn restore_momentum(own: &State, learner: &State) -> Result<Option<Momentum>> {
    let Ok(numbers) = own.f64s("momentum") else { return Ok(None) };
    let mut velocity = BTreeMap::new();
    for (name, array) in own.below("velocity").into_arrays() {
        match array {
            Array::F64(v) if is_weights(&name) && learner.f64s(&name)?.len() == v.len() => velocity.insert(name, v),
            _ => return Err(Error::bad_model(format!("\"{OWN}.velocity.{name}\" does not belong to the weights"))),
        };
    }
    match *numbers {
        [ahead, progress, gain]
            if (0.0..1.0).contains(&ahead)
                && [progress, gain].iter().chain(velocity.values().flatten()).all(|v| v.is_finite()) =>
        {
            Ok(Some(Momentum { ahead, velocity, progress, gain }))
        }
        _ => Err(Error::bad_model("the numbers of the momentum are impossible")),
    }
}

/// Counts of a shard, and its two measurements.
const COUNTS: usize = 6;
const MEASURES: usize = 2;

impl Delta {
    /// The bytes of a report.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut arrays, mut sparse) = (State::default(), BTreeMap::new());
        for (name, part) in &self.parts {
            put(name, part, 0, &mut arrays, &mut sparse);
        }
        let each = self.counts.iter();
        let counts = each.clone().flat_map(|c| {
            let flags = [u64::from(c.weighted), u64::from(c.margin.is_some())];
            [c.examples, c.presented, c.mistakes, c.updates, flags[0], flags[1]]
        });
        arrays.insert(format!("{OWN}.counts"), Array::U64(counts.collect()));
        let measures = each.flat_map(|c| [c.sq_radius, c.margin.unwrap_or(0.0)]);
        arrays.insert(format!("{OWN}.measures"), Array::F64(measures.collect()));
        let (kind, increments) = (Kind::Delta, self.increments.clone());
        let (round, first, replaces) = (self.round, self.first, self.replaces);
        let content = DeltaContent { kind, round, first, replaces, increments, sparse };
        pack(content.version(), content, arrays)
    }

    /// A report from its bytes; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Delta> {
        let frame = Frame::open(name, bytes)?;
        if frame.kind != Kind::Delta {
            return Err(Error::model(name, "not the report of a shard"));
        }
        let content = frame.content().and_then(|c: DeltaContent| frame.check_version(&c).map(|()| c));
        content.and_then(|c| restore_delta(&frame.arrays, c)).map_err(|e| frame.fault(e))
    }
}

fn restore_delta(arrays: &State, content: DeltaContent) -> Result<Delta> {
    let own = arrays.below(OWN);
    let (counts, measures) = (own.u64s("counts")?, own.f64s("measures")?);
    let shards = counts.len() / COUNTS;
    let end = u64::from(content.first) + shards as u64;
    if counts.len() != shards * COUNTS || measures.len() != shards * MEASURES || end > u64::from(u32::MAX) {
        return Err(Error::bad_model("the counts of the shards contradict each other"));
    }
    let count = |(c, m): (&[u64], &[f64])| Counts {
        examples: c[0],
        presented: c[1],
        mistakes: c[2],
        updates: c[3],
        weighted: c[4] != 0,
        sq_radius: m[0],
        margin: (c[5] != 0).then_some(m[1]),
    };
    let counts = counts.chunks(COUNTS).zip(measures.chunks(MEASURES)).map(count).collect();
    let mut parts = BTreeMap::new();
    for (name, array) in arrays.arrays().filter(|(name, _)| !name.starts_with("shards.")) {
        if matches!(array, Array::F64(_)) {
            parts.insert(name.to_string(), get(name, arrays, content.sparse.get(name))?);
        }
    }
    let DeltaContent { round, first, replaces, increments, .. } = content;
    Ok(Delta { round, first, counts, replaces, parts, increments })
}
