//! A delimited file to train on: finds out what each column is.

use super::assemble_rows::{NO_CATEGORY, weave};
use super::block::Block;
use super::categories::Categories;
use super::columns::{Body, LOOK_AHEAD, Weights, is_missing, missing, names_given, not_utf8, places_given};
use super::number::{NotFinite, number};
use super::raw_rows::Rows;
use super::records::{Held, Record};
use super::texts::Texts;
use super::{Parts, ReadOptions};
use crate::error::{Error, Place, Result};
use crate::io::{Found, count, show};
use crate::message::{Message, Setting};
use crate::rows::{Column, ColumnKind, DenseMatrix, Fill, LabelCollector, MAX_FEATURES, Matrix, Schema, Table};

/// What label columns are called, the likeliest first.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];

/// Reads labelled rows and learns their schema.
pub(crate) fn read(records: Rows<'_>, options: &ReadOptions) -> Result<Parts> {
    let mut body = Body::new(records, options.header, &places_given(&options.text), |first| {
        names_given(options.label.iter().chain(&options.text), first)
    })?;
    if body.is_header_alone() {
        return Err(body.no_examples());
    }
    let mut builder = Builder::new(&body, options)?;
    while let Some(record) = body.next()? {
        // The borrowed record keeps `body` busy: its name waits in the builder.
        builder.push(record).map_err(|fault| fault.of(&builder.file))?;
    }
    builder.settle_rest().map_err(|fault| fault.of(&body.file))?;
    if builder.met.is_empty() {
        return Err(body.no_examples());
    }
    let mut notes = Vec::new();
    if body.wordy && options.text.is_empty() {
        let found = Message::new("no field is a number, so the first row was read as data: pass ");
        notes.push(found.set(Setting::Header, "yes").text(" if it is a header"));
    }
    let table = builder.finish(body.header, body.width(), options.positive.as_deref(), &mut notes)?;
    Ok(Parts { table, notes, fingerprint: body.fingerprint() })
}

/// A feature column while it is being read.
struct Building {
    name: String,
    at: usize,
    kind: Becoming,
    /// How many of its values are missing.
    missing: u64,
}

/// What a column turns out to be.
enum Becoming {
    /// Every value so far is missing.
    Open,
    Number,
    Category(Categories),
    Text(Texts),
}

pub(super) struct Builder {
    file: String,
    columns: Vec<Building>,
    forced: Vec<usize>,
    /// What missing values become; `None`: an error.
    missing: Option<Fill>,
    label: usize,
    label_name: String,
    weights: Option<Weights>,
    collector: LabelCollector,
    /// Rows that wait until it is known what each column is.
    waiting: Vec<Held>,
    /// The collected label of each row.
    met: Vec<u32>,
    /// The values of the number columns, row by row; NaN where one is missing.
    numbers: Vec<f64>,
    /// The values of the category columns, row by row.
    ids: Vec<u32>,
}

impl Builder {
    /// Settles which column is the label, which are features, and which are left out.
    pub(super) fn new(body: &Body<'_>, options: &ReadOptions) -> Result<Self> {
        let all = |option: Setting, wanted: &[String]| -> Result<Vec<usize>> {
            wanted.iter().map(|w| body.find(option, w)).collect()
        };
        let dropped = all(Setting::Drop, &options.drop)?;
        let forced = all(Setting::Category, &options.category)?;
        let texts = all(Setting::Text, &options.text)?;
        let weights = Weights::new(body, options)?;
        let weight = weights.as_ref().map(|w| w.at);
        let used = |at: usize| !dropped.contains(&at) && weight != Some(at);
        let settings = |told: Message| Err(Error::settings(told).in_file(&body.file));
        let label = match &options.label {
            Some(wanted) => body.find(Setting::Label, wanted)?,
            None => {
                // A text is no label, wherever it stands.
                let likely = |at: usize| used(at) && !texts.contains(&at);
                let usual = |usual: &&str| {
                    let is = |at: &usize| body.names[*at].eq_ignore_ascii_case(usual) && likely(*at);
                    (0..body.width()).find(is).filter(|_| body.header)
                };
                let named = LABEL_NAMES.iter().find_map(usual);
                match named.or_else(|| (0..body.width()).rev().find(|&at| likely(at))) {
                    Some(at) => at,
                    None => return settings("no column is left for the label".into()),
                }
            }
        };
        let label_name = body.names[label].clone();
        for (option, columns) in [(Setting::Drop, &dropped), (Setting::Category, &forced), (Setting::Text, &texts)] {
            if columns.contains(&label) {
                let told = option.given(&label_name).text(": this is the label column (name another with ");
                return settings(told.with(Setting::Label).text(")"));
            }
        }
        if weight == Some(label) {
            return settings(Setting::Weight.given(&label_name).text(": this is the label column"));
        }
        if let Some(at) = texts.iter().find(|at| forced.contains(at) || !used(**at)) {
            return settings(Setting::Text.given(&body.names[*at]).text(": another option takes this column"));
        }
        let becoming = |at: usize| match texts.contains(&at) {
            true => Becoming::Text(Texts::new(options.ngrams)),
            false => Becoming::Open,
        };
        let columns: Vec<Building> = (0..body.width())
            .filter(|&at| at != label && used(at))
            .map(|at| Building { name: body.names[at].clone(), at, kind: becoming(at), missing: 0 })
            .collect();
        if columns.is_empty() {
            let told = match body.width() {
                1 => Message::new(
                    "no feature columns: each row is one field; if something else stands between the fields, name \
                     the format with ",
                )
                .with(Setting::Format),
                _ => format!("no feature columns: the label \"{label_name}\" is all that is left").into(),
            };
            return Err(Error::data(Place::file(&body.file), told));
        }
        Ok(Builder {
            file: body.file.clone(),
            columns,
            forced,
            missing: options.missing,
            label,
            label_name,
            weights,
            collector: LabelCollector::default(),
            waiting: Vec::new(),
            met: Vec::new(),
            numbers: Vec::new(),
            ids: Vec::new(),
        })
    }

    /// Whether every feature is a number, and nothing else is asked for.
    pub(super) fn is_all_numbers(&self) -> bool {
        self.weights.is_none() && self.columns.iter().all(|column| matches!(column.kind, Becoming::Number))
    }

    /// Where the label stands.
    pub(super) fn label(&self) -> usize {
        self.label
    }

    /// Whether the column at this place is a feature.
    pub(super) fn is_feature(&self, at: usize) -> bool {
        self.columns.iter().any(|column| column.at == at)
    }

    /// The rows so far, all numbers: their values, their labels, and the names of those.
    pub(super) fn rows(&self) -> (&[f64], &[u32], &[String]) {
        (&self.numbers, &self.met, self.collector.names())
    }

    /// The numbers so far, which somebody else keeps from now on.
    pub(super) fn take_numbers(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.numbers)
    }

    /// Takes in the labels of a block of rows.
    pub(super) fn extend_labels(&mut self, block: &Block) {
        let names = block.names.all().iter();
        let ids: Vec<u32> = names.map(|name| self.collector.collect(&String::from_utf8_lossy(&name.text))).collect();
        self.met.extend(block.labels.iter().map(|&label| ids[label as usize]));
    }

    /// The schema of rows that are all numbers.
    pub(super) fn schema(self, header: bool, width: usize) -> Schema {
        let number = |b: Building| Column { name: b.name, at: b.at, kind: ColumnKind::Number, missing: None };
        let columns = self.columns.into_iter().map(number).collect();
        Schema::Columns { columns, label: header.then_some(self.label_name), label_at: self.label, width, header }
    }

    /// Takes in one row; the first value of a column settles what it is.
    pub(super) fn push(&mut self, record: Record<'_>) -> Found<()> {
        if self.met.is_empty() {
            self.settle(record);
            let open = self.columns.iter().any(|column| matches!(column.kind, Becoming::Open));
            if open && self.waiting.len() < LOOK_AHEAD {
                self.waiting.push(Held::new(record));
                return Ok(());
            }
            self.settle_rest()?;
        }
        self.take(record)
    }

    /// Settles the columns of which this row holds the first value.
    fn settle(&mut self, record: Record<'_>) {
        for column in self.columns.iter_mut().filter(|column| matches!(column.kind, Becoming::Open)) {
            let text = record.text(column.at);
            let forced = self.forced.contains(&column.at);
            if forced || (number(text) == Err(NotFinite::Text) && !(self.missing.is_some() && is_missing(text))) {
                column.kind = Becoming::Category(Categories::new(record, column.at, forced));
            } else if self.missing.is_none() || !is_missing(text) {
                column.kind = Becoming::Number;
            }
        }
    }

    /// Takes in the rows that wait; a column without any value is one of numbers.
    fn settle_rest(&mut self) -> Found<()> {
        for column in self.columns.iter_mut().filter(|column| matches!(column.kind, Becoming::Open)) {
            column.kind = Becoming::Number;
        }
        let waiting = std::mem::take(&mut self.waiting);
        waiting.iter().try_for_each(|held| self.take(held.record()))
    }

    fn take(&mut self, record: Record<'_>) -> Found<()> {
        let rows = self.met.len() as u64;
        for column in &mut self.columns {
            let text = record.text(column.at);
            match &mut column.kind {
                Becoming::Number | Becoming::Open => match number(text) {
                    Ok(value) => self.numbers.push(value),
                    Err(_) if self.missing.is_some() && is_missing(text) => {
                        self.numbers.push(f64::NAN);
                        column.missing += 1;
                    }
                    Err(why) => return Err(record.fault(column.at, bad_number(&column.name, text, why, rows))),
                },
                Becoming::Category(_) if is_missing(text) => {
                    if self.missing.is_none() {
                        return Err(record.fault(column.at, missing_value(&column.name, text)));
                    }
                    self.ids.push(NO_CATEGORY);
                    column.missing += 1;
                }
                Becoming::Category(categories) => {
                    let id = categories.id(text).ok_or_else(|| record.fault(column.at, not_utf8(text)))?;
                    self.ids.push(id);
                }
                Becoming::Text(texts) => {
                    let text = std::str::from_utf8(text).map_err(|_| record.fault(column.at, not_utf8(text)))?;
                    texts.push(text);
                }
            }
        }
        if let Some(weights) = &mut self.weights {
            weights.push(record)?;
        }
        let text = record.text(self.label);
        if is_missing(text) {
            let told = format!("label {}: fill it in, or leave the row out", missing(&self.label_name, text));
            return Err(record.fault(self.label, told));
        }
        let label = std::str::from_utf8(text).map_err(|_| record.fault(self.label, not_utf8(text)))?;
        self.met.push(self.collector.collect(label));
        Ok(())
    }

    /// Puts categories, words and classes in order.
    pub(super) fn finish(
        self,
        header: bool,
        width: usize,
        positive: Option<&str>,
        notes: &mut Vec<Message>,
    ) -> Result<Table> {
        let rows = self.met.len();
        let mut columns = Vec::with_capacity(self.columns.len());
        // Where each category of each category column went, and the words of each text.
        let (mut moved, mut texts) = (Vec::new(), Vec::new());
        let gaps: Vec<(&str, u64)> =
            self.columns.iter().filter(|c| c.missing > 0).map(|c| (c.name.as_str(), c.missing)).collect();
        notes.extend(self.missing.and_then(|fill| note_of_gaps(&gaps, fill)));
        for building in self.columns {
            let missing = self.missing.map(|fill| match (fill, &building.kind) {
                // What was never missing needs no sign of it, and categories have no mean.
                (Fill::Indicator, _) if building.missing == 0 => Fill::Zero,
                (Fill::Mean, Becoming::Category(_)) => Fill::Zero,
                (fill, _) => fill,
            });
            let (kind, missing) = match building.kind {
                Becoming::Number | Becoming::Open => (ColumnKind::Number, missing),
                Becoming::Category(categories) => {
                    categories.check(&building.name, rows as u64).map_err(|fault| fault.of(&self.file))?;
                    notes.extend(categories.advice(&building.name, rows));
                    let (values, places) = categories.sorted();
                    moved.push(places);
                    (ColumnKind::Category { values }, missing)
                }
                Becoming::Text(text) => {
                    let (kind, bag) = text.sorted();
                    texts.push(bag);
                    (kind, None)
                }
            };
            columns.push(Column { name: building.name, at: building.at, kind, missing });
        }
        let features = columns.iter().map(Column::width).sum();
        if features > MAX_FEATURES {
            let told = format!("{features} features are more than {MAX_FEATURES}, the most that can be learned");
            return Err(Error::data(Place::file(&self.file), told));
        }
        let plain = features == columns.len() && self.missing.is_none();
        let matrix = if plain && moved.is_empty() && texts.is_empty() {
            Matrix::Dense(DenseMatrix { values: self.numbers, features })
        } else {
            weave(&columns, &self.numbers, (&self.ids, &moved), &texts, rows)
        };
        let (labels, order) = self.collector.finish(positive)?;
        let classes = self.met.iter().map(|&id| order[id as usize]).collect();
        if labels.len() * 2 > rows && rows > 20 {
            let wordy = labels.names().iter().filter(|name| name.contains(' ')).count() * 2 > labels.len();
            let name = &self.label_name;
            let told = Message::new(format!(
                "the label column \"{name}\" has {} different values in {rows} rows: if it is not the label, name the \
                 right one with ",
                labels.len()
            ))
            .with(Setting::Label);
            notes.push(if wordy {
                told.text(", and if it is text, say so with ").set(Setting::Text, name)
            } else {
                told
            });
        }
        let label = header.then_some(self.label_name);
        let schema = Schema::Columns { columns, label, label_at: self.label, width, header };
        let weights = self.weights.map(Weights::values);
        Ok(Table { matrix, classes, labels, weights, schema })
    }
}

/// What was missing, and what became of it.
fn note_of_gaps(gaps: &[(&str, u64)], fill: Fill) -> Option<Message> {
    let (name, _) = gaps.first()?;
    let total = gaps.iter().map(|(_, n)| n).sum();
    let of = match gaps.len() {
        1 => format!("column \"{name}\""),
        n => format!("{n} columns"),
    };
    Some(format!("{} in {of}, read as {}", count(total, "missing value"), fill.told()).into())
}

fn missing_value(name: &str, text: &[u8]) -> Message {
    Message::new(missing(name, text))
        .text(": fill it in, pass ")
        .one_of(Setting::Missing, &["zero", "mean", "indicator"])
        .text(", or ")
        .set(Setting::Drop, name)
}

#[cold]
fn bad_number(name: &str, text: &[u8], why: NotFinite, before: u64) -> Message {
    if is_missing(text) {
        return missing_value(name, text);
    }
    let found = show(text);
    match why {
        NotFinite::Text => {
            let before = if before == 1 {
                "the value before is a number".to_string()
            } else {
                format!("the {} before are numbers", count(before, "value"))
            };
            Message::new(format!("column \"{name}\" holds {found}, but {before}: mend it, or pass "))
                .set(Setting::Category, name)
        }
        _ => format!("column \"{name}\" holds {found}, which {}", why.why()).into(),
    }
}
