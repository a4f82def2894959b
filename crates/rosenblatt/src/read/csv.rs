//! Reads a training table into memory and determines the kind of each column.

use super::assemble_rows::{NO_CATEGORY, assemble_rows};
use super::block::Block;
use super::body::{Body, LOOK_AHEAD};
use super::categories::Categories;
use super::columns::{
    Columns, FeatureColumn, Kind, Refused, Value, Weights, is_gap, is_marked, label_of, missing, not_utf8,
};
use super::json::{Hint, members};
use super::late::{Late, Lates};
use super::number::{NotFinite, number};
use super::parts::TrainingChunk;
use super::records::{OwnedRecord, Record, Records};
use super::table_rows::TableRows;
use super::texts::{Texts, Units};
use super::{Parts, ReadOptions, hashed};
use crate::error::{Error, Place, Result};
use crate::io::{Fault, count, show};
use crate::limits;
use crate::message::{Message, Setting};
use crate::rows::{
    Column, ColumnKind, DenseMatrix, Dialect, Fill, LabelCollector, Labels, MAX_FEATURES, Matrix, Schema, Table,
    the_rows,
};

/// A training table whose first rows were read, with the kind of each column as far as they show it.
pub(super) struct FirstRows<'a> {
    body: Body<'a>,
    builder: Builder,
}

impl<'a> FirstRows<'a> {
    /// Reads rows until it is known whether there is a header, and at least one row of data.
    pub(super) fn read(records: TableRows<'a>, options: &ReadOptions, lates: Lates<'_>) -> Result<Self> {
        FirstRows::of(hashed::body(records, options)?, options, lates)
    }

    /// The same for a table that is open.
    pub(super) fn of(mut body: Body<'a>, options: &ReadOptions, lates: Lates<'_>) -> Result<Self> {
        let mut builder = Builder::new(&body, options, lates)?;
        while let Some(record) = body.next()? {
            builder.reserve()?;
            builder.push(record)?;
            if body.is_past_head() {
                break;
            }
        }
        Ok(FirstRows { body, builder })
    }

    /// The rows so far and the remaining text, if all features are numbers; else `Err(self)`.
    #[expect(clippy::result_large_err, reason = "made once per file, and not an error")]
    pub(super) fn all_numbers(self) -> std::result::Result<(Builder, Records<'a>), Self> {
        if self.body.wordy || !self.builder.is_all_numbers() {
            return Err(self);
        }
        let FirstRows { body, builder } = self;
        match body.into_text() {
            Ok(records) => Ok((builder, records)),
            Err(body) => Err(FirstRows { body, builder }),
        }
    }

    /// Reads rows until the kind of each column is known; `Err` with all rows if the file ends before.
    pub(super) fn settled(mut self) -> Result<std::result::Result<(Builder, Body<'a>), Self>> {
        while self.builder.progress.iter().any(|column| column.open) {
            let Some(record) = self.body.next()? else { return Ok(Err(self)) };
            self.builder.reserve()?;
            self.builder.push(record)?;
        }
        Ok(Ok((self.builder, self.body)))
    }

    /// Reads the rest, row by row; `Err` with the columns that hold a text late.
    pub(super) fn read_rest(self, options: &ReadOptions) -> Result<std::result::Result<Parts, Vec<Late>>> {
        let FirstRows { mut body, mut builder } = self;
        while let Some(record) = body.next()? {
            builder.reserve()?;
            builder.push(record)?;
        }
        builder.settle_rest()?;
        if builder.label_ids.is_empty() {
            return Err(body.no_examples());
        }
        if builder.found_late() {
            return Ok(Err(builder.late));
        }
        builder.parts(options, body.wordy, body.fingerprint()).map(Ok)
    }

    /// The same where no text is collected.
    pub(super) fn read_all(self, options: &ReadOptions) -> Result<Parts> {
        let changed = || Error::bad_data("the file changed while it was read: try again when it is complete");
        let file = self.body.file.clone();
        self.read_rest(options)?.map_err(|_| changed().in_file(&file))
    }
}

/// What is known of a feature column while its rows are read.
struct Progress {
    /// Every value so far is missing: it may still become a category.
    open: bool,
    /// An option makes it a category.
    forced: bool,
    /// How many of its values are missing.
    gaps: u64,
}

/// The rows and columns of a training table, as far as read.
pub(super) struct Builder {
    file: String,
    columns: Columns<Categories, Texts>,
    /// One for each feature column.
    progress: Vec<Progress>,
    /// What missing values become; `None`: an error.
    missing: Option<Fill>,
    /// Whether texts in columns of numbers are collected, and the first of each column.
    collects: bool,
    late: Vec<Late>,
    label: usize,
    label_name: String,
    dialect: Dialect,
    weights: Option<Weights>,
    collector: LabelCollector,
    /// Rows buffered until the kind of each column is known.
    waiting: Vec<OwnedRecord>,
    /// The label id of each row.
    label_ids: Vec<u32>,
    /// The values of the number columns, row by row; NaN where one is missing.
    numbers: Vec<f64>,
    /// The values of the category columns, row by row.
    ids: Vec<u32>,
}

impl Builder {
    fn new(body: &Body<'_>, options: &ReadOptions, lates: Lates<'_>) -> Result<Self> {
        let (mut columns, label, forced) = Columns::to_train(body, options)?;
        if let Lates::Known(known) = lates {
            for late in known {
                let column = columns.features.iter_mut().find(|column| column.at == late.at);
                column.into_iter().for_each(|column| column.kind = Kind::Category(Categories::late(late)));
            }
        }
        let progress = columns.features.iter().map(|column| Progress {
            open: matches!(column.kind, Kind::Number),
            forced: forced.contains(&column.at) || body.hint(column.at) == Hint::Words,
            gaps: 0,
        });
        Ok(Builder {
            file: body.file.clone(),
            progress: progress.collect(),
            missing: options.missing,
            collects: matches!(lates, Lates::Collect),
            late: Vec::new(),
            label,
            label_name: body.names[label].clone(),
            dialect: options.dialect.clone(),
            weights: columns.weight.map(|at| Weights::new(at, body)),
            columns,
            collector: LabelCollector::default(),
            waiting: Vec::new(),
            label_ids: Vec::new(),
            numbers: Vec::new(),
            ids: Vec::new(),
        })
    }

    /// Makes room for one more row, and for those that are buffered, or returns an error if there is none.
    fn reserve(&mut self) -> Result<()> {
        let rows = self.waiting.len() + 1;
        let values = rows * self.columns.features.len();
        limits::reserve(&mut self.numbers, values, &the_rows)?;
        limits::reserve(&mut self.ids, values, &the_rows)?;
        limits::reserve(&mut self.label_ids, rows, &the_rows)?;
        self.collector.reserve(rows)?;
        self.columns.features.iter_mut().try_for_each(|column| match &mut column.kind {
            Kind::Number => Ok(()),
            Kind::Category(categories) => categories.reserve(rows),
            Kind::Text(texts) | Kind::Set(texts) => texts.reserve(rows),
        })
    }

    /// Whether every feature is a number, and there are no weights.
    fn is_all_numbers(&self) -> bool {
        let numbers = self.columns.features.iter().all(|column| matches!(column.kind, Kind::Number));
        numbers && self.weights.is_none() && !self.found_late() && self.progress.iter().all(|column| !column.open)
    }

    /// Whether a text was found in a column of numbers.
    pub(super) fn found_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// The columns, as far as the rows show them.
    pub(super) fn columns(&self) -> &Columns<Categories, Texts> {
        &self.columns
    }

    /// The rows so far, all numbers: their values, their labels, and the names of those.
    pub(super) fn rows(&self) -> (&[f64], &[u32], &[String]) {
        (&self.numbers, &self.label_ids, self.collector.names())
    }

    /// Moves out the numbers so far.
    pub(super) fn take_numbers(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.numbers)
    }

    /// Appends the labels of a block.
    pub(super) fn extend_labels(&mut self, block: &Block) -> Result<()> {
        self.collector.reserve(block.names.all().len())?;
        limits::reserve(&mut self.label_ids, block.len(), &the_rows)?;
        let names = block.names.all().iter();
        let ids: Vec<u32> = names.map(|name| self.collector.collect(&String::from_utf8_lossy(&name.text))).collect();
        self.label_ids.extend(block.labels.iter().map(|&label| ids[label as usize]));
        Ok(())
    }

    /// The schema of rows that are all numbers.
    pub(super) fn schema(self) -> Schema {
        let Columns { features, width, header, .. } = self.columns;
        let dialect = self.dialect;
        let number = |(name, at)| Column { name, at, kind: ColumnKind::Number, missing: None };
        let columns = features.into_iter().map(|column| (column.name, column.at)).map(number).collect();
        let label = header.then_some(self.label_name);
        Schema::Columns { columns, label, label_at: self.label, width, header, dialect, hashed: None }
    }

    /// Appends one row; the first value of a column determines its kind.
    fn push(&mut self, record: Record<'_>) -> Result<()> {
        record.room().map_err(|error| error.in_file(&self.file))?;
        if self.label_ids.is_empty() {
            self.settle(record);
            if self.progress.iter().any(|column| column.open) && self.waiting.len() < LOOK_AHEAD {
                self.waiting.push(OwnedRecord::new(record));
                return Ok(());
            }
            self.settle_rest()?;
        }
        self.take(record)
    }

    /// Determines the kind of each column whose first value is in this row.
    fn settle(&mut self, record: Record<'_>) {
        let columns = self.columns.features.iter_mut().zip(&mut self.progress);
        for (column, progress) in columns.filter(|(_, progress)| progress.open) {
            // What is no value says nothing of the column.
            let text = record.text(column.at);
            let gap = is_gap(text) || is_marked(text, &self.columns.na);
            if progress.forced || (number(text) == Err(NotFinite::Text) && !gap) {
                column.kind = Kind::Category(Categories::new(record, column.at, progress.forced));
                progress.open = false;
            } else if !gap {
                progress.open = false;
            }
        }
    }

    /// Appends the buffered rows; a column without any value holds numbers.
    fn settle_rest(&mut self) -> Result<()> {
        self.progress.iter_mut().for_each(|column| column.open = false);
        let waiting = std::mem::take(&mut self.waiting);
        waiting.iter().try_for_each(|held| self.take(held.record()))
    }

    fn take(&mut self, record: Record<'_>) -> Result<()> {
        let rows = self.label_ids.len() as u64;
        for (column, progress) in self.columns.features.iter_mut().zip(&mut self.progress) {
            let text = record.text(column.at);
            let gaps = column.gaps(&self.columns.na);
            match column.kind.as_mut().read(text, gaps, number) {
                Ok(Value::Number(value)) => self.numbers.push(value),
                Ok(Value::NoNumber) => {
                    self.numbers.push(f64::NAN);
                    progress.gaps += 1;
                }
                Ok(Value::Category(categories, text)) => {
                    let refused = || record.fault(column.at, not_utf8(text)).of(&self.file);
                    let id = categories.id(text).ok_or_else(refused)?;
                    self.ids.push(id);
                }
                Ok(Value::NoCategory) => {
                    self.ids.push(NO_CATEGORY);
                    progress.gaps += 1;
                }
                Ok(Value::Text(texts, text)) => texts.push(text).map_err(|error| error.in_file(&self.file))?,
                Ok(Value::Set(texts, set)) => {
                    texts.push_set(members(set).into_iter().flatten()).map_err(|error| error.in_file(&self.file))?
                }
                Err(Refused::Number(NotFinite::Text)) if self.collects => {
                    self.numbers.push(f64::NAN);
                    if self.late.iter().all(|late| late.at != column.at) {
                        self.late.push(Late::new(record, column.at, rows));
                    }
                }
                Err(why) => {
                    let fault = match why {
                        Refused::Number(NotFinite::Text) => Late::new(record, column.at, rows).refused(&column.name),
                        why => record.fault(column.at, refused(&column.name, text, why)),
                    };
                    return Err(fault.of(&self.file));
                }
            }
        }
        if let Some(weights) = &mut self.weights {
            weights.push(record).map_err(|fault| fault.of(&self.file))?;
        }
        let label = label_of(record, self.label, &self.label_name, &self.columns.na);
        self.label_ids.push(self.collector.collect(label.map_err(|fault| fault.of(&self.file))?));
        Ok(())
    }

    /// The position of the label, and the columns as chunks are parsed: the features of each text.
    pub(super) fn chunk_columns(&self) -> (Columns<(), Units>, usize) {
        let Columns { width, header, label, weight, ref na, ref features } = self.columns;
        let features = features.iter().map(|column| FeatureColumn {
            name: column.name.clone(),
            at: column.at,
            kind: column.kind.map(|_| (), Texts::units),
            missing: column.missing,
            first: column.first,
        });
        (Columns { width, header, label, weight, na: na.clone(), features: features.collect() }, self.label)
    }

    /// Appends the rows of a chunk.
    pub(super) fn join(&mut self, chunk: &TrainingChunk) -> Result<()> {
        limits::reserve(&mut self.numbers, chunk.numbers.len(), &the_rows)?;
        limits::reserve(&mut self.ids, chunk.ids.len(), &the_rows)?;
        limits::reserve(&mut self.label_ids, chunk.labels.len(), &the_rows)?;
        self.collector.reserve(chunk.names.len())?;
        self.numbers.extend_from_slice(&chunk.numbers);
        let mut moved: Vec<Vec<u32>> = Vec::new();
        for ((column, progress), own) in self.columns.features.iter_mut().zip(&mut self.progress).zip(&chunk.columns) {
            progress.gaps += own.gaps;
            match (&mut column.kind, &own.kind) {
                (Kind::Category(all), Kind::Category(own)) => {
                    all.reserve(own.names.len())?;
                    let ids = (0..).zip(&own.times);
                    moved.push(ids.map(|(id, &rows)| all.join(own.names.name(id), rows)).collect());
                }
                (Kind::Text(all) | Kind::Set(all), Kind::Text(own) | Kind::Set(own)) => all.join(own)?,
                _ => {}
            }
        }
        for row in chunk.ids.chunks(moved.len().max(1)) {
            let id = |(&id, moved): (&u32, &Vec<u32>)| if id == NO_CATEGORY { id } else { moved[id as usize] };
            self.ids.extend(row.iter().zip(&moved).map(id));
        }
        if let Some(weights) = &mut self.weights {
            weights.extend(&chunk.weights);
        }
        let name = |id: u32| String::from_utf8_lossy(chunk.names.name(id));
        let labels: Vec<u32> = (0..chunk.names.len() as u32).map(|id| self.collector.collect(&name(id))).collect();
        self.label_ids.extend(chunk.labels.iter().map(|&label| labels[label as usize]));
        Ok(())
    }

    /// The table, with notes for the user; `wordy`: it is unknown whether there is a header.
    pub(super) fn parts(self, options: &ReadOptions, wordy: bool, fingerprint: u64) -> Result<Parts> {
        let mut notes = Vec::new();
        if wordy && options.text.is_empty() {
            let found = Message::new("no field is a number, so the first row was read as data: pass ");
            notes.push(found.set(Setting::Header, "yes").text(" if it is a header"));
        }
        let table = self.finish(options.positive.as_deref(), &mut notes)?;
        Ok(Parts { table, notes, fingerprint })
    }

    /// Puts categories, words and classes in order.
    pub(super) fn finish(self, positive: Option<&str>, notes: &mut Vec<Message>) -> Result<Table> {
        let rows = self.label_ids.len();
        let Columns { features, width, header, .. } = self.columns;
        let mut columns = Vec::with_capacity(features.len());
        // The new position of each category, and the words of each text.
        let (mut moved, mut texts) = (Vec::new(), Vec::new());
        let mut mixed = Vec::new();
        let gaps = features.iter().zip(&self.progress).filter(|(_, progress)| progress.gaps > 0);
        let gaps: Vec<_> = gaps.map(|(c, p)| (&c.name[..], p.gaps, matches!(c.kind, Kind::Category(_)))).collect();
        notes.extend(self.missing.and_then(|fill| note_of_gaps(&gaps, fill)));
        for (column, progress) in features.into_iter().zip(&self.progress) {
            let missing = column.missing.map(|fill| match (fill, &column.kind) {
                // A column without gaps needs no indicator, and categories have no mean.
                (Fill::Indicator, _) if progress.gaps == 0 => Fill::Zero,
                (Fill::Mean, Kind::Category(_)) => Fill::Zero,
                (fill, _) => fill,
            });
            let kind = match column.kind {
                Kind::Number => ColumnKind::Number,
                Kind::Category(categories) => {
                    let fault = categories.check(&column.name, rows as u64).err();
                    mixed.extend(fault.map(|fault| (fault, column.name.clone())));
                    notes.extend(categories.advice(&column.name, rows));
                    let (values, places) = categories.sorted();
                    moved.push(places);
                    ColumnKind::Category { values }
                }
                Kind::Text(text) | Kind::Set(text) => {
                    let (kind, bag) = text.sorted()?;
                    texts.push(bag);
                    kind
                }
            };
            columns.push(Column { name: column.name, at: column.at, kind, missing });
        }
        if let Some(fault) = first_of(mixed) {
            return Err(fault.of(&self.file));
        }
        let features = columns.iter().map(Column::width).sum();
        if features > MAX_FEATURES {
            let message = format!("{features} features are more than {MAX_FEATURES}, the most that can be learned");
            return Err(Error::data(Place::file(&self.file), message));
        }
        let plain = features == columns.len() && self.missing.is_none();
        let matrix = if plain && moved.is_empty() && texts.is_empty() {
            Matrix::Dense(DenseMatrix { values: self.numbers, features })
        } else {
            assemble_rows(&columns, &self.numbers, (&self.ids, &moved), &texts, rows)?
        };
        let (labels, order) = self.collector.finish(positive)?;
        let classes = self.label_ids.iter().map(|&id| order[id as usize]).collect();
        if labels.len() * 2 > rows && rows > 20 {
            notes.push(no_label(&self.label_name, &labels, rows, likely_label(&columns, header)));
        }
        let label = header.then_some(self.label_name);
        let (label_at, dialect) = (self.label, self.dialect);
        let schema = Schema::Columns { columns, label, label_at, width, header, dialect, hashed: None };
        let weights = self.weights.map(Weights::values);
        Ok(Table { matrix, classes, labels, weights, schema })
    }
}

/// The note on a column of labels of which most come once, and the option that names a likelier one.
pub(super) fn no_label(name: &str, labels: &Labels, rows: usize, likelier: Option<String>) -> Message {
    let wordy = labels.names().iter().filter(|name| name.contains(' ')).count() * 2 > labels.len();
    let (what, found) = (crate::io::show(name.as_bytes()), labels.len());
    let message = Message::new(format!(
        "the label column {what} has {found} different values in {rows} rows: if it is not the label, name the right one with "
    ));
    let message = match likelier {
        Some(column) => message.set(Setting::Label, column),
        None => message.with(Setting::Label),
    };
    if wordy { message.text(", and if it is text, say so with ").set(Setting::Text, name) } else { message }
}

/// The column of categories with the fewest values: its name, or its number where there is no header.
fn likely_label(columns: &[Column], header: bool) -> Option<String> {
    const MOST: usize = 100;
    let categories = columns.iter().filter_map(|column| match &column.kind {
        ColumnKind::Category { values } if (2..=MOST).contains(&values.len()) => Some((values.len(), column)),
        _ => None,
    });
    let (_, column) = categories.min_by_key(|(values, _)| *values)?;
    Some(if header { column.name.clone() } else { (column.at + 1).to_string() })
}

/// The first fault of columns that hold numbers and texts, which also names the others, so that all are known at once.
fn first_of(mut faults: Vec<(Fault, String)>) -> Option<Fault> {
    faults.sort_by_key(|(fault, _)| (fault.line, fault.column));
    let mut faults = faults.into_iter();
    let (mut first, _) = faults.next()?;
    for (_, name) in faults {
        first.message = first.message.text(" and ").set(Setting::Category, name);
    }
    Some(first)
}

/// The note on missing values and how they were filled.
fn note_of_gaps(gaps: &[(&str, u64, bool)], fill: Fill) -> Option<Message> {
    let (name, ..) = gaps.first()?;
    let (total, categories) = (gaps.iter().map(|gap| gap.1).sum(), gaps.iter().any(|gap| gap.2));
    let of = match gaps.len() {
        1 => format!("column \"{name}\""),
        n => format!("{n} columns"),
    };
    Some(format!("{} in {of}, read as {}", count(total, "missing value"), fill.description(categories)).into())
}

/// The message for a refused field.
#[cold]
fn refused(name: &str, text: &[u8], why: Refused) -> Message {
    let found = show(text);
    match why {
        Refused::Missing => Message::new(missing(name, text))
            .text(": fill it in, pass ")
            .one_of(Setting::Missing, &["zero", "mean", "indicator"])
            .text(", or ")
            .set(Setting::Drop, name),
        Refused::Encoding => not_utf8(text).into(),
        Refused::Number(why) => format!("column \"{name}\" holds {found}, which {}", why.why()).into(),
    }
}
