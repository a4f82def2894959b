//! Rows as they come from one chunk of text: what is refilled, passed on and learned from.

use std::collections::HashMap;

use crate::io::Fault;
use crate::rows::{Dense, Form, LabelCollector, Packed, Row, Sparse};

/// The rows of one chunk. Its arrays are refilled and keep their room; `stored` says how much of it counts.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Where the entries of each row end.
    pub(crate) ends: Vec<u32>,
    /// Feature numbers, as far as `stored`.
    pub(crate) indices: Vec<u32>,
    /// The value of each.
    pub(crate) values: Vec<f64>,
    /// How many entries there are.
    pub(crate) stored: usize,
    /// The same rows packed, if anyone asked and it can be done.
    packed: Packed,
    is_packed: bool,
    /// The label of each row, as a place in `names`.
    pub(crate) labels: Vec<u32>,
    /// The labels met, in order of appearance.
    pub(crate) names: Names,
    /// How many features each row has, where rows are dense and have no indices.
    pub(crate) width: Option<usize>,
    /// The greatest ‖x‖², if anyone asked.
    pub(crate) sq_radius: f64,
    /// Lines of the chunk, counted as far as it was read.
    pub(crate) lines: u64,
    /// Whether a chunk of a table held something that only the reader of columns can judge.
    pub(crate) unusual: bool,
    /// What ended the reading, its lines counted from the chunk's first.
    pub(crate) fault: Option<Fault>,
    /// What else the lines held.
    pub(crate) seen: LineFacts,
}

/// What the lines of an indexed file held besides their rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LineFacts {
    /// Whether index 0 occurred: then the file counts from 0.
    pub(crate) zero: bool,
    /// One more than the largest index.
    pub(crate) end: u32,
    /// How many lines had a query number.
    pub(crate) qids: u64,
    /// How many entries were left out as beyond.
    pub(crate) dropped: u64,
    /// The first index left out, and its line.
    pub(crate) first_dropped: Option<(u32, u64)>,
}

impl LineFacts {
    /// What two stretches of text held together; the later one's lines count from `before`.
    pub(crate) fn join(&mut self, later: &LineFacts, before: u64) {
        self.zero |= later.zero;
        self.end = self.end.max(later.end);
        self.qids += later.qids;
        self.dropped += later.dropped;
        self.first_dropped = self.first_dropped.or(later.first_dropped.map(|(index, line)| (index, line + before)));
    }
}

impl Block {
    /// Empties it, with room for as many entries.
    pub(crate) fn clear(&mut self, room: usize) {
        self.ends.clear();
        self.labels.clear();
        self.names.clear();
        if self.values.len() < room {
            // Fresh zeros cost no memory until they are written over; a little more room is seldom too small again.
            let room = room.next_multiple_of(1 << 14);
            (self.indices, self.values) = (vec![0; room], vec![0.0; room]);
        }
        (self.stored, self.lines, self.fault, self.seen) = (0, 0, None, LineFacts::default());
        (self.width, self.sq_radius, self.unusual, self.is_packed) = (None, 0.0, false, false);
    }

    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many values row `i` stores.
    pub(crate) fn stored_in(&self, i: usize) -> usize {
        (self.ends[i] - if i == 0 { 0 } else { self.ends[i - 1] }) as usize
    }

    /// Collects the labels, which become those of all blocks.
    pub(crate) fn collect_labels(&mut self, collector: &mut LabelCollector) {
        // A label that is no UTF-8 was refused when its line was parsed.
        let collect = |name: &Name| collector.collect(&String::from_utf8_lossy(&name.text));
        let ids: Vec<u32> = self.names.all().iter().map(collect).collect();
        self.labels.iter_mut().for_each(|label| *label = ids[*label as usize]);
    }

    /// Packs its sparse rows, in this form if they have room in it.
    pub(crate) fn pack(&mut self, form: Form) {
        self.packed.restart(form);
        self.is_packed = self.packed.extend(&self.ends, &self.indices[..self.stored], &self.values[..self.stored]);
    }

    /// Its rows, packed.
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
    /// A few that were met before all was cleared: who meets one of them again need not ask what it is.
    before: Vec<Box<[u8]>>,
}

/// A text and where it was met first.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: Box<[u8]>,
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// So many are compared one by one; more are looked up.
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

    /// The number of a text that was met before.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Option<u32> {
        if self.all.len() <= FEW {
            self.all.iter().position(|name| *name.text == *text).map(|at| at as u32)
        } else {
            self.by_text.get(text).copied()
        }
    }

    /// Whether a text was met before all was cleared, as far as is remembered.
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
