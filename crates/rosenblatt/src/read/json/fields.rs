//! The fields of a training file: their names in order of first appearance, and what they hold. On all threads.

use std::collections::HashMap;

use super::rows::Layout;
use super::walk::{Buffers, Single, Take, walk};
use crate::error::{Error, Result};
use crate::io::{Broken, Chunk, Fault, Found, Lines, Pace, Pool, Want, in_order, lines, show};
use crate::limits;
use crate::message::Setting;
use crate::read::ReadOptions;

/// What the values of a field show before they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum Hint {
    /// Nothing: its values decide.
    Any,
    /// Strings and truth values alone: categories, even where they look like numbers.
    Words,
    /// Arrays of strings.
    Sets,
    /// Text.
    Text,
}

/// A line and a byte of it, both from 1.
type Position = (u64, u64);

/// What one field holds, and where that was first seen.
#[derive(Debug, Clone, Copy, Default)]
struct Holds {
    number: bool,
    single: Option<Position>,
    set: Option<Position>,
}

impl Holds {
    /// Adds what a later part of the file shows.
    fn join(&mut self, later: Holds) {
        self.number |= later.number;
        self.single = self.single.or(later.single);
        self.set = self.set.or(later.set);
    }
}

/// The fields of some objects.
#[derive(Debug, Default)]
struct Seen {
    names: Vec<Box<[u8]>>,
    holds: Vec<Holds>,
    /// The number of each name; `None`: it is dropped.
    numbers: HashMap<Box<[u8]>, Option<u32>>,
}

impl Seen {
    fn clear(&mut self) {
        self.names.clear();
        self.holds.clear();
        self.numbers.clear();
    }
}

/// What a chunk of lines shows.
#[derive(Debug, Default)]
struct ChunkFields {
    seen: Seen,
    /// Which of the dropped names occur.
    dropped: Vec<bool>,
    /// The number of each value of the last object.
    guesses: Vec<Option<u32>>,
    buffers: Buffers,
    lines: u64,
    fault: Option<Fault>,
}

/// Finds the fields of a file; returns the options without the dropped names.
pub(super) fn find(text: Lines<'_>, options: &ReadOptions, pace: Pace) -> Result<(Layout, ReadOptions)> {
    let file = text.name().to_string();
    let (mut all, mut dropped, mut before, pool) = (Seen::default(), vec![false; options.drop.len()], 0, Pool::new());
    let look = |chunk: &Chunk, found: &mut ChunkFields| found.look(chunk, &options.drop);
    in_order(text, pace, &pool, look, |result| {
        let mut found: ChunkFields = match result {
            Ok(found) => found,
            Err(Broken::Source(error)) => return Err(error),
            Err(Broken::Text(fault)) => return Err(fault.after(before).of(&file)),
        };
        if let Some(fault) = found.fault.take() {
            return Err(fault.after(before).of(&file));
        }
        merge(&mut all, &found.seen, before)?;
        dropped.iter_mut().zip(&found.dropped).for_each(|(all, found)| *all |= found);
        before += found.lines;
        pool.put(found);
        Ok(Want::More)
    })?;
    if all.names.is_empty() {
        return Err(Error::bad_data("no examples: no line holds an object with a value").in_file(&file));
    }
    let names: Vec<String> = all.names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let hints = names.iter().zip(&all.holds).map(|(name, holds)| hint(name, holds));
    let hints: Vec<Hint> = hints.collect::<Found<_>>().map_err(|fault| fault.of(&file))?;
    if let Some((name, _)) =
        names.iter().zip(&hints).find(|(name, hint)| **hint == Hint::Sets && options.text.contains(name))
    {
        let message = "it holds arrays of strings, which are sets of words already";
        return Err(Error::setting(Setting::Text, name, message).in_file(&file));
    }
    let mut seen = dropped.iter();
    let mut options = options.clone();
    options.drop.retain(|_| seen.next() == Some(&false));
    Ok((Layout::new(names, hints), options))
}

/// Adds the fields of a chunk after `before` lines.
fn merge(all: &mut Seen, found: &Seen, before: u64) -> Result<()> {
    // A table describes each column several times over while it is read.
    type Described = [u64; 80];
    let fields = all.names.len() + found.names.len();
    limits::room_for::<Described>(fields as u128, || format!("{fields} fields").into())?;
    let later = |position: Option<Position>| position.map(|(line, column)| (line + before, column));
    for (name, holds) in found.names.iter().zip(&found.holds) {
        let next = all.names.len() as u32;
        let number = *all.numbers.entry(name.clone()).or_insert(Some(next));
        if number == Some(next) {
            all.names.push(name.clone());
            all.holds.push(Holds::default());
        }
        let place = number.unwrap_or_default() as usize;
        let holds = Holds { single: later(holds.single), set: later(holds.set), ..*holds };
        all.holds[place].join(holds);
    }
    Ok(())
}

/// What a field holds, if its values go together.
fn hint(name: &str, holds: &Holds) -> Found<Hint> {
    match (holds.single, holds.set) {
        (Some(single), Some(set)) => {
            let name = show(name.as_bytes());
            let (first, then, is, was) = match single < set {
                true => (single, set, "an array", "a single value"),
                false => (set, single, "a single value", "an array"),
            };
            let message = format!("the field {name} is {is} here, and {was} on line {}", first.0);
            Err(Fault::at(then.0, then.1, message))
        }
        (None, Some(_)) => Ok(Hint::Sets),
        _ if holds.number => Ok(Hint::Any),
        _ => Ok(Hint::Words),
    }
}

impl ChunkFields {
    /// Looks through all objects of a chunk, up to the first fault.
    fn look(&mut self, chunk: &Chunk, drop: &[String]) {
        self.seen.clear();
        self.guesses.clear();
        self.dropped.clear();
        self.dropped.resize(drop.len(), false);
        (self.lines, self.fault) = (0, None);
        for line in chunk.text().split_inclusive(|&b| b == b'\n') {
            self.lines += 1;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let ChunkFields { seen, dropped, guesses, buffers, lines: number, .. } = self;
            let mut taker = Taker { seen, dropped, guesses, drop, number: *number, values: 0 };
            let looked = lines::refuse_nul(line, *number).and_then(|()| match line.trim_ascii().is_empty() {
                true => Ok(()),
                false => walk(line, *number, buffers, &mut taker),
            });
            if let Err(fault) = looked {
                self.fault = Some(fault);
                return;
            }
        }
    }
}

/// Notes the fields of an object while it is parsed.
struct Taker<'s> {
    seen: &'s mut Seen,
    dropped: &'s mut [bool],
    guesses: &'s mut Vec<Option<u32>>,
    drop: &'s [String],
    number: u64,
    values: usize,
}

impl Taker<'_> {
    /// What is known of a field; `None` if it is dropped.
    #[inline]
    fn holds(&mut self, name: &[u8]) -> Option<&mut Holds> {
        let at = self.values;
        self.values += 1;
        let number = match self.guesses.get(at) {
            Some(Some(guess)) if *self.seen.names[*guess as usize] == *name => Some(*guess),
            guess => {
                let known = guess.is_some();
                let number = self.find(name);
                match known {
                    true => self.guesses[at] = number,
                    false => self.guesses.push(number),
                }
                number
            }
        };
        number.map(|number| &mut self.seen.holds[number as usize])
    }

    /// The number of a name, a new one if it is new.
    fn find(&mut self, name: &[u8]) -> Option<u32> {
        if let Some(number) = self.seen.numbers.get(name) {
            return *number;
        }
        let number = (!self.skips(name)).then_some(self.seen.names.len() as u32);
        self.seen.numbers.insert(name.into(), number);
        if number.is_some() {
            self.seen.names.push(name.into());
            self.seen.holds.push(Holds::default());
        }
        number
    }
}

impl Take for Taker<'_> {
    /// Whether a name is dropped, or one that it is within.
    fn skips(&mut self, name: &[u8]) -> bool {
        let mut found = false;
        for (drop, seen) in self.drop.iter().zip(&mut *self.dropped) {
            let within =
                name.strip_prefix(drop.as_bytes()).is_some_and(|rest| matches!(rest.first(), None | Some(b'.')));
            *seen |= within;
            found |= within;
        }
        found
    }

    #[inline]
    fn single(&mut self, name: &[u8], is: Single, _: &[u8], at: usize) -> Found<()> {
        // A field that is always null is none; elsewhere an object of that name may stand.
        if is == Single::Null {
            self.skips(name);
            return Ok(());
        }
        let number = self.number;
        if let Some(holds) = self.holds(name) {
            holds.number |= is == Single::Number;
            holds.single.get_or_insert((number, at as u64 + 1));
        }
        Ok(())
    }

    fn set(&mut self, name: &[u8], at: usize, empty: bool) -> Found<()> {
        let number = self.number;
        // An empty array may be one of numbers.
        if !empty && let Some(holds) = self.holds(name) {
            holds.set.get_or_insert((number, at as u64 + 1));
        }
        Ok(())
    }

    fn member(&mut self, _: &[u8]) {}
}
