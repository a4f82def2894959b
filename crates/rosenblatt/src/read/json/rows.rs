//! Each object as a row of fields.

use std::collections::{HashMap, HashSet};

use super::fields::Hint;
use super::walk::{Buffers, Single, Take, walk};
use crate::error::Result;
use crate::io::{Fault, Found, Lines, show};
use crate::read::records::{Field, Record};

/// Stands before each member of a set in the text of a field; no byte of UTF-8.
const MEMBER: u8 = 0xff;

/// The members of a set, if the text of a field is one.
pub(in crate::read) fn members(text: &[u8]) -> Option<impl Iterator<Item = &[u8]> + Clone> {
    text.strip_prefix(&[MEMBER]).map(|rest| rest.split(|&b| b == MEMBER).filter(|_| !rest.is_empty()))
}

/// Which fields make a row, and where each goes.
#[derive(Debug, Clone, Default)]
pub(in crate::read) struct Layout {
    names: Vec<String>,
    hints: Vec<Hint>,
    places: HashMap<Box<[u8]>, u32>,
    /// The objects and arrays that hold some of them.
    parents: HashSet<Box<[u8]>>,
}

impl Layout {
    /// Fields of these names, at their places; one without a name is never there.
    pub(super) fn new(names: Vec<String>, hints: Vec<Hint>) -> Self {
        let named = (0..).zip(&names).filter(|(_, name)| !name.is_empty());
        let places = named.map(|(place, name)| (name.as_bytes().into(), place)).collect();
        let dots = |name: &str| memchr::memchr_iter(b'.', name.as_bytes()).collect::<Vec<_>>();
        let above = |name: &String| dots(name).into_iter().map(|at| name.as_bytes()[..at].into()).collect::<Vec<_>>();
        let parents = names.iter().flat_map(above).collect();
        Layout { names, hints, places, parents }
    }

    /// The names of the fields.
    pub(in crate::read) fn names(&self) -> &[String] {
        &self.names
    }

    /// What is known of each field.
    pub(in crate::read) fn hints(&self) -> &[Hint] {
        &self.hints
    }
}

/// The current row. Objects mostly have the same fields in the same order, so a field is first sought where the last
/// object had it.
#[derive(Debug, Default)]
pub(in crate::read) struct RowBuffer {
    buffers: Buffers,
    text: Vec<u8>,
    fields: Vec<Field>,
    /// The row that last had each field.
    seen: Vec<u64>,
    row: u64,
    /// The name of each value of the last object, and its place.
    guesses: Vec<(Vec<u8>, Option<u32>)>,
}

/// How many values are guessed from the last object.
const MOST_GUESSES: usize = 1 << 12;

impl RowBuffer {
    /// Reads the object on a line.
    pub(in crate::read) fn read<'r>(&'r mut self, layout: &Layout, line: &[u8], number: u64) -> Found<Record<'r>> {
        self.row += 1;
        self.text.clear();
        self.fields.clear();
        self.fields.resize(layout.names.len(), Field::new(0..0, number, 1));
        self.seen.resize(layout.names.len(), 0);
        let RowBuffer { buffers, text, fields, seen, row, guesses } = self;
        let mut filler = Filler { layout, text, fields, seen, guesses, row: *row, number, values: 0, open: None };
        walk(line, number, buffers, &mut filler)?;
        Ok(Record::new(&self.text, &self.fields, number))
    }
}

/// Fills a row while its object is parsed.
struct Filler<'r> {
    layout: &'r Layout,
    text: &'r mut Vec<u8>,
    fields: &'r mut [Field],
    seen: &'r mut [u64],
    guesses: &'r mut Vec<(Vec<u8>, Option<u32>)>,
    row: u64,
    number: u64,
    /// How many values came before.
    values: usize,
    /// The field of the current set.
    open: Option<usize>,
}

impl Filler<'_> {
    /// The place of a field; `None` if it is not read.
    #[inline]
    fn place(&mut self, name: &[u8]) -> Option<u32> {
        let at = self.values;
        self.values += 1;
        match self.guesses.get_mut(at) {
            Some((guess, place)) if guess == name => *place,
            guess => {
                let place = self.layout.places.get(name).copied();
                match guess {
                    Some((guess, before)) => {
                        guess.clear();
                        guess.extend_from_slice(name);
                        *before = place;
                    }
                    None if at < MOST_GUESSES => self.guesses.push((name.to_vec(), place)),
                    None => {}
                }
                place
            }
        }
    }

    /// Begins a field of the row; a second one of the same name is a fault.
    #[inline]
    fn begin(&mut self, place: u32, name: &[u8], at: usize) -> Found<usize> {
        let place = place as usize;
        if std::mem::replace(&mut self.seen[place], self.row) == self.row {
            let message = format!("the field {} comes twice: give each its own name", show(name));
            return Err(Fault::at(self.number, at as u64 + 1, message));
        }
        self.fields[place] = Field::new(self.text.len()..self.text.len(), self.number, at as u64 + 1);
        Ok(place)
    }

    /// Ends the field at the end of the text so far.
    #[inline]
    fn end(&mut self, place: usize) {
        self.fields[place].ends(self.text.len());
    }
}

impl Take for Filler<'_> {
    fn skips(&mut self, name: &[u8]) -> bool {
        !self.layout.parents.contains(name) && !self.layout.places.contains_key(name)
    }

    #[inline]
    fn single(&mut self, name: &[u8], is: Single, text: &[u8], at: usize) -> Found<()> {
        let Some(place) = self.place(name) else { return Ok(()) };
        let place = self.begin(place, name, at)?;
        if is != Single::Null {
            self.text.extend_from_slice(text);
            self.end(place);
        }
        Ok(())
    }

    fn set(&mut self, name: &[u8], at: usize, empty: bool) -> Found<()> {
        let place = self.place(name);
        self.open = None;
        let Some(place) = place else { return Ok(()) };
        if self.layout.hints[place as usize] != Hint::Sets {
            let message = format!("the field {} is an array here, and a single value elsewhere", show(name));
            return if empty { Ok(()) } else { Err(Fault::at(self.number, at as u64 + 1, message)) };
        }
        let place = self.begin(place, name, at)?;
        self.open = Some(place);
        if empty {
            self.text.push(MEMBER);
            self.end(place);
        }
        Ok(())
    }

    fn member(&mut self, text: &[u8]) {
        if let Some(place) = self.open {
            self.text.push(MEMBER);
            self.text.extend_from_slice(text);
            self.end(place);
        }
    }
}

/// Iterates over the objects of a text. Blank lines are skipped.
#[derive(Debug)]
pub(in crate::read) struct Records<'a> {
    lines: Lines<'a>,
    layout: Layout,
    row: RowBuffer,
}

impl<'a> Records<'a> {
    pub(super) fn new(lines: Lines<'a>, layout: Layout) -> Self {
        Records { lines, layout, row: RowBuffer::default() }
    }

    /// The next row; invalidates the previous one.
    pub(in crate::read) fn next(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            if !self.lines.advance()? {
                return Ok(None);
            }
            if !self.lines.line().trim_ascii().is_empty() {
                break;
            }
        }
        let record = self.row.read(&self.layout, self.lines.line(), self.lines.number());
        record.map(Some).map_err(|fault| fault.of(self.lines.name()))
    }

    /// The layout, and the lines after the last record.
    pub(in crate::read) fn into_parts(self) -> (Layout, Lines<'a>) {
        (self.layout, self.lines)
    }

    pub(in crate::read) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What messages call the source.
    pub(in crate::read) fn name(&self) -> &str {
        self.lines.name()
    }

    /// The fingerprint of the source, complete after the last record.
    pub(in crate::read) fn fingerprint(&self) -> u64 {
        self.lines.fingerprint()
    }
}
