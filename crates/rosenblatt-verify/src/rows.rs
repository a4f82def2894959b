//! The examples, one after another, read as the certificate specifies. Nothing is kept in memory.

use std::collections::HashMap;

use crate::beside::Beside;
use crate::columns::{Columns, Field};
use crate::decimal::Parts;
use crate::jsonl::{Held, Objects, each_object};
use crate::libsvm::Libsvm;
use crate::monomials::Monomials;
use crate::npy::Array;
use crate::reading::{Column, Format, Kind, Reading};
use crate::refusal::{Checked, Refusal, show};
use crate::scaled::Scaled;
use crate::table::Table;

/// What a certificate is checked against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Data<'d> {
    pub(crate) bytes: &'d [u8],
    /// The labels, where they are in a file of their own.
    pub(crate) labels: &'d [u8],
}

/// A feature that is not zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) feature: usize,
    pub(crate) value: Scaled,
}

/// An example with one of the two signs.
#[derive(Debug)]
pub(crate) struct Row<'r> {
    /// Its number among all examples of the file, from 1.
    pub(crate) example: u64,
    /// The line where it starts, from 1; a binary file has none.
    pub(crate) line: Option<u64>,
    pub(crate) positive: bool,
    pub(crate) entries: &'r [Entry],
}

impl Row<'_> {
    /// Its place, for messages.
    pub(crate) fn place(&self) -> String {
        match self.line {
            Some(line) => format!("example {} (line {line})", self.example),
            None => format!("example {}", self.example),
        }
    }
}

/// The counts of a whole pass.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) examples: u64,
    pub(crate) positive: u64,
    pub(crate) negative: u64,
    /// The first labels that are not listed.
    pub(crate) others: Vec<Vec<u8>>,
    /// How many fields each record of a table has.
    pub(crate) fields: usize,
    /// The fields of objects that the reading does not name.
    pub(crate) other_fields: Vec<String>,
}

impl Tally {
    /// Notes a label that is not listed.
    fn left_out(&mut self, label: &[u8]) {
        const NOTED: usize = 3;
        if self.others.len() < NOTED && !self.others.iter().any(|known| known == label) {
            self.others.push(label.to_vec());
        }
    }
}

/// Visits every example whose label is listed, in order. The others are read by the same rules, and counted.
///
/// Also checks what the certificate states about the form of the data: every listed label and category value occurs, the
/// number of features is right, and values are missing where it says so.
pub(crate) fn each(
    data: Data<'_>,
    reading: &Reading,
    monomials: &Monomials,
    mut visit: impl FnMut(Row<'_>) -> Checked<()>,
) -> Checked<Tally> {
    let mut labels = Labels::new(reading)?;
    let mut tally = Tally::default();
    let (mut base, mut mapped) = (Vec::new(), Vec::new());
    let (mut fields, mut other_fields) = (0, Vec::new());
    let mut take = |label: &[u8], line: Option<u64>, base: &[Entry]| {
        tally.examples += 1;
        let Some(positive) = labels.sign(label) else {
            tally.left_out(label);
            return Ok(());
        };
        *(if positive { &mut tally.positive } else { &mut tally.negative }) += 1;
        visit(Row { example: tally.examples, line, positive, entries: monomials.apply(base, &mut mapped)? })
    };
    match &reading.format {
        Format::Table { delimiter, header, label, columns } => {
            let mut table = Table::new(data.bytes, *delimiter);
            let mut columns = Columns::new(columns);
            if *header && !table.next()? {
                return Err(Refusal::data("there is no header"));
            }
            while table.next()? {
                base.clear();
                fields = table.fields.len();
                let field = |at: usize| table.fields.get(at).map(|field| Field::Text(field));
                columns.read(field, table.line, &mut base)?;
                let lacking = || Refusal::data(format!("line {} has no column {}", table.line, label + 1));
                take(table.fields.get(*label).ok_or_else(lacking)?, Some(table.line), &base)?;
            }
            columns.all_occurred()?;
        }
        Format::Libsvm { first, features } => {
            let mut lines = Libsvm::new(data.bytes);
            while lines.next()? {
                base.clear();
                lines.entries(*first, *features, &mut base)?;
                take(lines.label, Some(lines.line), &base)?;
            }
            lines.indices_fit(*first, *features)?;
        }
        Format::Json { label, columns } => other_fields = each_json(data.bytes, label, columns, &mut take)?,
        Format::Npy { features } => each_of(&Array::read(data.bytes)?, data.labels, *features, &mut take)?,
        Format::Idx { features } => each_of(&Array::idx(data.bytes)?, data.labels, *features, &mut take)?,
    }
    labels.all_occurred()?;
    Ok(Tally { fields, other_fields, ..tally })
}

/// What becomes of an example: its label, its line, its entries.
type Take<'a> = dyn FnMut(&[u8], Option<u64>, &[Entry]) -> Checked<()> + 'a;

/// Reads the objects of JSON Lines; returns the fields that are neither a column nor the label.
fn each_json(bytes: &[u8], label: &str, columns: &[Column], take: &mut Take<'_>) -> Checked<Vec<String>> {
    let (mut objects, mut features) = (Objects::new(columns, label), Columns::new(columns));
    let mut base = Vec::new();
    each_object(bytes, |line, node| {
        objects.read(node, line)?;
        base.clear();
        let field = |at: usize| match objects.held.get(at)? {
            Some(Held::Single(text)) => Some(Field::Text(text.as_bytes())),
            Some(Held::Set(members)) => Some(Field::Set(members)),
            None if matches!(columns.get(at)?.kind, Kind::Set(_)) => Some(Field::Set(&[])),
            None => Some(Field::Text(b"")),
        };
        features.read(field, line, &mut base)?;
        match &objects.held[columns.len()] {
            Some(Held::Single(label)) => take(label.as_bytes(), Some(line), &base)?,
            _ => return Err(Refusal::data(format!("line {line} has no label"))),
        }
        Ok(true)
    })?;
    features.all_occurred()?;
    Ok(objects.others)
}

/// Reads the rows of an array.
fn each_of(array: &Array<'_>, labels: &[u8], features: usize, take: &mut Take<'_>) -> Checked<()> {
    if array.columns != features {
        let found = array.columns;
        return Err(Refusal::data(format!("reading.features is {features}, but there are {found}")));
    }
    let (beside, mut base) = (Beside::read(labels, array.rows)?, Vec::new());
    for row in 0..array.rows {
        base.clear();
        for feature in 0..features {
            let Some(value) = array.number(row, feature) else {
                let place = format!("example {}, feature {}", row + 1, feature + 1);
                return Err(Refusal::data(format!("{place} is not a finite number")));
            };
            if !value.digits.is_zero() {
                base.push(Entry { feature, value });
            }
        }
        take(&beside.label(row)?, None, &base)?;
    }
    Ok(())
}

/// The two lists of labels. Two labels are the same if their texts are, or if both are the same decimal number.
struct Labels<'a> {
    names: Vec<&'a str>,
    by_text: HashMap<&'a [u8], usize>,
    by_number: HashMap<Parts, usize>,
    /// Names before this one are positive.
    positive: usize,
    met: Vec<bool>,
}

impl<'a> Labels<'a> {
    fn new(reading: &'a Reading) -> Checked<Self> {
        if reading.positive.is_empty() || reading.negative.is_empty() {
            return Err(Refusal::form("reading.positive or reading.negative is empty"));
        }
        let names: Vec<&str> = reading.positive.iter().chain(&reading.negative).map(String::as_str).collect();
        let (mut by_text, mut by_number) = (HashMap::new(), HashMap::new());
        for (i, name) in names.iter().enumerate() {
            let twice = by_text.insert(name.as_bytes(), i).is_some();
            let number = Parts::of_label(name.as_bytes());
            if twice || number.is_some_and(|number| by_number.insert(number, i).is_some()) {
                return Err(Refusal::form(format!("the label {} is listed twice", show(name.as_bytes()))));
            }
        }
        let met = vec![false; names.len()];
        Ok(Labels { names, by_text, by_number, positive: reading.positive.len(), met })
    }

    /// Whether the label is positive; `None` if it is not listed.
    fn sign(&mut self, label: &[u8]) -> Option<bool> {
        let by_number = || Parts::of_label(label).and_then(|number| self.by_number.get(&number));
        let place = *self.by_text.get(label).or_else(by_number)?;
        self.met[place] = true;
        Some(place < self.positive)
    }

    fn all_occurred(&self) -> Checked<()> {
        match self.met.iter().position(|met| !met) {
            None => Ok(()),
            Some(i) => Err(Refusal::data(format!("no example has the label {}", show(self.names[i].as_bytes())))),
        }
    }
}
