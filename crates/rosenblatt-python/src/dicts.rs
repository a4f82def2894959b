//! One example at a time, as a dict of features: river's contract.
//!
//! Features and classes are numbered in the order in which they appear; both may appear at any time. A call holds the
//! interpreter, because it takes about as long as to release it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use pyo3::types::{PyBytes, PyDict, PyList};
use rosenblatt::fit::{Checkpoint, OnlineTrainer};
use rosenblatt::learn::{Scratch, decide};
use rosenblatt::rows::{Labels, Schema, Sparse};

use crate::border::{DataError, exception};
use crate::estimator::Trainer;
use crate::model::Reduced;

/// A learner of dicts.
///
/// Names and values may be Python's own objects, whose methods let other threads run: they wait for the lock.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct DictLearner {
    locked: Mutex<Learner>,
}

struct Learner {
    online: OnlineTrainer,
    /// The number of each feature.
    features: Py<PyDict>,
    /// The classes, and the number of each.
    classes: Py<PyList>,
    numbers: Py<PyDict>,
    /// The entries of the current example: numbers and values, in the order of the numbers.
    entries: Vec<(u32, f64)>,
    indices: Vec<u32>,
    values: Vec<f64>,
    scores: Vec<f64>,
}

/// The names of so many classes inside of the library: their numbers.
fn names(classes: usize) -> Labels {
    Labels::new((0..classes.max(2)).map(|class| class.to_string()).collect())
}

/// A pickled learner: a checkpoint, the examples of each class, the features and the classes.
type State<'py> = (Bound<'py, PyBytes>, Vec<u64>, Bound<'py, PyDict>, Bound<'py, PyList>);

impl DictLearner {
    fn of(py: Python<'_>, online: OnlineTrainer, features: Py<PyDict>, classes: Py<PyList>) -> PyResult<Self> {
        Ok(DictLearner { locked: Mutex::new(Learner::of(py, online, features, classes)?) })
    }

    /// A panic leaves a state as after an error.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Learner> {
        self.locked.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Learner {
    fn of(py: Python<'_>, online: OnlineTrainer, features: Py<PyDict>, classes: Py<PyList>) -> PyResult<Self> {
        let numbers = PyDict::new(py);
        for (number, class) in classes.bind(py).iter().enumerate() {
            numbers.set_item(class, number)?;
        }
        let (entries, indices, values, scores) = Default::default();
        Ok(Learner { online, features, classes, numbers: numbers.unbind(), entries, indices, values, scores })
    }

    /// Reads an example; unknown features get numbers if `learns`, else they are left out. Neither numbers nor sums depend on
    /// the order of the dict: new features are numbered in the order of their texts, and sums run by number.
    fn read(&mut self, x: &Bound<'_, PyDict>, learns: bool) -> PyResult<()> {
        let features = self.features.bind(x.py());
        let mut unknown = Vec::new();
        self.entries.clear();
        for (name, value) in x {
            let value: f64 = value.extract().map_err(|why: PyErr| not_a_number(&name, &value, &why))?;
            if !value.is_finite() {
                let message = format!("feature {}: {value} is not a finite number", shown(&name));
                return Err(DataError::new_err(message));
            }
            match features.get_item(&name)? {
                Some(index) => self.entries.push((index.extract()?, value)),
                None if learns => unknown.push((shown(&name), name, value)),
                None => {}
            }
        }
        unknown.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        for (_, name, value) in unknown {
            let index = u32::try_from(features.len()).map_err(|_| DataError::new_err("too many features"))?;
            features.set_item(name, index)?;
            self.entries.push((index, value));
        }
        if !self.entries.is_sorted_by_key(|entry| entry.0) {
            self.entries.sort_unstable_by_key(|entry| entry.0);
        }
        self.indices.clear();
        self.values.clear();
        for &(index, value) in &self.entries {
            self.indices.push(index);
            self.values.push(value);
        }
        Ok(())
    }

    /// Learns from one example.
    fn present(&mut self, x: &Bound<'_, PyDict>, y: &Bound<'_, PyAny>, weight: f64) -> PyResult<()> {
        let py = x.py();
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(DataError::new_err(format!("weight {weight}: expected a finite number of at least 0")));
        }
        self.read(x, true)?;
        self.online.grow(self.features.bind(py).len()).map_err(exception)?;
        let class = match self.numbers.bind(py).get_item(y)? {
            Some(class) => class.extract()?,
            None => {
                let class = self.classes.bind(py).len();
                if class >= 2 {
                    self.online.admit(names(class + 1)).map_err(exception)?;
                }
                self.numbers.bind(py).set_item(y, class)?;
                self.classes.bind(py).append(y)?;
                class as u32
            }
        };
        if weight > 0.0 {
            let row = Sparse { indices: &self.indices, values: &self.values };
            self.online.learn_one(row, class, weight).map_err(exception)?;
        }
        Ok(())
    }

    /// Whether there is anything to answer with: then `scores` are those of the example.
    fn score(&mut self, x: &Bound<'_, PyDict>) -> PyResult<bool> {
        self.read(x, false)?;
        if self.classes.bind(x.py()).is_empty() {
            return Ok(false);
        }
        let row = Sparse { indices: &self.indices, values: &self.values };
        if !self.online.score_one(row, &mut self.scores) {
            let model = self.online.model().map_err(exception)?;
            let mut scratch = Scratch::default();
            model.hypothesis.scores(row, model.tie(), &mut scratch);
            self.scores = scratch.scores;
        }
        Ok(true)
    }

    /// The number of the class of the example.
    fn decided(&self, py: Python<'_>) -> usize {
        // Of one class alone there is no other to answer.
        (decide(&self.scores, self.online.tie()) as usize).min(self.classes.bind(py).len() - 1)
    }
}

/// The example as a dict: other mappings, and rows of pandas, become one.
fn as_dict<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    match x.cast::<PyDict>() {
        Ok(dict) => Ok(dict.clone()),
        Err(_) => Ok(x.py().get_type::<PyDict>().call1((x,))?.cast_into::<PyDict>()?),
    }
}

fn shown(name: &Bound<'_, PyAny>) -> String {
    name.repr().map_or_else(|_| "?".to_string(), |text| text.to_string())
}

fn not_a_number(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, why: &PyErr) -> PyErr {
    if why.is_instance_of::<PyOverflowError>(value.py()) {
        return DataError::new_err(format!("feature {}: a whole number too large for a float", shown(name)));
    }
    PyTypeError::new_err(format!(
        "feature {}: expected a number, found {}; make texts and categories numbers first, by one-hot encoding for example",
        shown(name),
        shown(value)
    ))
}

#[pymethods]
impl DictLearner {
    #[new]
    fn new(py: Python<'_>, trainer: &Trainer) -> PyResult<Self> {
        let schema = Schema::Indexed { first: 0, features: 0 };
        let online = OnlineTrainer::new(trainer.inner.clone(), names(2), schema).map_err(exception)?;
        DictLearner::of(py, online, PyDict::new(py).unbind(), PyList::empty(py).unbind())
    }

    /// Learns from one example.
    #[pyo3(signature = (x, y, weight=1.0))]
    fn learn(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>, weight: f64) -> PyResult<()> {
        let x = &as_dict(x)?;
        self.lock(x.py()).present(x, y, weight)
    }

    /// The class of one example; `None` before the first.
    fn classify<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let x = &as_dict(x)?;
        let mut learner = self.lock(x.py());
        if !learner.score(x)? {
            return Ok(None);
        }
        learner.classes.bind(x.py()).get_item(learner.decided(x.py())).map(Some)
    }

    /// The class, and the score of each class; of two, the second's is minus the first's.
    fn scores<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyDict>)>> {
        let (py, x) = (x.py(), &as_dict(x)?);
        let mut learner = self.lock(py);
        if !learner.score(x)? {
            return Ok(None);
        }
        let (scores, classes) = (PyDict::new(py), learner.classes.bind(py));
        for (number, class) in classes.iter().enumerate() {
            let score = match learner.scores[..] {
                [score] => {
                    if number == 1 {
                        score
                    } else {
                        -score
                    }
                }
                _ => learner.scores[number],
            };
            scores.set_item(class, score)?;
        }
        Ok(Some((classes.get_item(learner.decided(py))?, scores)))
    }

    /// The classes so far, in order of appearance.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.lock(py).classes.bind(py).get_slice(0, usize::MAX)
    }

    /// The weight of each feature for each class (of two: for the second), and the biases.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let learner = self.lock(py);
        let features = learner.features.bind(py);
        let all: Vec<u32> = (0..features.len() as u32).collect();
        let kept = match learner.online.kept_at(&all) {
            Some(kept) => kept,
            None => learner.online.model().map_err(exception)?.hypothesis.summed(),
        };
        let by_output = PyList::empty(py);
        for output in 0..kept.outputs() {
            let weights = PyDict::new(py);
            for (name, weight) in features.keys().iter().zip(kept.column(output)) {
                weights.set_item(name, weight)?;
            }
            by_output.append(weights)?;
        }
        Ok((by_output, PyList::new(py, kept.bias())?))
    }

    /// Bytes of the weights and of what the learner keeps beside them, about.
    fn __sizeof__(&self, py: Python<'_>) -> usize {
        let learner = self.lock(py);
        let outputs = learner.classes.bind(py).len().max(1);
        2 * 8 * learner.features.bind(py).len() * if outputs <= 2 { 1 } else { outputs }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (State<'py>,)>> {
        let resumed = py.get_type::<DictLearner>().getattr("resumed")?;
        let learner = self.lock(py);
        let bytes = PyBytes::new(py, &learner.online.checkpoint().to_bytes());
        let (_, counts) = learner.online.history();
        let (features, classes) =
            (learner.features.bind(py).copy()?, learner.classes.bind(py).get_slice(0, usize::MAX));
        Ok((resumed, ((bytes, counts.to_vec(), features, classes),)))
    }

    /// Restores a pickled learner.
    #[staticmethod]
    fn resumed(py: Python<'_>, state: State<'_>) -> PyResult<Self> {
        let (bytes, counts, features, classes) = state;
        let checkpoint = Checkpoint::from_bytes("the pickled learner", bytes.as_bytes()).map_err(exception)?;
        let known = checkpoint.labels.len().max(2);
        if checkpoint.schema.features() != features.len() || classes.len() > known {
            return Err(crate::border::ModelError::new_err(
                "the pickled learner does not fit its features and classes",
            ));
        }
        let online = OnlineTrainer::resume(checkpoint.trainer(1), &checkpoint, 0, &counts).map_err(exception)?;
        DictLearner::of(py, online, features.copy()?.unbind(), classes.get_slice(0, usize::MAX).unbind())
    }
}
