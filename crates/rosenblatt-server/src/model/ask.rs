//! What is asked of a model.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rosenblatt::read::VwExample;
use rosenblatt::{Model, Weights};
use tokio::sync::oneshot;

use crate::engine::{Bound, Learned, Prediction};
use crate::http::Problem;
use crate::store::Request;

/// Where an answer goes.
pub type Reply<T> = oneshot::Sender<Result<T, Problem>>;

/// Predictions, all at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// One for each row.
    pub predictions: Vec<Prediction>,
    /// Examples learned from before.
    pub seq: u64,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// From these rows.
    Rows(Vec<Learned>),
    /// From the same request before: the answer then.
    Again(String),
}

/// Rows to learn from.
pub struct LearnAsk {
    /// What the log keeps.
    pub request: Request,
    /// The rows, parsed.
    pub examples: Vec<VwExample>,
    /// One object in, one object out.
    pub single: bool,
    /// Where the answer goes.
    pub reply: Reply<Answer>,
    /// Rows of a stream: set once some of them were refused, so that none after them are learned from.
    pub stream: Option<Arc<AtomicBool>>,
}

impl LearnAsk {
    /// Bytes of its rows in the log.
    pub(super) fn bytes(&self) -> usize {
        self.request.rows.iter().map(|row| row.len() + 4).sum()
    }

    /// Answers without learning.
    pub(super) fn answer(self, answer: Result<Answer, Problem>) {
        if let (Err(_), Some(ended)) = (&answer, &self.stream) {
            ended.store(true, Ordering::SeqCst);
        }
        let _ = self.reply.send(answer);
    }
}

/// The terms of a score.
pub struct Explained {
    /// The answer.
    pub prediction: Prediction,
    /// Names and values of the known features.
    pub entries: Vec<(Arc<str>, f64)>,
    /// Their weights, and the biases.
    pub weights: Option<Weights>,
    /// Examples learned from before.
    pub seq: u64,
}

/// A description of a model.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// The learner.
    pub learner: String,
    /// Its parameters that were set.
    pub params: std::collections::BTreeMap<String, String>,
    /// What is kept of the path.
    pub keep: String,
    /// What is done with rows before they are learned from.
    pub maps: std::collections::BTreeMap<String, String>,
    /// Known labels.
    pub classes: Vec<String>,
    /// Known features.
    pub features: usize,
    /// Examples learned from.
    pub seq: u64,
    /// Mistakes of the learner.
    pub mistakes: u64,
    /// Times that the weights moved.
    pub updates: u64,
    /// Progressive error.
    pub error: ErrorWindows,
    /// What the mistakes say of the margin, where a theorem applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Examples and mistakes of each label.
    pub by_label: Vec<LabelCount>,
    /// The recent error lies above the band of the long one.
    pub drift: bool,
    /// It was loaded from a file: it predicts, and was never meant to learn.
    pub finished: bool,
    /// Whether it learns; if not, why.
    pub learning: bool,
    /// Why it does not learn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The progressive error over all examples and the last ones.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ErrorWindows {
    /// All.
    pub all: Option<f64>,
    /// The last 1,000.
    pub last_1000: Option<f64>,
    /// The last 10,000.
    pub last_10000: Option<f64>,
}

/// Counts of one label.
#[derive(Debug, Clone, serde::Serialize)]
pub struct LabelCount {
    /// The label.
    pub label: String,
    /// Its examples.
    pub examples: u64,
    /// How many of them were mistakes.
    pub mistakes: u64,
}

impl Ask {
    /// Bytes of its rows, about.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Ask::Learn(ask) => ask.bytes(),
            Ask::Predict { rows, .. } => rows.iter().map(|row| 32 * row.entries().len()).sum(),
            _ => 0,
        }
    }
}

/// A question or a message to the thread of a model.
pub enum Ask {
    /// Predict these rows, once so many examples are learned from.
    Predict {
        /// The rows.
        rows: Vec<VwExample>,
        /// The least seq.
        min_seq: u64,
        /// Where the answer goes.
        reply: Reply<Predicted>,
    },
    /// Learn from rows.
    Learn(LearnAsk),
    /// Explain a prediction.
    Explain {
        /// The row.
        row: Box<VwExample>,
        /// Where the answer goes.
        reply: Reply<Explained>,
    },
    /// Describe the model.
    Describe(Reply<Description>),
    /// The model now, without the fingerprint of its data, and its seq.
    Model(Reply<(Box<Model>, u64)>),
    /// A snapshot was written, or not.
    Snapshotted {
        /// Its examples.
        done: std::io::Result<u64>,
        /// Examples that the log has no more.
        start: u64,
    },
    /// Commit what waits, write a snapshot, end.
    Stop,
}
