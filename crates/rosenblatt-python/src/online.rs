//! Training on batches. Other threads may predict meanwhile: they wait for the end of a batch.

use std::collections::BTreeMap;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rosenblatt::fit::{Checkpoint, ClassWeights};
use rosenblatt::learn::{Hypothesis, Stop, Weights, decide};
use rosenblatt::rows::{AnyRows, Examples, Labels, Row, Rows, Sparse};

use crate::arrays::{Held, schema};
use crate::border::{Guarded, cross, exception};
use crate::estimator::{Maps, Trainer, begin_at};
use crate::model::{Model, Reduced};

/// A trainer for batches.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct OnlineTrainer {
    locked: Guarded<Learned>,
}

/// The trainer, and the model of what it has learned, if that was built.
struct Learned {
    trainer: rosenblatt::fit::OnlineTrainer,
    model: Option<Arc<rosenblatt::Model>>,
    /// Entries that were scored without the model since the last batch.
    scored: usize,
}

impl Learned {
    /// The model so far.
    fn model(&mut self) -> rosenblatt::Result<Arc<rosenblatt::Model>> {
        match &self.model {
            Some(model) => Ok(Arc::clone(model)),
            None => Ok(Arc::clone(self.model.insert(Arc::new(self.trainer.model()?)))),
        }
    }

    /// The scores of rows, as the model gives them. Between two batches, few entries are scored without the model, which
    /// takes the time of all weights to build.
    fn scores(&mut self, rows: AnyRows<'_>) -> rosenblatt::Result<(Vec<f64>, usize)> {
        self.scored = entries(rows, self.scored);
        if self.model.is_none()
            && self.scored <= rows.features()
            && let Some(scores) = self.scores_of_few(rows)
        {
            return Ok(scores);
        }
        let model = self.model()?;
        Ok((model.score_all(rows)?, model.hypothesis.outputs()))
    }

    /// `None`: they need the model.
    fn scores_of_few(&self, rows: AnyRows<'_>) -> Option<(Vec<f64>, usize)> {
        if !self.trainer.takes(rows.features()) {
            return None;
        }
        let (mut all, mut one, mut outputs) = (Vec::new(), Vec::new(), 1);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for i in 0..rows.len() {
            indices.clear();
            values.clear();
            rows.row(i).each(|j, v| {
                indices.push(j as u32);
                values.push(v);
            });
            if !self.trainer.score_one(Sparse { indices: &indices, values: &values }, &mut one) {
                return None;
            }
            outputs = one.len();
            all.extend_from_slice(&one);
        }
        all.iter().all(|score| score.is_finite()).then_some((all, outputs))
    }
}

/// The entries of rows, and `so_far`; counted up to more than the features.
fn entries(rows: AnyRows<'_>, so_far: usize) -> usize {
    let mut entries = so_far;
    for i in 0..rows.len() {
        if entries > rows.features() {
            break;
        }
        rows.row(i).each(|_, _| entries += 1);
    }
    entries
}

impl OnlineTrainer {
    fn new_with(trainer: rosenblatt::fit::OnlineTrainer) -> Self {
        OnlineTrainer { locked: Guarded::new(Learned { trainer, model: None, scored: 0 }) }
    }

    fn score_rows(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, usize)> {
        let rows = Held::new(x)?;
        let slices = rows.slices()?;
        cross(py, None, |_| self.locked.lock()?.scores(slices.rows()?))
    }
}

#[pymethods]
impl OnlineTrainer {
    /// Starts at zero, or from the weights of a model.
    #[new]
    #[pyo3(signature = (trainer, labels, features, names=None, start=None))]
    fn new(
        trainer: &Trainer,
        labels: Vec<String>,
        features: usize,
        names: Option<Vec<String>>,
        start: Option<&Model>,
    ) -> PyResult<Self> {
        let mut trainer = trainer.inner.clone();
        if let Some(start) = start {
            trainer.start = begin_at(start, &trainer)?;
        }
        let Maps { schema, chain } = Maps::new(start, schema(features, names));
        let inner = rosenblatt::fit::OnlineTrainer::with_maps(trainer, Labels::new(labels), schema, chain);
        inner.map(OnlineTrainer::new_with).map_err(exception)
    }

    /// Adds classes: `labels` are all classes so far and more, in order.
    fn admit(&self, py: Python<'_>, labels: Vec<String>) -> PyResult<()> {
        py.detach(|| {
            let mut learned = self.locked.lock()?;
            learned.model = None;
            learned.trainer.admit(Labels::new(labels))
        })
        .map_err(exception)
    }

    /// Learns from one batch, once.
    #[pyo3(signature = (x, classes, weights=None))]
    fn learn<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        classes: PyReadonlyArray1<'py, u32>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<()> {
        let rows = Held::new(x)?;
        let (slices, classes) = (rows.slices()?, classes.as_slice()?);
        let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
        let stopped: Option<Stop> = cross(py, None, |watcher| {
            let examples = Examples::new(slices.rows()?, classes, weights)?;
            let mut learned = self.locked.lock()?;
            (learned.model, learned.scored) = (None, 0);
            learned.trainer.learn(examples, watcher)
        })?;
        debug_assert_eq!(stopped, None, "what stops a batch raises");
        Ok(())
    }

    /// Mistakes of each pass; all batches together are the last one.
    #[getter]
    fn mistakes_by_epoch(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        py.detach(|| {
            let learned = self.locked.lock()?;
            let progress = learned.trainer.progress();
            Ok(progress.mistakes_by_epoch.iter().copied().chain([progress.pass_mistakes]).collect())
        })
        .map_err(exception)
    }

    /// Examples presented, in all passes.
    #[getter]
    fn presented(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| Ok(self.locked.lock()?.trainer.progress().presented)).map_err(exception)
    }

    /// The model so far.
    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        let inner = cross(py, None, |_| self.locked.lock()?.model())?;
        Ok(Model { inner })
    }

    /// The scores of each row: one for two classes, else one for each.
    fn scores<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (scores, outputs) = self.score_rows(py, x)?;
        let shape = [scores.len() / outputs, outputs];
        PyArray1::from_vec(py, scores).reshape(shape)
    }

    /// The class number of each row, and the number of classes: another thread may add some meanwhile.
    fn classify<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyArray1<u32>>, usize)> {
        let rows = Held::new(x)?;
        let slices = rows.slices()?;
        let (classes, known): (Vec<u32>, usize) = cross(py, None, |_| {
            let mut learned = self.locked.lock()?;
            let (scores, outputs) = learned.scores(slices.rows()?)?;
            let tie = learned.trainer.tie();
            let classes = scores.chunks(outputs).map(|scores| decide(scores, tie)).collect();
            Ok((classes, learned.trainer.labels().len()))
        })?;
        Ok((PyArray1::from_vec(py, classes), known))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (State<'py>,)>> {
        let (bytes, batches, counts, weights) = cross(py, None, |_| {
            let learned = self.locked.lock()?;
            let (batches, counts) = learned.trainer.history();
            let bytes = learned.trainer.checkpoint().to_bytes();
            Ok((bytes, batches, counts.to_vec(), learned.trainer.class_weights().clone()))
        })?;
        let (balanced, given) = match weights {
            ClassWeights::Equal => (false, None),
            ClassWeights::Balanced => (true, None),
            ClassWeights::Given(given) => (false, Some(given)),
        };
        let resumed = py.get_type::<OnlineTrainer>().getattr("resumed")?;
        Ok((resumed, ((PyBytes::new(py, &bytes), batches, counts, balanced, given),)))
    }

    /// Restores a pickled trainer.
    #[staticmethod]
    fn resumed(state: State<'_>) -> PyResult<Self> {
        let (bytes, batches, counts, balanced, given) = state;
        let checkpoint = Checkpoint::from_bytes("the pickled learner", bytes.as_bytes()).map_err(exception)?;
        let trainer = checkpoint.trainer(1).class_weights(class_weights(balanced, given));
        let inner = rosenblatt::fit::OnlineTrainer::resume(trainer, &checkpoint, batches, &counts);
        inner.map(OnlineTrainer::new_with).map_err(exception)
    }
}

/// A finished training that `partial_fit` can continue.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct Paused {
    pub(crate) checkpoint: Checkpoint,
    /// Examples of each class.
    pub(crate) counts: Vec<u64>,
}

#[pymethods]
impl Paused {
    /// A trainer that continues with batches.
    fn resume(&self, trainer: &Trainer) -> PyResult<OnlineTrainer> {
        let inner = rosenblatt::fit::OnlineTrainer::resume(trainer.inner.clone(), &self.checkpoint, 0, &self.counts);
        inner.map(OnlineTrainer::new_with).map_err(exception)
    }

    /// The model of this training with all weights zero, which a pickle stores in few bytes; `None`: its weights are others
    /// than the end of this training has, or are not one hyperplane for each output.
    fn without_weights(&self, py: Python<'_>, model: &Model) -> PyResult<Option<Model>> {
        let Hypothesis::Linear(weights) = &model.inner.hypothesis else { return Ok(None) };
        if cross(py, None, |_| self.ended())?.hypothesis != model.inner.hypothesis {
            return Ok(None);
        }
        let zeros = Weights::zeros(weights.features(), weights.outputs(), weights.constant());
        let inner = rosenblatt::Model { hypothesis: Hypothesis::Linear(zeros), ..(*model.inner).clone() };
        Ok(Some(Model::new(inner)))
    }

    /// Gives a model back the weights that [`without_weights`](Self::without_weights) took away.
    fn with_weights(&self, py: Python<'_>, model: &Model) -> PyResult<Model> {
        let hypothesis = cross(py, None, |_| self.ended())?.hypothesis;
        Ok(Model::new(rosenblatt::Model { hypothesis, ..(*model.inner).clone() }))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>, Vec<u64>)>> {
        let again = py.get_type::<Paused>().getattr("from_bytes")?;
        Ok((again, (PyBytes::new(py, &self.checkpoint.to_bytes()), self.counts.clone())))
    }

    /// Restores a pickled training.
    #[staticmethod]
    fn from_bytes(bytes: &[u8], counts: Vec<u64>) -> PyResult<Self> {
        let checkpoint = Checkpoint::from_bytes("the pickled learner", bytes).map_err(exception)?;
        Ok(Paused { checkpoint, counts })
    }
}

impl Paused {
    /// The model at the end of this training.
    fn ended(&self) -> rosenblatt::Result<rosenblatt::Model> {
        rosenblatt::fit::OnlineTrainer::resume(self.checkpoint.trainer(1), &self.checkpoint, 0, &self.counts)?.model()
    }
}

/// The pickled state: a checkpoint in the library's format, the batches and the examples of each class so far, and the
/// class weights.
type State<'py> = (Bound<'py, PyBytes>, u64, Vec<u64>, bool, Option<BTreeMap<String, f64>>);

pub(crate) fn class_weights(balanced: bool, given: Option<BTreeMap<String, f64>>) -> ClassWeights {
    match given {
        _ if balanced => ClassWeights::Balanced,
        Some(given) => ClassWeights::Given(given),
        None => ClassWeights::Equal,
    }
}
