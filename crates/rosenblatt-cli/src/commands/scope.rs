//! The scope of a claim about a file, in the words of the verifier's statements: which columns, classes, hyperplanes and
//! numbers it is about. It is about every row.

use std::io;

use rosenblatt::certify::{Reading, reading_of};
use rosenblatt::io::Input;
use rosenblatt::read::Dataset;
use rosenblatt::rows::Schema;
use rosenblatt_verify::scope_of;
use serde_json::{Map, Value, json};

use crate::output::Output;

/// The parts of a scope: a name and a text each.
pub type Scope = Vec<(&'static str, String)>;

/// The scope of a claim about the class `one` against the others, or about all classes at once. Empty for formats that have no
/// certificates.
pub fn of(
    (input, dataset): (&Input, &Dataset),
    one: Option<u32>,
    (bias, degree): (bool, u32),
    features: usize,
) -> Scope {
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
