//! A binary matrix and a file of labels beside it: IDX and NPY.

use std::path::{Path, PathBuf};

use super::array::Array;
use super::sniff::Format;
use super::{Known, NeedLabels, Parts, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Input, Lines, count};
use crate::message::{Message, Setting};
use crate::read::{idx, npy};
use crate::rows::{LabelCollector, Labels, Matrix, Schema, Table};

/// Reads rows and their labels.
pub(crate) fn read(input: &Input, lines: Lines<'_>, format: Format, options: &ReadOptions) -> Result<Parts> {
    let (matrix, fingerprint) = rows(lines, format)?;
    let mut notes = Vec::new();
    let Some(file) = label_file(input, options, &mut notes) else {
        return Err(no_labels(format));
    };
    let mut collector = LabelCollector::default();
    let met = labels(&file, &mut collector)?;
    check_length(&file, met.len(), matrix.len())?;
    let (labels, order) = collector.finish(options.positive.as_deref())?;
    let classes = met.iter().map(|&id| order[id as usize]).collect();
    let schema = Schema::Indexed { first: 1, features: matrix.features() };
    Ok(Parts { table: Table { matrix, classes, labels, weights: None, schema }, notes, fingerprint })
}

/// Reads rows for a model of so many features.
pub(crate) fn read_for(
    input: &Input,
    lines: Lines<'_>,
    format: Format,
    options: &ReadOptions,
    schema: &Schema,
    labels: &Labels,
    need: NeedLabels,
) -> Result<Parts> {
    let (matrix, fingerprint) = rows(lines, format)?;
    if matrix.features() != schema.features() {
        return Err(Error::bad_data(format!(
            "rows of {} features: the model has {}",
            matrix.features(),
            schema.features()
        )));
    }
    let mut notes = Vec::new();
    let classes = match need {
        NeedLabels::No => Vec::new(),
        NeedLabels::Yes => {
            let Some(file) = label_file(input, options, &mut notes) else {
                return Err(no_labels(format));
            };
            known_labels(&file, labels, matrix.len())?
        }
    };
    let table = Table { matrix, classes, labels: labels.clone(), weights: None, schema: schema.clone() };
    Ok(Parts { table, notes, fingerprint })
}

fn rows(lines: Lines<'_>, format: Format) -> Result<(Matrix, u64)> {
    let (bytes, fingerprint) = lines.rest()?;
    let matrix = array(&bytes, format)?.matrix()?;
    matrix.rows()?;
    Ok((matrix, fingerprint))
}

fn array(bytes: &[u8], format: Format) -> Result<Array> {
    if format == Format::Npy { npy::parse(bytes) } else { idx::parse(bytes) }
}

/// Refuses an array of whole numbers, features or labels, of which some may have been rounded when it was read: each
/// float from 2⁵³ on stands for more than one of them.
pub(crate) fn refuse_rounded(input: &Input, mut numbers: impl Iterator<Item = f64>) -> Result<()> {
    const FIRST: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    if npy::may_round(Lines::new(input.open()?)?.head()) && numbers.any(|v| v.abs() >= FIRST) {
        let told = "whole numbers beyond 2^53 were rounded to floats: nothing can be proved of them; save smaller ones";
        return Err(Error::settings(told).in_file(&input.name()));
    }
    Ok(())
}

/// Refuses labels in IDX.
pub(crate) fn refuse_idx(labels: &Input) -> Result<()> {
    if idx::looks_like(Lines::new(labels.open()?)?.head()) {
        let told = "a certificate is of labels in npy, or in a text with one on each line, not in idx";
        return Err(Error::settings(told).in_file(&labels.name()));
    }
    Ok(())
}

/// That no file of labels was named, nor found beside the rows.
fn no_labels(format: Format) -> Error {
    let told = Message::new(format!("{format} holds no labels: name the file that does with "));
    Error::settings(told.open(Setting::Labels))
}

/// The file that holds the labels: the one that was named, else one whose name follows from that of the images.
fn label_file(input: &Input, options: &ReadOptions, notes: &mut Vec<Message>) -> Option<Input> {
    if let Some(given) = &options.labels {
        return Some(given.clone());
    }
    let Input::Path(path) = input else { return None };
    let beside = beside(path).filter(|path| path.is_file())?;
    notes.push(format!("the labels are taken from {}", beside.display()).into());
    Some(Input::Path(beside))
}

/// `train-images-idx3-ubyte.gz` has its labels in `train-labels-idx1-ubyte.gz`.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    name.contains("images-idx3").then(|| path.with_file_name(name.replace("images-idx3", "labels-idx1")))
}

/// The labels of a file: a list in IDX or NPY, or a text with one on each line.
fn labels(file: &Input, collector: &mut LabelCollector) -> Result<Vec<u32>> {
    let name = file.name();
    let mut lines = Lines::new(file.open()?)?;
    let head = lines.head();
    let format =
        if head.starts_with(npy::MAGIC) { Some(Format::Npy) } else { idx::looks_like(head).then_some(Format::Idx) };
    if let Some(format) = format {
        let list = lines.rest().and_then(|(bytes, _)| array(&bytes, format)?.labels(collector));
        return list.map_err(|e| e.in_file(&name));
    }
    let mut met = Vec::new();
    while lines.advance()? {
        let text = std::str::from_utf8(lines.line().trim_ascii()).unwrap_or_default();
        if text.is_empty() {
            let place = crate::error::Place::line(&name, lines.number());
            return Err(Error::data(place, "no label on this line: expected one on each"));
        }
        met.push(collector.collect(text));
    }
    Ok(met)
}

/// The classes that a model knows these labels as.
fn known_labels(file: &Input, labels: &Labels, rows: usize) -> Result<Vec<u32>> {
    let mut collector = LabelCollector::default();
    let met = self::labels(file, &mut collector)?;
    check_length(file, met.len(), rows)?;
    let mut known = Known::new(labels);
    let told = |told: String| Error::bad_data(told).in_file(&file.name());
    let classes: Vec<u32> =
        collector.names().iter().map(|name| known.class(name.as_bytes()).map_err(told)).collect::<Result<_>>()?;
    Ok(met.iter().map(|&id| classes[id as usize]).collect())
}

fn check_length(file: &Input, labels: usize, rows: usize) -> Result<()> {
    if labels != rows {
        let (labels, rows) = (count(labels as u64, "label"), count(rows as u64, "row"));
        return Err(Error::bad_data(format!("{labels} for {rows}: this is not the label file of these data"))
            .in_file(&file.name()));
    }
    Ok(())
}
