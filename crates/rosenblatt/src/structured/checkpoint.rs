//! A paused training of a tagger, and its file: what FORMAT.md calls the content of kind `tagger-checkpoint`.
//!
//! The features are not stored: resuming reads the corpus again, and its fingerprint shows that it is the same.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::corpus::Corpus;
use super::file::{check_labels, check_learner, check_search, check_templates};
use super::perceptron::Perceptron;
use super::scheme::Scheme;
use super::tagger::{AVERAGED, LAST};
use super::trainer::{Constrain, MOST_SECOND, TaggerTrainer};
use crate::error::{Error, Result};
use crate::fit::{Order, OrderContent, Resumable};
use crate::io::write_file;
use crate::learn::{Progress, State};
use crate::message::{Message, Setting};
use crate::model::{Frame, Kind, Versioned, check, pack, pack_json, read_model};
use crate::structured::chain::state::ARRAYS;
use crate::structured::chain::{Chain, Reach, Search, Weights};
use crate::structured::read::{Layout, SequenceFormat, SequenceOptions};
use crate::structured::template::Templates;

/// A paused training of a tagger.
#[derive(Debug, Clone, PartialEq)]
pub struct TaggerCheckpoint {
    /// The settings. The templates are those that were used, and the scheme is named.
    settings: TaggerTrainer,
    /// How far training has come.
    pub progress: Progress,
    labels: Vec<String>,
    layout: Layout,
    weights: Weights,
    /// The fingerprint of the corpus: features, values, tags and their names.
    corpus: u64,
    /// XXH3-64 of the training file's (decompressed) bytes, if it came from a file.
    pub data: Option<u64>,
}

impl Resumable for Perceptron<Chain> {
    type Checkpoint = TaggerCheckpoint;
}

impl TaggerCheckpoint {
    /// The state of a training.
    pub(super) fn new(
        trainer: &TaggerTrainer,
        scheme: Option<Scheme>,
        corpus: &Corpus,
        fingerprint: u64,
        learner: &Perceptron<Chain>,
        progress: &Progress,
    ) -> Self {
        TaggerCheckpoint {
            settings: resolved(trainer, scheme, corpus),
            progress: progress.clone(),
            labels: corpus.labels.clone(),
            layout: corpus.layout.clone(),
            weights: learner.weights().clone(),
            corpus: fingerprint,
            data: corpus.data,
        }
    }

    /// A trainer with the same settings, for up to `epochs` passes in all.
    pub fn trainer(&self, epochs: u32) -> TaggerTrainer {
        TaggerTrainer { epochs, ..self.settings.clone() }
    }

    /// How the training file was read.
    pub fn options(&self) -> SequenceOptions {
        SequenceOptions {
            format: Some(self.layout.format),
            tag: Some((self.layout.tag_at + 1).to_string()),
            skip_untagged: false,
        }
    }

    /// The format of the training file.
    pub fn format(&self) -> SequenceFormat {
        self.layout.format
    }

    /// The perceptron as it was.
    pub(super) fn perceptron(&self, chain: Chain) -> Perceptron<Chain> {
        Perceptron::resumed(chain, self.weights.clone(), self.progress.presented, self.progress.mistakes)
    }

    /// Refuses other settings and other sentences than those that training began with.
    pub(super) fn check_fits(&self, trainer: &TaggerTrainer, scheme: Option<Scheme>, corpus: &Corpus) -> Result<()> {
        if self.data.is_some() && corpus.data.is_some() && self.data != corpus.data {
            return Err(Error::bad_data("not the file that the checkpoint was made on; resume with the same data"));
        }
        if self.trainer(trainer.epochs) != resolved(trainer, scheme, corpus) {
            return Err(Error::settings("the checkpoint was made with other settings: resume with the same"));
        }
        let (features, edges) = (corpus.vocabulary.emissions.len(), corpus.vocabulary.edges.len());
        let same = (self.weights.emissions.len(), self.weights.edges.len()) == (features, edges)
            && self.labels == corpus.labels
            && self.layout == corpus.layout;
        if !same || self.corpus != corpus.fingerprint() {
            return Err(Error::bad_model(format!(
                "the checkpoint was made on other sentences, or their tags are read from another column: {} features, {} \
                 tags; these have {features}, {}",
                self.weights.emissions.len(),
                self.labels.len(),
                corpus.labels.len()
            )));
        }
        Ok(())
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (content, arrays) = parts(self);
        pack(VERSION, content, arrays)
    }

    /// Its JSON form: loss-free.
    pub fn to_json(&self) -> Vec<u8> {
        let (content, arrays) = parts(self);
        pack_json(VERSION, content, arrays)
    }

    /// A checkpoint from the bytes of a file in either form; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<TaggerCheckpoint> {
        Frame::open(name, bytes).and_then(from_frame)
    }

    /// Writes the checkpoint, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_file(path.as_ref(), &self.to_bytes())
    }

    /// Reads a checkpoint.
    pub fn load(path: impl AsRef<Path>) -> Result<TaggerCheckpoint> {
        let path = path.as_ref();
        let bytes = read_model(path)?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}

/// The settings with the templates and the scheme that they mean for this corpus.
fn resolved(trainer: &TaggerTrainer, scheme: Option<Scheme>, corpus: &Corpus) -> TaggerTrainer {
    let constrain = scheme.map_or(Constrain::No, Constrain::By);
    TaggerTrainer { templates: corpus.templates.clone(), constrain, ..trainer.clone() }
}

/// The version of the format that has checkpoints of taggers.
const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    kind: Kind,
    labels: Vec<String>,
    templates: Option<String>,
    layout: Layout,
    learner: String,
    search: Search,
    scheme: Option<Scheme>,
    encode: Option<Scheme>,
    dictionary: Option<u32>,
    order: OrderContent,
    #[serde(rename = "course")]
    progress: Progress,
    corpus: u64,
    data: Option<u64>,
}

impl Versioned for Content {
    fn version(&self) -> u32 {
        VERSION
    }
}

fn parts(checkpoint: &TaggerCheckpoint) -> (Content, State) {
    let TaggerCheckpoint { settings, progress, labels, layout, weights, corpus, data } = checkpoint;
    let mut arrays = State::default();
    weights.save(&mut arrays);
    let content = Content {
        kind: Kind::TaggerCheckpoint,
        labels: labels.clone(),
        templates: settings.templates.as_ref().map(Templates::to_text),
        layout: layout.clone(),
        learner: if settings.averaged { AVERAGED } else { LAST }.into(),
        search: settings.search,
        scheme: if let Constrain::By(scheme) = settings.constrain { Some(scheme) } else { None },
        encode: settings.encode,
        dictionary: settings.dictionary,
        order: OrderContent::save(&settings.order, &mut arrays),
        progress: progress.clone(),
        corpus: *corpus,
        data: *data,
    };
    (content, arrays)
}

/// The checkpoint in a frame, or an error.
pub(super) fn from_frame(frame: Frame<'_>) -> Result<TaggerCheckpoint> {
    let content = match frame.kind {
        Kind::TaggerCheckpoint => frame.content().and_then(|c: Content| frame.check_version(&c).map(|()| c)),
        Kind::Checkpoint | Kind::Mixture | Kind::Delta => {
            Err(Error::bad_model("a checkpoint of a classifier, not of a tagger"))
        }
        Kind::Tagger | Kind::Linear | Kind::Voted | Kind::Kernel => {
            let message = Message::new("a finished model: ").name(Setting::Resume).text(" needs the checkpoint that ");
            Err(Error::bad_model(message.open(Setting::Checkpoint).text(" wrote")))
        }
    };
    content.and_then(|c| restore(&frame.arrays, c)).map_err(|e| frame.fault(e))
}

/// Builds a checkpoint from a checked frame. Nothing in it is trusted.
fn restore(arrays: &State, c: Content) -> Result<TaggerCheckpoint> {
    check::nothing_else(arrays, |name| ARRAYS.contains(&name) || (name == "order" && c.order.is_given()))?;
    check_labels(&c.labels, c.scheme)?;
    let templates = check_templates(c.templates, &c.layout)?;
    check_learner(&c.learner)?;
    check_search(c.search)?;
    c.progress.check()?;
    let (tags, attributes) = (c.labels.len(), templates.is_none());
    let reach = templates.as_ref().map_or(Reach::First, Templates::reach);
    if reach == Reach::Second && (tags + 1) * (tags + 1) * tags > MOST_SECOND {
        return Err(Error::bad_model(format!("{tags} tags, and transitions of second order")));
    }
    if (c.scheme.is_some() && reach == Reach::None) || (attributes && c.dictionary.is_some()) || c.dictionary == Some(0)
    {
        return Err(Error::bad_model("the settings contradict each other"));
    }
    if c.progress.mistakes > c.progress.presented || c.progress.updates != c.progress.mistakes {
        return Err(Error::bad_model("the counts of sentences and mistakes contradict each other"));
    }
    let order = c.order.restore(arrays)?;
    if matches!(&order, Order::Given(list) if list.is_empty()) {
        return Err(Error::bad_model("the order must name some sentences"));
    }
    let settings = TaggerTrainer {
        templates,
        epochs: c.progress.epochs(),
        order,
        averaged: c.learner == AVERAGED,
        search: c.search,
        constrain: c.scheme.map_or(Constrain::No, Constrain::By),
        encode: c.encode,
        dictionary: c.dictionary,
    };
    Ok(TaggerCheckpoint {
        settings,
        progress: c.progress,
        weights: Weights::restore(tags, reach, arrays)?,
        labels: c.labels,
        layout: c.layout,
        corpus: c.corpus,
        data: c.data,
    })
}
