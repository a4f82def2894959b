//! The scope of a claim about a file, in the words of the verifier's statements: which columns, classes, hyperplanes and
//! numbers it is about. It is about every row.

use std::io;

use anyhow::Result;
use rosenblatt::ErrorKind;
use rosenblatt::certify::exact::{ExactRows, Memory};
use rosenblatt::certify::{Reading, exact_rows, reading_of};
use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, Format};
use rosenblatt::rows::Schema;
use rosenblatt_verify::scope_of;
use serde_json::{Map, Value, json};

use crate::output::{Output, count};
use crate::words;

/// The parts of a scope: a name and a text each.
pub type Scope = Vec<(&'static str, String)>;

/// The numbers that a claim is about.
pub struct Numbers<'a> {
    /// The rows, exactly.
    pub exact: Box<dyn ExactRows + 'a>,
    /// Why these are the floats that training reads, and not what is written in the file.
    pub floats: Option<String>,
}

impl<'a> Numbers<'a> {
    /// Those in the file; for a format that no certificate can be about, if none is asked for, the floats that they were read as.
    pub fn of(input: &'a Input, dataset: &'a Dataset, certificate: bool) -> Result<Self> {
        match exact_rows(input, dataset) {
            Ok(exact) => Ok(Numbers { exact, floats: None }),
            Err(error) if error.kind() == ErrorKind::Settings && !certificate && has_floats_alone(dataset.format) => {
                let exact = Box::new(Memory(dataset.table.matrix.rows()?));
                Ok(Numbers { exact, floats: Some(words::any_error(&error.into())) })
            }
            Err(error) => Err(error.in_file(&dataset.name).into()),
        }
    }

    /// How a proof was checked: `exact` or `float` in JSON, and in words.
    pub fn checked(&self) -> (&'static str, &'static str) {
        if self.floats.is_some() { ("float", "checked exactly, as floats") } else { ("exact", "checked exactly") }
    }

    /// What is said of a certificate that was not saved.
    pub fn not_saved(&self) -> &str {
        self.floats.as_deref().unwrap_or("not saved (use --certificate FILE)")
    }
}

/// Whether no certificate can be about any file of a format.
fn has_floats_alone(format: Format) -> bool {
    matches!(format, Format::Vw | Format::FastText | Format::Parquet)
}

/// The scope of a claim about the class `one` against the others, or about all classes at once.
pub fn of(
    (input, dataset, numbers): (&Input, &Dataset, &Numbers<'_>),
    one: Option<u32>,
    (bias, degree): (bool, u32),
    features: usize,
) -> Scope {
    if numbers.floats.is_some() {
        let space = if degree == 1 { String::new() } else { format!(", all monomials up to degree {degree}") };
        let bias = if bias { "with a bias" } else { "through the origin" };
        return vec![
            ("read as", dataset.format.to_string()),
            ("hyperplanes", format!("{bias}, over {}{space}", count(features as u64, "feature", "features"))),
            ("numbers", "as floats".to_string()),
        ];
    }
    let names = dataset.table.labels.names();
    let (positive, negative) =
        names.iter().cloned().partition(|name| Some(name) == names.get(one.unwrap_or(1) as usize));
    let sides = Reading { positive, negative, labels: None };
    let width = match &dataset.table.schema {
        Schema::Columns { width, .. } => *width,
        _ => 0,
    };
    let Ok(reading) = reading_of(input, dataset, &sides, (bias, degree)) else { return Vec::new() };
    let mut parts = scope_of(reading.as_bytes(), width, features).unwrap_or_default();
    parts.retain(|(name, _)| *name != "classes" || one.is_some());
    parts
}

/// Prints it as one line; nothing where there is none.
pub fn print(out: &mut Output, scope: &Scope) -> io::Result<()> {
    if scope.is_empty() {
        return Ok(());
    }
    let parts: Vec<String> = scope.iter().map(|(name, text)| format!("{name}: {text}")).collect();
    out.item("scope", parts.join("; "))
}

/// An object of JSON.
pub fn object(scope: &Scope) -> Value {
    let mut object = Map::new();
    for (name, text) in scope {
        let text = match object.get(*name).and_then(Value::as_str) {
            Some(before) => format!("{before}; {text}"),
            None => text.clone(),
        };
        object.insert(name.replace(' ', "_"), json!(text));
    }
    Value::Object(object)
}
