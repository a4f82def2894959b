//! Training for the estimators: a trainer with its settings, and an online trainer for batches.

use std::collections::BTreeMap;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rosenblatt::fit::{
    Borrowed, Checkpoint, Data, Fitted, HeldBack, Observer, Order, Report, Start, StopOnPlateau, With,
};
use rosenblatt::learn::kernel::Choice;
use rosenblatt::learn::kernel::budget::{Budget, ETA, Way};
use rosenblatt::learn::{AnyLearner, Progress, Weights, learners as learner};
use rosenblatt::map::Chain;
use rosenblatt::named::Named;
use rosenblatt::rows::{AnyRows, Examples, Labels, Matrix, Schema, Table};
use rosenblatt::{Bias, calibrate, examine};

use crate::arrays::{Held, schema};
use crate::border::{PassEnded, SettingsError, cross_asking, cross_training, exception};
use crate::model::{Model, facts, hyperplane};
use crate::online::{Paused, class_weights};
use crate::words;

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
        .ok_or_else(|| SettingsError::new_err(format!("{what}='{text}': expected one of {}", T::names().join(", "))))
}

#[pymethods]
impl Trainer {
    #[new]
    #[pyo3(signature = (learner, *, params, keep=None, multiclass="single", tie="update", bias=1.0, epochs=10,
        shuffle=true, seed=0, balanced=false, class_weight=None, kernel=None, budget=None, policy=None, stop="last"))]
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
        stop: &str,
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
        inner.until = word("stop", stop)?;
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
        start=None, start_at=None, calibrated=false, pass_ended=None, look=false))]
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
        start_at: Option<(PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>)>,
        calibrated: bool,
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
        if let Some((weights, bias)) = &start_at {
            trainer.start = Start::At(hyperplane(weights, bias, trainer.recipe.bias)?);
        }
        let features = x.getattr("shape")?.extract::<(usize, usize)>()?.1;
        let maps = &Maps::new(start, schema(features, names));
        let (trainer, schema, labels) = (&trainer, &maps.behind(features), &labels);
        let callback = pass_ended.map(|callback| -> Box<PassEnded<'_>> {
            Box::new(move |py: Python<'_>, progress: &Progress, learner: &dyn AnyLearner| {
                let model = || trainer.model_now(learner, labels, schema, progress, classes.len()).map_err(exception);
                let seen = look.then(model).transpose()?.map(|model| Model::new(maps.in_front(model)));
                let mistakes = progress.mistakes_by_epoch.last().copied().unwrap_or(0);
                callback.call1(py, (progress.epochs(), mistakes, seen))?.extract(py)
            })
        });
        let mut fitted = cross_training(py, callback, |watcher| {
            let (mut mapped, mut held_mapped) = (None, None);
            let examples = Examples::new(maps.rows(slices.rows()?, &mut mapped)?, classes, weights)?;
            let held = match (held_slices, held_classes) {
                (Some(slices), Some(classes)) => {
                    let rows = maps.rows(slices.rows()?, &mut held_mapped)?;
                    Some(HeldBack::Rows(Examples::new(rows, classes, None)?))
                }
                _ => None,
            };
            let borrowed = Borrowed { examples, labels, schema };
            // Without a tolerance it never stops.
            let mut plateau: StopOnPlateau<'_> =
                StopOnPlateau::new(tolerance.unwrap_or(0.0), tolerance.map_or(u32::MAX, |_| patience), watcher);
            let observer: &mut dyn Observer = &mut plateau;
            let with = With { held, patience: Some(patience), resume: None, observer: Some(observer) };
            trainer.fit_with(Data::Borrowed(borrowed), with)
        })?;
        if calibrated {
            cross_asking(py, |_| {
                let mut table = slices.table(classes.to_vec(), labels.clone(), schema.clone());
                table.weights = weights.map(<[f64]>::to_vec);
                calibrate_like(trainer, &table, &mut fitted)
            })?;
        }
        let model = maps.in_front(fitted.model);
        let report = measured(py, &model, &fitted.report)?;
        let mut counts = vec![0; labels.len()];
        classes.iter().for_each(|&class| counts[class as usize] += 1);
        let checkpoint =
            fitted.checkpoint.ok_or_else(|| crate::border::DataError::new_err("this training cannot be continued"))?;
        let Maps { schema, chain } = maps.clone();
        let checkpoint = Checkpoint { failures: Vec::new(), schema, chain, ..checkpoint };
        Ok((Model::new(model), report, Paused { checkpoint, counts }))
    }

    /// Trains, and examines the training and its data. Returns the findings: what was found, and the message with the
    /// advice.
    #[pyo3(signature = (x, classes, labels, *, names=None, weights=None))]
    fn examine<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        classes: PyReadonlyArray1<'py, u32>,
        labels: Vec<String>,
        names: Option<Vec<String>>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Vec<(String, String)>> {
        let rows = Held::new(x)?;
        let (slices, classes) = (rows.slices()?, classes.as_slice()?);
        let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
        let features = x.getattr("shape")?.extract::<(usize, usize)>()?.1;
        let found = cross_asking(py, |_| {
            slices.rows()?;
            let mut table = slices.table(classes.to_vec(), Labels::new(labels), schema(features, names));
            table.weights = weights.map(<[f64]>::to_vec);
            let fitted = self.inner.fit(&table)?;
            examine(&self.inner, &table, &fitted, None)
        })?;
        let kind = |text: &str| text.split([' ', '{']).next().unwrap_or_default().to_string();
        Ok(found.iter().map(|one| (kind(&format!("{one:?}")), words::finding(one))).collect())
    }
}

/// How a model was trained, and how good it is on its training rows.
pub(crate) fn measured<'py>(
    py: Python<'py>,
    model: &rosenblatt::Model,
    report: &Report,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = facts(py, model)?;
    dict.set_item("margin", report.margin.unwrap_or(f64::NAN))?;
    dict.set_item("radius", report.radius)?;
    dict.set_item("bound", report.bound)?;
    dict.set_item("train_error", report.train_error.unwrap_or(f64::NAN))?;
    Ok(dict)
}

/// Calibrates a fitted model: the same training on folds of its rows gives scores of rows that were not learned from.
fn calibrate_like(trainer: &rosenblatt::Trainer, table: &Table, fitted: &mut Fitted) -> rosenblatt::Result<()> {
    let mut same = trainer.clone();
    if let Some(validation) = &fitted.model.facts.validation {
        same.plan.epochs = validation.kept.max(1);
    }
    let calibration = calibrate(|part| same.fit(part), table, fitted.model.facts.seed.unwrap_or(0))?;
    fitted.model.calibration = Some(calibration.scaled(fitted.model.hypothesis.scale()?));
    Ok(())
}

/// The maps of a model to start from: its weights belong to rows behind them.
#[derive(Clone)]
pub(crate) struct Maps {
    /// Rows before the maps.
    pub(crate) schema: Schema,
    pub(crate) chain: Chain,
}

impl Maps {
    pub(crate) fn new(start: Option<&Model>, given: Schema) -> Self {
        match start {
            // A table of texts and categories is still read as one.
            Some(start) if !start.inner.chain.is_empty() || start.columns().is_some() => {
                Maps { schema: start.inner.schema.clone(), chain: start.inner.chain.clone() }
            }
            _ => Maps { schema: given, chain: Chain::default() },
        }
    }

    /// The schema of rows behind the maps.
    fn behind(&self, features: usize) -> Schema {
        if self.chain.is_empty() { self.schema.clone() } else { schema(self.chain.features(features), None) }
    }

    /// A model of rows behind the maps as one of rows before them.
    fn in_front(&self, mut model: rosenblatt::Model) -> rosenblatt::Model {
        (model.schema, model.chain) = (self.schema.clone(), self.chain.clone());
        model
    }

    /// Rows behind the maps; `mapped` holds them if there are maps.
    fn rows<'a>(&self, rows: AnyRows<'a>, mapped: &'a mut Option<Matrix>) -> rosenblatt::Result<AnyRows<'a>> {
        if self.chain.is_empty() { Ok(rows) } else { mapped.insert(self.chain.matrix(rows)?).rows() }
    }
}

/// The weights of a model, as a start vector.
pub(crate) fn begin_at(model: &Model, trainer: &rosenblatt::Trainer) -> PyResult<Start> {
    let Some(weights) = model.inner.hypothesis.linear() else {
        return Err(SettingsError::new_err("a kernel machine has no weights to start from"));
    };
    let (values, bias) = (weights.values().to_vec(), weights.bias().to_vec());
    Ok(Start::At(Weights::from_parts(values, bias, trainer.recipe.bias)))
}
