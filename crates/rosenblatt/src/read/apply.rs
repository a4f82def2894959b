//! A delimited file for a model: its columns are put where the model expects them.

use super::assemble_rows::of_number;
use super::columns::{Body, Weights, holds, is_missing, missing, not_utf8};
use super::number::{NotFinite, number};
use super::raw_rows::Rows;
use super::records::Record;
use super::{Header, Known, NeedLabels, Parts, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Found, count, show};
use crate::map::Grams;
use crate::message::{Message, Setting};
use crate::rows::{Column, ColumnKind, DenseMatrix, Labels, Matrix, Schema, SparseMatrix, Table, list};

/// What a model of columns knows of its training file.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) label: Option<&'a str>,
    pub(crate) label_at: usize,
    pub(crate) width: usize,
    pub(crate) header: bool,
}

/// Reads rows as a model expects them.
pub(crate) fn read(
    records: Rows<'_>,
    options: &ReadOptions,
    (schema, layout): (&Schema, Layout<'_>),
    labels: &Labels,
    need: NeedLabels,
) -> Result<Parts> {
    let named = |first: Record<'_>| {
        let label = options.label.as_deref().filter(|l| l.parse::<usize>().is_err()).or(layout.label);
        label.is_some_and(|label| holds(first, label))
            || (layout.header && layout.columns.iter().all(|c| holds(first, &c.name)))
    };
    // A text may be a number by accident, and then says nothing of a header.
    let wordy = layout.columns.iter().any(|c| matches!(c.kind, ColumnKind::Text { .. }));
    let header = match options.header {
        Header::Auto if wordy && !layout.header => Header::No,
        given => given,
    };
    let mut body = Body::new(records, header, &[], named)?;
    let mut notes = Vec::new();
    let weights = Weights::new(&body, options)?;
    let used = weights.as_ref().map(|w| w.at);
    let plan = Plan::new(&body, options, layout, need, used, &mut notes)?;
    let file = body.file.clone();
    let mut rows = Reading::new(layout.columns, labels, weights);
    while let Some(record) = body.next()? {
        rows.push(record, &plan, layout.columns).map_err(|fault| fault.of(&file))?;
    }
    if rows.count == 0 {
        return Err(body.no_examples());
    }
    if let Some((line, first)) = &rows.first_unknown {
        let told = format!(
            "{} not known to the model, read as none of the known (the first: {first} on line {line})",
            if rows.unknown == 1 { "1 category is".into() } else { format!("{} categories are", rows.unknown) },
        );
        notes.push(told.into());
    }
    let weights = rows.weights.map(Weights::values);
    let table =
        Table { matrix: rows.matrix, classes: rows.classes, labels: labels.clone(), weights, schema: schema.clone() };
    Ok(Parts { table, notes, fingerprint: body.fingerprint() })
}

/// Which field goes where.
struct Plan {
    /// The field of each of the model's columns.
    from: Vec<usize>,
    label: Option<usize>,
}

impl Plan {
    fn new(
        body: &Body<'_>,
        options: &ReadOptions,
        layout: Layout<'_>,
        need: NeedLabels,
        weight: Option<usize>,
        notes: &mut Vec<Message>,
    ) -> Result<Self> {
        let given = options.label.as_ref().map(|l| body.find(Setting::Label, l)).transpose();
        let by_name = body.header && layout.header;
        let (from, label) = if by_name { by_names(body, layout)? } else { by_places(body, layout, need)? };
        if !body.header && layout.header {
            notes.push("the file has no header: its columns were taken by their place".into());
        }
        let label = match (need, given) {
            (NeedLabels::No, _) => label,
            (NeedLabels::Yes, Ok(Some(at))) => Some(at),
            (NeedLabels::Yes, Err(error)) => return Err(error),
            (NeedLabels::Yes, Ok(None)) if label.is_none() => {
                let told = format!(
                    "no column is called {}, which held the labels: name the label column with ",
                    show(layout.label.unwrap_or_default().as_bytes())
                );
                return Err(Error::bad_data(Message::new(told).with(Setting::Label)).in_file(&body.file));
            }
            (NeedLabels::Yes, Ok(None)) => label,
        };
        if by_name {
            let extra = |at: &usize| !from.contains(at) && label != Some(*at) && weight != Some(*at);
            let extra: Vec<String> = (0..body.width()).filter(extra).map(|at| body.names[at].clone()).collect();
            if !extra.is_empty() {
                let told = count(extra.len() as u64, "column");
                notes.push(format!("passed over {told} that the model does not use: {}", list(&extra)).into());
            }
        }
        let label = label.filter(|_| need == NeedLabels::Yes);
        Ok(Plan { from, label })
    }
}

/// Each of the model's columns by its name in the header.
fn by_names(body: &Body<'_>, layout: Layout<'_>) -> Result<(Vec<usize>, Option<usize>)> {
    let place = |name: &str| body.names.iter().position(|n| n == name);
    let lacking: Vec<String> =
        layout.columns.iter().filter(|c| place(&c.name).is_none()).map(|c| c.name.clone()).collect();
    if !lacking.is_empty() {
        let told = format!(
            "the model needs {} that the file has not: {}; the file has {}",
            count(lacking.len() as u64, "column"),
            list(&lacking),
            list(&body.names)
        );
        return Err(Error::bad_data(told).in_file(&body.file));
    }
    Ok((layout.columns.iter().filter_map(|c| place(&c.name)).collect(), layout.label.and_then(place)))
}

/// Each of the model's columns by its place: as in the training file, or without the label, or the features alone.
fn by_places(body: &Body<'_>, layout: Layout<'_>, need: NeedLabels) -> Result<(Vec<usize>, Option<usize>)> {
    let found = body.width();
    let places = layout.columns.iter().map(|c| c.at);
    if found == layout.width {
        return Ok((places.collect(), Some(layout.label_at)));
    }
    if need == NeedLabels::No && found == layout.columns.len() {
        return Ok(((0..found).collect(), None));
    }
    if need == NeedLabels::No && found + 1 == layout.width {
        return Ok((places.map(|at| at - usize::from(at > layout.label_at)).collect(), None));
    }
    let alone = match need {
        NeedLabels::Yes => String::new(),
        NeedLabels::No => format!(", or its {} alone", count(layout.columns.len() as u64, "feature column")),
    };
    let told = format!(
        "{}, where the model expects the {} of its training file{alone}",
        count(found as u64, "column"),
        count(layout.width as u64, "column")
    );
    Err(Error::bad_data(told).in_file(&body.file))
}

/// The rows read so far.
struct Reading<'a> {
    matrix: Matrix,
    classes: Vec<u32>,
    weights: Option<Weights>,
    known: Known<'a>,
    count: usize,
    unknown: u64,
    first_unknown: Option<(u64, String)>,
    /// The words of each text column, and the features that they are.
    texts: Vec<(Grams, Vec<Option<u32>>)>,
    /// Runs of words, and features, of the text at hand.
    runs: Vec<u32>,
    found: Vec<u32>,
}

impl<'a> Reading<'a> {
    fn new(columns: &[Column], labels: &'a Labels, weights: Option<Weights>) -> Self {
        let features = columns.iter().map(Column::width).sum();
        let dense = columns.iter().all(|c| c.kind == ColumnKind::Number);
        let matrix = if dense {
            Matrix::Dense(DenseMatrix { values: Vec::new(), features })
        } else {
            Matrix::Sparse(SparseMatrix { features, ..SparseMatrix::default() })
        };
        let words = |column: &Column| match &column.kind {
            ColumnKind::Text { ngrams, words } => Some(Grams::of(*ngrams, words)),
            _ => None,
        };
        Reading {
            texts: columns.iter().filter_map(words).collect(),
            runs: Vec::new(),
            found: Vec::new(),
            matrix,
            classes: Vec::new(),
            weights,
            known: Known::new(labels),
            count: 0,
            unknown: 0,
            first_unknown: None,
        }
    }

    fn push(&mut self, record: Record<'_>, plan: &Plan, columns: &[Column]) -> Found<()> {
        let mut first = 0;
        let mut text_column = 0;
        for (column, &at) in columns.iter().zip(&plan.from) {
            let text = record.text(at);
            match &column.kind {
                ColumnKind::Number => {
                    let value = match number(text) {
                        Ok(value) => value,
                        Err(_) if is_missing(text) && column.missing.is_some() => f64::NAN,
                        Err(why) => return Err(record.fault(at, bad_number(column, text, why))),
                    };
                    let entry = of_number(value, column.missing);
                    match &mut self.matrix {
                        Matrix::Sparse(sparse) => put(sparse, first, entry),
                        // A table is made of the other two alone.
                        Matrix::DenseF32(_)
                        | Matrix::DenseU8(_)
                        | Matrix::DenseDecimal(_)
                        | Matrix::SparseDecimal(_) => {}
                        Matrix::Dense(dense) => {
                            let start = dense.values.len();
                            dense.values.resize(start + column.width(), 0.0);
                            entry.into_iter().for_each(|(place, value)| dense.values[start + place as usize] = value);
                        }
                    }
                }
                ColumnKind::Category { values } => {
                    let gap = is_missing(text);
                    if gap && column.missing.is_none() {
                        return Err(record.fault(at, not_filled(column, text)));
                    }
                    let place = match values.binary_search_by(|v| v.as_bytes().cmp(text)) {
                        Ok(place) => Some(place),
                        Err(_) if gap => column.marks_missing().then_some(values.len()),
                        Err(_) => {
                            self.unknown += 1;
                            self.first_unknown.get_or_insert_with(|| {
                                (record.line, format!("{} in column {}", show(text), column.name))
                            });
                            None
                        }
                    };
                    if let Matrix::Sparse(sparse) = &mut self.matrix {
                        put(sparse, first, place.map(|place| (place as u32, 1.0)));
                    }
                }
                ColumnKind::Text { .. } => {
                    let text = std::str::from_utf8(text).map_err(|_| record.fault(at, not_utf8(text)))?;
                    self.push_text(text, text_column, first);
                    text_column += 1;
                }
            }
            first += column.width() as u32;
        }
        if let Matrix::Sparse(sparse) = &mut self.matrix {
            sparse.end_row();
        }
        if let Some(weights) = &mut self.weights {
            weights.push(record)?;
        }
        if let Some(at) = plan.label {
            let class = self.known.class(record.text(at)).map_err(|told| record.fault(at, told))?;
            self.classes.push(class);
        }
        self.count += 1;
        Ok(())
    }

    /// Counts the words of a text.
    fn push_text(&mut self, text: &str, column: usize, first: u32) {
        let (Matrix::Sparse(sparse), Some((grams, places))) = (&mut self.matrix, self.texts.get_mut(column)) else {
            return;
        };
        self.runs.clear();
        grams.find(text, &mut self.runs);
        self.found.clear();
        self.found.extend(self.runs.iter().filter_map(|&run| places[run as usize]));
        self.found.sort_unstable();
        for same in self.found.chunk_by(|a, b| a == b) {
            put(sparse, first, Some((same[0], same.len() as f64)));
        }
    }
}

/// An entry of a column whose features begin at `first`.
fn put(rows: &mut SparseMatrix, first: u32, entry: Option<(u32, f64)>) {
    if let Some((place, value)) = entry {
        rows.indices.push(first + place);
        rows.values.push(value);
    }
}

fn not_filled(column: &Column, text: &[u8]) -> Message {
    let told = Message::new(missing(&column.name, text)).text(": fill it in, or train the model with ");
    told.with(Setting::Missing)
}

#[cold]
fn bad_number(column: &Column, text: &[u8], why: NotFinite) -> Message {
    if is_missing(text) {
        return not_filled(column, text);
    }
    format!(
        "column \"{}\" holds {}, which {}; the model was trained on numbers here",
        column.name,
        show(text),
        why.why()
    )
    .into()
}
