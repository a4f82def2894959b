//! A binary matrix and a file of labels beside it: IDX and NPY.

use std::path::{Path, PathBuf};

use super::array::{Array, Integers};
use super::sniff::Format;
use super::{KnownLabels, NeedLabels, Parts, ReadOptions};
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
    let label_ids = labels(&file, &mut collector)?;
    check_length(&file, label_ids.len(), matrix.len())?;
    let (labels, order) = collector.finish(options.positive.as_deref())?;
    let classes = label_ids.iter().map(|&id| order[id as usize]).collect();
    let schema = Schema::Indexed { first: 1, features: matrix.features() };
    Ok(Parts { table: Table { matrix, classes, labels, weights: None, schema }, notes, fingerprint })
}

/// Reads rows for a model; their number of features must be the model's.
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

/// Refuses an array of 64-bit integers, features or labels, if reading may have rounded some: from 2⁵³ on a float stands
/// for more than one integer.
pub(crate) fn refuse_rounded(input: &Input, mut numbers: impl Iterator<Item = f64>) -> Result<()> {
    const FIRST: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    if npy::may_round(Lines::new(input.open()?)?.head()) && numbers.any(|v| v.abs() >= FIRST) {
        let message =
            "whole numbers beyond 2^53 were rounded to floats: nothing can be proved of them; save smaller ones";
        return Err(Error::settings(message).in_file(&input.name()));
    }
    Ok(())
}

/// The numbers of an NPY file of 64-bit integers, exactly; `None` for any other file.
pub(crate) fn integers(input: &Input) -> Result<Option<Integers>> {
    let lines = Lines::new(input.open()?)?;
    if !npy::may_round(lines.head()) {
        return Ok(None);
    }
    let array = lines.rest().and_then(|(bytes, _)| npy::parse(&bytes)).map_err(|e| e.in_file(&input.name()))?;
    Ok(array.integers())
}

/// The error that no label file was named or found.
fn no_labels(format: Format) -> Error {
    let message = Message::new(format!("{format} holds no labels: name the file that does with "));
    Error::settings(message.open(Setting::Labels))
}

/// The label file: the one that was named, else the one whose name follows from that of the images.
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
    let mut label_ids = Vec::new();
    while lines.advance()? {
        let text = std::str::from_utf8(lines.line().trim_ascii()).unwrap_or_default();
        if text.is_empty() {
            let place = crate::error::Place::line(&name, lines.number());
            return Err(Error::data(place, "no label on this line: expected one on each"));
        }
        label_ids.push(collector.collect(text));
    }
    Ok(label_ids)
}

/// The classes of these labels in a model.
fn known_labels(file: &Input, labels: &Labels, rows: usize) -> Result<Vec<u32>> {
    let mut collector = LabelCollector::default();
    let label_ids = self::labels(file, &mut collector)?;
    check_length(file, label_ids.len(), rows)?;
    let mut known = KnownLabels::new(labels);
    let message = |message: String| Error::bad_data(message).in_file(&file.name());
    let classes: Vec<u32> =
        collector.names().iter().map(|name| known.class(name.as_bytes()).map_err(message)).collect::<Result<_>>()?;
    Ok(label_ids.iter().map(|&id| classes[id as usize]).collect())
}

fn check_length(file: &Input, labels: usize, rows: usize) -> Result<()> {
    if labels != rows {
        let (labels, rows) = (count(labels as u64, "label"), count(rows as u64, "row"));
        return Err(Error::bad_data(format!("{labels} for {rows}: this is not the label file of these data"))
            .in_file(&file.name()));
    }
    Ok(())
}
