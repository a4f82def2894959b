//! The values of a category column while it is being read.

use std::collections::HashMap;

use super::almost::almost_numbers;
use super::late::Late;
use super::number::number;
use super::records::Record;
use crate::error::Result;
use crate::io::{Fault, Found};
use crate::limits;
use crate::message::{Message, Setting};

/// The values of a category column, in order of appearance.
#[derive(Default)]
pub(crate) struct Categories {
    ids: HashMap<Box<[u8]>, u32>,
    values: Vec<String>,
    /// Which of the values are numbers.
    numeric: Vec<bool>,
    /// How many rows hold a number.
    numbers: u64,
    /// The first value that is no number. `None` if an option made this a category.
    odd: Option<Late>,
}

impl Categories {
    pub(crate) fn new(record: Record<'_>, at: usize, forced: bool) -> Self {
        Categories { odd: (!forced).then(|| Late::new(record, at, 0)), ..Categories::default() }
    }

    /// Those of a column of numbers in which a text was found.
    pub(crate) fn late(found: &Late) -> Self {
        Categories { odd: Some(found.clone()), ..Categories::default() }
    }

    /// Makes room for more values, or returns an error if there is none.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<()> {
        limits::reserve_keys(&mut self.ids, more, &|| "the categories of a column".into())
    }

    /// The number of a value, a new one if it is new; `None` if it is no UTF-8.
    pub(crate) fn id(&mut self, text: &[u8]) -> Option<u32> {
        let id = match self.ids.get(text) {
            Some(&id) => id,
            None => {
                let id = self.values.len() as u32;
                self.values.push(std::str::from_utf8(text).ok()?.to_string());
                self.numeric.push(number(text).is_ok());
                self.ids.insert(text.into(), id);
                id
            }
        };
        self.numbers += u64::from(self.numeric[id as usize]);
        Some(id)
    }

    /// The number of a value that so many rows have, a new one if it is new.
    pub(crate) fn join(&mut self, text: &[u8], rows: u64) -> u32 {
        let before = self.numbers;
        // What is no UTF-8 was refused by the parser.
        let id = self.id(text).unwrap_or_default();
        self.numbers = before + rows * u64::from(self.numeric[id as usize]);
        id
    }

    /// Whether the values repeat so much that they are rather names than measurements.
    fn are_few(&self, rows: u64) -> bool {
        const MOST: usize = 32;
        const TIMES: u64 = 4;
        self.values.len() <= MOST && rows >= TIMES * self.values.len() as u64
    }

    /// Refuses a column of numbers that became a category because of a header or a typo.
    pub(crate) fn check(&self, name: &str, rows: u64) -> Found<()> {
        match &self.odd {
            Some(odd) if self.numbers * 2 > rows && odd.before == 0 => {
                let message = Message::new(format!(
                    "column \"{name}\" holds {} here, but {} of its {rows} values are numbers: correct it, pass ",
                    odd.text, self.numbers
                ))
                .set(Setting::Header, "yes")
                .text(" if this row is a header, or ")
                .set(Setting::Category, name);
                Err(Fault::at(odd.line, odd.column, message))
            }
            Some(odd) if odd.before > 0 && self.numbers * 2 >= rows && !self.are_few(rows) => Err(odd.refused(name)),
            _ => Ok(()),
        }
    }

    /// Advice for a column of values that are almost numbers, or with a different one in each row: most likely no category.
    pub(crate) fn advice(&self, name: &str, rows: usize) -> Option<Message> {
        // Without an odd value, an option made it a category.
        if let Some(note) = self.odd.as_ref().and_then(|_| almost_numbers(name, &self.values)) {
            return Some(note);
        }
        if let Some(odd) = self.odd.as_ref().filter(|odd| odd.before > 0) {
            let message = format!(
                "column \"{name}\" holds {} on line {}, after numbers: its {} different values were read as categories",
                odd.text,
                odd.line,
                self.values.len()
            );
            return Some(message.into());
        }
        if self.values.len() < rows || rows <= 20 {
            return None;
        }
        let wordy = self.values.iter().filter(|v| v.contains(' ')).count() * 2 > rows;
        let (advice, setting) =
            if wordy { ("read it as text", Setting::Text) } else { ("leave it out", Setting::Drop) };
        let message = format!(
            "column \"{name}\" has a different category in each row, which is useless for learning: {advice} with "
        );
        Some(Message::new(message).set(setting, name))
    }

    /// The sorted values, and the position of each id.
    pub(crate) fn sorted(self) -> (Vec<String>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.values.len() as u32).collect();
        order.sort_by(|&a, &b| self.values[a as usize].cmp(&self.values[b as usize]));
        let mut places = vec![0; order.len()];
        for (place, &id) in order.iter().enumerate() {
            places[id as usize] = place as u32;
        }
        let mut values = self.values;
        values.sort();
        (values, places)
    }
}
