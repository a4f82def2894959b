//! Training of a tagger on batches of sentences. Other threads may predict meanwhile: they wait for the end of a batch.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rosenblatt::structured::{self, Scheme};

use crate::border::{Guarded, cross, exception};
use crate::estimator::word;
use crate::model::Reduced;
use crate::tagger::{SENTENCES, Tagger, TaggerTrainer, with_tags};

/// A trainer for batches of sentences.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct OnlineTagger {
    locked: Guarded<Learned>,
}

/// The trainer, and the tagger of what it has learned, if that was built: it takes the time of all weights.
struct Learned {
    trainer: structured::OnlineTagger,
    tagger: Option<Arc<structured::Tagger>>,
}

impl OnlineTagger {
    fn of(online: rosenblatt::Result<structured::OnlineTagger>) -> PyResult<Self> {
        let trainer = online.map_err(exception)?;
        Ok(OnlineTagger { locked: Guarded::new(Learned { trainer, tagger: None }) })
    }
}

#[pymethods]
impl OnlineTagger {
    /// Starts at zero, or from the weights of a tagger.
    #[new]
    #[pyo3(signature = (trainer, tags, start=None))]
    fn new(trainer: &TaggerTrainer, tags: Vec<String>, start: Option<&Tagger>) -> PyResult<Self> {
        let settings = trainer.inner.clone();
        let online = match start {
            Some(start) => structured::OnlineTagger::from_tagger(settings, &start.inner),
            None => structured::OnlineTagger::new(settings, &tags),
        };
        OnlineTagger::of(online)
    }

    /// Learns from one batch, once.
    fn learn(&self, py: Python<'_>, sentences: &Bound<'_, PyAny>, tags: &Bound<'_, PyAny>) -> PyResult<()> {
        let (batch, columns) = with_tags(sentences, tags)?;
        cross(py, None, |watcher| {
            let mut learned = self.locked.lock()?;
            learned.tagger = None;
            learned.trainer.learn(SENTENCES, &batch, columns, watcher)
        })?;
        Ok(())
    }

    /// The tags so far.
    #[getter]
    fn labels(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| Ok(self.locked.lock()?.trainer.labels())).map_err(exception)
    }

    /// Sentences with a wrong tag before a step.
    #[getter]
    fn mistakes(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| Ok(self.locked.lock()?.trainer.progress().mistakes)).map_err(exception)
    }

    /// The tagger so far.
    fn tagger(&self, py: Python<'_>) -> PyResult<Tagger> {
        let inner = cross(py, None, |_| {
            let Learned { trainer, tagger } = &mut *self.locked.lock()?;
            match tagger {
                Some(tagger) => Ok(Arc::clone(tagger)),
                None => Ok(Arc::clone(tagger.insert(Arc::new(trainer.tagger()?)))),
            }
        })?;
        Ok(Tagger { inner })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, State<'py>>> {
        let ([last, sums], batches, encode) = cross(py, None, |_| self.locked.lock()?.trainer.state())?;
        let resumed = py.get_type::<OnlineTagger>().getattr("resumed")?;
        let bytes = |tagger: &structured::Tagger| PyBytes::new(py, &tagger.to_bytes());
        Ok((resumed, (bytes(&last), bytes(&sums), batches, encode.map(Scheme::name))))
    }

    /// Restores a pickled trainer.
    #[staticmethod]
    #[pyo3(signature = (last, sums, batches, encode=None))]
    fn resumed(last: &[u8], sums: &[u8], batches: u32, encode: Option<&str>) -> PyResult<Self> {
        let read = |bytes: &[u8]| structured::Tagger::from_bytes("the pickled tagger", bytes).map_err(exception);
        let parts = [read(last)?, read(sums)?];
        let encode = encode.map(|name| word("encode", name)).transpose()?;
        OnlineTagger::of(structured::OnlineTagger::resume(&parts, batches, encode))
    }
}

/// The pickled state: the last weights and the sums of the average as models, the batches so far, and the scheme to learn in.
type State<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, u32, Option<&'static str>);
