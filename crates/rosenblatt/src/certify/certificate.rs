//! The certificate: what is needed to check a verdict against the data file, and nothing that is not checked.

use std::io::Read as _;
use std::path::Path;

use dashu_ratio::RBig;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::decide::{Decision, MarginKind, Verdict};
use crate::error::{Error, Result};
use crate::io::{Input, write_file};
use crate::limits;
use crate::message::{Message, Tool};
use crate::read::{Dataset, Format, TableAsWritten, refuse_idx, refuse_stream, table_as_written};
use crate::rows::{Column, ColumnKind, Fill, Schema};

/// Which labels were on which side, and where they came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Labels of positive examples.
    pub positive: Vec<String>,
    /// Labels of negative examples.
    pub negative: Vec<String>,
    /// The file of labels, if the data file has none.
    pub labels: Option<Input>,
}

/// The data that a certificate refers to.
pub(super) struct Bound {
    pub(super) sha256: String,
    /// Of the labels, where they are in a file of their own.
    pub(super) labels: Option<String>,
    pub(super) examples: usize,
    /// The format with its own keys.
    pub(super) format: Value,
}

/// Sixty-four zeros in place of the digest.
const NO_DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The SHA-256 of an input's decompressed bytes, as hexadecimal digits.
pub fn sha256(input: &Input) -> Result<String> {
    Ok(sha256_and_fingerprint(input)?.0)
}

fn sha256_and_fingerprint(input: &Input) -> Result<(String, u64)> {
    refuse_stream(input)?;
    let mut source = input.open()?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match source.read(&mut block).map_err(|e| Error::io(input.name(), e))? {
            0 => return Ok((hex(hasher), source.fingerprint())),
            count => hasher.update(&block[..count]),
        }
        limits::check()?;
    }
}

pub(super) fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The certificate of a decision about a file, as JSON. An undecided one has none.
pub fn certificate(decision: &Decision, input: &Input, dataset: &Dataset, sides: &Reading) -> Result<String> {
    check_provable(dataset, sides.labels.as_ref())?;
    let labels = sides.labels.as_ref().map(sha256).transpose()?;
    let examples = dataset.table.classes.len();
    let (sha256, fingerprint) = sha256_and_fingerprint(input)?;
    if fingerprint != dataset.fingerprint {
        return Err(Error::bad_data("the file has changed since it was read").in_file(&dataset.name));
    }
    let bound = Bound { sha256, labels, examples, format: format(input, dataset)? };
    certify(decision, &bound, sides)
}

/// Refuses data that cannot have a certificate, whatever the verdict: call it before the work.
pub fn check_provable(dataset: &Dataset, labels: Option<&Input>) -> Result<()> {
    if dataset.format == Format::Idx {
        let message = Message::new("there are no certificates of idx files: ")
            .tool(Tool::Convert)
            .text(" writes npy with the same numbers");
        return Err(Error::settings(message).in_file(&dataset.name));
    }
    let Some(labels) = labels else { return Ok(()) };
    refuse_stream(labels)?;
    refuse_idx(labels)
}

/// The certificate of a decision about these data.
pub(super) fn certify(decision: &Decision, bound: &Bound, sides: &Reading) -> Result<String> {
    let mut data = json!({ "sha256": bound.sha256, "examples": bound.examples });
    if let Some(labels) = &bound.labels {
        data["labels"] = json!(labels);
    }
    let mut reading = bound.format.clone();
    reading["positive"] = json!(sides.positive);
    reading["negative"] = json!(sides.negative);
    reading["bias"] = json!(decision.bias);
    reading["degree"] = json!(decision.degree);
    let mut parts = vec![
        ("rosenblatt", json!("certificate")),
        ("version", json!(1)),
        ("data", data),
        ("reading", reading),
        ("verdict", json!(decision.verdict)),
    ];
    if decision.verdict == Verdict::Undecided {
        return Err(Error::settings("an undecided question has no certificate"));
    }
    if let Some(plane) = &decision.hyperplane {
        let weights: Vec<String> = plane.weights.iter().map(RBig::to_string).collect();
        parts.push(("hyperplane", json!({ "weights": weights, "bias": plane.bias.to_string() })));
    }
    if let (Verdict::Separable, Some(margin)) = (decision.verdict, &decision.margin) {
        let kind = match margin.kind {
            MarginKind::Hull => "hull",
            MarginKind::Origin => "origin",
        };
        let (lower, upper) = (margin.lower.to_string(), margin.upper.to_string());
        parts.push(("margin", json!({ "kind": kind, "lower": lower, "upper": upper })));
    }
    let member = |(i, w): &(usize, RBig)| json!({ "example": i + 1, "weight": w.to_string() });
    parts.push(("support", decision.support.iter().map(member).collect()));
    parts.push(("digest", json!(NO_DIGEST)));
    // One key a line, in the order of the specification.
    let lines: Vec<String> = parts.iter().map(|(key, value)| format!("  \"{key}\": {value}")).collect();
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    let mut hasher = Sha256::new();
    hasher.update(text.as_bytes());
    let digest = hex(hasher);
    // The digest is the last value: nothing else can be mistaken for it.
    let (before, after) = text.rsplit_once(NO_DIGEST).unwrap_or((&text, ""));
    Ok(format!("{before}{digest}{after}"))
}

/// The format with its own keys.
fn format(input: &Input, dataset: &Dataset) -> Result<Value> {
    Ok(match (&dataset.table.schema, dataset.format) {
        (Schema::Indexed { features, .. }, Format::Npy) => json!({ "format": "npy", "features": features }),
        (Schema::Indexed { first, features }, _) => {
            json!({ "format": "libsvm", "first": first, "features": features })
        }
        (Schema::Named { .. }, _) => {
            let message = "there are no certificates of vw files: convert the data from vw to libsvm";
            return Err(Error::settings(message));
        }
        (schema @ Schema::Columns { columns, label_at, header, .. }, format) => {
            let TableAsWritten { delimiter, lacking } = table_as_written(input, format, schema)?;
            let columns: Vec<Value> = columns.iter().zip(lacking).map(|(c, lacks)| column(c, lacks)).collect();
            json!({
                "format": "table", "delimiter": delimiter, "header": header,
                "label": label_at + 1, "columns": columns,
            })
        }
    })
}

/// A column, and the replacement of its missing values if it has any.
fn column(column: &Column, lacks: bool) -> Value {
    let at = column.at + 1;
    let mut value = match &column.kind {
        ColumnKind::Number => json!({ "at": at, "kind": "number" }),
        ColumnKind::Category { values } => json!({ "at": at, "kind": "category", "values": values }),
        ColumnKind::Text { ngrams, words } => json!({ "at": at, "kind": "text", "ngrams": ngrams, "words": words }),
    };
    match column.missing {
        Some(Fill::Zero) if lacks => value["missing"] = json!("zero"),
        Some(Fill::Indicator) => value["missing"] = json!("indicator"),
        // The mean is refused where exact rows are asked for.
        _ => {}
    }
    value
}

/// Writes a certificate atomically.
pub fn save(certificate: &str, path: &Path) -> Result<()> {
    write_file(path, certificate.as_bytes())
}
