//! Training and prediction on files of any size, as on the command line; and LIBSVM text as arrays.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::PathBuf;

use numpy::PyArray1;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rosenblatt::escape::{field, one_line};
use rosenblatt::fit::{Data, FileData, Observer, StopOnPlateau, Storage, With};
use rosenblatt::io::{self, Input};
use rosenblatt::learn::{AnyLearner, Progress, decide};
use rosenblatt::map::Scaling;
use rosenblatt::named::Named;
use rosenblatt::read::{Format, Header, NeedLabels, ReadOptions, join, read, read_for};
use rosenblatt::rows::{Matrix, Row, Rows, Schema};
use rosenblatt::{Error, Message, Result, limits};

use crate::border::{DataError, PassEnded, SettingsError, cross, cross_asking, exception};
use crate::estimator::{Trainer, measured, word};
use crate::model::Model;
use crate::words;

/// The name in messages of data that come from Python.
const DATA: &str = "the data";

/// A path, or the bytes of a file.
fn source(given: &Bound<'_, PyAny>) -> PyResult<Input> {
    match given.cast::<PyBytes>() {
        Ok(bytes) => Ok(Input::memory(DATA, bytes.as_bytes())),
        Err(_) => given.extract().map(Input::Path),
    }
}

/// A file, the bytes of one, or a list of files that are read as one.
fn training_source(given: &Bound<'_, PyAny>, options: &ReadOptions) -> PyResult<Input> {
    match given.cast::<PyList>() {
        Ok(paths) => join(&paths.extract::<Vec<PathBuf>>()?, options).map_err(exception),
        Err(_) => source(given),
    }
}

/// The value of an option, of the type that is expected.
fn value_of<'py, T: FromPyObjectOwned<'py>>(name: &str, value: &Bound<'py, PyAny>, expected: &str) -> PyResult<T> {
    value.extract().map_err(|_| {
        let shown = value.repr().map_or_else(|_| "?".to_string(), |text| text.to_string());
        SettingsError::new_err(format!("{name}={shown}: expected {expected}"))
    })
}

/// A whole number, not negative.
fn whole_number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    value_of(name, value, "a whole number")
}

/// True or false, as NumPy has them, too.
fn truth(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value_of(name, value, "True or False")
}

/// A column, or a list of columns.
fn columns(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match value.extract::<String>() {
        Ok(one) => Ok(vec![one]),
        Err(_) => {
            let all: Vec<Bound<'_, PyAny>> = value_of(name, value, "a text or a list of texts")?;
            all.iter().map(|column| column.str().map(|text| text.to_string())).collect()
        }
    }
}

/// The reading options from keywords, which have the names of the command line.
pub(crate) fn read_options(given: &Bound<'_, PyDict>) -> PyResult<ReadOptions> {
    let text = |value: &Bound<'_, PyAny>| value.str().map(|text| text.to_string());
    let mut options = ReadOptions::default();
    for (name, value) in given {
        if value.is_none() {
            continue;
        }
        match name.extract::<String>()?.as_str() {
            "format" => options.format = Some(text(&value)?.parse::<Format>().map_err(exception)?),
            "header" => options.header = if truth("header", &value)? { Header::Yes } else { Header::No },
            "label" => options.label = Some(text(&value)?),
            "drop" => options.drop = columns("drop", &value)?,
            "category" => options.category = columns("category", &value)?,
            "text" => options.text = columns("text", &value)?,
            "ngrams" => options.ngrams = whole_number("ngrams", &value)?,
            "char_ngrams" => options.chars = Some(text(&value)?.parse().map_err(exception)?),
            "delimiter" => options.dialect.delimiter = Some(text(&value)?.parse().map_err(exception)?),
            "na" => options.dialect.na = columns("na", &value)?,
            "missing" => options.missing = Some(word("missing", &text(&value)?)?),
            "weight" => options.weight = Some(text(&value)?),
            "positive" => options.positive = Some(text(&value)?),
            "labels" => options.labels = Some(Input::Path(value.extract()?)),
            other => {
                return Err(PyTypeError::new_err(format!(
                    "unknown reading option {other:?}: expected format, header, label, drop, category, text, ngrams, \
                     char_ngrams, delimiter, na, missing, weight, positive or labels"
                )));
            }
        }
    }
    Ok(options)
}

/// Sets the preparation of rows from keywords, which have the names of the command line.
fn prepare(trainer: &mut rosenblatt::Trainer, given: &Bound<'_, PyDict>) -> PyResult<()> {
    let preparation = &mut trainer.preparation;
    for (name, value) in given {
        match name.extract::<String>()?.as_str() {
            "scale" => match value_of::<String>("scale", &value, "a text")?.as_str() {
                "auto" => trainer.left_open.scale = true,
                by => {
                    preparation.scale = Scaling::by_name(by).ok_or_else(|| {
                        let names = Scaling::names().join(", ");
                        SettingsError::new_err(format!("scale='{by}': expected one of auto, {names}"))
                    })?;
                }
            },
            "tf" => preparation.tf = word("tf", &value_of::<String>("tf", &value, "a text")?)?,
            "tf_idf" => preparation.tf_idf = truth("tf_idf", &value)?,
            "degree" => preparation.degree = whole_number("degree", &value)?,
            "hash_bits" => preparation.hash_bits = Some(whole_number("hash_bits", &value)?),
            "min_count" => preparation.min_count = whole_number("min_count", &value)?,
            other => return Err(PyTypeError::new_err(format!("unknown preparation {other:?}"))),
        }
    }
    Ok(())
}

/// Trains on a file of any size. `cache`: "auto", "off", or a path. Returns the model, the report, and notes about the
/// file.
#[pyfunction]
#[pyo3(signature = (trainer, path, reading, preparing, *, cache="auto", memory=None, tolerance=None, patience=5, pass_ended=None))]
#[expect(clippy::too_many_arguments, reason = "all of them are named where it is called")]
pub(crate) fn fit_file<'py>(
    py: Python<'py>,
    trainer: &Trainer,
    path: &Bound<'py, PyAny>,
    reading: &Bound<'py, PyDict>,
    preparing: &Bound<'py, PyDict>,
    cache: &str,
    memory: Option<u64>,
    tolerance: Option<f64>,
    patience: u32,
    pass_ended: Option<Py<PyAny>>,
) -> PyResult<(Model, Bound<'py, PyDict>, Vec<String>)> {
    let options = read_options(reading)?;
    let input = training_source(path, &options)?;
    let storage = match cache {
        "auto" => {
            Storage::Either { memory: memory.unwrap_or_else(limits::half_of_free_memory), folder: std::env::temp_dir() }
        }
        "off" => Storage::Memory,
        place => Storage::Cache(place.into()),
    };
    let mut inner = trainer.inner.clone();
    prepare(&mut inner, preparing)?;
    let callback = pass_ended.map(|callback| -> Box<PassEnded<'_>> {
        Box::new(move |py: Python<'_>, progress: &Progress, _: &dyn AnyLearner| {
            let mistakes = progress.mistakes_by_epoch.last().copied().unwrap_or(0);
            callback.call1(py, (progress.epochs(), mistakes, py.None()))?.extract(py)
        })
    });
    let fitted = cross(py, callback, |watcher| {
        let mut plateau;
        let observer: &mut dyn Observer = match tolerance {
            Some(tolerance) => {
                plateau = StopOnPlateau::new(tolerance, patience, watcher);
                &mut plateau
            }
            None => watcher,
        };
        let data = FileData::new(&input, &options, &storage);
        inner.fit_with(Data::File(data), With { observer: Some(observer), ..With::default() })
    })?;
    let report = measured(py, &fitted.model, &fitted.report)?;
    let notes = fitted.file.map(|file| file.notes).unwrap_or_default();
    Ok((Model::new(fitted.model.compact()), report, words::messages(&notes)))
}

/// The class number of every row of a file, and notes about the file. With `output` the class names are also written
/// there, one a line, as the command line does.
#[pyfunction]
#[pyo3(signature = (model, path, reading, output=None))]
pub(crate) fn predict_file<'py>(
    py: Python<'py>,
    model: &Model,
    path: &Bound<'py, PyAny>,
    reading: &Bound<'py, PyDict>,
    output: Option<PathBuf>,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Vec<String>)> {
    let (model, input, options) = (&model.inner, source(path)?, read_options(reading)?);
    let (classes, notes) = cross_asking(py, |_| {
        if let Some(path) = &output {
            io::check_place(path)?;
        }
        let (classes, notes) = classify_file(model, &input, &options)?;
        if let Some(path) = &output {
            let mut text = String::new();
            classes.iter().for_each(|&class| {
                text.push_str(&field(model.labels.name(class)));
                text.push('\n');
            });
            io::write_file(path, text.as_bytes())?;
        }
        Ok((classes, notes))
    })?;
    Ok((PyArray1::from_vec(py, classes), words::messages(&notes)))
}

/// The classes of the rows, predicted while reading where the format allows it.
fn classify_file(model: &rosenblatt::Model, input: &Input, options: &ReadOptions) -> Result<(Vec<u32>, Vec<Message>)> {
    let mut classes: Vec<u32> = Vec::new();
    let format_row = |scores: &[f64], text: &mut String| {
        let _ = writeln!(text, "{}", decide(scores, model.tie()));
    };
    let answered = model.answer_all(input, options, format_row, |text| {
        classes.extend(text.lines().filter_map(|line| line.parse::<u32>().ok()));
        limits::check()
    })?;
    Ok((classes, answered.notes))
}

/// Rows of a table as the model reads them, before its maps: the arrays of a CSR matrix, and notes about the table.
#[pyfunction]
pub(crate) fn read_rows<'py>(
    py: Python<'py>,
    model: &Model,
    path: &Bound<'py, PyAny>,
    reading: &Bound<'py, PyDict>,
) -> PyResult<(Parts<'py>, Vec<String>)> {
    let (model, input, options) = (&model.inner, source(path)?, read_options(reading)?);
    let (rows, notes) = cross_asking(py, |_| {
        let dataset = read_for(&input, &options, &model.schema, &model.labels, NeedLabels::No)?;
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let rows = dataset.table.matrix.rows()?;
        for i in 0..rows.len() {
            rows.row(i).each(|j, value| {
                if value != 0.0 {
                    indices.push(j as i32);
                    values.push(value);
                }
            });
            offsets.push(indices.len() as i64);
        }
        Ok(((values, indices, offsets), dataset.notes))
    })?;
    let (values, indices, offsets) = rows;
    let parts = (PyArray1::from_vec(py, values), PyArray1::from_vec(py, indices), PyArray1::from_vec(py, offsets));
    Ok((parts, words::messages(&notes)))
}

/// Values, indices and offsets.
type Parts<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i64>>);

/// The bytes of a file, decompressed.
#[pyfunction]
pub(crate) fn read_bytes<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = cross_asking(py, |_| whole(&Input::Path(path)))?;
    Ok(PyBytes::new(py, &bytes))
}

fn whole(input: &Input) -> Result<Vec<u8>> {
    const AT_ONCE: u64 = 1 << 22;
    let (mut bytes, mut source) = (Vec::new(), input.open()?);
    while source.by_ref().take(AT_ONCE).read_to_end(&mut bytes).map_err(|e| Error::io(input.name(), e))? > 0 {
        limits::check()?;
    }
    Ok(bytes)
}

/// Row offsets, 32 bits wide if that is enough: SciPy requires the width of the indices, and would copy those.
#[derive(IntoPyObject)]
pub(crate) enum Offsets<'py> {
    Narrow(Bound<'py, PyArray1<i32>>),
    Wide(Bound<'py, PyArray1<i64>>),
}

/// Values of the requested width.
#[derive(IntoPyObject)]
pub(crate) enum Values<'py> {
    Double(Bound<'py, PyArray1<f64>>),
    Single(Bound<'py, PyArray1<f32>>),
}

/// Labels: numbers if all are, else indices into a list of names.
#[derive(IntoPyObject)]
pub(crate) enum Targets<'py> {
    Numbers(Bound<'py, PyArray1<f64>>),
    Names(Bound<'py, PyArray1<u32>>, Vec<String>),
}

/// The arrays of a CSR matrix, the number of features, and the labels.
type Loaded<'py> = (Values<'py>, Bound<'py, PyArray1<u32>>, Offsets<'py>, usize, Targets<'py>);

/// A LIBSVM file, read on all threads. The arrays own the reader's memory. `zero_based`: whether features count from 0; if
/// not given, they do if a feature 0 occurs.
#[pyfunction]
#[pyo3(signature = (path, *, features=None, zero_based=None, single=false))]
pub(crate) fn load_libsvm<'py>(
    py: Python<'py>,
    path: &Bound<'py, PyAny>,
    features: Option<usize>,
    zero_based: Option<bool>,
    single: bool,
) -> PyResult<Loaded<'py>> {
    let options = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let input = source(path)?;
    let dataset = cross_asking(py, |_| read(&input, &options))?;
    let (table, name) = (dataset.table, dataset.name);
    let (Matrix::Sparse(mut rows), Schema::Indexed { first, .. }) = (table.matrix, table.schema) else {
        return Err(DataError::new_err(one_line(format!("{name}: not a LIBSVM file"))));
    };
    match (zero_based, first) {
        (Some(true), 1) => {
            rows.indices.iter_mut().for_each(|index| *index += 1);
            rows.features += 1;
        }
        (Some(false), 0) => {
            let message = format!("{name}: a feature 0, but zero_based=False means that features count from 1");
            return Err(DataError::new_err(one_line(message)));
        }
        _ => {}
    }
    if let Some(features) = features {
        if features < rows.features {
            let message = format!("{name}: n_features={features}, but the file has {} features", rows.features);
            return Err(DataError::new_err(one_line(message)));
        }
        rows.features = features;
    }
    let narrow: Option<Vec<i32>> = match i32::try_from(rows.indices.len()) {
        Ok(_) => Some(rows.offsets.iter().map(|&at| at as i32).collect()),
        Err(_) => None,
    };
    let offsets = match narrow {
        Some(narrow) => Offsets::Narrow(PyArray1::from_vec(py, narrow)),
        None => Offsets::Wide(PyArray1::from_vec(py, rows.offsets.iter().map(|&at| at as i64).collect())),
    };
    let values = if single {
        Values::Single(PyArray1::from_vec(py, rows.values.iter().map(|&v| v as f32).collect()))
    } else {
        Values::Double(PyArray1::from_vec(py, rows.values))
    };
    let names = table.labels.names();
    // Floats, unless two labels would become one.
    let numbers = names.iter().map(|name| name.parse::<f64>().ok()).collect::<Option<Vec<f64>>>();
    let distinct = |numbers: &Vec<f64>| {
        let bits: HashSet<u64> = numbers.iter().map(|v| (v + 0.0).to_bits()).collect();
        bits.len() == numbers.len()
    };
    let targets = match numbers.filter(distinct) {
        Some(numbers) => {
            Targets::Numbers(PyArray1::from_vec(py, table.classes.iter().map(|&c| numbers[c as usize]).collect()))
        }
        None => Targets::Names(PyArray1::from_vec(py, table.classes), names.to_vec()),
    };
    Ok((values, PyArray1::from_vec(py, rows.indices), offsets, rows.features, targets))
}
