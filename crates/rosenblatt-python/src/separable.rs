//! Linear separability: a verdict with its proof, and the check of a proof.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use numpy::PyReadonlyArray1;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rosenblatt::certify::exact::Memory;
use rosenblatt::certify::{
    Arrays, Deadline, Decision, Options, Question, Reading, Verdict, certificate, check_provable, decide,
    decide_jointly, exact_rows, held, signs,
};
use rosenblatt::escape::one_line;
use rosenblatt::io::Input;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::rows::{Labels, Table};
use rosenblatt::{Error, Result};

use crate::arrays::{Held, schema};
use crate::border::{SettingsError, cross, cross_asking};
use crate::files::read_options;

create_exception!(rosenblatt, CertificateError, PyValueError, "A certificate does not prove its claim about the data.");

fn options(gap: f64, time_limit: Option<f64>, bias: bool, degree: u32) -> PyResult<Options> {
    let deadline = match time_limit {
        None => Deadline::NEVER,
        Some(s) if (0.0..1e9).contains(&s) => (Instant::now() + Duration::from_secs_f64(s)).into(),
        Some(s) => return Err(SettingsError::new_err(format!("time_limit={s}: expected seconds, not negative"))),
    };
    if !(gap > 0.0 && gap < 1.0) {
        let message = format!("gap={gap}: expected a number between 0 and 1, both excluded");
        return Err(SettingsError::new_err(message));
    }
    if degree == 0 {
        return Err(SettingsError::new_err("degree=0: expected 1 or more"));
    }
    Ok(Options { gap, deadline, bias, degree })
}

/// A decision as a dict. Fractions are texts; rows count from 0.
fn to_dict<'py>(py: Python<'py>, decision: &Decision, certificate: Option<String>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("verdict", decision.verdict.name())?;
    dict.set_item("margin", decision.margin.as_ref().map(|margin| margin.floats()))?;
    dict.set_item("radius", decision.radius)?;
    dict.set_item("bound", decision.bound)?;
    dict.set_item("examples", decision.examples)?;
    dict.set_item("features", decision.features)?;
    dict.set_item("degree", decision.degree)?;
    let weights = |plane: &rosenblatt::certify::Hyperplane| -> Vec<f64> {
        plane.weights.iter().map(|w| w.to_f64().value()).collect()
    };
    dict.set_item("weights", decision.hyperplane.as_ref().map(weights))?;
    dict.set_item("intercept", decision.hyperplane.as_ref().map(|plane| plane.bias.to_f64().value()))?;
    let support: Vec<(usize, String)> = decision.support().collect();
    dict.set_item("support", support)?;
    dict.set_item("contradiction", decision.contradiction)?;
    dict.set_item("certificate", certificate)?;
    Ok(dict)
}

/// Decides without the interpreter; stops on Ctrl-C.
fn cross_deciding<T: Send>(
    py: Python<'_>,
    options: Options,
    work: impl FnOnce(&Options) -> Result<T> + Send,
) -> PyResult<T> {
    cross_asking(py, |asked| {
        let deadline = options.deadline.clone().or_when(Arc::clone(asked));
        work(&Options { deadline, ..options })
    })
}

/// A table from arrays.
pub(crate) fn table<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    classes: PyReadonlyArray1<'py, u32>,
    labels: Vec<String>,
) -> PyResult<Table> {
    let rows = Held::new(x)?;
    let (slices, classes) = (rows.slices()?, classes.as_slice()?);
    let features = x.getattr("shape")?.extract::<(usize, usize)>()?.1;
    cross(py, None, |_| Ok(slices.table(classes.to_vec(), Labels::new(labels), schema(features, None))))
}

/// Whether a hyperplane separates rows of these classes: `positive` from the others, the second of two from the first, or
/// all classes jointly, which has no certificate.
#[pyfunction]
#[pyo3(signature = (x, classes, labels, *, positive=None, gap=1e-6, time_limit=None, bias=true, degree=1))]
#[expect(clippy::too_many_arguments, reason = "all of them are named where it is called")]
pub(crate) fn separable<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    classes: PyReadonlyArray1<'py, u32>,
    labels: Vec<String>,
    positive: Option<String>,
    gap: f64,
    time_limit: Option<f64>,
    bias: bool,
    degree: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options(gap, time_limit, bias, degree)?;
    let table = table(py, x, classes, labels)?;
    let (decision, proof) = cross_deciding(py, options, |options| {
        if positive.is_none() && table.labels.len() > 2 {
            table.check_learnable()?;
            let rows = table.matrix.rows()?;
            let all = table.labels.len();
            return Ok((decide_jointly(rows, &Memory(rows), &table.classes, all, options)?, None));
        }
        let arrays = Arrays::new(&table, positive.as_deref())?;
        let decision = arrays.decide(options)?;
        let proof = match decision.verdict {
            Verdict::Undecided => None,
            _ => Some(arrays.certificate(&decision)?),
        };
        Ok((decision, proof))
    })?;
    to_dict(py, &decision, proof)
}

/// The bytes that a certificate of a sparse matrix refers to.
#[pyfunction]
pub(crate) fn proved_bytes<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    classes: PyReadonlyArray1<'py, u32>,
    labels: Vec<String>,
) -> PyResult<Bound<'py, PyBytes>> {
    let table = table(py, x, classes, labels)?;
    // The bytes do not depend on the positive class.
    let first = table.labels.names().first().cloned().unwrap_or_default();
    let files = cross_asking(py, |_| Arrays::new(&table, Some(&first))?.files())?;
    Ok(PyBytes::new(py, &files.data))
}

/// The same for a file, with its numbers as they are written.
#[pyfunction]
#[pyo3(signature = (path, reading, *, gap=1e-6, time_limit=None, bias=true, degree=1))]
pub(crate) fn separable_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    reading: &Bound<'py, PyDict>,
    gap: f64,
    time_limit: Option<f64>,
    bias: bool,
    degree: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options(gap, time_limit, bias, degree)?;
    let (input, reading) = (Input::Path(path), read_options(reading)?);
    let (decision, proof) = cross_deciding(py, options, |options| decide_file(&input, reading, options))?;
    to_dict(py, &decision, proof)
}

fn decide_file(input: &Input, reading: ReadOptions, options: &Options) -> Result<(Decision, Option<String>)> {
    // The positive class is chosen below: one of many may be separated from the rest.
    let positive = reading.positive.clone();
    // Labels that are hashed are those that were read, though the file changes meanwhile.
    let labels = reading.labels.as_ref().map(held).transpose()?;
    let dataset = read(input, &ReadOptions { positive: None, labels: labels.clone(), ..reading })?;
    let here = |e: Error| e.in_file(&dataset.name);
    let table = &dataset.table;
    table.check_learnable().map_err(here)?;
    let exact = exact_rows(input, &dataset).map_err(here)?;
    let (rows, names) = (table.matrix.rows()?, table.labels.names());
    let one = match &positive {
        Some(label) => table.labels.find(label).ok_or_else(|| {
            Error::settings(format!("positive={label}: no example has this label; the data have {}", names.join(", ")))
        })?,
        None if names.len() > 2 => {
            return Ok((decide_jointly(rows, &*exact, &table.classes, names.len(), options)?, None));
        }
        None => 1,
    };
    check_provable(&dataset, labels.as_ref())?;
    let signs = signs(&table.classes, |class| if class == one { 1 } else { -1 });
    let decision = decide(&Question { rows, exact: Box::new(&*exact), signs }, options).map_err(here)?;
    if decision.verdict == Verdict::Undecided {
        return Ok((decision, None));
    }
    let (positive, negative) = names.iter().cloned().partition(|name| *name == names[one as usize]);
    let proof = certificate(&decision, input, &dataset, &Reading { positive, negative, labels })?;
    Ok((decision, Some(proof)))
}

/// Checks a certificate against the bytes it refers to, with independent code.
#[pyfunction]
#[pyo3(signature = (certificate, data, labels=None))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    certificate: &[u8],
    data: &[u8],
    labels: Option<&[u8]>,
) -> PyResult<Bound<'py, PyDict>> {
    if matches!(rosenblatt_verify::kind(certificate), Ok(rosenblatt_verify::Kind::Audit)) {
        return verify_audit(py, certificate, data, labels);
    }
    let checked = cross_asking(py, |asked| {
        let asked = Arc::clone(asked);
        let check = || match labels {
            Some(labels) => rosenblatt_verify::verify_with_labels(certificate, data, labels),
            None => rosenblatt_verify::verify(certificate, data),
        };
        Ok(rosenblatt_verify::until(move || asked.load(Ordering::Relaxed), check))
    })?;
    let proved = checked.map_err(|refusal| CertificateError::new_err(one_line(refusal.to_string())))?;
    let dict = PyDict::new(py);
    dict.set_item("verdict", proved.verdict.to_string())?;
    dict.set_item("examples", proved.examples)?;
    dict.set_item("positive", proved.positive)?;
    dict.set_item("negative", proved.negative)?;
    dict.set_item("features", proved.features)?;
    dict.set_item("degree", proved.degree)?;
    dict.set_item("bias", proved.bias)?;
    dict.set_item("support", proved.support)?;
    dict.set_item("margin", proved.margin)?;
    set_statement(&dict, &proved.statement)?;
    Ok(dict)
}

fn verify_audit<'py>(
    py: Python<'py>,
    certificate: &[u8],
    data: &[u8],
    labels: Option<&[u8]>,
) -> PyResult<Bound<'py, PyDict>> {
    let checked = cross_asking(py, |asked| {
        let asked = Arc::clone(asked);
        let check = || rosenblatt_verify::verify_audit(certificate, data, labels);
        Ok(rosenblatt_verify::until(move || asked.load(Ordering::Relaxed), check))
    })?;
    let proved = checked.map_err(|refusal| CertificateError::new_err(one_line(refusal.to_string())))?;
    let dict = PyDict::new(py);
    dict.set_item("at_least", proved.at_least)?;
    dict.set_item("at_most", proved.at_most)?;
    dict.set_item("costs", proved.costs)?;
    dict.set_item("examples", proved.examples)?;
    dict.set_item("positive", proved.positive)?;
    dict.set_item("negative", proved.negative)?;
    dict.set_item("features", proved.features)?;
    dict.set_item("degree", proved.degree)?;
    dict.set_item("bias", proved.bias)?;
    dict.set_item("witnesses", proved.witnesses)?;
    set_statement(&dict, &proved.statement)?;
    Ok(dict)
}

/// What is proved of what, and where the reading departs from the plain one.
fn set_statement(dict: &Bound<'_, PyDict>, statement: &rosenblatt_verify::Statement) -> PyResult<()> {
    let lines: Vec<String> = statement.scope().iter().map(|(name, text)| format!("{name}: {text}")).collect();
    dict.set_item("statement", one_line(format!("{}; {}", statement.claim(), lines.join("; "))))?;
    dict.set_item("departures", statement.departures())
}
