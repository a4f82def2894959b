//! Parses a chunk of Vowpal Wabbit text to a block: a fast path for plain lines, the line parser for the rest.

use std::sync::Arc;

use memchr::memchr;

use super::line::{Feature, Line};
use crate::io::{Chunk, Fault, Found, lines, show};
use crate::read::NeedLabels;
use crate::read::block::Block;
use crate::read::dictionary::{Fresh, Published, Ranked, hash};
use crate::read::number::number;

/// How names become features.
pub(crate) enum Lookup<'a> {
    /// Those of a training file: new names get the next numbers.
    Training(&'a Published),
    /// Those of a model: unknown names are left out.
    Model(&'a Ranked),
}

/// What a byte is within a token: part of it, a colon, or its end.
const PLAIN: u8 = 0;
const COLON: u8 = 1;
const END: u8 = 2;
const CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    class[b':' as usize] = COLON;
    class[b'|' as usize] = END;
    class[b' ' as usize] = END;
    class[b'\t' as usize] = END;
    class[b'\n' as usize] = END;
    class[b'\r' as usize] = END;
    class[0x0c] = END;
    class
};

/// Parses all lines of a chunk, up to the first fault.
pub(crate) fn parse(chunk: &Chunk, lookup: &Lookup<'_>, need: NeedLabels, block: &mut Block) {
    let (text, length) = (chunk.padded(), chunk.text().len());
    // A feature takes at least a letter and a space.
    if !block.clear_checked(length / 2 + 1) {
        return;
    }
    let published: Arc<Ranked>;
    let (known, learning) = match lookup {
        Lookup::Training(names) => {
            published = names.now();
            (&*published, true)
        }
        Lookup::Model(names) => (*names, false),
    };
    block.fresh.base = known.names.len() as u32;
    let mut parser = Parser { known, learning, need, row: Vec::new(), has_fresh: false, key: Vec::new() };
    let mut at = 0;
    while at < length {
        block.lines += 1;
        let end = memchr(b'\n', &text[at..length]).map_or(length, |n| at + n);
        if let Err(fault) = parser.line(text, at, end, block) {
            block.fault = Some(fault);
            return;
        }
        at = end + 1;
    }
}

/// A feature of the current line.
#[derive(Clone, Copy)]
struct Entry {
    /// The place of its name among the known ones; unknown for a new name.
    rank: u32,
    id: u32,
    value: f64,
}

struct Parser<'a> {
    known: &'a Ranked,
    learning: bool,
    need: NeedLabels,
    row: Vec<Entry>,
    /// Whether the row has a new name.
    has_fresh: bool,
    /// The name of the current feature, after that of its namespace.
    key: Vec<u8>,
}

impl Parser<'_> {
    fn line(&mut self, text: &[u8], start: usize, end: usize, block: &mut Block) -> Found<()> {
        let number = block.lines;
        let line = &text[start..end];
        lines::refuse_nul(line, number)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(split) = Line::split(line, number)? else { return Ok(()) };
        let label = match (split.label, self.need) {
            (None, NeedLabels::Yes) => return Err(split.no_label()),
            (label, NeedLabels::Yes) => block.names.insert(label.unwrap_or_default().as_bytes(), number, 0),
            (_, NeedLabels::No) => 0,
        };
        self.begin_row();
        let dropped = block.facts.dropped;
        if std::str::from_utf8(line).is_err() || !self.plain(text, start + split.at, start + line.len(), block) {
            self.begin_row();
            block.facts.dropped = dropped;
            self.any(&split, block)?;
        }
        self.end_row(number, block)?;
        if self.need == NeedLabels::Yes {
            block.labels.push(label);
        }
        block.facts.base = block.facts.base.or(split.base.then_some(number));
        block.weighed |= split.importance.is_some();
        block.weights.push(split.importance.unwrap_or(1.0));
        Ok(())
    }

    fn begin_row(&mut self) {
        self.row.clear();
        self.has_fresh = false;
    }

    /// Reads the features at `from..end`, which a line end follows; `false`: the line parser must read the line.
    #[inline]
    fn plain(&mut self, text: &[u8], mut from: usize, end: usize, block: &mut Block) -> bool {
        let (mut opens, mut scale, mut prefix) = (true, 1.0, 0);
        while from < end {
            let (mut at, mut colon) = (from, usize::MAX);
            loop {
                match CLASS[text[at] as usize] {
                    PLAIN => {}
                    COLON => colon = at,
                    _ => break,
                }
                at += 1;
            }
            if opens || at > from {
                let (name, value) = if colon == usize::MAX {
                    (&text[from..at], 1.0)
                } else {
                    let Ok(value) = number(&text[colon + 1..at]) else { return false };
                    (&text[from..colon], value)
                };
                if opens {
                    (scale, prefix) = (value, self.namespace(name));
                } else {
                    let value = scale * value;
                    if name.is_empty() || !value.is_finite() {
                        return false;
                    }
                    self.key.truncate(prefix);
                    if prefix == 0 && memchr(b'^', name).is_some() {
                        self.key.push(b'^');
                    }
                    self.key.extend_from_slice(name);
                    self.add(value, block);
                }
            }
            opens = text[at] == b'|';
            if opens {
                (scale, prefix) = (1.0, self.namespace(b""));
            }
            from = at + 1;
        }
        true
    }

    /// Begins all names with that of a namespace; returns the length of that part (see `Feature::write_name`).
    fn namespace(&mut self, name: &[u8]) -> usize {
        self.key.clear();
        if !name.is_empty() {
            Feature::write_namespace(name, &mut self.key);
            self.key.push(b'^');
        }
        self.key.len()
    }

    /// Reads the features of any line.
    #[inline(never)]
    fn any(&mut self, line: &Line<'_>, block: &mut Block) -> Found<()> {
        line.each_feature(|feature| {
            let value = feature.scale * feature.value;
            if !value.is_finite() {
                let message = format!("{} times its namespace's weight overflows", show(feature.token));
                return Err(line.fault(&feature, message));
            }
            feature.write_name(&mut self.key);
            self.add(value, block);
            Ok(())
        })
    }

    /// Adds the feature whose name is the key.
    #[inline]
    fn add(&mut self, value: f64, block: &mut Block) {
        let hash = hash(&self.key);
        match self.known.names.find(hash, &self.key) {
            Some(id) => self.row.push(Entry { rank: self.known.rank(id), id, value }),
            None if self.learning => {
                let id = block.fresh.base + block.fresh.names.insert(hash, &self.key);
                self.has_fresh = true;
                self.row.push(Entry { rank: u32::MAX, id, value });
            }
            None => block.facts.dropped += 1,
        }
    }

    /// Stores the row, sorted by name. Values of a repeated feature are added in the order of the line.
    fn end_row(&mut self, number: u64, block: &mut Block) -> Found<()> {
        if self.has_fresh {
            let (known, Fresh { base, names }) = (&self.known.names, &block.fresh);
            let name = |id: u32| if id < *base { known.name(id) } else { names.name(id - base) };
            self.row.sort_by(|a, b| if a.id == b.id { std::cmp::Ordering::Equal } else { name(a.id).cmp(name(b.id)) });
        } else if !self.row.is_sorted_by(|a, b| a.rank < b.rank) {
            self.row.sort_by_key(|entry| entry.rank);
        }
        for same in self.row.chunk_by(|a, b| a.id == b.id) {
            let value: f64 = if let [one] = same { one.value } else { same.iter().map(|entry| entry.value).sum() };
            if !value.is_finite() {
                return Err(Fault::line(number, "a feature that comes several times adds up to infinity"));
            }
            if value != 0.0 {
                (block.indices[block.stored], block.values[block.stored]) = (same[0].id, value);
                block.stored += 1;
            }
        }
        block.ends.push(block.stored as u32);
        Ok(())
    }
}
