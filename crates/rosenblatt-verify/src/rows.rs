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

/// Hands over every example whose label is listed, in order.
pub(crate) fn each(
    data: &[u8],
    reading: &Reading,
    monomials: &Monomials,
    mut visit: impl FnMut(Row<'_>) -> Checked<()>,
) -> Checked<Tally> {
    let mut labels = Labels::new(reading)?;
    let mut tally = Tally::default();
    let (mut base, mut mapped) = (Vec::new(), Vec::new());
    let mut count = |label: &[u8]| {
        tally.examples += 1;
        let sign = labels.sign(label);
        tally.positive += u64::from(sign == Some(true));
        tally.negative += u64::from(sign == Some(false));
        (tally.examples, sign)
    };
    match &reading.format {
        Format::Table { delimiter, header, label, columns } => {
            let mut table = Table::new(data, *delimiter);
            if *header && !table.next()? {
                return Err(Refusal::data("there is no header"));
            }
            while table.next()? {
                let field = |at: usize| {
                    let missing = || Refusal::data(format!("line {} has no column {}", table.line, at + 1));
                    table.fields.get(at).ok_or_else(missing)
                };
                let (example, sign) = count(field(*label)?);
                let Some(positive) = sign else { continue };
                base.clear();
                let mut first = 0;
                for column in columns {
                    first += feature(column, field(column.at)?, table.line, first, &mut base)?;
                }
                let entries = monomials.apply(&base, &mut mapped)?;
                visit(Row { example, line: table.line, positive, entries })?;
            }
        }
        Format::Libsvm { first, features } => {
            let mut lines = Libsvm::new(data);
            while lines.next()? {
                let (example, sign) = count(lines.label);
                let Some(positive) = sign else { continue };
                base.clear();
                lines.entries(*first, *features, &mut base)?;
                let entries = monomials.apply(&base, &mut mapped)?;
                visit(Row { example, line: lines.line, positive, entries })?;
            }
        }
    }
    labels.all_met()?;
    Ok(tally)
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
