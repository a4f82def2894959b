//! One example at a time, as a dict of features: river's contract.
//!
//! Features and classes are numbered in the order in which they appear; both may appear at any time. A call holds the
//! interpreter, because it takes about as long as to release it.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rosenblatt::fit::{Checkpoint, OnlineTrainer};
use rosenblatt::learn::{Scratch, decide};
use rosenblatt::rows::{Labels, Schema, Sparse};

use crate::border::{DataError, exception};
use crate::estimator::Trainer;
use crate::model::Reduced;

/// A learner of dicts.
#[pyclass(module = "rosenblatt._rosenblatt")]
pub(crate) struct DictLearner {
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
        let numbers = PyDict::new(py);
        for (number, class) in classes.bind(py).iter().enumerate() {
            numbers.set_item(class, number)?;
        }
        let (entries, indices, values, scores) = Default::default();
        Ok(DictLearner { online, features, classes, numbers: numbers.unbind(), entries, indices, values, scores })
    }

    /// Reads an example; unknown features get numbers if `learns`, else they are left out. Neither numbers nor sums depend on
    /// the order of the dict: new features are numbered in the order of their texts, and sums run by number.
    fn read(&mut self, x: &Bound<'_, PyDict>, learns: bool) -> PyResult<()> {
        let features = self.features.bind(x.py());
        let mut unknown = Vec::new();
        self.entries.clear();
        for (name, value) in x {
            let value: f64 = value.extract().map_err(|_| not_a_number(&name, &value))?;
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

fn shown(name: &Bound<'_, PyAny>) -> String {
    name.repr().map_or_else(|_| "?".to_string(), |text| text.to_string())
}

fn not_a_number(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyErr {
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
    fn learn(&mut self, x: &Bound<'_, PyDict>, y: &Bound<'_, PyAny>, weight: f64) -> PyResult<()> {
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

    /// The class of one example; `None` before the first.
    fn classify<'py>(&mut self, x: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if !self.score(x)? {
            return Ok(None);
        }
        self.classes.bind(x.py()).get_item(self.decided(x.py())).map(Some)
    }

    /// The class, and the score of each class; of two, the second's is minus the first's.
    fn scores<'py>(&mut self, x: &Bound<'py, PyDict>) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyDict>)>> {
        let py = x.py();
        if !self.score(x)? {
            return Ok(None);
        }
        let (scores, classes) = (PyDict::new(py), self.classes.bind(py));
        for (number, class) in classes.iter().enumerate() {
            let score = match self.scores[..] {
                [score] => {
                    if number == 1 {
                        score
                    } else {
                        -score
                    }
                }
                _ => self.scores[number],
            };
            scores.set_item(class, score)?;
        }
        Ok(Some((classes.get_item(self.decided(py))?, scores)))
    }

    /// The classes so far, in order of appearance.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.classes.bind(py).get_slice(0, usize::MAX)
    }

    /// The weight of each feature for each class (of two: for the second), and the biases.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let features = self.features.bind(py);
        let all: Vec<u32> = (0..features.len() as u32).collect();
        let kept = match self.online.kept_at(&all) {
            Some(kept) => kept,
            None => self.online.model().map_err(exception)?.hypothesis.summed(),
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
        let outputs = self.classes.bind(py).len().max(1);
        2 * 8 * self.features.bind(py).len() * if outputs <= 2 { 1 } else { outputs }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (State<'py>,)>> {
        let bytes = PyBytes::new(py, &self.online.checkpoint().to_bytes());
        let (_, counts) = self.online.history();
        let resumed = py.get_type::<DictLearner>().getattr("resumed")?;
        let (features, classes) = (self.features.bind(py).copy()?, self.classes(py));
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
