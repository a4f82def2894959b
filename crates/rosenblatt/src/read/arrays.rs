//! A binary matrix and a file of labels beside it: IDX and NPY.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::array::{Array, Integers, Layout};
use super::sniff::Format;
use super::{KnownLabels, NeedLabels, Parts, ReadOptions};
use crate::error::{Error, Result};
use crate::io::{Input, Lines, count};
use crate::limits;
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

/// Calls `take` with the rows of an array, some at a time; `Err(lines)` if it must be read whole, which also reports what
/// is wrong with it.
pub(crate) fn each_block<'a>(
    lines: Lines<'a>,
    format: Format,
    features: usize,
    mut take: impl FnMut(Matrix) -> Result<()>,
) -> Result<std::result::Result<(), Lines<'a>>> {
    /// Bytes of rows at once.
    const AT_ONCE: usize = 1 << 22;
    let head = lines.head();
    let layout = if format == Format::Npy { npy::layout(head) } else { idx::layout(head) };
    let Some(Layout { shape, number, big, start }) = layout else { return Ok(Err(lines)) };
    let found = shape.split_first().map(|(rows, rest)| (*rows, rest.iter().try_fold(1usize, |n, m| n.checked_mul(*m))));
    let sound = matches!(found, Some((1.., Some(n))) if n == features && n > 0 && shape.len() > 1);
    let (Some((rows, _)), true) = (found, sound) else { return Ok(Err(lines)) };
    let (name, row) = (lines.name().to_string(), features * number.size());
    let mut reader = lines.into_reader();
    let read = |reader: &mut dyn Read, bytes: &mut Vec<u8>, most: usize| {
        bytes.clear();
        reader.take(most as u64).read_to_end(bytes).map_err(|error| Error::io(&name, error))
    };
    let mut bytes = Vec::new();
    read(&mut reader, &mut bytes, start)?;
    let (mut left, mut before) = (rows, 0);
    while left > 0 {
        limits::check()?;
        let some = left.min((AT_ONCE / row).max(1));
        if read(&mut reader, &mut bytes, some * row)? < some * row {
            return Err(wrong_size(format, &shape, number.size(), before + bytes.len()));
        }
        let values = number.decode(&bytes, big)?;
        let matrix = Array { shape: vec![some, features], values }.matrix()?;
        check_finite(&matrix, before / row)?;
        take(matrix)?;
        (left, before) = (left - some, before + bytes.len());
    }
    match std::io::copy(&mut reader, &mut std::io::sink()).map_err(|error| Error::io(&name, error))? {
        0 => Ok(Ok(())),
        more => Err(wrong_size(format, &shape, number.size(), before + more as usize)),
    }
}

/// Refuses a number that is not finite, at its row of the whole array.
fn check_finite(matrix: &Matrix, before: usize) -> Result<()> {
    fn odd<V: Copy + Into<f64>>(values: &[V]) -> Option<(usize, f64)> {
        values.iter().map(|&v| -> f64 { v.into() }).enumerate().find(|(_, v)| !v.is_finite())
    }
    let Err(error) = matrix.rows() else { return Ok(()) };
    let found = match matrix {
        Matrix::Dense(m) => odd(&m.values),
        Matrix::DenseF32(m) => odd(&m.values),
        _ => None,
    };
    let Some((at, value)) = found else { return Err(error) };
    let (row, feature) = (before + at / matrix.features(), at % matrix.features());
    let place = Message::of_row(row).text(", ").feature(feature);
    Err(Error::bad_data(place.text(format!(": {value} is not a finite number"))))
}

fn wrong_size(format: Format, shape: &[usize], size: usize, found: usize) -> Error {
    let refuse = if format == Format::Npy { npy::wrong_size } else { idx::wrong_size };
    refuse(shape, size, found)
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
