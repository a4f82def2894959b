//! The rows parsed from one chunk of text. Blocks are reused.

use std::collections::HashMap;

use super::dictionary::Fresh;
use crate::error::Error;
use crate::io::{Broken, Fault};
use crate::limits;
use crate::rows::{Dense, Form, LabelCollector, Packed, Row, Sparse};

/// The rows of one chunk. The arrays keep their length when the block is reused; `stored` is the part in use.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The end of each row's entries.
    pub(crate) ends: Vec<u32>,
    /// Feature numbers, up to `stored`.
    pub(crate) indices: Vec<u32>,
    /// The value of each.
    pub(crate) values: Vec<f64>,
    /// How many entries there are.
    pub(crate) stored: usize,
    /// The same rows packed; valid if `is_packed`.
    packed: Packed,
    is_packed: bool,
    /// The label of each row, as an index into `names`.
    pub(crate) labels: Vec<u32>,
    /// The distinct labels, in order of appearance.
    pub(crate) names: Names,
    /// The weight of each row, where rows have weights, and whether any row states one.
    pub(crate) weights: Vec<f64>,
    pub(crate) weighed: bool,
    /// Names of features that were new when the chunk was parsed.
    pub(crate) fresh: Fresh,
    /// How many features each row has, where rows are dense and have no indices.
    pub(crate) width: Option<usize>,
    /// The greatest ‖x‖², if measured.
    pub(crate) sq_radius: f64,
    /// How many lines of the chunk were read.
    pub(crate) lines: u64,
    /// Whether a chunk of a table holds something that only the column reader can handle.
    pub(crate) unusual: bool,
    /// The fault that ended parsing; its line counts from the start of the chunk.
    pub(crate) fault: Option<Fault>,
    /// Why there was no room for the rows.
    pub(crate) refused: Option<Error>,
    /// What the lines hold besides rows.
    pub(crate) facts: LineFacts,
}

/// What the lines of a file hold besides rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LineFacts {
    /// Whether index 0 occurs: then the file counts from 0.
    pub(crate) zero: bool,
    /// One more than the largest index.
    pub(crate) end: u32,
    /// How many lines have a `qid`.
    pub(crate) qids: u64,
    /// How many entries were dropped because the model has no such feature.
    pub(crate) dropped: u64,
    /// The first dropped index, and its line.
    pub(crate) first_dropped: Option<(u32, u64)>,
    /// The first line with a base prediction, which is ignored.
    pub(crate) base: Option<u64>,
}

impl LineFacts {
    /// Merges the facts of a later chunk, whose lines count from `before`.
    pub(crate) fn join(&mut self, later: &LineFacts, before: u64) {
        self.zero |= later.zero;
        self.end = self.end.max(later.end);
        self.qids += later.qids;
        self.dropped += later.dropped;
        self.base = self.base.or(later.base.map(|line| line + before));
        self.first_dropped = self.first_dropped.or(later.first_dropped.map(|(index, line)| (index, line + before)));
    }
}

impl Block {
    /// Clears the block and makes room for `room` entries.
    pub(crate) fn clear(&mut self, room: usize) {
        self.ends.clear();
        self.labels.clear();
        self.names.clear();
        self.weights.clear();
        self.fresh.clear();
        if self.values.len() < room {
            // Fresh zero pages cost no memory until written; rounding up avoids most later growth.
            let room = room.next_multiple_of(1 << 14);
            (self.indices, self.values) = (vec![0; room], vec![0.0; room]);
        }
        (self.stored, self.lines, self.fault, self.facts) = (0, 0, None, LineFacts::default());
        (self.width, self.sq_radius, self.unusual, self.is_packed) = (None, 0.0, false, false);
        self.weighed = false;
    }

    /// Clears the block and makes room for `room` entries; `false`, with the reason in `refused`, if there is none.
    pub(crate) fn clear_checked(&mut self, room: usize) -> bool {
        /// Only a line longer than a chunk takes more entries.
        const FEW: usize = 1 << 18;
        let fits = if room > FEW {
            limits::room_for::<[u32; 3]>(room as u128, || "a line of the file".into())
        } else {
            Ok(())
        };
        self.clear(if fits.is_ok() { room } else { 0 });
        self.refused = fits.err();
        self.refused.is_none()
    }

    /// Makes room for more entries; `false`, with the reason in `refused`, if there is none.
    #[inline]
    pub(crate) fn make_room(&mut self, more: usize) -> bool {
        self.stored + more <= self.values.len() || self.grow(more)
    }

    #[cold]
    fn grow(&mut self, more: usize) -> bool {
        const LEAST: usize = 1 << 14;
        let room = (self.stored + more).max(2 * self.values.len()).max(LEAST);
        let fits = limits::room_for::<[u32; 3]>(room as u128, || "the rows of a part of the file".into());
        if fits.is_ok() && room <= u32::MAX as usize {
            self.indices.resize(room, 0);
            self.values.resize(room, 0.0);
            return true;
        }
        self.refused = Some(fits.err().unwrap_or_else(|| Error::bad_data("a row is too long")));
        false
    }

    /// Appends an entry of a sparse row.
    #[inline]
    pub(crate) fn put(&mut self, index: u32, value: f64) {
        if self.make_room(1) {
            (self.indices[self.stored], self.values[self.stored]) = (index, value);
            self.stored += 1;
        }
    }

    /// The block, or why there was no room for it.
    pub(crate) fn checked(mut self) -> std::result::Result<Self, Broken> {
        match self.refused.take() {
            Some(error) => Err(Broken::Source(error)),
            None => Ok(self),
        }
    }

    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many values row `i` stores.
    pub(crate) fn stored_in(&self, i: usize) -> usize {
        (self.ends[i] - if i == 0 { 0 } else { self.ends[i - 1] }) as usize
    }

    /// Replaces the labels by their ids in the collector.
    pub(crate) fn collect_labels(&mut self, collector: &mut LabelCollector) {
        // Labels that are not UTF-8 were refused by the parser.
        let collect = |name: &Name| collector.collect(&String::from_utf8_lossy(&name.text));
        let ids: Vec<u32> = self.names.all().iter().map(collect).collect();
        self.labels.iter_mut().for_each(|label| *label = ids[*label as usize]);
    }

    /// Packs the sparse rows, in this form if they fit it.
    pub(crate) fn pack(&mut self, form: Form) {
        self.packed.restart(form);
        self.is_packed = self.packed.extend(&self.ends, &self.indices[..self.stored], &self.values[..self.stored]);
    }

    /// The packed rows, if there are any.
    pub(crate) fn packed(&self) -> Option<&Packed> {
        self.is_packed.then_some(&self.packed)
    }

    /// Measures the longest row.
    pub(crate) fn measure(&mut self) {
        self.sq_radius = match self.width {
            None => self.rows().map(Row::sq_norm).fold(0.0, f64::max),
            Some(_) => self.dense_rows().map(Row::sq_norm).fold(0.0, f64::max),
        };
    }

    /// The first row whose squares overflow.
    pub(crate) fn too_long(&self) -> Option<usize> {
        match self.width {
            _ if self.sq_radius.is_finite() => None,
            None => self.rows().position(|x| !x.sq_norm().is_finite()),
            Some(_) => self.dense_rows().position(|x| !x.sq_norm().is_finite()),
        }
    }

    /// Each row, where rows are dense.
    pub(crate) fn dense_rows(&self) -> impl Iterator<Item = Dense<'_, f64>> {
        let width = self.width.unwrap_or(1).max(1);
        self.values[..self.stored].chunks_exact(width).map(Dense)
    }

    /// Each row, where rows are sparse.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Sparse<'_, f64>> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let range = start..end as usize;
            start = end as usize;
            Sparse { indices: &self.indices[range.clone()], values: &self.values[range] }
        })
    }
}

/// A few texts, numbered in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: Vec<Name>,
    by_text: HashMap<Box<[u8]>, u32>,
    /// A few names from before the last clear; a name among them needs no validation.
    before: Vec<Box<[u8]>>,
}

/// A text and its first position.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: Box<[u8]>,
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// Up to this many names are compared one by one; more are hashed.
const FEW: usize = 8;

impl Names {
    fn clear(&mut self) {
        for name in self.all.drain(..) {
            if self.before.len() < FEW && !self.before.contains(&name.text) {
                self.before.push(name.text);
            }
        }
        self.by_text.clear();
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Name] {
        &self.all
    }

    /// The number of a text, if it has one.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Option<u32> {
        if self.all.len() <= FEW {
            self.all.iter().position(|name| *name.text == *text).map(|at| at as u32)
        } else {
            self.by_text.get(text).copied()
        }
    }

    /// Whether a text is among those remembered from before the last clear.
    pub(crate) fn knew(&self, text: &[u8]) -> bool {
        self.before.iter().any(|name| **name == *text)
    }

    /// The number of a text, a new one if it is new.
    pub(crate) fn insert(&mut self, text: &[u8], line: u64, column: u64) -> u32 {
        self.find(text).unwrap_or_else(|| {
            let id = self.all.len() as u32;
            self.all.push(Name { text: text.into(), line, column });
            self.by_text.insert(text.into(), id);
            id
        })
    }
}
