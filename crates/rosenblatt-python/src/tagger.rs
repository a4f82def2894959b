//! Taggers: tokens are words with templates, or have their own features.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyIterator, PyList, PyString, PyTuple};
use rosenblatt::fit::Order;
use rosenblatt::io::Input;
use rosenblatt::learn::OrderKind;
use rosenblatt::structured::read::{Batch, SequenceOptions, Tags};
use rosenblatt::structured::template::{Templates, parse};
use rosenblatt::structured::{self, Constrain, Scheme, Shares};

use crate::border::{DataError, SettingsError, cross, exception};
use crate::estimator::word;
use crate::model::Reduced;

/// The name in messages of sentences that come from Python.
pub(crate) const SENTENCES: &str = "the sentences";
/// The words of a sentence, and their tags.
type Tagged = (Vec<String>, Vec<String>);
/// A feature or a tag before, a tag, and their weight.
type Strength = (String, String, f64);
/// Sentences that are tagged by one thread at a time.
const AT_ONCE: usize = 256;
/// Sentences between two checks for Ctrl-C, while other threads of Python wait.
const ROUND: usize = 32 * AT_ONCE;

/// The number of columns of a token, or 0 if it has its own features.
fn columns(token: &Bound<'_, PyAny>) -> usize {
    if token.is_instance_of::<PyString>() {
        1
    } else if let Ok(fields) = token.cast::<PyTuple>() {
        fields.len()
    } else {
        0
    }
}

fn put_field(field: &Bound<'_, PyAny>, batch: &mut Batch) -> PyResult<()> {
    match field.cast::<PyString>() {
        Ok(text) => batch.put(text.to_str()?),
        Err(_) => {
            return Err(PyTypeError::new_err(format!("expected a word as str: found {}", field.get_type().name()?)));
        }
    }
    Ok(())
}

/// Features as CRFsuite's Python package writes them: a text is `name=text`, a number is the value, true is 1 and false 0,
/// and nested features are prefixed by the outer name and a colon.
fn put_features(features: &Bound<'_, PyAny>, prefix: &str, batch: &mut Batch) -> PyResult<()> {
    let join = |name: &str| if prefix.is_empty() { name.to_string() } else { format!("{prefix}:{name}") };
    let Ok(named) = features.cast::<PyDict>() else {
        if features.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("expected the features of a token as a dict or a list of str"));
        }
        for feature in features.try_iter()? {
            let feature = feature?;
            let Ok(text) = feature.cast::<PyString>() else {
                let kind = feature.get_type();
                return Err(PyTypeError::new_err(format!(
                    "expected a feature in a list as str: found {}",
                    kind.name()?
                )));
            };
            batch.put(&join(text.to_str()?));
        }
        return Ok(());
    };
    for (name, value) in named {
        let name = join(name.str()?.to_str()?);
        if let Ok(text) = value.cast::<PyString>() {
            batch.put(&format!("{name}={}", text.to_str()?));
        } else if let Ok(truth) = value.cast::<PyBool>() {
            batch.put_valued(&name, f64::from(u8::from(truth.is_true())));
        } else if let Ok(number) = value.extract::<f64>() {
            if !number.is_finite() {
                return Err(DataError::new_err(format!("feature {name:?}: {number} is not a finite number")));
            }
            batch.put_valued(&name, number);
        } else if value.is_none() || value.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err(format!(
                "feature {name:?}: expected a text, a number, True, False, or more features; found {}",
                if value.is_none() { "None (leave it out where there is no value)" } else { "bytes (decode them)" }
            )));
        } else {
            put_features(&value, &name, batch)?;
        }
    }
    Ok(())
}

/// Whether a token has columns, or features of its own.
fn is_some(token: &Bound<'_, PyAny>, columns: usize) -> bool {
    columns > 0 || token.is_instance_of::<PyDict>() || token.is_instance_of::<PyList>() || token.try_iter().is_ok()
}

/// Adds a token; all tokens have as many columns as the first.
fn put_token(token: &Bound<'_, PyAny>, shape: &mut Option<usize>, batch: &mut Batch) -> PyResult<()> {
    let found = columns(token);
    if token.is_none() || token.is_instance_of::<PyBytes>() || !is_some(token, found) {
        let found = match () {
            () if token.is_none() => "None".to_string(),
            () if token.is_instance_of::<PyBytes>() => "bytes (decode them)".to_string(),
            () => kind(token),
        };
        let expected = "expected a token as str, a tuple of str, a dict or a list of features";
        return Err(PyTypeError::new_err(format!("{expected}: found {found}")));
    }
    if found != *shape.get_or_insert(found) {
        let kind = |columns: usize| match columns {
            0 => "features".to_string(),
            1 => "a word".to_string(),
            n => format!("{n} columns"),
        };
        let message = format!("a token of {} among tokens of {}", kind(found), kind(shape.unwrap_or(0)));
        return Err(DataError::new_err(message));
    }
    match token.cast::<PyTuple>() {
        Ok(fields) => fields.iter().try_for_each(|field| put_field(&field, batch)),
        Err(_) if found == 1 => put_field(token, batch),
        Err(_) => put_features(token, "", batch),
    }
}

/// The tokens of a sentence. The letters of a text are none, though Python would give them.
fn tokens<'py>(sentence: &Bound<'py, PyAny>, number: usize) -> PyResult<Bound<'py, PyIterator>> {
    if sentence.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "sentence {number}: expected a sentence as a list of tokens: found the text {}; split it into words",
            sentence.repr()?
        )));
    }
    let found =
        |_| PyTypeError::new_err(format!("sentence {number}: expected a list of tokens: found {}", kind(sentence)));
    sentence.try_iter().map_err(found)
}

/// The type of a value, for messages.
fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "something else".to_string(), |name| name.to_string())
}

/// A tag as text. What stands for nothing is none.
fn tag_text<'py>(tag: &Bound<'py, PyAny>, sentence: usize, token: usize) -> PyResult<Bound<'py, PyString>> {
    let place = format!("sentence {sentence}, token {token}");
    if tag.is_none() || tag.is_instance_of::<PyBytes>() || tag.cast::<PyFloat>().is_ok_and(|tag| tag.value().is_nan()) {
        return Err(PyTypeError::new_err(format!("{place}: expected a tag: found {}", tag.repr()?)));
    }
    let text = tag.str()?;
    if text.to_str()?.is_empty() {
        return Err(DataError::new_err(format!("{place}: an empty tag")));
    }
    Ok(text)
}

/// Sentences with a tag for each token, and the number of columns of a token (0: it has its own features).
pub(crate) fn with_tags(sentences: &Bound<'_, PyAny>, tags: &Bound<'_, PyAny>) -> PyResult<(Batch, usize)> {
    let (mut batch, mut shape) = (Batch::default(), None);
    let mut all_tags = tags.try_iter()?;
    for (number, sentence) in sentences.try_iter()?.enumerate() {
        let unequal = || DataError::new_err(format!("sentence {number}: as many tags as tokens are needed"));
        let mut own = all_tags.next().ok_or_else(unequal)??.try_iter()?;
        for (place, token) in tokens(&sentence?, number)?.enumerate() {
            put_token(&token?, &mut shape, &mut batch)?;
            let tag = tag_text(&own.next().ok_or_else(unequal)??, number, place)?;
            batch.end_token(Some(tag.to_str()?));
        }
        if number % ROUND == 0 {
            sentences.py().check_signals()?;
        }
        if own.next().is_some() {
            return Err(unequal());
        }
        batch.end_sentence();
    }
    if all_tags.next().is_some() {
        return Err(DataError::new_err("more lists of tags than sentences"));
    }
    Ok((batch, shape.unwrap_or(1)))
}

/// Trains taggers.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct TaggerTrainer {
    pub(crate) inner: structured::TaggerTrainer,
}

#[pymethods]
impl TaggerTrainer {
    #[new]
    #[pyo3(signature = (*, templates=None, epochs=10, shuffle=true, seed=0, averaged=true, search="viterbi",
        constrain=None, encode=None, dictionary=None))]
    #[expect(clippy::too_many_arguments, reason = "all of them are named where it is called")]
    fn new(
        templates: Option<&str>,
        epochs: u32,
        shuffle: bool,
        seed: u64,
        averaged: bool,
        search: &str,
        constrain: Option<&str>,
        encode: Option<&str>,
        dictionary: Option<u32>,
    ) -> PyResult<Self> {
        let templates = match templates {
            None => None,
            Some(text) => match Templates::built_in(text) {
                Some(set) => Some(set),
                None => Some(parse("templates", text).map_err(exception)?),
            },
        };
        let constrain = match constrain {
            None => Constrain::No,
            Some("auto") => Constrain::Found,
            Some(name) => Constrain::By(word("constrain", name)?),
        };
        let inner = structured::TaggerTrainer {
            templates,
            epochs,
            order: if shuffle { Order::Shuffled { seed } } else { Order::Cyclic },
            averaged,
            search: search.parse().map_err(|_| {
                SettingsError::new_err(format!("search='{search}': expected 'viterbi', 'greedy' or 'beam:N'"))
            })?,
            constrain,
            encode: encode.map(|name| word("encode", name)).transpose()?,
            dictionary,
        };
        Ok(TaggerTrainer { inner })
    }

    /// Trains on sentences: tokens, and a tag for each.
    fn fit(&self, py: Python<'_>, sentences: &Bound<'_, PyAny>, tags: &Bound<'_, PyAny>) -> PyResult<Tagger> {
        let (batch, shape) = with_tags(sentences, tags)?;
        let inner = cross(py, None, |watcher| {
            let corpus = self.inner.gather(SENTENCES, &batch, shape)?;
            self.inner.fit(corpus, watcher)
        })?;
        Ok(Tagger::new(inner))
    }

    /// Trains on a file of sentences.
    #[pyo3(signature = (path, *, format=None, tag=None, skip_untagged=false))]
    fn fit_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<&str>,
        tag: Option<String>,
        skip_untagged: bool,
    ) -> PyResult<(Tagger, Vec<String>)> {
        let format = format.map(|name| word("format", name)).transpose()?;
        let (inner, notes) = cross(py, None, |watcher| {
            let corpus = self.inner.read(&Input::Path(path), &SequenceOptions { format, tag, skip_untagged })?;
            let notes = corpus.notes.clone();
            Ok((self.inner.fit(corpus, watcher)?, notes))
        })?;
        Ok((Tagger::new(inner), notes))
    }
}

/// A trained tagger.
#[pyclass(frozen, module = "rosenblatt._rosenblatt")]
pub(crate) struct Tagger {
    pub(crate) inner: Arc<structured::Tagger>,
}

#[pymethods]
impl Tagger {
    /// The tags of each sentence.
    fn tag<'py>(&self, py: Python<'py>, sentences: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        self.in_rounds(sentences, |batches, lengths| {
            let tags = cross(py, None, |_| self.inner.tag_batches(batches))?;
            let mut tags = tags.into_iter().flatten();
            for &length in lengths {
                all.append(PyList::new(py, tags.by_ref().take(length).collect::<Vec<_>>())?)?;
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The marginals of each token of each sentence: a dict of all tags.
    fn marginals<'py>(&self, py: Python<'py>, sentences: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        self.in_rounds(sentences, |batches, lengths| {
            let shares = cross(py, None, |_| self.inner.marginals(batches))?;
            let mut shares = shares.into_iter().flatten();
            for &length in lengths {
                let tokens = PyList::empty(py);
                for _ in 0..length {
                    let token = PyDict::new(py);
                    for (label, share) in self.inner.labels.iter().zip(shares.by_ref()) {
                        token.set_item(label, share)?;
                    }
                    tokens.append(token)?;
                }
                all.append(tokens)?;
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The words and tags of each sentence of a file.
    fn tag_file(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<Tagged>> {
        let mut all = Vec::new();
        cross(py, None, |watcher| {
            let input = Input::Path(path);
            let mut sentences = self.inner.open(&input, Tags::Optional)?;
            self.inner.tag_sentences(&mut sentences, Shares::No, |words, tags, _| {
                all.push((words, tags));
                match watcher.check() {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(_) => {
                        Err(rosenblatt::Error::io(input.name(), std::io::ErrorKind::Interrupted.into()))
                    }
                }
            })
        })?;
        Ok(all)
    }

    /// All tags.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.inner.labels.clone()
    }

    /// The weights that are not zero: (feature, tag, weight), and (tag before, tag, weight).
    fn strengths(&self) -> (Vec<Strength>, Vec<Strength>) {
        let (mut features, mut transitions) = (Vec::new(), Vec::new());
        for tag in self.inner.strongest(usize::MAX) {
            let (of_features, of_tags) =
                (tag.supports.into_iter().chain(tag.opposes), tag.after.into_iter().chain(tag.not_after));
            features.extend(of_features.map(|one| (one.feature, tag.class.clone(), one.weight)));
            transitions.extend(of_tags.map(|one| (one.feature, tag.class.clone(), one.weight)));
        }
        (features, transitions)
    }

    /// Words that get their tag without search.
    #[getter]
    fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let known = PyDict::new(py);
        for (word, &tag) in self.inner.dictionary.words.iter().zip(&self.inner.dictionary.tags) {
            known.set_item(String::from_utf8_lossy(word), &self.inner.labels[tag as usize])?;
        }
        Ok(known)
    }

    /// How it was trained.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = &self.inner.facts;
        let dict = PyDict::new(py);
        dict.set_item("averaged", facts.learner == "averaged")?;
        dict.set_item("templates", self.inner.templates.as_ref().map(Templates::to_text))?;
        dict.set_item("sentences", facts.sentences)?;
        dict.set_item("tokens", facts.tokens)?;
        dict.set_item("mistakes_by_epoch", &facts.mistakes_by_epoch)?;
        dict.set_item("stopped", facts.stopped.name())?;
        dict.set_item("shuffle", facts.order == OrderKind::Shuffled)?;
        dict.set_item("seed", facts.seed)?;
        dict.set_item("features", self.inner.vocabulary.emissions.len() + self.inner.vocabulary.edges.len())?;
        dict.set_item("search", self.inner.chain.search.to_string())?;
        dict.set_item("constrain", self.inner.scheme.map(Scheme::name))?;
        Ok(dict)
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    /// A tagger from the bytes of a file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        structured::Tagger::from_bytes("the pickled tagger", bytes).map(Tagger::new).map_err(exception)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        Ok((py.get_type::<Tagger>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    /// Writes a model file atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        cross(py, None, |_| self.inner.save(&path))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        cross(py, None, |_| structured::Tagger::load(&path)).map(Tagger::new)
    }
}

impl Tagger {
    fn new(inner: structured::Tagger) -> Self {
        Tagger { inner: Arc::new(inner) }
    }

    /// Calls `work` with some sentences at a time, in batches, and the length of each; then checks for Ctrl-C.
    fn in_rounds(
        &self,
        sentences: &Bound<'_, PyAny>,
        mut work: impl FnMut(&[Batch], &[usize]) -> PyResult<()>,
    ) -> PyResult<()> {
        let (mut batches, mut lengths, mut batch, mut shape) = (Vec::new(), Vec::new(), Batch::default(), None);
        for (number, sentence) in sentences.try_iter()?.enumerate() {
            let mut length = 0;
            for token in tokens(&sentence?, number)? {
                put_token(&token?, &mut shape, &mut batch)?;
                batch.end_token(None);
                length += 1;
            }
            batch.end_sentence();
            lengths.push(length);
            if lengths.len() % AT_ONCE == 0 {
                batches.push(std::mem::take(&mut batch));
            }
            if lengths.len() == ROUND {
                self.check_shape(shape)?;
                work(&batches, &lengths)?;
                sentences.py().check_signals()?;
                (batches, lengths) = (Vec::new(), Vec::new());
            }
        }
        batches.push(batch);
        self.check_shape(shape)?;
        work(&batches, &lengths)
    }

    /// Refuses tokens of another kind than those of the training.
    fn check_shape(&self, shape: Option<usize>) -> PyResult<()> {
        let Some(found) = shape else { return Ok(()) };
        let message = match (self.inner.templates.is_some(), found) {
            (false, 0) => return Ok(()),
            (false, _) => "the tagger was trained on features: give a dict or a list of str for each token".to_string(),
            (true, 0) => "the tagger was trained on words: give a str or a tuple of str for each token".to_string(),
            (true, columns) if columns >= self.inner.needs() => return Ok(()),
            (true, columns) => format!("tokens of {columns} columns: the tagger needs {}", self.inner.needs()),
        };
        Err(DataError::new_err(message))
    }
}
