//! A trained classifier: prediction, pickling, model files.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rosenblatt::learn::{Hypothesis, Weights};
use rosenblatt::map::Chain;
use rosenblatt::rows::{Column, ColumnKind, Schema, canonical_label};
use rosenblatt::{Bias, Explainer};

use crate::arrays::Held;
use crate::border::{DataError, cross, cross_asking, exception};

/// The canonical text of each label: equal exactly if two labels are one.
#[pyfunction]
pub fn canonical_labels(labels: Vec<String>) -> Vec<String> {
    labels.iter().map(|label| canonical_label(label).into_owned()).collect()
}

/// A pickle: a function and its arguments.
pub(crate) type Reduced<'py, Arguments> = (Bound<'py, PyAny>, Arguments);

/// One row of weights for each output, and the biases.
type Hyperplane<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// The class, the runner-up, the score, the part of the bias, and the parts of the features.
type Explained = (String, Option<String>, f64, f64, Vec<(String, f64, f64)>);

/// A trained classifier.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct Model {
    pub(crate) inner: Arc<rosenblatt::Model>,
}

impl Model {
    pub(crate) fn new(model: rosenblatt::Model) -> Self {
        Model { inner: Arc::new(model) }
    }

    /// Scores rows. Votes and kernel machines may take long: then this thread checks for Ctrl-C.
    fn cross<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> rosenblatt::Result<T> + Send) -> PyResult<T> {
        match self.inner.hypothesis {
            Hypothesis::Linear(_) => cross(py, None, |_| work()),
            _ => cross_asking(py, |_| work()),
        }
    }
}

/// Weights from one row for each output, and the biases.
pub(crate) fn hyperplane(
    values: &PyReadonlyArray2<'_, f64>,
    bias: &PyReadonlyArray1<'_, f64>,
    constant: Bias,
) -> PyResult<Weights> {
    let (outputs, features) = (values.shape()[0], values.shape()[1]);
    let (rows, bias) = (values.as_slice()?, bias.as_slice()?.to_vec());
    if bias.len() != outputs || outputs == 0 {
        return Err(DataError::new_err(format!("{outputs} rows of weights, but {} biases", bias.len())));
    }
    if !rows.iter().chain(&bias).all(|v| v.is_finite()) {
        return Err(DataError::new_err("weights must be finite numbers"));
    }
    let by_feature = (0..features).flat_map(|j| (0..outputs).map(move |k| rows[k * features + j])).collect();
    Ok(Weights::from_parts(by_feature, bias, constant))
}

/// How a model was trained.
pub(crate) fn facts<'py>(py: Python<'py>, model: &rosenblatt::Model) -> PyResult<Bound<'py, PyDict>> {
    let facts = &model.facts;
    let dict = PyDict::new(py);
    dict.set_item("learner", &facts.recipe.learner)?;
    dict.set_item("params", facts.recipe.params().map_err(exception)?.texts())?;
    dict.set_item("keep", facts.recipe.keep().map_err(exception)?.name())?;
    dict.set_item("kernel", facts.recipe.kernel.as_ref().map(|choice| choice.function.to_string()))?;
    dict.set_item("bias", facts.recipe.bias.beta())?;
    dict.set_item("multiclass", facts.recipe.multiclass.name())?;
    dict.set_item("order", facts.order.name())?;
    dict.set_item("seed", facts.seed)?;
    dict.set_item("examples", facts.examples)?;
    dict.set_item("presented", facts.presented)?;
    dict.set_item("mistakes", facts.mistakes)?;
    dict.set_item("updates", facts.updates)?;
    dict.set_item("mistakes_by_epoch", &facts.mistakes_by_epoch)?;
    dict.set_item("stopped", facts.stopped.name())?;
    if let Some(validated) = &facts.validation {
        dict.set_item("kept_epoch", validated.kept)?;
        let share = |&wrong: &u64| wrong as f64 / validated.examples as f64;
        let errors: Vec<f64> = validated.wrong_by_epoch.iter().map(share).collect();
        dict.set_item("validation_error_by_epoch", errors)?;
    }
    Ok(dict)
}

#[pymethods]
impl Model {
    /// The class number of each row.
    fn classify<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let rows = Held::new(x)?;
        let slices = rows.slices()?;
        let classes = self.cross(py, || self.inner.classify_all(slices.rows()?))?;
        Ok(PyArray1::from_vec(py, classes))
    }

    /// The scores of each row: one for two classes, else one for each.
    fn scores<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = Held::new(x)?;
        let slices = rows.slices()?;
        let scores = self.cross(py, || self.inner.score_all(slices.rows()?))?;
        let outputs = self.inner.hypothesis.outputs();
        let shape = [scores.len() / outputs, outputs];
        PyArray1::from_vec(py, scores).reshape(shape)
    }

    /// The weights, one row for each output, and the biases, of the rows before any map: the mean of voters, none for a
    /// kernel machine or behind maps that have no such weights.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Hyperplane<'py>>> {
        if self.inner.hypothesis.linear().is_none() {
            return Ok(None);
        }
        let Some(weights) = self.inner.chain.pulled_back(&self.inner.hypothesis.summed()) else {
            return Ok(None);
        };
        // Adding zero turns −0 into 0, as in the model file.
        let values: Vec<f64> = (0..weights.outputs()).flat_map(|k| weights.column(k)).map(|w| w + 0.0).collect();
        let bias: Vec<f64> = weights.bias().iter().map(|b| b + 0.0).collect();
        let shape = [weights.outputs(), weights.features()];
        Ok(Some((PyArray1::from_vec(py, values).reshape(shape)?, PyArray1::from_vec(py, bias))))
    }

    /// The same model with other weights of the rows before any map: one row for each output, and the biases. Of its
    /// maps and votes nothing remains.
    fn with_weights(&self, values: PyReadonlyArray2<'_, f64>, bias: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let weights = hyperplane(&values, &bias, self.inner.facts.recipe.bias)?;
        let mut inner = (*self.inner).clone();
        inner.chain = Chain::default();
        inner.hypothesis = Hypothesis::Linear(weights);
        inner.calibration = None;
        Ok(Model::new(inner))
    }

    /// The logarithm of the probability of each class, for each row; `None` without a calibration.
    fn ln_probabilities<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some(calibration) = &self.inner.calibration else { return Ok(None) };
        let rows = Held::new(x)?;
        let slices = rows.slices()?;
        let outputs = self.inner.hypothesis.outputs();
        let all = cross(py, None, |_| {
            let (mut one, mut all) = (Vec::new(), Vec::new());
            for scores in self.inner.score_all(slices.rows()?)?.chunks(outputs) {
                calibration.ln_probabilities(scores, &mut one);
                all.extend_from_slice(&one);
            }
            Ok(all)
        })?;
        let classes = self.inner.labels.len();
        let shape = [all.len() / classes, classes];
        PyArray1::from_vec(py, all).reshape(shape).map(Some)
    }

    /// Whether there are probabilities.
    #[getter]
    fn is_calibrated(&self) -> bool {
        self.inner.calibration.is_some()
    }

    /// Why each row gets its class: the class, the runner-up, the score, the part of the bias, and (feature, value, part)
    /// of each feature, the largest first.
    fn explain<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Vec<Explained>> {
        let rows = Held::new(x)?;
        let slices = rows.slices()?;
        cross(py, None, |_| {
            let (explainer, rows) = (Explainer::new(&self.inner)?, slices.rows()?);
            let each = (0..rows.len()).map(|i| {
                let why = explainer.explain(rows, i)?;
                let terms = why.terms.into_iter().map(|term| (term.feature, term.value, term.contribution)).collect();
                Ok((why.label, why.runner_up, why.score, why.bias, terms))
            });
            each.collect()
        })
    }

    /// The model as the bytes of an ONNX file.
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &rosenblatt::onnx(&self.inner).map_err(exception)?))
    }

    /// What happens to a row before it is scored, in words.
    #[getter]
    fn maps(&self) -> Vec<String> {
        self.inner.preparation()
    }

    /// The names of the classes.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.inner.labels.names().to_vec()
    }

    /// The number of features.
    #[getter]
    fn features(&self) -> usize {
        self.inner.schema.features()
    }

    /// The names of the features, if they have any.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        match &self.inner.schema {
            Schema::Columns { header: true, hashed: None, .. } | Schema::Named { .. } => {
                Some(self.inner.schema.feature_names())
            }
            _ => None,
        }
    }

    /// The columns of the table that it reads, if that has texts or categories: (name, kind) of each.
    #[getter]
    pub(crate) fn columns(&self) -> Option<Vec<(String, &'static str)>> {
        let Schema::Columns { columns, header: true, .. } = &self.inner.schema else { return None };
        let kind = |column: &Column| match column.kind {
            ColumnKind::Number => "number",
            ColumnKind::Category { .. } => "category",
            _ => "text",
        };
        let columns: Vec<_> = columns.iter().map(|column| (column.name.clone(), kind(column))).collect();
        columns.iter().any(|(_, kind)| *kind != "number").then_some(columns)
    }

    /// How it was trained.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.inner)
    }

    /// The number of support vectors of a kernel machine.
    #[getter]
    fn support_vectors(&self) -> Option<usize> {
        match &self.inner.hypothesis {
            Hypothesis::Kernel(machine) => Some(machine.support().len()),
            _ => None,
        }
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    /// A model from the bytes of a file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        rosenblatt::Model::from_bytes("the pickled model", bytes).map(Model::new).map_err(exception)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        Ok((py.get_type::<Model>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    /// Writes a model file atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        cross(py, None, |_| self.inner.save(&path))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        cross(py, None, |_| rosenblatt::Model::load(&path)).map(Model::new)
    }
}
