//! A LIBSVM file, whole: to train on, or for a model.

use std::sync::{Mutex, PoisonError};

use super::block::{Block, Seen};
use super::libsvm::{Beyond, Rules};
use super::{Known, NeedLabels, Parts};
use crate::error::{Error, Place, Result};
use crate::io::{Broken, Lines, Pace, Pool, Want, count, in_order};
use crate::message::Message;
use crate::read::libsvm_block;
use crate::rows::{Form, LabelCollector, Labels, MAX_FEATURES, Matrix, Packed, Schema, SparseMatrix, Table};

/// What a line to learn from must look like.
pub(crate) const TRAINING: Rules =
    Rules { label: true, least: 0, end: MAX_FEATURES as u64 + 1, beyond: Beyond::Refuse };

/// Reads labelled rows and learns how many features there are. Each block, its labels collected, is passed on to
/// `then`, with what was collected so far; `None` if it wants no more.
pub(crate) fn read(
    lines: Lines<'_>,
    positive: Option<&str>,
    compact: bool,
    pace: Pace,
    pool: &Pool<Block>,
    mut then: impl FnMut(Block, &LabelCollector) -> Result<Want>,
) -> Result<Option<(Parts, LabelCollector)>> {
    let mut collector = LabelCollector::default();
    let mut met = Vec::new();
    let mut enough = false;
    let name = lines.name().to_string();
    let mut rows = Entries::new(compact);
    // The form of the rows so far, for those who pack the next ones. Nothing but time hangs on when they hear of a change.
    let form = Mutex::new(rows.form());
    let form = || form.lock().unwrap_or_else(PoisonError::into_inner);
    let pack = |block: &mut Block| {
        let now = *form();
        if let Some(form) = now {
            block.pack(form);
        }
    };
    // Most files count from 1: if this one does not, it shows.
    let (seen, fingerprint) = each_block(lines, &TRAINING, 1, pace, pack, pool, |mut block, _| {
        block.collect_labels(&mut collector);
        met.extend_from_slice(&block.labels);
        rows.push(&block);
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
    let first = u32::from(!seen.zero);
    if first == 0 {
        rows.raise();
    }
    let features = (seen.end.max(first) - first) as usize;
    if features == 0 {
        return Err(no_features());
    }
    let (labels, order) = collector.clone().finish(positive)?;
    let classes = met.iter().map(|&id| order[id as usize]).collect();
    let schema = Schema::Indexed { first, features };
    let table = Table { matrix: rows.matrix(features), classes, labels, weights: None, schema };
    Ok(Some((Parts { table, notes: notes(&seen), fingerprint }, collector)))
}

/// That nothing but labels was found.
pub(crate) fn no_features() -> Error {
    Error::bad_data("no features: every line is a label alone, where label index:value … is expected")
}

/// What a line must look like to be read for a model.
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
    let mut known = Known::new(labels);
    let mut classes = Vec::new();
    let name = lines.name().to_string();
    let mut rows = Entries::new(false);
    let pool = Pool::new();
    let leave = |_: &mut Block| {};
    let (seen, fingerprint) = each_block(lines, &rules, first, pace, leave, &pool, |block, before| {
        if need == NeedLabels::Yes {
            known.classes(&block, before, &mut classes).map_err(|fault| fault.of(&name))?;
        }
        rows.push(&block);
        pool.put(block);
        Ok(Want::More)
    })?;
    if rows.is_empty() {
        return Err(no_examples(&name));
    }
    let schema = Schema::Indexed { first, features };
    let table = Table { matrix: rows.matrix(features), classes, labels: labels.clone(), weights: None, schema };
    Ok(Parts { table, notes: notes(&seen), fingerprint })
}

/// Rows as they come in.
enum Entries {
    /// All numbers so far are short decimals.
    Packed(Packed),
    /// Some are not, or nobody asked.
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

    fn push(&mut self, block: &Block) {
        let (own_indices, own_values) = (&block.indices[..block.stored], &block.values[..block.stored]);
        if let Entries::Packed(packed) = self {
            let appended = block.packed().is_some_and(|rows| packed.append(rows));
            if appended || packed.extend(&block.ends, own_indices, own_values) {
                return;
            }
            let (offsets, indices, values) = std::mem::take(packed).give_up();
            *self = Entries::Floats { offsets, indices, values };
        }
        if let Entries::Floats { offsets, indices, values } = self {
            offsets.extend(block.ends.iter().map(|&end| indices.len() + end as usize));
            indices.extend_from_slice(own_indices);
            values.extend_from_slice(own_values);
        }
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

/// That nothing was found.
pub(crate) fn no_examples(name: &str) -> Error {
    Error::data(Place::file(name), "no examples: the file holds only comments and blank lines")
}

/// Parses on all threads, where each block is then prepared, and hands over each in order, with the number of lines before
/// it. Returns what the lines held, and the fingerprint.
pub(crate) fn each_block(
    lines: Lines<'_>,
    rules: &Rules,
    first: u32,
    pace: Pace,
    prepare: impl Fn(&mut Block) + Sync,
    pool: &Pool<Block>,
    mut take: impl FnMut(Block, u64) -> Result<Want>,
) -> Result<(Seen, u64)> {
    let name = lines.name().to_string();
    let mut before = lines.number();
    let mut seen = Seen::default();
    let parse = |chunk: &_, block: &mut Block| {
        libsvm_block::parse(chunk, rules, first, block);
        prepare(block);
    };
    let fingerprint = in_order(lines, pace, pool, parse, |result| {
        let mut block = match result {
            Ok(block) => block,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(before).of(&name)),
        };
        let (fault, lines) = (block.fault.take(), block.lines);
        seen.join(&block.seen, before);
        let want = take(block, before)?;
        if let Some(fault) = fault {
            return Err(fault.after(before).of(&name));
        }
        before += lines;
        Ok(want)
    })?;
    Ok((seen, fingerprint))
}

/// What a user may want to know of what was seen.
pub(crate) fn notes(seen: &Seen) -> Vec<Message> {
    let mut notes = Vec::new();
    if seen.qids > 0 {
        notes.push(format!("qid: passed over on {}", count(seen.qids, "line")).into());
    }
    if let Some((index, line)) = seen.first_dropped {
        let values = count(seen.dropped, "value");
        let told = format!(
            "{values} of features that the model does not know left out (the first: feature {index} on line {line})"
        );
        notes.push(told.into());
    }
    notes
}
