//! The thread of a model: one queue, one total order of predictions and updates.
//!
//! One commit at a time: all requests that wait are one frame of the log with one sync, and while the disk works the next ones
//! gather in the queue. A row is learned from only after it is durable, so the state in memory never holds what a crash could
//! take back, and every answer can be replayed from the log.
//!
//! Only this thread changes the state, and it locks it while it learns from a request. Between two of them, also while this
//! thread waits for the disk, the thread of a request may read the state and predict by itself: that has its place in the
//! order, too. So have predictions between some rows of a long request. (To sync on another thread gained nothing: the disk is busy either way, and each commit was two changes of
//! threads longer.)

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, RwLock, RwLockReadGuard};
use std::time::Instant;

use rosenblatt::map::{Scaling, Tf};
use rosenblatt::read::VwExample;

use super::ask::{Answer, Ask, Description, ErrorWindows, Explained, LabelCount, LearnAsk, Predicted, Reply};
use super::crowd::Crowd;
use super::history;
use super::inbox::Inbox;
use super::{Durability, ModelLimits};
use crate::engine::{Engine, Learned};
use crate::http::Problem;
use crate::store::{Failure, Files, Log, Request};

/// Bytes of a weight in all its copies: the learner's two, those of a checkpoint, a model and a file, and of growth.
const COPIES: u64 = 8 * 8;

/// Rows that are learned from before predictions that wait are answered.
const AT_A_TIME: u64 = 256;

/// The actor.
pub(super) struct Actor {
    pub(super) name: String,
    pub(super) engine: Arc<RwLock<Engine>>,
    pub(super) files: Arc<dyn Files>,
    pub(super) folder: PathBuf,
    pub(super) limits: ModelLimits,
    pub(super) inbox: Arc<Inbox>,
    pub(super) log: Log,
    pub(super) durability: Durability,
    pub(super) state: State,
}

/// What the actor waits for.
#[derive(Default)]
pub(super) struct State {
    /// Requests for the next commit.
    waiting: Vec<LearnAsk>,
    crowd: Crowd,
    /// Rows learned from since the start.
    rows: u64,
    /// What they may add.
    pub(super) wanted: Load,
    /// When rows that were acknowledged before must be on the disk.
    sync: Option<Instant>,
    stopping: bool,
    /// The disk is full: it is logged once, and not for every request.
    full: bool,
    /// Why nothing more is learned.
    pub(super) broken: Option<String>,
    pub(super) snapshotting: bool,
    /// After a snapshot that failed: when the next is tried.
    pub(super) again: Option<Instant>,
    /// Examples of the newest snapshot.
    pub(super) snapshot: u64,
    /// Examples of the log that were dropped, and whether more may be dropped now.
    pub(super) start: u64,
    pub(super) compacting: bool,
    /// Predictions that wait for their seq.
    later: VecDeque<(Vec<VwExample>, u64, Reply<Predicted>)>,
}

/// What requests may add: at most so many features and classes.
#[derive(Default)]
pub(super) struct Load {
    bytes: usize,
    features: usize,
    pub(super) classes: usize,
    keys: Vec<String>,
}

impl Actor {
    /// The state, to read: no other thread changes it.
    pub(super) fn engine(&self) -> RwLockReadGuard<'_, Engine> {
        self.engine.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Answers until it is stopped.
    pub(super) fn run(mut self) {
        let mut asks = VecDeque::new();
        loop {
            self.inbox.take(self.state.sync, &mut asks);
            // Everything that waits belongs to the next commit.
            asks.drain(..).for_each(|ask| self.handle(ask));
            self.gather(&mut asks);
            self.commit();
            self.sync_if_due();
            if self.state.stopping && !self.state.snapshotting {
                break;
            }
        }
        self.inbox.close();
        self.end();
    }

    /// Waits a little for the clients that the last commit answered.
    fn gather(&mut self, asks: &mut VecDeque<Ask>) {
        let waiting = self.state.waiting.len();
        if waiting == 0 || self.state.stopping || self.durability != Durability::Sync {
            return;
        }
        let Some((more, until)) = self.state.crowd.more(waiting) else { return };
        self.inbox.take_some(more, Some(until), asks);
        asks.drain(..).for_each(|ask| self.handle(ask));
        self.state.crowd.came(self.state.waiting.len() - waiting, more, waiting);
    }

    fn handle(&mut self, ask: Ask) {
        match ask {
            Ask::Predict { rows, min_seq, reply } if min_seq > self.engine().seq() => {
                self.state.later.push_back((rows, min_seq, reply));
                self.state.later.retain(|(_, _, reply)| !reply.is_closed());
            }
            Ask::Predict { rows, reply, .. } => {
                let _ = reply.send(Ok(self.predict(&rows)));
            }
            Ask::Learn(ask) => self.admit(ask),
            Ask::Explain { row, reply } => {
                let engine = self.engine();
                let (entries, weights) = engine.explain(&row).unzip();
                let (prediction, seq) = (engine.predict(&row), engine.seq());
                let entries = entries.unwrap_or_default();
                let _ = reply.send(Ok(Explained { prediction, entries, weights, seq }));
            }
            Ask::Describe(reply) => {
                let _ = reply.send(Ok(self.describe()));
            }
            Ask::Model(reply) => {
                let model = self.engine().model().map(|model| (Box::new(model), self.engine().seq()));
                let _ = reply.send(model.map_err(|error| Problem::new(409, "no-model", error.to_string())));
            }
            Ask::Snapshotted { done, start } => self.snapshotted(done, start),
            Ask::Stop => self.state.stopping = true,
        }
    }

    fn predict(&self, rows: &[VwExample]) -> Predicted {
        predict(&self.engine(), rows)
    }

    fn describe(&self) -> Description {
        let engine = self.engine();
        let (mistakes, updates) = engine.progress();
        let meter = &engine.meter;
        let recipe = &engine.trainer().recipe;
        let keep = recipe.keep().map(|keep| keep.name().to_string()).unwrap_or_default();
        let count =
            |(label, examples, mistakes): (&str, u64, u64)| LabelCount { label: label.into(), examples, mistakes };
        Description {
            name: self.name.clone(),
            learner: recipe.learner.clone(),
            params: recipe.params.clone(),
            keep,
            maps: engine_maps(engine.trainer()),
            classes: engine.shown().to_vec(),
            features: engine.features(),
            seq: engine.seq(),
            mistakes,
            updates,
            error: ErrorWindows { all: meter.error(), last_1000: meter.short_error(), last_10000: meter.long_error() },
            bound: engine.bound(),
            by_label: meter.by_label().map(count).collect(),
            drift: meter.drifts(),
            finished: false,
            learning: self.state.broken.is_none() && !self.state.stopping,
            stopped: self.state.broken.clone(),
        }
    }

    /// Takes a request for the next commit, or refuses it.
    fn admit(&mut self, ask: LearnAsk) {
        if let Some(again) = self.refusal(&ask) {
            ask.answer(again);
            return;
        }
        match self.growth(&ask) {
            Err(problem) => ask.answer(Err(problem)),
            Ok((features, classes)) => {
                let wanted = &mut self.state.wanted;
                wanted.features += features;
                wanted.classes += classes;
                wanted.bytes += ask.bytes();
                if !ask.request.key.is_empty() {
                    wanted.keys.push(ask.request.key.clone());
                }
                self.state.waiting.push(ask);
            }
        }
    }

    fn refusal(&self, ask: &LearnAsk) -> Option<Result<Answer, Problem>> {
        let (state, request) = (&self.state, &ask.request);
        if ask.stream.as_ref().is_some_and(|ended| ended.load(Ordering::SeqCst)) {
            return Some(Err(Problem::new(409, "stream-ended", "rows before these were refused")));
        }
        if let Some(why) = &state.broken {
            let message = format!("this model has stopped learning: {why}; it still predicts");
            return Some(Err(Problem::new(503, "not-learning", message)));
        }
        if state.stopping {
            return Some(Err(Problem {
                retry_after: Some(1),
                ..Problem::new(503, "stopping", "the server is stopping")
            }));
        }
        if !request.key.is_empty() {
            if let Some((digest, answer)) = self.engine().keys.get(&request.key) {
                if *digest == request.digest {
                    return Some(Ok(Answer::Again(answer.clone())));
                }
                let message = "this Idempotency-Key came with another body before: take a new key";
                return Some(Err(Problem::new(422, "key-reused", message)));
            }
            if state.wanted.keys.contains(&request.key) {
                return Some(Err(busy("a request with this Idempotency-Key is on its way")));
            }
        }
        if state.wanted.bytes + ask.bytes() > self.limits.waiting && !state.waiting.is_empty() {
            return Some(Err(busy("too much waits to be learned")));
        }
        None
    }

    /// How many features and classes a request may add, or why it would make the model too large. Rows that wait may bring
    /// the same names, so the counts are bounds from above: where only these are too large, the client tries again once
    /// they are known.
    fn growth(&self, ask: &LearnAsk) -> Result<(usize, usize), Problem> {
        let (state, most, engine) = (&self.state, self.limits, &*self.engine());
        let fits = |features: usize, classes: usize| {
            let (all, outputs) = (engine.features() + features, engine.shown().len() + classes);
            COPIES * engine.weights(all) as u64 * outputs as u64 <= most.memory
                && (features == 0 || all <= most.features)
                && (classes == 0 || outputs <= most.classes)
        };
        let labels = ask.examples.iter().filter_map(|example| example.label.as_deref());
        let labels: HashSet<&str> = labels.filter(|label| !engine.knows_label(label)).collect();
        self.may_add(&labels)?;
        let (waiting, coming) = (state.wanted.features, state.wanted.classes + labels.len());
        // Names are looked up only where they may be too many.
        let entries = ask.examples.iter().map(|example| example.entries().len()).sum::<usize>();
        if fits(waiting + entries, coming) {
            return Ok((entries, labels.len()));
        }
        let names = ask.examples.iter().flat_map(|example| example.entries().map(|(name, _)| name));
        let names: HashSet<&str> = names.filter(|name| !engine.knows(name)).collect();
        if fits(waiting + names.len(), coming) || (names.is_empty() && labels.is_empty()) {
            return Ok((names.len(), labels.len()));
        }
        if fits(names.len(), labels.len()) {
            return Err(busy("rows that wait may bring too many features or classes"));
        }
        let message = format!(
            "{} new features and {} new classes, where the model has {} and {}: at most {} and {} are allowed, \
             and {} bytes for their weights",
            names.len(),
            labels.len(),
            engine.features(),
            engine.shown().len(),
            most.features,
            most.classes,
            most.memory
        );
        Err(Problem::new(409, "too-many", message))
    }

    /// A new class is learned from the start of the log, so it cannot be added once that is dropped.
    fn may_add(&self, labels: &HashSet<&str>) -> Result<(), Problem> {
        let state = &self.state;
        if (state.start == 0 && !state.compacting) || !labels.iter().any(|label| self.engine().is_new_class(label)) {
            return Ok(());
        }
        if state.start == 0 {
            return Err(busy("the log is being compacted, and a new class may need all of it"));
        }
        let message = format!(
            "a new class would be learned from all examples, and the first {} were dropped after a snapshot; the classes are {}; \
             learn into a new model, on a server that keeps the whole log, if classes may still come",
            state.start,
            self.engine().shown().join(", ")
        );
        Err(Problem::new(409, "new-class", message))
    }

    /// Makes all that waits durable, learns from it, and answers.
    fn commit(&mut self) {
        if self.state.waiting.is_empty() {
            return;
        }
        let asks = std::mem::take(&mut self.state.waiting);
        self.state.wanted = Load::default();
        let requests: Vec<&Request> = asks.iter().map(|ask| &ask.request).collect();
        let mut done = self.log.append(&requests);
        let begun = Instant::now();
        match self.durability {
            Durability::Sync => done = done.and_then(|()| self.log.sync()),
            Durability::Batch(wait) => self.state.sync = self.state.sync.or(Some(Instant::now() + wait)),
            Durability::None => {}
        }
        let sync = begun.elapsed();
        match done {
            Ok(()) => {
                // The next rows of a stream do not wait for these answers.
                let clients = asks.iter().filter(|ask| ask.stream.is_none()).count();
                let waited = self.inbox.len();
                if std::mem::take(&mut self.state.full) {
                    tracing::info!(model = self.name, "disk-has-room");
                }
                asks.into_iter().for_each(|ask| self.learn_from(ask));
                self.state.crowd.answered(clients, waited, sync);
            }
            Err(Failure::Full(why)) => {
                if !std::mem::replace(&mut self.state.full, true) {
                    tracing::error!(model = self.name, %why, "disk-full");
                }
                for ask in asks {
                    let message = format!("the disk is full ({why}): nothing was learned");
                    ask.answer(Err(Problem::new(507, "disk-full", message)));
                }
            }
            Err(Failure::Broken(why)) => {
                for ask in asks {
                    let message =
                        format!("the log could not be written ({why}): it is not known whether these rows are kept");
                    ask.answer(Err(Problem::new(503, "not-learning", message)));
                }
                self.stop_learning(why);
            }
        }
        self.answer_later();
        self.snapshot_if_due();
    }

    /// Syncs what was acknowledged before.
    fn sync_if_due(&mut self) {
        if self.state.sync.is_some_and(|due| due <= Instant::now()) {
            self.state.sync = None;
            if let Err(Failure::Full(why) | Failure::Broken(why)) = self.log.sync() {
                self.stop_learning(why);
            }
        }
    }

    fn learn_from(&mut self, ask: LearnAsk) {
        let LearnAsk { request, examples, single, reply, .. } = ask;
        if let Some(why) = &self.state.broken {
            let _ = reply.send(Err(Problem::new(503, "not-learning", why.clone())));
            return;
        }
        let shared = self.engine.clone();
        let mut engine = shared.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut learned: Vec<Learned> = Vec::with_capacity(examples.len());
        for (line, example) in request.rows.iter().zip(&examples) {
            self.state.rows += 1;
            if self.state.rows.is_multiple_of(AT_A_TIME) {
                drop(engine);
                self.inbox.take_predictions().into_iter().for_each(|ask| self.handle(ask));
                engine = shared.write().unwrap_or_else(|poisoned| poisoned.into_inner());
            }
            let mut history = |to, each: &mut dyn FnMut(&VwExample) -> rosenblatt::Result<()>| {
                history::replay(&*self.files, &self.folder, to, each)
            };
            match engine.learn_next(line, example, &mut history) {
                Ok(one) => learned.push(one),
                Err(error) => {
                    drop(engine);
                    let message =
                        format!("learning failed: {error}; the rows are kept, and are learned from at the next start");
                    self.stop_learning(message.clone());
                    let _ = reply.send(Err(Problem::new(503, "not-learning", message)));
                    return;
                }
            }
        }
        crate::points::reach("applied");
        if !request.key.is_empty() {
            let answer = super::learned_json(&learned, single);
            engine.keys.put(request.key, request.digest, answer);
        }
        drop(engine);
        let _ = reply.send(Ok(Answer::Rows(learned)));
    }

    fn stop_learning(&mut self, why: String) {
        tracing::error!(model = self.name, %why, "learning-stopped");
        for ask in std::mem::take(&mut self.state.waiting) {
            ask.answer(Err(Problem::new(503, "not-learning", why.clone())));
        }
        self.state.broken = Some(why);
    }

    fn answer_later(&mut self) {
        let seq = self.engine().seq();
        let (now, later): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.state.later).into_iter().partition(|(_, min_seq, _)| *min_seq <= seq);
        self.state.later = later;
        for (rows, _, reply) in now {
            let _ = reply.send(Ok(self.predict(&rows)));
        }
    }
}

/// Predicts rows, all at one moment.
pub(super) fn predict(engine: &Engine, rows: &[VwExample]) -> Predicted {
    Predicted { predictions: rows.iter().map(|row| engine.predict(row)).collect(), seq: engine.seq() }
}

/// The maps of rows, by their settings.
fn engine_maps(trainer: &rosenblatt::Trainer) -> BTreeMap<String, String> {
    let preparation = &trainer.preparation;
    let tf = (preparation.tf != Tf::Count).then(|| ("tf", preparation.tf.name().to_string()));
    let hash = preparation.hash_bits.map(|bits| ("hash-bits", bits.to_string()));
    let scale = (preparation.scale != Scaling::None).then(|| ("scale", preparation.scale.name().to_string()));
    [tf, hash, scale].into_iter().flatten().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Try again soon.
fn busy(message: &str) -> Problem {
    Problem { retry_after: Some(1), ..Problem::new(429, "busy", message) }
}
