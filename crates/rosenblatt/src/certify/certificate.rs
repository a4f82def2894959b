//! The certificate: what is needed to check a verdict against the data file, and nothing that is not checked.

use std::cell::OnceCell;
use std::io::Read as _;
use std::path::Path;

use dashu_ratio::RBig;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::decide::{Decision, MarginKind, Verdict};
use super::exact::Monomials;
use crate::error::{Error, Result};
use crate::io::{Input, write_file};
use crate::limits;
use crate::message::{Message, Setting};
use crate::read::{Dataset, Format, TableAsWritten, refuse_stream, table_as_written};
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

/// The most monomials of degree 2 or more in a certificate (FORMAT.md).
const MAX_MONOMIALS: usize = 1 << 20;
/// The most digits of a numerator or denominator.
const MAX_DIGITS: usize = 100_000;
/// What a weight takes while a certificate is written, if it is short.
pub(super) const WEIGHT_BYTES: usize = 128;
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

/// The same bytes in memory: what is read from them is what is hashed, though the file changes meanwhile.
pub fn held(input: &Input) -> Result<Input> {
    const AT_ONCE: u64 = 1 << 22;
    let (mut bytes, mut source) = (Vec::new(), input.open()?);
    while source.by_ref().take(AT_ONCE).read_to_end(&mut bytes).map_err(|e| Error::io(input.name(), e))? > 0 {
        limits::check()?;
    }
    Ok(Input::memory(input.name(), bytes))
}

pub(super) fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The certificate of a decision about a file, as JSON. An undecided one has none.
pub fn certificate(decision: &Decision, input: &Input, dataset: &Dataset, sides: &Reading) -> Result<String> {
    CertificateWriter::new(input, dataset, sides).certificate(decision)
}

/// Writes the certificates of decisions about one file, which is hashed once, for the first of them.
pub struct CertificateWriter<'a> {
    input: &'a Input,
    dataset: &'a Dataset,
    sides: &'a Reading,
    bound: OnceCell<Bound>,
}

impl<'a> CertificateWriter<'a> {
    /// Nothing is read yet.
    pub fn new(input: &'a Input, dataset: &'a Dataset, sides: &'a Reading) -> Self {
        CertificateWriter { input, dataset, sides, bound: OnceCell::new() }
    }

    /// What was read.
    pub fn dataset(&self) -> &'a Dataset {
        self.dataset
    }

    /// The certificate of a decision, as JSON. An undecided one has none.
    pub fn certificate(&self, decision: &Decision) -> Result<String> {
        let bound = match self.bound.get() {
            Some(bound) => bound,
            None => {
                let bound = bound(self.input, self.dataset, self.sides)?;
                self.bound.get_or_init(|| bound)
            }
        };
        certify(decision, bound, self.sides)
    }
}

/// The file that a certificate is of.
pub(super) fn bound(input: &Input, dataset: &Dataset, sides: &Reading) -> Result<Bound> {
    check_provable(dataset, sides.labels.as_ref())?;
    let labels = sides.labels.as_ref().map(sha256).transpose()?;
    let examples = dataset.table.classes.len();
    let (sha256, fingerprint) = sha256_and_fingerprint(input)?;
    if fingerprint != dataset.fingerprint {
        return Err(Error::bad_data("the file has changed since it was read").in_file(&dataset.name));
    }
    Ok(Bound { sha256, labels, examples, format: format(input, dataset)? })
}

/// Refuses data that cannot have a certificate, whatever the verdict: call it before the work.
pub fn check_provable(dataset: &Dataset, labels: Option<&Input>) -> Result<()> {
    match labels {
        Some(labels) => refuse_stream(labels),
        None if matches!(dataset.format, Format::Idx | Format::Npy) => {
            let message = Message::new("a certificate is of the labels, too: name their file with ");
            Err(Error::settings(message.open(Setting::Labels)).in_file(&dataset.name))
        }
        None => Ok(()),
    }
}

/// What every certificate begins with: its kind, the data and how they are read.
pub(super) fn head(
    (kind, version): (&str, u32),
    bound: &Bound,
    sides: &Reading,
    (bias, degree): (bool, u32),
) -> Vec<(&'static str, Value)> {
    let mut data = json!({ "sha256": bound.sha256, "examples": bound.examples });
    if let Some(labels) = &bound.labels {
        data["labels"] = json!(labels);
    }
    let reading = whole_reading(bound.format.clone(), sides, (bias, degree));
    vec![("rosenblatt", json!(kind)), ("version", json!(version)), ("data", data), ("reading", reading)]
}

fn whole_reading(format: Value, sides: &Reading, (bias, degree): (bool, u32)) -> Value {
    let mut reading = format;
    reading["positive"] = json!(sides.positive);
    reading["negative"] = json!(sides.negative);
    reading["bias"] = json!(bias);
    reading["degree"] = json!(degree);
    reading
}

/// How a certificate of this file says that it is read, as JSON: what to compare the reading of another certificate with.
pub fn reading_of(input: &Input, dataset: &Dataset, sides: &Reading, hyperplanes: (bool, u32)) -> Result<String> {
    Ok(whole_reading(format(input, dataset)?, sides, hyperplanes).to_string())
}

/// The error where the limits had no room for the weights of a hyperplane.
pub(super) fn no_hyperplane(features: usize) -> Error {
    let message = Message::new(format!("a certificate with {features} weights takes more than the limits allow: "));
    Error::out_of_memory(message.text("allow more by ").name(Setting::Memory))
}

/// The certificate of a decision about these data.
pub(super) fn certify(decision: &Decision, bound: &Bound, sides: &Reading) -> Result<String> {
    // What is not decided to the end has a version of its own: readers of version 1 know three verdicts.
    let version = if decision.verdict == Verdict::NotSeparable { 2 } else { 1 };
    let mut parts = head(("certificate", version), bound, sides, (decision.bias, decision.degree));
    parts.push(("verdict", json!(decision.verdict)));
    if decision.verdict == Verdict::Undecided {
        return Err(Error::settings("an undecided question has no certificate"));
    }
    if decision.degree > 1 && decision.features > MAX_MONOMIALS {
        return Err(too_many_monomials(decision.features));
    }
    if decision.hyperplane.is_none() && matches!(decision.verdict, Verdict::Separable | Verdict::WeaklySeparable) {
        return Err(no_hyperplane(decision.features));
    }
    if let Some(plane) = &decision.hyperplane {
        let what = || Message::new(format!("a certificate with {} weights", plane.weights.len()));
        limits::room_for::<[u8; WEIGHT_BYTES]>(plane.weights.len() as u128, what)?;
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
    let text = sealed(parts);
    match longest_number(&text) {
        digits if digits > MAX_DIGITS => Err(Error::bad_data(format!(
            "the proof needs a number of {digits} digits, and certificates allow {MAX_DIGITS}"
        ))),
        _ => Ok(text),
    }
}

/// The longest run of digits.
fn longest_number(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0)
}

fn too_many_monomials(count: usize) -> Error {
    Error::settings(format!("{count} monomials: a certificate allows {MAX_MONOMIALS}; choose a lower degree"))
}

/// Refuses features that are too many for a certificate, whatever the verdict: call it before the work.
pub fn check_degree(features: usize, degree: u32) -> Result<()> {
    if degree == 1 {
        return Ok(());
    }
    match Monomials::new(features, degree)?.count() {
        count if count > MAX_MONOMIALS => Err(too_many_monomials(count)),
        _ => Ok(()),
    }
}

/// One key a line, in the order of the specification, and the digest of it all.
pub(super) fn sealed(mut parts: Vec<(&'static str, Value)>) -> String {
    parts.push(("digest", json!(NO_DIGEST)));
    let lines: Vec<String> = parts.iter().map(|(key, value)| format!("  \"{key}\": {value}")).collect();
    let text = format!("{{\n{}\n}}\n", lines.join(",\n"));
    let mut hasher = Sha256::new();
    hasher.update(text.as_bytes());
    let digest = hex(hasher);
    // The digest is the last value: nothing else can be mistaken for it.
    let (before, after) = text.rsplit_once(NO_DIGEST).unwrap_or((&text, ""));
    format!("{before}{digest}{after}")
}

/// The format with its own keys.
fn format(input: &Input, dataset: &Dataset) -> Result<Value> {
    Ok(match (&dataset.table.schema, dataset.format) {
        (Schema::Indexed { features, .. }, Format::Npy) => json!({ "format": "npy", "features": features }),
        (Schema::Indexed { features, .. }, Format::Idx) => json!({ "format": "idx", "features": features }),
        (Schema::Indexed { first, features }, _) => {
            json!({ "format": "libsvm", "first": first, "features": features })
        }
        (Schema::Named { .. }, _) => {
            let message = "there are no certificates of vw files: convert the data from vw to libsvm";
            return Err(Error::settings(message));
        }
        (schema @ Schema::Columns { columns, label, label_at, header, .. }, format) => {
            let TableAsWritten { delimiter, lacking, sets } = table_as_written(input, format, schema)?;
            let written = columns.iter().zip(lacking).zip(sets);
            let columns: Vec<Value> = written.map(|((c, lacks), set)| column(c, lacks, set, format)).collect();
            if format == Format::Jsonl {
                return Ok(json!({ "format": "jsonl", "label": label, "columns": columns }));
            }
            json!({
                "format": "table", "delimiter": delimiter, "header": header,
                "label": label_at + 1, "columns": columns,
            })
        }
    })
}

/// A column, and the replacement of its missing values if it has any. Columns of a table are numbered, fields of objects named.
fn column(column: &Column, lacks: bool, set: bool, format: Format) -> Value {
    let (key, name) = match format {
        Format::Jsonl => ("name", json!(column.name)),
        _ => ("at", json!(column.at + 1)),
    };
    let mut value = match &column.kind {
        ColumnKind::Number => json!({ key: name, "kind": "number" }),
        ColumnKind::Category { values } => json!({ key: name, "kind": "category", "values": values }),
        ColumnKind::Text { words, .. } if set => json!({ key: name, "kind": "set", "values": words }),
        ColumnKind::Text { ngrams, words, .. } => {
            json!({ key: name, "kind": "text", "ngrams": ngrams, "words": words })
        }
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
