//! Training on shards: the state between rounds, a shard's round, sums of reports. Bytes travel, whatever carries them.

use std::path::PathBuf;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rosenblatt::fit::{self, Delta};
use rosenblatt::io::Input;
use rosenblatt::read::{Format, ReadOptions, read};
use rosenblatt::rows::{Examples, LabelCollector, Labels, Matrix, Schema};

use crate::arrays::Held;
use crate::border::{DataError, cross, cross_asking, exception};
use crate::estimator::{Trainer, word};
use crate::model::{Model, Reduced};

/// A training on shards between two rounds.
#[pyclass(module = "rosenblatt._rosenblatt")]
pub(crate) struct Mixture {
    inner: fit::Mixture,
}

/// The reports of shards, read from bytes.
fn deltas(reports: &[Bound<'_, PyBytes>]) -> rosenblatt::Result<Vec<Delta>> {
    reports.iter().map(|report| Delta::from_bytes("the report of a shard", report.as_bytes())).collect()
}

#[pymethods]
impl Mixture {
    /// How many reports are summed at a time: the shape of the tree of sums is a part of the result.
    #[classattr]
    const FAN: usize = fit::FAN;

    /// The state before the first round. `counts`: the examples of each class in all shards. `first`: the number of the first
    /// feature, 0 or 1.
    #[staticmethod]
    #[pyo3(signature = (trainer, mixing, shards, labels, counts, features, first=1))]
    fn begin(
        trainer: &Trainer,
        mixing: &str,
        shards: u32,
        labels: Vec<String>,
        counts: Vec<u64>,
        features: usize,
        first: u32,
    ) -> PyResult<Self> {
        let (mixing, schema) = (word("mixing", mixing)?, Schema::Indexed { first, features });
        let inner = fit::Mixture::begin(&trainer.inner, mixing, shards, Labels::new(labels), schema, &counts);
        Ok(Mixture { inner: inner.map_err(exception)? })
    }

    /// One pass of a shard from this state: its report.
    #[pyo3(signature = (shard, x, classes, weights=None))]
    fn local_round<'py>(
        &self,
        py: Python<'py>,
        shard: u32,
        x: &Bound<'py, PyAny>,
        classes: PyReadonlyArray1<'py, u32>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let rows = Held::new(x)?;
        let (slices, classes) = (rows.slices()?, classes.as_slice()?);
        let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
        let inner = &self.inner;
        let report = cross(py, None, |watcher| {
            let examples = Examples::new(slices.rows()?, classes, weights)?;
            Ok(inner.local_round(shard, examples, watcher)?.to_bytes())
        })?;
        Ok(PyBytes::new(py, &report))
    }

    /// Mixes the reports of all shards, or sums of them, in the order of the shards: one round more.
    fn mix(&mut self, py: Python<'_>, reports: Vec<Bound<'_, PyBytes>>) -> PyResult<()> {
        let deltas = deltas(&reports).map_err(exception)?;
        let inner = &mut self.inner;
        cross(py, None, |_| inner.mix(deltas))
    }

    /// Rounds done.
    #[getter]
    fn rounds(&self) -> u32 {
        self.inner.rounds()
    }

    /// How many shards.
    #[getter]
    fn shards(&self) -> u32 {
        self.inner.shards()
    }

    /// The names of the classes.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.inner.labels().names().to_vec()
    }

    /// How many features.
    #[getter]
    fn features(&self) -> usize {
        self.inner.schema().features()
    }

    /// The number of the first feature.
    #[getter]
    fn first(&self) -> u32 {
        match self.inner.schema() {
            Schema::Indexed { first, .. } => *first,
            _ => 1,
        }
    }

    /// How many weights: features × outputs.
    #[getter]
    fn width(&self) -> usize {
        self.inner.width()
    }

    /// Why training ended for good; None while more rounds could change something.
    #[getter]
    fn ended(&self) -> Option<&'static str> {
        self.inner.ended().map(|stop| stop.name())
    }

    /// The model so far.
    fn model(&self) -> PyResult<Model> {
        self.inner.model().map(Model::new).map_err(exception)
    }

    /// The rounds, and what the theorem says of them.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rounds = self.inner.report().map_err(exception)?;
        let dict = PyDict::new(py);
        dict.set_item("shards", rounds.shards)?;
        dict.set_item("mixing", rounds.mixing.name())?;
        dict.set_item("mistakes", rounds.mistakes)?;
        dict.set_item("mixed_mistakes", rounds.mixed_mistakes)?;
        dict.set_item("mixed_mistakes_in_all", rounds.mixed_mistakes_in_all)?;
        dict.set_item("radius", rounds.radius)?;
        dict.set_item("margin", rounds.margin)?;
        dict.set_item("bound", rounds.bound)?;
        Ok(dict)
    }

    /// The bytes of the state.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    /// The bytes of what a shard needs for its round.
    fn to_task_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_task_bytes())
    }

    /// A state from its bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Mixture { inner: fit::Mixture::from_bytes("the state of a training", bytes).map_err(exception)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        Ok((py.get_type::<Mixture>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    /// Writes the state to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        cross(py, None, |_| self.inner.save(&path))
    }

    /// Reads the state from a file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Mixture { inner: cross(py, None, |_| fit::Mixture::load(&path))? })
    }
}

/// The sum of the reports of neighbouring shards, in order.
#[pyfunction]
pub(crate) fn sum_reports<'py>(py: Python<'py>, reports: Vec<Bound<'py, PyBytes>>) -> PyResult<Bound<'py, PyBytes>> {
    let deltas = deltas(&reports).map_err(exception)?;
    let sum = cross(py, None, |_| Ok(Delta::sum(deltas)?.to_bytes()))?;
    Ok(PyBytes::new(py, &sum))
}

/// The classes of all shards in their final order, from the labels of each shard.
#[pyfunction]
pub(crate) fn merge_labels(shards: Vec<Vec<String>>) -> PyResult<Vec<String>> {
    let mut collector = LabelCollector::default();
    for label in shards.iter().flatten() {
        collector.collect(label);
    }
    let (labels, _) = collector.finish(None).map_err(exception)?;
    Ok(labels.names().to_vec())
}

/// Values, indices, offsets, features, the number of the first feature, classes, names of the classes, the file's fingerprint.
type Shard<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<i64>>,
    usize,
    u32,
    Bound<'py, PyArray1<u32>>,
    Vec<String>,
    u64,
);

/// A LIBSVM file as a shard. Unlike `load_libsvm` it keeps the labels as they are written.
#[pyfunction]
pub(crate) fn read_shard(py: Python<'_>, path: PathBuf) -> PyResult<Shard<'_>> {
    let options = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let input = Input::Path(path);
    let dataset = cross_asking(py, |_| read(&input, &options))?;
    let (table, fingerprint) = (dataset.table, dataset.fingerprint);
    let (Matrix::Sparse(rows), Schema::Indexed { first, .. }) = (table.matrix, table.schema) else {
        return Err(DataError::new_err(rosenblatt::escape::one_line(format!("{}: not a LIBSVM file", dataset.name))));
    };
    let offsets = PyArray1::from_vec(py, rows.offsets.iter().map(|&at| at as i64).collect());
    let (values, indices) = (PyArray1::from_vec(py, rows.values), PyArray1::from_vec(py, rows.indices));
    let (classes, names) = (PyArray1::from_vec(py, table.classes), table.labels.names().to_vec());
    Ok((values, indices, offsets, rows.features, first, classes, names, fingerprint))
}
