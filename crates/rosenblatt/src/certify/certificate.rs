//! The certificate: what a stranger needs to check a verdict against the data file, and nothing that is not checked.

use std::io::Read as _;
use std::path::Path;

use dashu_ratio::RBig;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::decide::{Decision, MarginKind, Verdict};
use crate::data::{ColumnKind, Dataset, Input, Schema, raw_delimiter, refuse_stream};
use crate::error::{Error, Result};
use crate::model::write_file;

/// Which labels were on which side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Labels of positive examples.
    pub positive: Vec<String>,
    /// Labels of negative examples.
    pub negative: Vec<String>,
}

/// Sixty-four zeros stand where the digest will be.
const NO_DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The SHA-256 of an input's decompressed bytes, as hexadecimal digits.
pub fn sha256(input: &Input) -> Result<String> {
    refuse_stream(input)?;
    let mut source = input.open()?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match source.read(&mut block).map_err(|e| Error::io(input.name(), e))? {
            0 => return Ok(hex(hasher)),
            count => hasher.update(&block[..count]),
        }
    }
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The certificate of a decision about a file, as JSON. There is none for what is undecided.
pub fn certificate(decision: &Decision, input: &Input, dataset: &Dataset, sides: &Reading) -> Result<String> {
    let mut parts = vec![
        ("rosenblatt", json!("certificate")),
        ("version", json!(1)),
        ("data", json!({ "sha256": sha256(input)?, "examples": dataset.table.classes.len() })),
        ("reading", reading(decision, input, dataset, sides)?),
        ("verdict", json!(decision.verdict)),
    ];
    if decision.verdict == Verdict::Undecided {
        return Err(Error::settings("there is no certificate for what is undecided"));
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

fn reading(decision: &Decision, input: &Input, dataset: &Dataset, sides: &Reading) -> Result<Value> {
    let Reading { positive, negative } = sides;
    let (bias, degree) = (decision.bias, decision.degree);
    Ok(match &dataset.table.schema {
        Schema::Indexed { first, features } => json!({
            "format": "libsvm", "first": first, "features": features,
            "positive": positive, "negative": negative, "bias": bias, "degree": degree,
        }),
        Schema::Named { .. } => return Err(not_as_written("vw: convert the data to libsvm")),
        Schema::Columns { columns, label_at, header, .. } => {
            let column = |c: &crate::data::Column| match &c.kind {
                _ if c.missing.is_some() => Err(not_as_written("--missing")),
                ColumnKind::Number => Ok(json!({ "at": c.at + 1, "kind": "number" })),
                ColumnKind::Category { values } => Ok(json!({ "at": c.at + 1, "kind": "category", "values": values })),
                ColumnKind::Text { .. } => Err(not_as_written("--text")),
            };
            json!({
                "format": "table", "delimiter": raw_delimiter(input, dataset.format)?, "header": header,
                "label": label_at + 1, "columns": columns.iter().map(column).collect::<Result<Vec<_>>>()?,
                "positive": positive, "negative": negative, "bias": bias, "degree": degree,
            })
        }
    })
}

fn not_as_written(option: &str) -> Error {
    Error::settings(format!("a certificate speaks of what stands in the file: leave out {option}"))
}

/// Writes a certificate beside its place and moves it there.
pub fn save(certificate: &str, path: &Path) -> Result<()> {
    write_file(path, certificate.as_bytes())
}
