//! A delimited file to train on: finds out what each column is.

use std::collections::HashMap;

use super::columns::{Body, Weights, holds, is_missing, missing, not_utf8, typed};
use super::libsvm::MAX_FEATURES;
use super::records::{Record, Records};
use super::{Parts, ReadOptions};
use crate::data::block::Block;
use crate::data::fault::{Fault, Found, count, show};
use crate::data::labels::LabelCollector;
use crate::data::matrix::{DenseMatrix, Matrix, SparseMatrix};
use crate::data::number::{NotFinite, number};
use crate::data::schema::{Column, ColumnKind, Schema};
use crate::data::table::Table;
use crate::error::{Error, Place, Result};

/// What label columns are called, the likeliest first.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];

/// Reads labelled rows and learns their schema.
pub(crate) fn read(records: Records<'_>, options: &ReadOptions) -> Result<Parts> {
    // A number given to --label is a place, and a row of data may well hold it.
    let name = options.label.as_deref().filter(|l| l.parse::<usize>().is_err());
    let mut body = Body::new(records, options.header, |first| name.is_some_and(|name| holds(first, name)))?;
    if body.is_header_alone() {
        return Err(body.no_examples());
    }
    let mut builder = Builder::new(&body, options)?;
    while let Some(record) = body.next()? {
        // The borrowed record keeps `body` busy: its name waits in the builder.
        builder.push(record).map_err(|fault| fault.of(&builder.file))?;
    }
    if builder.met.is_empty() {
        return Err(body.no_examples());
    }
    let mut notes = Vec::new();
    if body.wordy {
        notes.push(
            "no field is a number, so the first row was read as data: pass --header yes if it is a header".into(),
        );
    }
    let table = builder.finish(body.header, body.width(), options.positive.as_deref(), &mut notes)?;
    Ok(Parts { table, notes, fingerprint: body.fingerprint() })
}

/// A feature column while it is being read.
struct Building {
    name: String,
    at: usize,
    /// `None` for a column of numbers, and for any column before the first row.
    category: Option<Categories>,
}

/// The values of a category column, in order of appearance.
#[derive(Default)]
struct Categories {
    ids: HashMap<Box<[u8]>, u32>,
    values: Vec<String>,
    /// Which of the values are numbers.
    numeric: Vec<bool>,
    /// How many rows hold a number.
    numbers: u64,
    /// The first value that is no number: where it stands and what it is. `None` if the user said it is a category.
    odd: Option<(u64, u64, String)>,
}

pub(super) struct Builder {
    file: String,
    columns: Vec<Building>,
    forced: Vec<usize>,
    label: usize,
    label_name: String,
    weights: Option<Weights>,
    collector: LabelCollector,
    /// The collected label of each row.
    met: Vec<u32>,
    /// The values of the number columns, row by row.
    numbers: Vec<f64>,
    /// The values of the category columns, row by row.
    ids: Vec<u32>,
}

impl Builder {
    /// Settles which column is the label, which are features, and which are left out.
    pub(super) fn new(body: &Body<'_>, options: &ReadOptions) -> Result<Self> {
        let all = |option: &str, wanted: &[String]| -> Result<Vec<usize>> {
            wanted.iter().map(|w| body.find(option, w)).collect()
        };
        let dropped = all("--drop", &options.drop)?;
        let forced = all("--category", &options.category)?;
        let weights = Weights::new(body, options)?;
        let weight = weights.as_ref().map(|w| w.at);
        let used = |at: usize| !dropped.contains(&at) && weight != Some(at);
        let settings = |told: String| Err(Error::settings(told).in_file(&body.file));
        let label = match &options.label {
            Some(wanted) => body.find("--label", wanted)?,
            None => {
                let usual = |usual: &&str| {
                    let is = |at: &usize| body.names[*at].eq_ignore_ascii_case(usual) && used(*at);
                    (0..body.width()).find(is).filter(|_| body.header)
                };
                let named = LABEL_NAMES.iter().find_map(usual);
                match named.or_else(|| (0..body.width()).rev().find(|&at| used(at))) {
                    Some(at) => at,
                    None => return settings("no column is left for the label".to_string()),
                }
            }
        };
        let label_name = body.names[label].clone();
        for (option, columns) in [("--drop", &dropped), ("--category", &forced)] {
            if columns.contains(&label) {
                return settings(format!(
                    "{option} {}: this is the label column (name another with --label)",
                    typed(&label_name)
                ));
            }
        }
        if weight == Some(label) {
            return settings(format!("--weight {}: this is the label column", typed(&label_name)));
        }
        let columns: Vec<Building> = (0..body.width())
            .filter(|&at| at != label && used(at))
            .map(|at| Building { name: body.names[at].clone(), at, category: None })
            .collect();
        if columns.is_empty() {
            let told = match body.width() {
                1 => "no feature columns: each row is one field; if something else stands between the fields, name \
                      the format with --format"
                    .to_string(),
                _ => format!("no feature columns: the label \"{label_name}\" is all that is left"),
            };
            return Err(Error::data(Place::file(&body.file), told));
        }
        Ok(Builder {
            file: body.file.clone(),
            columns,
            forced,
            label,
            label_name,
            weights,
            collector: LabelCollector::default(),
            met: Vec::new(),
            numbers: Vec::new(),
            ids: Vec::new(),
        })
    }

    /// Whether every feature is a number, and nothing else is asked for.
    pub(super) fn is_all_numbers(&self) -> bool {
        self.weights.is_none() && self.columns.iter().all(|column| column.category.is_none())
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

    /// Takes in a block of rows, all numbers.
    pub(super) fn extend(&mut self, block: &Block) {
        self.numbers.extend_from_slice(&block.values[..block.stored]);
        let names = block.names.all().iter();
        let ids: Vec<u32> = names.map(|name| self.collector.collect(&String::from_utf8_lossy(&name.text))).collect();
        self.met.extend(block.labels.iter().map(|&label| ids[label as usize]));
    }

    /// The schema of rows that are all numbers.
    pub(super) fn schema(self, header: bool, width: usize) -> Schema {
        let number = |b: Building| Column { name: b.name, at: b.at, kind: ColumnKind::Number };
        let columns = self.columns.into_iter().map(number).collect();
        Schema::Columns { columns, label: header.then_some(self.label_name), label_at: self.label, width, header }
    }

    /// Takes in one row; the first one settles what each column is.
    pub(super) fn push(&mut self, record: Record<'_>) -> Found<()> {
        let rows = self.met.len() as u64;
        if rows == 0 {
            for column in &mut self.columns {
                let forced = self.forced.contains(&column.at);
                if forced || number(record.text(column.at)) == Err(NotFinite::Text) {
                    column.category = Some(Categories::new(record, column.at, forced));
                }
            }
        }
        for column in &mut self.columns {
            let text = record.text(column.at);
            match &mut column.category {
                None => match number(text) {
                    Ok(value) => self.numbers.push(value),
                    Err(why) => return Err(record.fault(column.at, bad_number(&column.name, text, why, rows))),
                },
                Some(_) if is_missing(text) => {
                    return Err(record.fault(column.at, missing_value(&column.name, text)));
                }
                Some(categories) => {
                    let id = categories.id(text).ok_or_else(|| record.fault(column.at, not_utf8(text)))?;
                    self.ids.push(id);
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

    /// Puts categories and classes in order.
    pub(super) fn finish(
        self,
        header: bool,
        width: usize,
        positive: Option<&str>,
        notes: &mut Vec<String>,
    ) -> Result<Table> {
        let rows = self.met.len();
        let mut columns = Vec::with_capacity(self.columns.len());
        // Where each category of each category column went.
        let mut moved = Vec::new();
        for building in self.columns {
            let kind = match building.category {
                None => ColumnKind::Number,
                Some(categories) => {
                    categories.check(&building.name, rows as u64).map_err(|fault| fault.of(&self.file))?;
                    if categories.values.len() == rows && rows > 20 {
                        notes.push(format!(
                            "column \"{}\" has another category in each row, which teaches nothing: leave it out with \
                             --drop {}",
                            building.name,
                            typed(&building.name)
                        ));
                    }
                    let (values, places) = categories.sorted();
                    moved.push(places);
                    ColumnKind::Category { values }
                }
            };
            columns.push(Column { name: building.name, at: building.at, kind });
        }
        let features = columns.iter().map(Column::width).sum();
        if features > MAX_FEATURES {
            let told = format!("{features} features are more than {MAX_FEATURES}, the most that can be learned");
            return Err(Error::data(Place::file(&self.file), told));
        }
        let matrix = if moved.is_empty() {
            Matrix::Dense(DenseMatrix { values: self.numbers, features })
        } else {
            Matrix::Sparse(one_hot(&columns, &self.numbers, &self.ids, &moved, rows))
        };
        let (labels, order) = self.collector.finish(positive)?;
        let classes = self.met.iter().map(|&id| order[id as usize]).collect();
        if labels.len() * 2 > rows && rows > 20 {
            notes.push(format!(
                "the label column \"{}\" has {} different values in {rows} rows: if it is not the label, name the \
                 right one with --label",
                self.label_name,
                labels.len()
            ));
        }
        let label = header.then_some(self.label_name);
        let schema = Schema::Columns { columns, label, label_at: self.label, width, header };
        let weights = self.weights.map(Weights::values);
        Ok(Table { matrix, classes, labels, weights, schema })
    }
}

/// Weaves number and category columns into sparse rows, in the order of the columns.
fn one_hot(columns: &[Column], numbers: &[f64], ids: &[u32], moved: &[Vec<u32>], rows: usize) -> SparseMatrix {
    let mut out = SparseMatrix::default();
    let (mut numbers, mut ids) = (numbers.iter(), ids.iter());
    for _ in 0..rows {
        let mut first = 0;
        let mut moved = moved.iter();
        for column in columns {
            let entry = match column.kind {
                ColumnKind::Number => numbers.next().map(|&value| (0, value)),
                ColumnKind::Category { .. } => {
                    ids.next().zip(moved.next()).map(|(&id, places)| (places[id as usize], 1.0))
                }
            };
            if let Some((place, value)) = entry.filter(|e| e.1 != 0.0) {
                out.indices.push(first + place);
                out.values.push(value);
            }
            first += column.width() as u32;
        }
        out.end_row();
    }
    out.features = columns.iter().map(Column::width).sum();
    out
}

impl Categories {
    fn new(record: Record<'_>, at: usize, forced: bool) -> Self {
        let fault = record.fault(at, "");
        let odd = (!forced).then(|| (fault.line, fault.column, show(record.text(at))));
        Categories { odd, ..Categories::default() }
    }

    /// The number of a value, a new one if it is new; `None` if it is no UTF-8.
    fn id(&mut self, text: &[u8]) -> Option<u32> {
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

    /// Refuses a column of numbers that only looks like categories because of a header or a typo.
    fn check(&self, name: &str, rows: u64) -> Found<()> {
        match &self.odd {
            Some((line, column, text)) if self.numbers * 2 > rows => {
                let told = format!(
                    "column \"{name}\" holds {text} here, but {} of its {rows} values are numbers: mend it, pass \
                     --header yes if this row is a header, or --category {}",
                    self.numbers,
                    typed(name)
                );
                Err(Fault::at(*line, *column, told))
            }
            _ => Ok(()),
        }
    }

    /// The values in order, and where each went.
    fn sorted(self) -> (Vec<String>, Vec<u32>) {
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

fn missing_value(name: &str, text: &[u8]) -> String {
    format!("{}: fill it in, or leave the column out with --drop {}", missing(name, text), typed(name))
}

#[cold]
fn bad_number(name: &str, text: &[u8], why: NotFinite, before: u64) -> String {
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
            format!("column \"{name}\" holds {found}, but {before}: mend it, or pass --category {}", typed(name))
        }
        _ => format!("column \"{name}\" holds {found}, which {}", why.why()),
    }
}
