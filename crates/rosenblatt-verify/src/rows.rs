//! The examples, one after another, as the certificate says they are to be read. Nothing is kept.

use std::collections::HashMap;

use crate::certificate::{Column, Format, Reading};
use crate::decimal::{Decimal, Parts, decimal};
use crate::libsvm::Libsvm;
use crate::monomials::Monomials;
use crate::refusal::{Checked, Refusal, show};
use crate::table::Table;

/// A feature that is not zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) feature: usize,
    pub(crate) value: Decimal,
}

/// An example with one of the two signs.
#[derive(Debug)]
pub(crate) struct Row<'r> {
    /// Its number among all examples of the file, from 1.
    pub(crate) example: u64,
    /// The line where it starts, from 1.
    pub(crate) line: u64,
    pub(crate) positive: bool,
    pub(crate) entries: &'r [Entry],
}

impl Row<'_> {
    /// Where it stands, for messages.
    pub(crate) fn place(&self) -> String {
        format!("example {} (line {})", self.example, self.line)
    }
}

/// What a whole pass has counted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) examples: u64,
    pub(crate) positive: u64,
    pub(crate) negative: u64,
}

/// Hands over every example whose label is listed, in order. The others are read by the same rules, and counted.
///
/// What the certificate says of the data's form is checked on the way: that every label and every value of a category
/// occurs that it lists, and that it has as many features as the data.
pub(crate) fn each(
    data: &[u8],
    reading: &Reading,
    monomials: &Monomials,
    mut visit: impl FnMut(Row<'_>) -> Checked<()>,
) -> Checked<Tally> {
    let mut labels = Labels::new(reading)?;
    let mut tally = Tally::default();
    let (mut base, mut mapped) = (Vec::new(), Vec::new());
    let mut take = |label: &[u8], line: u64, base: &[Entry]| {
        tally.examples += 1;
        let Some(positive) = labels.sign(label) else { return Ok(()) };
        *(if positive { &mut tally.positive } else { &mut tally.negative }) += 1;
        visit(Row { example: tally.examples, line, positive, entries: monomials.apply(base, &mut mapped)? })
    };
    match &reading.format {
        Format::Table { delimiter, header, label, columns } => {
            let mut table = Table::new(data, *delimiter);
            let mut met = vec![false; reading.base_features()];
            if *header && !table.next()? {
                return Err(Refusal::data("there is no header"));
            }
            while table.next()? {
                let field = |at: usize| {
                    let missing = || Refusal::data(format!("line {} has no column {}", table.line, at + 1));
                    table.fields.get(at).ok_or_else(missing)
                };
                base.clear();
                let mut first = 0;
                for column in columns {
                    first += feature(column, field(column.at)?, table.line, first, &mut base)?;
                    if let (Some(_), Some(entry)) = (&column.values, base.last()) {
                        met[entry.feature] = true;
                    }
                }
                take(field(*label)?, table.line, &base)?;
            }
            all_values_met(columns, &met)?;
        }
        Format::Libsvm { first, features } => {
            let mut lines = Libsvm::new(data);
            while lines.next()? {
                base.clear();
                lines.entries(*first, *features, &mut base)?;
                take(lines.label, lines.line, &base)?;
            }
            lines.indices_fit(*first, *features)?;
        }
    }
    labels.all_met()?;
    Ok(tally)
}

fn all_values_met(columns: &[Column], met: &[bool]) -> Checked<()> {
    let mut first = 0;
    for column in columns {
        let Some(values) = &column.values else {
            first += 1;
            continue;
        };
        if let Some((value, _)) = values.iter().filter(|(_, place)| !met[first + **place]).min() {
            let told = format!("no example has the value {} in column {}", show(value.as_bytes()), column.at + 1);
            return Err(Refusal::data(told));
        }
        first += values.len();
    }
    Ok(())
}

/// Reads one field, whose first feature is `first`; returns how many features the column has.
#[inline]
fn feature(column: &Column, text: &[u8], line: u64, first: usize, out: &mut Vec<Entry>) -> Checked<usize> {
    let fault = |why: &str| Err(Refusal::data(format!("line {line}, column {}: {} {why}", column.at + 1, show(text))));
    match &column.values {
        None => match decimal(text) {
            Ok(value) => {
                if !value.digits.is_zero() {
                    out.push(Entry { feature: first, value });
                }
                Ok(1)
            }
            Err(why) => fault(why),
        },
        Some(values) => match std::str::from_utf8(text).ok().and_then(|text| values.get(text)) {
            Some(place) => {
                out.push(Entry { feature: first + place, value: Decimal::ONE });
                Ok(values.len())
            }
            None => fault("is not among the values that the certificate lists"),
        },
    }
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
            let number = Parts::of(name.as_bytes());
            if twice || number.is_some_and(|number| by_number.insert(number, i).is_some()) {
                return Err(Refusal::form(format!("the label {} is listed twice", show(name.as_bytes()))));
            }
        }
        let met = vec![false; names.len()];
        Ok(Labels { names, by_text, by_number, positive: reading.positive.len(), met })
    }

    /// Whether the label is positive; `None` if it is not listed.
    fn sign(&mut self, label: &[u8]) -> Option<bool> {
        let by_number = || Parts::of(label).and_then(|number| self.by_number.get(&number));
        let place = *self.by_text.get(label).or_else(by_number)?;
        self.met[place] = true;
        Some(place < self.positive)
    }

    fn all_met(&self) -> Checked<()> {
        match self.met.iter().position(|met| !met) {
            None => Ok(()),
            Some(i) => Err(Refusal::data(format!("no example has the label {}", show(self.names[i].as_bytes())))),
        }
    }
}
