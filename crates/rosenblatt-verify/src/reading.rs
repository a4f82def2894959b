//! How a certificate's data are read: the format, the columns, the labels of the two classes.

use std::collections::{HashMap, HashSet};

use crate::columns::is_missing;
use crate::fields::Fields;
use crate::limits;
use crate::refusal::{Checked, Refusal, show};
use crate::scaled::Base;

/// How the data are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) format: Format,
    pub(crate) positive: Vec<String>,
    pub(crate) negative: Vec<String>,
    pub(crate) bias: bool,
    pub(crate) degree: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Format {
    /// Delimited text. The label's place is from 0, as are those of the columns.
    Table { delimiter: u8, header: bool, label: usize, columns: Vec<Column> },
    /// `label index:value …`, the first feature having this index.
    Libsvm { first: u64, features: usize },
    /// A binary array of NumPy, the labels beside it.
    Npy { features: usize },
    /// The same in IDX.
    Idx { features: usize },
    /// Objects of JSON, one a line; the label's field, and those that are features.
    Json { label: String, columns: Vec<Column> },
}

impl Format {
    /// The base of the numbers' powers.
    pub(crate) fn base(&self) -> Base {
        match self {
            Format::Table { .. } | Format::Libsvm { .. } | Format::Json { .. } => Base::Ten,
            Format::Npy { .. } | Format::Idx { .. } => Base::Two,
        }
    }

    /// Whether the labels are in a file of their own.
    pub(crate) fn has_labels_beside(&self) -> bool {
        matches!(self, Format::Npy { .. } | Format::Idx { .. })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) at: usize,
    /// The name of its field, where rows are objects; else empty.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// What a field without a value means; `None`: there is none.
    pub(crate) missing: Option<Missing>,
}

/// What the fields of a column are. Values and runs of words have their places among the column's features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Category(HashMap<String, usize>),
    Text {
        ngrams: usize,
        runs: HashMap<String, usize>,
    },
    /// Sets of strings.
    Set(HashMap<String, usize>),
}

/// What a field without a value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// All features of the column are 0.
    Zero,
    /// One more feature, the column's last, is 1.
    Indicator,
}

impl Column {
    /// How many features it gives.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        let marks = usize::from(self.missing == Some(Missing::Indicator));
        match &self.kind {
            Kind::Number => 1 + marks,
            Kind::Category(places) | Kind::Text { runs: places, .. } | Kind::Set(places) => places.len() + marks,
        }
    }

    /// Its name in messages.
    pub(crate) fn shown(&self) -> String {
        match self.name.as_str() {
            "" => format!("column {}", self.at + 1),
            name => format!("field {}", show(name.as_bytes())),
        }
    }
}

impl Reading {
    /// How many features there are before monomials are formed.
    pub(crate) fn base_features(&self) -> usize {
        match &self.format {
            Format::Libsvm { features, .. } | Format::Npy { features } | Format::Idx { features } => *features,
            Format::Table { columns, .. } | Format::Json { columns, .. } => columns.iter().map(Column::width).sum(),
        }
    }
}

/// Reads this part of a certificate.
pub(crate) fn read(mut fields: Fields) -> Checked<Reading> {
    let (format, _) = fields.text("format")?;
    let format = match format.as_str() {
        "table" => table(&mut fields)?,
        "libsvm" => {
            let first = fields.count("first")?;
            if first > 1 {
                return Err(Refusal::form("reading.first is neither 0 nor 1"));
            }
            Format::Libsvm { first, features: features(&mut fields)? }
        }
        "npy" => Format::Npy { features: features(&mut fields)? },
        "idx" => Format::Idx { features: features(&mut fields)? },
        "jsonl" => objects(&mut fields)?,
        other => return Err(Refusal::form(format!("unknown reading.format {}", show(other.as_bytes())))),
    };
    let (positive, negative) = (fields.texts("positive")?, fields.texts("negative")?);
    let bias = fields.flag("bias")?;
    let degree = fields.count("degree")?;
    if degree == 0 {
        return Err(Refusal::form("reading.degree is 0"));
    }
    if degree > limits::DEGREE {
        return Err(Refusal::size(format!("reading.degree is above {}", limits::DEGREE)));
    }
    fields.end()?;
    Ok(Reading { format, positive, negative, bias, degree: degree as usize })
}

fn features(fields: &mut Fields) -> Checked<usize> {
    let features = fields.count("features")?;
    if features > limits::FEATURES {
        return Err(Refusal::size(format!("reading.features is above {}", limits::FEATURES)));
    }
    Ok(features as usize)
}

fn table(fields: &mut Fields) -> Checked<Format> {
    let (delimiter, _) = fields.text("delimiter")?;
    let delimiter = match delimiter.as_bytes() {
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n' | b' ') => byte,
        _ => return Err(Refusal::form("reading.delimiter is not one character that can divide fields")),
    };
    let header = fields.flag("header")?;
    let label = place(fields.count("label")?, "reading.label")?;
    let mut columns: Vec<Column> = Vec::new();
    for fields in fields.list("columns")? {
        let mut fields = Fields::of(fields, "reading.columns")?;
        let at = place(fields.count("at")?, "reading.columns.at")?;
        let column = column(fields, at, String::new())?;
        let at = column.at;
        if at == label || columns.last().is_some_and(|before| before.at >= at) {
            return Err(Refusal::form(format!(
                "column {} in reading.columns: columns must be in order, each once, and not the label",
                at + 1
            )));
        }
        columns.push(column);
    }
    Ok(Format::Table { delimiter, header, label, columns })
}

/// The fields of objects.
fn objects(fields: &mut Fields) -> Checked<Format> {
    let (label, _) = fields.text("label")?;
    let mut columns: Vec<Column> = Vec::new();
    let mut known = HashSet::from([label.clone()]);
    for (at, fields) in fields.list("columns")?.into_iter().enumerate() {
        let mut fields = Fields::of(fields, "reading.columns")?;
        let (name, _) = fields.text("name")?;
        if name.is_empty() || !known.insert(name.clone()) {
            let name = show(name.as_bytes());
            return Err(Refusal::form(format!(
                "the field {name} in reading.columns is the label, comes twice, or has no name"
            )));
        }
        columns.push(column(fields, at, name)?);
    }
    if label.is_empty() {
        return Err(Refusal::form("reading.label is empty"));
    }
    Ok(Format::Json { label, columns })
}

fn column(mut fields: Fields, at: usize, name: String) -> Checked<Column> {
    let (kind, _) = fields.text("kind")?;
    let kind = match kind.as_str() {
        "number" => Kind::Number,
        "category" => Kind::Category(places(fields.texts("values")?, "value", at)?),
        "text" => {
            let ngrams = fields.count("ngrams")?;
            if !(1..=limits::NGRAMS).contains(&ngrams) {
                return Err(Refusal::form(format!("ngrams of column {} is not 1 to {}", at + 1, limits::NGRAMS)));
            }
            Kind::Text { ngrams: ngrams as usize, runs: places(fields.texts("words")?, "run of words", at)? }
        }
        "set" if !name.is_empty() => Kind::Set(places(fields.texts("values")?, "value", at)?),
        other => return Err(Refusal::form(format!("unknown kind of column {}", show(other.as_bytes())))),
    };
    let missing = match fields.optional_text("missing")?.as_deref() {
        None => None,
        Some("zero") => Some(Missing::Zero),
        Some("indicator") => Some(Missing::Indicator),
        Some(other) => return Err(Refusal::form(format!("unknown word for missing {}", show(other.as_bytes())))),
    };
    fields.end()?;
    match &kind {
        Kind::Text { .. } | Kind::Set(_) if missing.is_some() => {
            let what = if matches!(kind, Kind::Set(_)) { "set" } else { "text" };
            return Err(Refusal::form(format!("column {} is a {what}, where nothing is missing", at + 1)));
        }
        Kind::Category(values) if missing.is_some() => {
            if let Some(value) = values.keys().filter(|value| is_missing(value.as_bytes())).min() {
                let message = format!("{} of column {} is a value, and a missing one", show(value.as_bytes()), at + 1);
                return Err(Refusal::form(message));
            }
        }
        _ => {}
    }
    Ok(Column { at, name, kind, missing })
}

/// A column's place, counted from 1 in the certificate and from 0 here.
fn place(from_one: u64, of: &str) -> Checked<usize> {
    let place = from_one.checked_sub(1).and_then(|place| usize::try_from(place).ok());
    place.ok_or_else(|| Refusal::form(format!("{of} is not a column: columns are counted from 1")))
}

/// The position of each text of a list, which must be distinct.
fn places(texts: Vec<String>, what: &str, at: usize) -> Checked<HashMap<String, usize>> {
    let mut places = HashMap::new();
    for (place, text) in texts.into_iter().enumerate() {
        let message = show(text.as_bytes());
        if places.insert(text, place).is_some() {
            return Err(Refusal::form(format!("the {what} {message} of column {} is listed twice", at + 1)));
        }
    }
    Ok(places)
}
