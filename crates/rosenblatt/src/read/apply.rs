//! Reads a table for a model: each column becomes the features that the model has for it.

use super::block::Block;
use super::body::{Body, holds};
use super::columns::{Columns, Refused, TrainedTable, Value, Weights, category_place, missing, not_utf8};
use super::hashed::HashedColumns;
use super::json::members;
use super::number::number;
use super::records::Record;
use super::table_rows::TableRows;
use super::texts::KnownWords;
use super::{Header, KnownLabels, NeedLabels, Parts, ReadOptions};
use crate::error::Result;
use crate::io::{Found, show};
use crate::limits;
use crate::map::{RowHasher, TextScratch};
use crate::message::{Message, Setting};
use crate::rows::{Column, ColumnKind, DenseMatrix, Labels, Matrix, Row, Schema, SparseMatrix, Table, the_rows};

/// Reads rows as a model expects them.
pub(super) fn read(
    records: TableRows<'_>,
    options: &ReadOptions,
    (schema, trained): (&Schema, TrainedTable<'_>),
    labels: &Labels,
    need: NeedLabels,
) -> Result<Parts> {
    let mut notes = Vec::new();
    let (mut body, table) = ModelTable::open(records, options, trained, need, &mut notes)?;
    let weights = table.columns.weight.map(|at| Weights::new(at, &body));
    let mut rows = ModelRows {
        entries: Entries::new(trained.columns, schema.features()),
        table,
        scratch: RowScratch::default(),
        classes: Vec::new(),
        weights,
        known: KnownLabels::new(labels),
        count: 0,
    };
    let file = body.file.clone();
    while let Some(record) = body.next()? {
        rows.entries.reserve(trained.columns.len())?;
        limits::reserve(&mut rows.classes, 1, &the_rows)?;
        rows.push(record).map_err(|fault| fault.of(&file))?;
        if let Some(error) = rows.scratch.block.refused.take() {
            return Err(error);
        }
    }
    if rows.count == 0 {
        return Err(body.no_examples());
    }
    notes.extend(
        rows.scratch.first_unknown.as_ref().map(|(line, first)| unknown_note(rows.scratch.unknown, *line, first)),
    );
    let weights = rows.weights.map(Weights::values);
    let (matrix, classes) = (rows.entries.matrix(), rows.classes);
    let table = Table { matrix, classes, labels: labels.clone(), weights, schema: schema.clone() };
    Ok(Parts { table, notes, fingerprint: body.fingerprint() })
}

/// The note on categories that the model does not know.
pub(super) fn unknown_note(unknown: u64, line: u64, first: &str) -> Message {
    let categories = if unknown == 1 { "1 category is".into() } else { format!("{unknown} categories are") };
    format!("{categories} not known to the model, read as none of the known (the first: {first} on line {line})").into()
}

/// The columns of a model, found in a file.
pub(super) struct ModelTable<'m> {
    pub(super) columns: Columns<&'m [String], KnownWords>,
    features: usize,
    /// Whether all columns are numbers.
    dense: bool,
    /// How words are hashed, if they are.
    hashed: Option<HashedColumns>,
}

/// Buffers for a row, and what was noticed in the rows so far.
#[derive(Debug, Default)]
pub(super) struct RowScratch {
    words: TextScratch,
    hasher: Option<RowHasher>,
    /// A row by itself.
    block: Block,
    /// How many categories the model does not know.
    pub(super) unknown: u64,
    /// The line of the first, and what it is.
    pub(super) first_unknown: Option<(u64, String)>,
}

impl RowScratch {
    /// Forgets what was noticed.
    pub(super) fn restart(&mut self) {
        (self.unknown, self.first_unknown) = (0, None);
    }
}

impl<'m> ModelTable<'m> {
    /// Reads the header of a file, if it has one, and finds the model's columns.
    pub(super) fn open<'a>(
        mut records: TableRows<'a>,
        options: &ReadOptions,
        trained: TrainedTable<'m>,
        need: NeedLabels,
        notes: &mut Vec<Message>,
    ) -> Result<(Body<'a>, Self)> {
        if trained.header {
            let given = [&options.label, &options.weight].into_iter().flatten();
            let given: Vec<&str> = given.map(String::as_str).chain(trained.label).collect();
            let wanted = |at: usize, name: &str| {
                let option = given.iter().any(|given| *given == name || given.parse() == Ok(at + 1));
                option || trained.columns.iter().any(|column| column.name == name)
            };
            records.keep_only(&wanted);
        }
        // The first row of a pipe is not held back for the next: a header is one that holds a name.
        let live = records.is_live();
        let named = |first: Record<'_>| {
            let label = options.label.as_deref().filter(|l| l.parse::<usize>().is_err()).or(trained.label);
            label.is_some_and(|label| holds(first, label))
                || (trained.header && trained.columns.iter().all(|c| holds(first, &c.name)))
                || (trained.header && live && trained.columns.iter().any(|c| holds(first, &c.name)))
        };
        // A text may happen to be a number, so it is no evidence of a header.
        let wordy = trained.columns.iter().any(|c| matches!(c.kind, ColumnKind::Text { .. }));
        let header = match options.header {
            Header::Auto if wordy && !trained.header => Header::No,
            given => given,
        };
        let body = Body::new(records, header, &[], named)?;
        let columns = Columns::for_model(&body, options, trained, need, notes)?;
        let features = trained.columns.iter().map(Column::width).sum();
        let dense = trained.columns.iter().all(|column| column.kind == ColumnKind::Number);
        let hashed = trained.hashed.and_then(|how| HashedColumns::of(&columns, how, KnownWords::units));
        Ok((body, ModelTable { columns, features, dense, hashed }))
    }

    /// Calls `put` with each feature of a row and its value, in increasing order.
    #[inline]
    fn read(&self, record: Record<'_>, scratch: &mut RowScratch, mut put: impl FnMut(usize, f64)) -> Found<()> {
        if let Some(hashed) = &self.hashed {
            let RowScratch { hasher, block, .. } = scratch;
            hashed.begin(block);
            hashed.push(record, hasher.get_or_insert_with(|| hashed.hasher()), block)?;
            block.rows().for_each(|row| row.each(&mut put));
            return Ok(());
        }
        for column in &self.columns.features {
            let (text, first) = (record.text(column.at), column.first);
            match column.kind.as_ref().read(text, column.gaps(&self.columns.na), number) {
                Ok(Value::Number(value)) => {
                    if value != 0.0 {
                        put(first, value);
                    }
                }
                Ok(Value::Category(values, text)) => match category_place(values, text) {
                    Some(place) => put(first + place, 1.0),
                    None => scratch.note_unknown(record, text, &column.name),
                },
                Ok(Value::NoNumber | Value::NoCategory) => {
                    if let Some(place) = column.missing_mark() {
                        put(first + place, 1.0);
                    }
                }
                Ok(Value::Text(words, text)) => {
                    words.count(text, &mut scratch.words, |place, times| put(first + place as usize, times));
                }
                Ok(Value::Set(words, set)) => {
                    let members = members(set).into_iter().flatten();
                    words.count_set(members, &mut scratch.words, |place, times| put(first + place as usize, times));
                }
                Err(why) => return Err(record.fault(column.at, refused(&column.name, text, why))),
            }
        }
        Ok(())
    }

    /// Clears a block for rows of this table.
    pub(super) fn begin(&self, block: &mut Block) {
        block.clear(0);
        block.width = self.dense.then_some(self.features);
    }

    /// Appends a row to a block.
    #[inline]
    pub(super) fn push(&self, record: Record<'_>, scratch: &mut RowScratch, block: &mut Block) -> Found<()> {
        let start = block.stored;
        if let Some(hashed) = &self.hashed {
            return hashed.push(record, scratch.hasher.get_or_insert_with(|| hashed.hasher()), block);
        }
        if self.dense {
            if !block.make_room(self.features) {
                return Ok(());
            }
            let values = &mut block.values[start..start + self.features];
            values.fill(0.0);
            self.read(record, scratch, |feature, value| values[feature] = value)?;
            block.stored += self.features;
        } else if let Err(fault) = self.read(record, scratch, |feature, value| block.put(feature as u32, value)) {
            block.stored = start;
            return Err(fault);
        }
        block.ends.push(block.stored as u32);
        Ok(())
    }
}

impl RowScratch {
    #[cold]
    fn note_unknown(&mut self, record: Record<'_>, text: &[u8], column: &str) {
        self.unknown += 1;
        self.first_unknown.get_or_insert_with(|| (record.line, format!("{} in column {column}", show(text))));
    }
}

/// The rows read so far.
struct ModelRows<'a> {
    table: ModelTable<'a>,
    scratch: RowScratch,
    entries: Entries,
    classes: Vec<u32>,
    weights: Option<Weights>,
    known: KnownLabels<'a>,
    count: usize,
}

impl ModelRows<'_> {
    fn push(&mut self, record: Record<'_>) -> Found<()> {
        let ModelRows { table, scratch, entries, .. } = self;
        entries.begin_row();
        table.read(record, scratch, |feature, value| entries.put(feature, value))?;
        entries.end_row();
        if let Some(weights) = &mut self.weights {
            weights.push(record)?;
        }
        if let Some(at) = self.table.columns.label {
            let class = self.known.class(record.text(at)).map_err(|message| record.fault(at, message))?;
            self.classes.push(class);
        }
        self.count += 1;
        Ok(())
    }
}

/// The rows under construction: dense if all columns are numbers, else sparse.
enum Entries {
    Dense(DenseMatrix),
    Sparse(SparseMatrix),
}

impl Entries {
    fn new(columns: &[Column], features: usize) -> Self {
        let number = |column: &Column| column.kind == ColumnKind::Number;
        if columns.iter().all(number) {
            Entries::Dense(DenseMatrix { values: Vec::new(), features })
        } else {
            Entries::Sparse(SparseMatrix { features, ..SparseMatrix::default() })
        }
    }

    /// Makes room for one more row, of one entry for each column or more, or returns an error if there is none.
    fn reserve(&mut self, columns: usize) -> Result<()> {
        match self {
            Entries::Dense(dense) => limits::reserve(&mut dense.values, dense.features, &the_rows),
            Entries::Sparse(sparse) => {
                limits::reserve(&mut sparse.offsets, 1, &the_rows)?;
                limits::reserve(&mut sparse.indices, columns, &the_rows)?;
                limits::reserve(&mut sparse.values, columns, &the_rows)
            }
        }
    }

    /// Starts a row of zeros.
    fn begin_row(&mut self) {
        if let Entries::Dense(dense) = self {
            dense.values.resize(dense.values.len() + dense.features, 0.0);
        }
    }

    /// Sets an entry of the last row; features come in increasing order.
    #[inline]
    fn put(&mut self, feature: usize, value: f64) {
        match self {
            Entries::Dense(dense) => {
                let start = dense.values.len() - dense.features;
                dense.values[start + feature] = value;
            }
            Entries::Sparse(sparse) => {
                sparse.indices.push(feature as u32);
                sparse.values.push(value);
            }
        }
    }

    fn end_row(&mut self) {
        if let Entries::Sparse(sparse) = self {
            sparse.end_row();
        }
    }

    fn matrix(self) -> Matrix {
        match self {
            Entries::Dense(dense) => Matrix::Dense(dense),
            Entries::Sparse(sparse) => Matrix::Sparse(sparse),
        }
    }
}

/// The message for a refused field.
#[cold]
fn refused(name: &str, text: &[u8], why: Refused) -> Message {
    match why {
        Refused::Missing => {
            Message::new(missing(name, text)).text(": fill it in, or train the model with ").with(Setting::Missing)
        }
        Refused::Encoding => not_utf8(text).into(),
        Refused::Number(why) => format!(
            "column \"{name}\" holds {}, which {}; the model was trained on numbers here",
            show(text),
            why.why()
        )
        .into(),
    }
}
