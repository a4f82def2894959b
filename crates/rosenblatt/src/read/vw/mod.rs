//! Vowpal Wabbit text: `label importance 'tag |namespace:weight feature:value … |other …`, one example a line.
//!
//! A feature is named `namespace^feature`, or `feature` without a namespace (`Feature::write_name`). An omitted value is 1;
//! values of a repeated feature are added. A token that touches the first bar, or starts with a `'`, is a tag, which is
//! ignored.
//!
//! - `line`: the reference parser. It reports every fault.
//! - `chunk`: fills a block with the lines of a chunk, on every thread; a line that it does not handle goes to `line`.

mod chunk;
mod line;
#[cfg(test)]
mod twin;

pub(crate) use chunk::{Lookup, parse as parse_chunk};
pub(super) use line::Line;

use std::borrow::Cow;

use super::block::{Block, LineFacts};
use super::dictionary::{Growing, Published, Ranked};
use super::{KnownLabels, NeedLabels, Parts};
use crate::error::{Error, Result};
use crate::io::{Broken, Lines, Pace, Pool, Want, count, in_order};
use crate::limits;
use crate::message::Message;
use crate::rows::{LabelCollector, Labels, Matrix, Schema, SparseMatrix, Table, the_rows};

/// The features of a training file that was read to its end.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) schema: Schema,
    /// The feature of each number that blocks hold.
    pub(crate) places: Vec<u32>,
}

/// The rows of a file so far.
#[derive(Debug, Default)]
struct Rows {
    matrix: SparseMatrix,
    weights: Vec<f64>,
    weighed: bool,
}

impl Rows {
    fn push(&mut self, block: &Block) -> Result<()> {
        limits::reserve(&mut self.matrix.offsets, block.len(), &the_rows)?;
        limits::reserve(&mut self.matrix.indices, block.stored, &the_rows)?;
        limits::reserve(&mut self.matrix.values, block.stored, &the_rows)?;
        limits::reserve(&mut self.weights, block.len(), &the_rows)?;
        let start = self.matrix.indices.len();
        self.matrix.offsets.extend(block.ends.iter().map(|&end| start + end as usize));
        self.matrix.indices.extend_from_slice(&block.indices[..block.stored]);
        self.matrix.values.extend_from_slice(&block.values[..block.stored]);
        self.weights.extend_from_slice(&block.weights);
        self.weighed |= block.weighed;
        Ok(())
    }
}

/// Reads labelled examples and collects the names of their features.
pub(crate) fn read(lines: Lines<'_>, positive: Option<&str>, pace: Pace) -> Result<Parts> {
    let mut collector = LabelCollector::default();
    let (mut rows, mut label_ids, pool) = (Rows::default(), Vec::new(), Pool::new());
    let (names, facts, fingerprint) = each_block(
        lines,
        pace,
        &pool,
        |_| {},
        |mut block| {
            collector.reserve(block.names.all().len())?;
            block.collect_labels(&mut collector);
            limits::reserve(&mut label_ids, block.len(), &the_rows)?;
            label_ids.extend_from_slice(&block.labels);
            rows.push(&block)?;
            pool.put(block);
            Ok(Want::More)
        },
    )?;
    // Rows are in the order of the names, so the places increase within each.
    let Rows { mut matrix, weights, weighed } = rows;
    matrix.indices.iter_mut().for_each(|index| *index = names.places[*index as usize]);
    matrix.features = names.schema.features();
    let (labels, order) = collector.finish(positive)?;
    let classes = label_ids.iter().map(|&id| order[id as usize]).collect();
    let weights = weighed.then_some(weights);
    let table = Table { matrix: Matrix::Sparse(matrix), classes, labels, weights, schema: names.schema };
    Ok(Parts { table, notes: notes(&facts), fingerprint })
}

/// Calls `prepare` on all threads with each block of labelled rows, then `take` in order. Features are numbered in order
/// of first appearance; rows are in the order of their names.
pub(crate) fn each_block(
    lines: Lines<'_>,
    pace: Pace,
    pool: &Pool<Block>,
    prepare: impl Fn(&mut Block) + Sync,
    mut take: impl FnMut(Block) -> Result<Want>,
) -> Result<(Names, LineFacts, u64)> {
    let (published, mut growing, mut rows) = (Published::default(), Growing::default(), 0);
    let parse = |chunk: &_, block: &mut Block| {
        parse_chunk(chunk, &Lookup::Training(&published), NeedLabels::Yes, block);
        prepare(block);
    };
    let (facts, fingerprint) = in_lines(lines, pace, pool, parse, |mut block, _| {
        growing.merge(&mut block, &published)?;
        rows += block.len();
        if block.len() > 0 {
            return take(block);
        }
        pool.put(block);
        Ok(Want::More)
    })?;
    if rows == 0 {
        return Err(no_examples());
    }
    let (names, places) = growing.finish(&published);
    if names.is_empty() {
        return Err(Error::bad_data("no features: nothing follows the bars"));
    }
    Ok((Names { schema: Schema::Named { names }, places }, facts, fingerprint))
}

/// The error that there are no rows.
pub(crate) fn no_examples() -> Error {
    Error::bad_data("no examples: no line holds one")
}

/// Calls `take` with the blocks of a text in order, and with the number of lines before each. A fault is reported after
/// the rows before it. Returns the facts of all lines, and the fingerprint.
fn in_lines(
    lines: Lines<'_>,
    pace: Pace,
    pool: &Pool<Block>,
    parse: impl Fn(&crate::io::Chunk, &mut Block) + Sync,
    mut take: impl FnMut(Block, u64) -> Result<Want>,
) -> Result<(LineFacts, u64)> {
    let name = lines.name().to_string();
    let (mut before, mut facts) = (lines.number(), LineFacts::default());
    let fingerprint = in_order(lines, pace, pool, parse, |result| {
        let mut block = match result.and_then(Block::checked) {
            Ok(block) => block,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(before).of(&name)),
        };
        let (fault, lines) = (block.fault.take(), block.lines);
        facts.join(&block.facts, before);
        let want = take(block, before)?;
        if let Some(fault) = fault {
            return Err(fault.after(before).of(&name));
        }
        before += lines;
        Ok(want)
    })?;
    Ok((facts, fingerprint))
}

/// Reads examples for a model of these features.
pub(crate) fn read_for(
    lines: Lines<'_>,
    names: &[String],
    labels: &Labels,
    need: NeedLabels,
    pace: Pace,
) -> Result<Parts> {
    let (file, ranked, pool) = (lines.name().to_string(), Ranked::of_model(names)?, Pool::new());
    let (mut rows, mut classes, mut known) = (Rows::default(), Vec::new(), KnownLabels::new(labels));
    let parse = |chunk: &_, block: &mut Block| parse_chunk(chunk, &Lookup::Model(&ranked), need, block);
    let (facts, fingerprint) = in_lines(lines, pace, &pool, parse, |block, before| {
        if need == NeedLabels::Yes {
            limits::reserve(&mut classes, block.len(), &the_rows)?;
            known.classes(&block, before, &mut classes).map_err(|fault| fault.of(&file))?;
        }
        rows.push(&block)?;
        pool.put(block);
        Ok(Want::More)
    })?;
    let Rows { matrix, weights, weighed } = rows;
    if weights.is_empty() {
        return Err(no_examples());
    }
    let weights = weighed.then_some(weights);
    let matrix = SparseMatrix { features: names.len(), ..matrix };
    let schema = Schema::Named { names: names.to_vec() };
    let table = Table { matrix: Matrix::Sparse(matrix), classes, labels: labels.clone(), weights, schema };
    Ok(Parts { table, notes: notes(&facts), fingerprint })
}

/// Notes for the user on the facts of the lines.
pub(crate) fn notes(facts: &LineFacts) -> Vec<Message> {
    let mut notes: Vec<Message> = Vec::new();
    if let Some(line) = facts.base {
        notes.push(format!("a base prediction (the third number) is ignored, first on line {line}").into());
    }
    if facts.dropped > 0 {
        let values = count(facts.dropped, "value");
        notes.push(format!("ignored {values} of features that the model does not know").into());
    }
    notes
}

/// Calls `visit(row, entries)` for each example of a file that was read before with these features, as
/// [`each_raw`](super::raw::each_raw) does. A value that the file does not write as one number, because its namespace has a
/// weight or the feature comes twice, is the float that was read.
pub(crate) fn each_written(
    mut lines: Lines<'_>,
    names: &[String],
    mut visit: impl FnMut(usize, &[(usize, &[u8])]) -> Result<bool>,
) -> Result<()> {
    let file = lines.name().to_string();
    let mut name = Vec::new();
    let mut row = 0;
    while lines.advance()? {
        let Some(line) = Line::split(lines.line(), lines.number()).map_err(|f| f.of(&file))? else { continue };
        let mut entries: Vec<(usize, Cow<'_, [u8]>, f64)> = Vec::new();
        line.each_feature(|feature| {
            feature.write_name(&mut name);
            let Ok(place) = names.binary_search_by(|known| known.as_bytes().cmp(&name)) else {
                return Err(line.fault(&feature, "a feature that was not there before: the file has changed".into()));
            };
            let value = feature.scale * feature.value;
            let written = match feature.scale == 1.0 {
                true => Cow::Borrowed(feature.written),
                false => Cow::Owned(format!("{value:e}").into_bytes()),
            };
            entries.push((place, written, value));
            Ok(())
        })
        .map_err(|fault| fault.of(&file))?;
        entries.sort_by_key(|entry| entry.0);
        let once: Vec<(usize, Cow<'_, [u8]>)> = entries
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| match same {
                [(place, written, _)] => (*place, written.clone()),
                _ => {
                    let sum: f64 = same.iter().map(|entry| entry.2).sum();
                    (same[0].0, Cow::Owned(format!("{sum:e}").into_bytes()))
                }
            })
            .collect();
        let once: Vec<(usize, &[u8])> = once.iter().map(|(place, written)| (*place, &**written)).collect();
        if !visit(row, &once)? {
            break;
        }
        row += 1;
    }
    Ok(())
}
