//! Training for the estimators: a trainer with its settings, and an online trainer for batches.

use std::collections::BTreeMap;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rosenblatt::Bias;
use rosenblatt::fit::{
    Borrowed, Checkpoint, ClassWeights, Data, HeldBack, Observer, Order, Start, StopOnPlateau, With,
};
use rosenblatt::learn::kernel::Choice;
use rosenblatt::learn::kernel::budget::{Budget, ETA, Way};
use rosenblatt::learn::{AnyLearner, Progress, Stop, Weights, learners as learner};
use rosenblatt::named::Named;
use rosenblatt::rows::{Examples, Labels};

use crate::arrays::{Held, schema};
use crate::border::{PassEnded, SettingsError, cross, exception};
use crate::model::{Model, Reduced, facts};

/// Every learner of the registry: name, class, summary, guarantee, paper, what it keeps, whether it can keep otherwise,
/// parameters.
#[pyfunction]
pub(crate) fn learners(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for entry in learner::all() {
        let params = PyList::empty(py);
        for param in entry.params {
            let dict = PyDict::new(py);
            dict.set_item("name", param.name)?;
            dict.set_item("help", param.help)?;
            dict.set_item("default", param.default_text())?;
            dict.set_item("range", param.range_text())?;
            dict.set_item("choices", param.choices())?;
            params.append(dict)?;
        }
        let dict = PyDict::new(py);
        dict.set_item("name", entry.name)?;
        dict.set_item("type_name", entry.type_name)?;
        dict.set_item("summary", entry.summary)?;
        dict.set_item("guarantee", entry.guarantee)?;
        dict.set_item("paper", entry.paper)?;
        dict.set_item("keep", entry.keep.name())?;
        dict.set_item("other_keeps", entry.other_keeps)?;
        dict.set_item("params", params)?;
        all.append(dict)?;
    }
    Ok(all)
}

/// A learner and all its settings, checked.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct Trainer {
    pub(crate) inner: rosenblatt::Trainer,
}

/// A choice by its name.
pub(crate) fn word<T: Named>(what: &str, text: &str) -> PyResult<T> {
    T::by_name(text)
        .ok_or_else(|| SettingsError::new_err(format!("{what}={text}: expected one of {}", T::names().join(", "))))
}

#[pymethods]
impl Trainer {
    #[new]
    #[pyo3(signature = (learner, *, params, keep=None, multiclass="single", tie="update", bias=1.0, epochs=10,
        shuffle=true, seed=0, balanced=false, class_weight=None, kernel=None, budget=None, policy=None))]
    #[expect(clippy::too_many_arguments, reason = "all of them are named where it is called")]
    fn new(
        learner: &str,
        params: BTreeMap<String, String>,
        keep: Option<&str>,
        multiclass: &str,
        tie: &str,
        bias: f64,
        epochs: u32,
        shuffle: bool,
        seed: u64,
        balanced: bool,
        class_weight: Option<BTreeMap<String, f64>>,
        kernel: Option<&str>,
        budget: Option<u32>,
        policy: Option<&str>,
    ) -> PyResult<Self> {
        let mut inner = rosenblatt::fit::Trainer::new(learner)
            .epochs(epochs)
            .order(if shuffle { Order::Shuffled { seed } } else { Order::Cyclic })
            .bias(Bias::new(bias).map_err(exception)?)
            .tie(word("tie", tie)?)
            .multiclass(word("multiclass", multiclass)?);
        inner.recipe.params = params;
        inner.recipe.keep = keep.map(|text| word("keep", text)).transpose()?;
        inner.class_weights = class_weights(balanced, class_weight);
        if let Some(text) = kernel {
            let policy = policy.map_or(Ok(Way::Projectron { eta: ETA }), str::parse).map_err(exception)?;
            let budget = budget.map(|most| Budget { most, policy, seed });
            inner.recipe.kernel = Some(Choice { function: text.parse().map_err(exception)?, budget });
        }
        inner.recipe.params().map_err(exception)?;
        inner.recipe.keep().map_err(exception)?;
        inner.recipe.kernel().map_err(exception)?;
        Ok(Trainer { inner })
    }

    /// Trains on rows of these classes. Returns the model, the report, and what `partial_fit` needs to continue.
    /// `pass_ended` is called after every pass with its number, its mistakes and the model so far (if `look` is true);
    /// it returns whether to stop.
    #[pyo3(signature = (x, classes, labels, *, names=None, weights=None, held=None, patience=5, tolerance=None,
        start=None, pass_ended=None, look=false))]
    #[expect(clippy::too_many_arguments, reason = "all of them are named where it is called")]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        classes: PyReadonlyArray1<'py, u32>,
        labels: Vec<String>,
        names: Option<Vec<String>>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        held: Option<(Bound<'py, PyAny>, PyReadonlyArray1<'py, u32>)>,
        patience: u32,
        tolerance: Option<f64>,
        start: Option<&Model>,
        pass_ended: Option<Py<PyAny>>,
        look: bool,
    ) -> PyResult<(Model, Bound<'py, PyDict>, Paused)> {
        let rows = Held::new(x)?;
        let slices = rows.slices()?;
        let (classes, labels) = (classes.as_slice()?, Labels::new(labels));
        let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
        let held_rows = held.as_ref().map(|(x, _)| Held::new(x)).transpose()?;
        let held_slices = held_rows.as_ref().map(Held::slices).transpose()?;
        let held_classes = held.as_ref().map(|(_, classes)| classes.as_slice()).transpose()?;
        let mut trainer = self.inner.clone();
        if let Some(start) = start {
            trainer.start = begin_at(start, &trainer)?;
        }
        let features = x.getattr("shape")?.extract::<(usize, usize)>()?.1;
        let (trainer, schema, labels) = (&trainer, &schema(features, names), &labels);
        let callback = pass_ended.map(|callback| -> Box<PassEnded<'_>> {
            Box::new(move |py: Python<'_>, progress: &Progress, learner: &dyn AnyLearner| {
                let seen = if look {
                    let model =
                        trainer.model_now(learner, labels, schema, progress, classes.len()).map_err(exception)?;
                    Some(Model { inner: model })
                } else {
                    None
                };
                let mistakes = progress.mistakes_by_epoch.last().copied().unwrap_or(0);
                callback.call1(py, (progress.epochs(), mistakes, seen))?.extract(py)
            })
        });
        let fitted = cross(py, callback, |watcher| {
            let examples = Examples::new(slices.rows()?, classes, weights)?;
            let held = match (held_slices, held_classes) {
                (Some(slices), Some(classes)) => Some(HeldBack::Rows(Examples::new(slices.rows()?, classes, None)?)),
                _ => None,
            };
            let borrowed = Borrowed { examples, labels, schema };
            let mut plateau;
            let observer: &mut dyn Observer = match tolerance {
                Some(tolerance) => {
                    plateau = StopOnPlateau::new(tolerance, patience, watcher);
                    &mut plateau
                }
                None => watcher,
            };
            let with = With { held, patience: Some(patience), resume: None, observer: Some(observer) };
            trainer.fit_with(Data::Borrowed(borrowed), with)
        })?;
        let report = facts(py, &fitted.model)?;
        report.set_item("margin", fitted.report.margin.unwrap_or(f64::NAN))?;
        report.set_item("radius", fitted.report.radius)?;
        report.set_item("bound", fitted.report.bound)?;
        report.set_item("train_error", fitted.report.train_error.unwrap_or(f64::NAN))?;
        let mut counts = vec![0; labels.len()];
        classes.iter().for_each(|&class| counts[class as usize] += 1);
        let checkpoint =
            fitted.checkpoint.ok_or_else(|| crate::border::DataError::new_err("this training cannot be continued"))?;
        let paused = Paused { checkpoint: Checkpoint { failures: Vec::new(), ..checkpoint }, counts };
        Ok((Model { inner: fitted.model }, report, paused))
    }
}

/// The weights of a model, as a start vector.
fn begin_at(model: &Model, trainer: &rosenblatt::Trainer) -> PyResult<Start> {
    let Some(weights) = model.inner.hypothesis.linear() else {
        return Err(SettingsError::new_err("a kernel machine has no weights to start from"));
    };
    let (values, bias) = (weights.values().to_vec(), weights.bias().to_vec());
    Ok(Start::At(Weights::from_parts(values, bias, trainer.recipe.bias)))
}

/// A trainer for batches.
#[pyclass(module = "rosenblatt._rosenblatt")]
pub(crate) struct OnlineTrainer {
    inner: rosenblatt::fit::OnlineTrainer,
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
        let inner = rosenblatt::fit::OnlineTrainer::new(trainer, Labels::new(labels), schema(features, names));
        Ok(OnlineTrainer { inner: inner.map_err(exception)? })
    }

    /// Adds classes: `labels` are all classes so far and more, in order.
    fn admit(&mut self, labels: Vec<String>) -> PyResult<()> {
        self.inner.admit(Labels::new(labels)).map_err(exception)
    }

    /// Learns from one batch, once.
    #[pyo3(signature = (x, classes, weights=None))]
    fn learn<'py>(
        &mut self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        classes: PyReadonlyArray1<'py, u32>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<()> {
        let rows = Held::new(x)?;
        let (slices, classes) = (rows.slices()?, classes.as_slice()?);
        let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
        let inner = &mut self.inner;
        let stopped: Option<Stop> =
            cross(py, None, |watcher| inner.learn(Examples::new(slices.rows()?, classes, weights)?, watcher))?;
        debug_assert_eq!(stopped, None, "what stops a batch raises");
        Ok(())
    }

    /// Mistakes of each pass; all batches together are the last one.
    #[getter]
    fn mistakes_by_epoch(&self) -> Vec<u64> {
        let progress = self.inner.progress();
        progress.mistakes_by_epoch.iter().copied().chain([progress.pass_mistakes]).collect()
    }

    /// The model so far.
    fn model(&self) -> PyResult<Model> {
        Ok(Model { inner: self.inner.model().map_err(exception)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (State<'py>,)>> {
        let (batches, counts) = self.inner.history();
        let bytes = PyBytes::new(py, &self.inner.checkpoint().to_bytes());
        let (balanced, given) = match self.inner.class_weights() {
            ClassWeights::Equal => (false, None),
            ClassWeights::Balanced => (true, None),
            ClassWeights::Given(given) => (false, Some(given.clone())),
        };
        let resumed = py.get_type::<OnlineTrainer>().getattr("resumed")?;
        Ok((resumed, ((bytes, batches, counts.to_vec(), balanced, given),)))
    }

    /// Restores a pickled trainer.
    #[staticmethod]
    fn resumed(state: State<'_>) -> PyResult<Self> {
        let (bytes, batches, counts, balanced, given) = state;
        let checkpoint = Checkpoint::from_bytes("the pickled learner", bytes.as_bytes()).map_err(exception)?;
        let trainer = checkpoint.trainer(1).class_weights(class_weights(balanced, given));
        let inner = rosenblatt::fit::OnlineTrainer::resume(trainer, &checkpoint, batches, &counts);
        Ok(OnlineTrainer { inner: inner.map_err(exception)? })
    }
}

/// A finished training that `partial_fit` can continue.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct Paused {
    checkpoint: Checkpoint,
    /// Examples of each class.
    counts: Vec<u64>,
}

#[pymethods]
impl Paused {
    /// A trainer that continues with batches.
    fn resume(&self, trainer: &Trainer) -> PyResult<OnlineTrainer> {
        let inner = rosenblatt::fit::OnlineTrainer::resume(trainer.inner.clone(), &self.checkpoint, 0, &self.counts);
        Ok(OnlineTrainer { inner: inner.map_err(exception)? })
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

/// The pickled state: a checkpoint in the library's format, the batches and the examples of each class so far, and the
/// class weights.
type State<'py> = (Bound<'py, PyBytes>, u64, Vec<u64>, bool, Option<BTreeMap<String, f64>>);

fn class_weights(balanced: bool, given: Option<BTreeMap<String, f64>>) -> ClassWeights {
    match given {
        _ if balanced => ClassWeights::Balanced,
        Some(given) => ClassWeights::Given(given),
        None => ClassWeights::Equal,
    }
}
