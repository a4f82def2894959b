//! LIBSVM: `label index:value …`, one example per line. Reads a whole file, for training or for a model.
//!
//! One grammar, two parsers:
//! - `line`: the reference parser, line by line. It accepts every notation and reports every fault; tests compare the
//!   fast parser to it. Its tokens also give the text of each value, for exact arithmetic.
//! - `chunk`: the fast parser. It fills a block with the lines of a chunk, on every thread. A line of a known label
//!   and plain decimals is read by `entries`, eight bytes at a time, or by `simd`, two entries at a time with AVX2.
//!   Any other line goes to `line`.

mod chunk;
mod entries;
mod line;
#[cfg(target_arch = "x86_64")]
mod simd;

pub(super) use chunk::parse as parse_chunk;
pub(super) use line::written;

use std::sync::{Mutex, PoisonError};

use super::block::{Block, LineFacts};
use super::{KnownLabels, NeedLabels, Parts};
use crate::error::{Error, Place, Result};
use crate::io::{Broken, Lines, Pace, Pool, Want, count, in_order};
use crate::limits;
use crate::message::Message;
use crate::rows::{Form, LabelCollector, Labels, MAX_FEATURES, Matrix, Packed, Schema, SparseMatrix, Table, the_rows};
use line::{Beyond, Rules};

/// The rules for a line of a training file.
pub(crate) const TRAINING: Rules =
    Rules { label: true, least: 0, end: MAX_FEATURES as u64 + 1, beyond: Beyond::Refuse };

/// Reads labelled rows and determines the number of features. Each block, with collected labels, is passed to `then`,
/// with the collector so far; returns `None` if `then` wants no more.
pub(crate) fn read(
    lines: Lines<'_>,
    positive: Option<&str>,
    compact: bool,
    pace: Pace,
    pool: &Pool<Block>,
    mut then: impl FnMut(Block, &LabelCollector) -> Result<Want>,
) -> Result<Option<(Parts, LabelCollector)>> {
    let mut collector = LabelCollector::default();
    let mut label_ids = Vec::new();
    let mut enough = false;
    let name = lines.name().to_string();
    let mut rows = Entries::new(compact);
    // The form of the rows so far, for the threads that pack the next blocks. A hint only; stale reads are harmless.
    let form = Mutex::new(rows.form());
    let form = || form.lock().unwrap_or_else(PoisonError::into_inner);
    let pack = |block: &mut Block| {
        let now = *form();
        if let Some(form) = now {
            block.pack(form);
        }
    };
    // Assumes indices from 1, as in most files; `facts.zero` shows otherwise.
    let (facts, fingerprint) = each_block(lines, &TRAINING, 1, pace, pack, pool, |mut block, _| {
        collector.reserve(block.names.all().len())?;
        block.collect_labels(&mut collector);
        limits::reserve(&mut label_ids, block.len(), &the_rows)?;
        label_ids.extend_from_slice(&block.labels);
        rows.push(&block)?;
        *form() = rows.form();
        let want = then(block, &collector)?;
        enough = matches!(want, Want::Nothing);
        Ok(want)
    })?;
    if enough {
        return Ok(None);
    }
    if rows.is_empty() {
        return Err(no_examples(&name));
    }
    let first = u32::from(!facts.zero);
    if first == 0 {
        rows.raise();
    }
    let features = (facts.end.max(first) - first) as usize;
    if features == 0 {
        return Err(no_features());
    }
    let (labels, order) = collector.clone().finish(positive)?;
    let classes = label_ids.iter().map(|&id| order[id as usize]).collect();
    let schema = Schema::Indexed { first, features };
    let table = Table { matrix: rows.matrix(features), classes, labels, weights: None, schema };
    Ok(Some((Parts { table, notes: notes(&facts), fingerprint }, collector)))
}

/// The error that there are only labels.
pub(crate) fn no_features() -> Error {
    Error::bad_data("no features: every line is a label alone, where label index:value … is expected")
}

/// The rules for a line that is read for a model.
pub(crate) fn rules_for(first: u32, features: usize, need: NeedLabels) -> Rules {
    let label = need == NeedLabels::Yes;
    Rules { label, least: first, end: u64::from(first) + features as u64, beyond: Beyond::Drop }
}

/// Reads rows as a model expects them.
pub(crate) fn read_for(
    lines: Lines<'_>,
    (first, features): (u32, usize),
    labels: &Labels,
    need: NeedLabels,
    pace: Pace,
) -> Result<Parts> {
    let rules = rules_for(first, features, need);
    let mut known = KnownLabels::new(labels);
    let mut classes = Vec::new();
    let name = lines.name().to_string();
    let mut rows = Entries::new(false);
    let pool = Pool::new();
    let leave = |_: &mut Block| {};
    let (facts, fingerprint) = each_block(lines, &rules, first, pace, leave, &pool, |block, before| {
        if need == NeedLabels::Yes {
            known.classes(&block, before, &mut classes).map_err(|fault| fault.of(&name))?;
        }
        rows.push(&block)?;
        pool.put(block);
        Ok(Want::More)
    })?;
    if rows.is_empty() {
        return Err(no_examples(&name));
    }
    let schema = Schema::Indexed { first, features };
    let table = Table { matrix: rows.matrix(features), classes, labels: labels.clone(), weights: None, schema };
    Ok(Parts { table, notes: notes(&facts), fingerprint })
}

/// The rows read so far.
enum Entries {
    /// All numbers so far are short decimals.
    Packed(Packed),
    /// Some are not, or the compact form was not requested.
    Floats { offsets: Vec<usize>, indices: Vec<u32>, values: Vec<f64> },
}

impl Entries {
    fn new(compact: bool) -> Self {
        if compact {
            Entries::Packed(Packed::default())
        } else {
            Entries::Floats { offsets: vec![0], indices: Vec::new(), values: Vec::new() }
        }
    }

    fn push(&mut self, block: &Block) -> Result<()> {
        let (own_indices, own_values) = (&block.indices[..block.stored], &block.values[..block.stored]);
        if let Entries::Packed(packed) = self {
            packed.reserve(block.len(), block.stored)?;
            if block.packed().is_some_and(|rows| packed.append(rows)) {
                return Ok(());
            }
            packed.room_to_widen(own_indices)?;
            if packed.extend(&block.ends, own_indices, own_values) {
                return Ok(());
            }
            packed.room_for_floats()?;
            let (offsets, indices, values) = std::mem::take(packed).into_unshifted_floats();
            *self = Entries::Floats { offsets, indices, values };
        }
        if let Entries::Floats { offsets, indices, values } = self {
            limits::reserve(offsets, block.len(), &the_rows)?;
            limits::reserve(indices, block.stored, &the_rows)?;
            limits::reserve(values, block.stored, &the_rows)?;
            offsets.extend(block.ends.iter().map(|&end| indices.len() + end as usize));
            indices.extend_from_slice(own_indices);
            values.extend_from_slice(own_values);
        }
        Ok(())
    }

    /// How rows are packed, if they are.
    fn form(&self) -> Option<Form> {
        match self {
            Entries::Packed(packed) => Some(packed.form()),
            Entries::Floats { .. } => None,
        }
    }

    /// Makes every index one greater.
    fn raise(&mut self) {
        match self {
            Entries::Packed(packed) => packed.raise(),
            Entries::Floats { indices, .. } => indices.iter_mut().for_each(|index| *index = index.wrapping_add(1)),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Entries::Packed(packed) => packed.is_empty(),
            Entries::Floats { offsets, .. } => offsets.len() == 1,
        }
    }

    fn matrix(self, features: usize) -> Matrix {
        match self {
            Entries::Packed(packed) => Matrix::packed(packed, features),
            Entries::Floats { offsets, indices, values } => {
                Matrix::Sparse(SparseMatrix { offsets, indices, values, features })
            }
        }
    }
}

/// The error that there are no rows.
pub(crate) fn no_examples(name: &str) -> Error {
    Error::data(Place::file(name), "no examples: the file holds only comments and blank lines")
}

/// Parses on all threads, calls `prepare` there with each block, and `take` in order with each block and the number of
/// lines before it. Returns the facts of all lines, and the fingerprint.
pub(crate) fn each_block(
    lines: Lines<'_>,
    rules: &Rules,
    first: u32,
    pace: Pace,
    prepare: impl Fn(&mut Block) + Sync,
    pool: &Pool<Block>,
    mut take: impl FnMut(Block, u64) -> Result<Want>,
) -> Result<(LineFacts, u64)> {
    let name = lines.name().to_string();
    let mut before = lines.number();
    let mut facts = LineFacts::default();
    let parse = |chunk: &_, block: &mut Block| {
        parse_chunk(chunk, rules, first, block);
        prepare(block);
    };
    let fingerprint = in_order(lines, pace, pool, parse, |result| {
        let mut block = match result.and_then(Block::checked) {
            Ok(block) => block,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(before).of(&name)),
        };
        let (fault, lines) = (block.fault.take(), block.lines);
        facts.join(&block.facts, before);
        // Blank lines alone are no block: a caller may keep blocks until there are rows.
        let want = if block.len() > 0 {
            take(block, before)?
        } else {
            pool.put(block);
            Want::More
        };
        if let Some(fault) = fault {
            return Err(fault.after(before).of(&name));
        }
        before += lines;
        Ok(want)
    })?;
    Ok((facts, fingerprint))
}

/// Notes for the user on the facts of the lines.
pub(crate) fn notes(facts: &LineFacts) -> Vec<Message> {
    let mut notes = Vec::new();
    if facts.qids > 0 {
        notes.push(format!("qid: ignored on {}", count(facts.qids, "line")).into());
    }
    if let Some((index, line)) = facts.first_dropped {
        let message = format!(
            "{} of features that the model does not know left out (the first: feature {index} on line {line})",
            count(facts.dropped, "value")
        );
        notes.push(message.into());
    }
    notes
}
