//! One model: its actor, its committer, and how it is opened after a crash.

mod actor;
mod ask;
mod catalogue;
#[cfg(test)]
mod catalogue_tests;
mod committer;
#[cfg(test)]
mod compaction_tests;
mod fixed;
pub mod history;
mod limits;
#[cfg(test)]
mod map_tests;
#[cfg(test)]
mod tests;

pub use ask::{Answer, Ask, Description, Explained, LearnAsk, Predicted};
pub use catalogue::{Catalogue, Served, Settings};
pub use committer::Durability;
pub use limits::ModelLimits;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::JoinHandle;

use rosenblatt::{Error, Result, Trainer};
use tokio::sync::oneshot;

use crate::engine::{Engine, Learned};
use crate::http::Problem;
use crate::journal::event;
use crate::rows::Texts;
use crate::store::{Files, Log, log, snapshot};
use actor::Actor;

/// The most rows that the thread of a request predicts by itself.
const AT_ONCE: usize = 64;

/// A model that is served.
pub struct Handle {
    model: Kind,
    files: Arc<dyn Files>,
    folder: PathBuf,
    texts: Arc<Texts>,
}

enum Kind {
    /// It learns, on threads of its own.
    Learning {
        asks: SyncSender<Ask>,
        /// Questions that wait, and the most of them.
        queued: Arc<AtomicUsize>,
        queue: usize,
        threads: Mutex<Vec<JoinHandle<()>>>,
        /// How it learns.
        trainer: Box<Trainer>,
        /// The state, which the thread of the model changes.
        engine: Arc<RwLock<Engine>>,
    },
    /// It only predicts.
    Finished(Box<fixed::Fixed>),
}

impl Handle {
    /// Opens the model of a folder: the newest snapshot, then the log after it.
    pub fn open(
        name: &str,
        files: Arc<dyn Files>,
        folder: &Path,
        trainer: Trainer,
        durability: Durability,
        limits: ModelLimits,
    ) -> Result<Handle> {
        let (log, engine, snapshot) = recover(name, files.clone(), folder, trainer.clone(), limits.segment)?;
        let start = log::start(&*files, folder).map_err(|error| Error::io(folder, error))?;
        let durable = log.durable();
        let (own, asks) = mpsc::sync_channel(limits.queue);
        let (committer, work) = mpsc::channel();
        let to_actor = own.clone();
        let spawn = |kind: &str| std::thread::Builder::new().name(format!("{kind} {name}").chars().take(15).collect());
        let failed = |error: std::io::Error| Error::io(folder, error);
        let commits =
            spawn("commit").spawn(move || committer::run(log, durability, &work, &to_actor)).map_err(failed)?;
        let mut state = actor::State::default();
        (state.snapshot, state.start) = (snapshot, start);
        let queued = Arc::new(AtomicUsize::new(0));
        let engine = Arc::new(RwLock::new(engine));
        let actor = Actor {
            queued: queued.clone(),
            name: name.to_string(),
            engine: engine.clone(),
            files: files.clone(),
            folder: folder.to_path_buf(),
            limits,
            own: own.clone(),
            committer: Some(committer),
            durable,
            state,
        };
        let learns = spawn("model").spawn(move || actor.run(&asks)).map_err(failed)?;
        let threads = Mutex::new(vec![learns, commits]);
        let (queue, trainer) = (limits.queue, Box::new(trainer));
        let model = Kind::Learning { asks: own, queued, queue, threads, trainer, engine };
        Ok(Handle { model, files, folder: folder.to_path_buf(), texts: Arc::default() })
    }

    /// A finished model, from the bytes of its file.
    pub fn finished(name: &str, files: Arc<dyn Files>, folder: &Path, bytes: &[u8]) -> Result<Handle> {
        let model = Kind::Finished(Box::new(fixed::Fixed::new(name, bytes)?));
        Ok(Handle { model, files, folder: folder.to_path_buf(), texts: Arc::default() })
    }

    /// The same with these texts.
    pub(super) fn with_texts(self, texts: Texts) -> Handle {
        Handle { texts: Arc::new(texts), ..self }
    }

    /// Which features of its rows are texts.
    pub fn texts(&self) -> &Arc<Texts> {
        &self.texts
    }

    /// How it learns; `None` if it only predicts.
    pub fn trainer(&self) -> Option<&Trainer> {
        match &self.model {
            Kind::Learning { trainer, .. } => Some(trainer),
            Kind::Finished(_) => None,
        }
    }

    /// Whether it only predicts.
    pub fn is_finished(&self) -> bool {
        matches!(self.model, Kind::Finished(_))
    }

    /// Asks, unless too much waits.
    pub fn ask(&self, ask: Ask) -> std::result::Result<(), Problem> {
        let (asks, queued, engine) = match &self.model {
            Kind::Learning { asks, queued, engine, .. } => (asks, queued, engine),
            Kind::Finished(model) => {
                model.answer(ask);
                return Ok(());
            }
        };
        let ask = match ask {
            Ask::Predict { rows, min_seq, reply } if rows.len() <= AT_ONCE => match engine.try_read() {
                Ok(engine) if engine.seq() >= min_seq => {
                    let _ = reply.send(Ok(actor::predict(&engine, &rows)));
                    return Ok(());
                }
                // It learns just now, or has not come so far: the queue waits for it.
                _ => Ask::Predict { rows, min_seq, reply },
            },
            other => other,
        };
        queued.fetch_add(1, Ordering::Relaxed);
        asks.try_send(ask).map_err(|error| match error {
            TrySendError::Full(_) => {
                queued.fetch_sub(1, Ordering::Relaxed);
                Problem { retry_after: Some(1), ..Problem::new(429, "busy", "too many requests wait for this model") }
            }
            TrySendError::Disconnected(_) => Problem::new(503, "stopped", "this model has stopped"),
        })
    }

    /// Whether the queue is nearly full.
    pub fn is_busy(&self) -> bool {
        matches!(&self.model, Kind::Learning { queued, queue, .. } if queued.load(Ordering::Relaxed) * 2 > *queue)
    }

    /// Asks, and waits for the answer.
    pub async fn answer<T>(&self, ask: impl FnOnce(ask::Reply<T>) -> Ask) -> std::result::Result<T, Problem> {
        let (reply, answer) = oneshot::channel();
        self.ask(ask(reply))?;
        let gone = || Problem::new(503, "stopped", "this model has stopped");
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    /// The files of the model, and their folder.
    pub fn place(&self) -> (Arc<dyn Files>, PathBuf) {
        (self.files.clone(), self.folder.clone())
    }

    /// Commits what waits, writes a snapshot, and ends the threads.
    pub fn stop(&self) {
        let Kind::Learning { asks, threads, .. } = &self.model else { return };
        let _ = asks.send(Ask::Stop);
        let mut threads = threads.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The log and the state that it makes: from the newest snapshot that is whole, else from the start.
fn recover(
    name: &str,
    files: Arc<dyn Files>,
    folder: &Path,
    trainer: Trainer,
    segment: u64,
) -> Result<(Log, Engine, u64)> {
    let failed = |error: std::io::Error| Error::io(folder, error);
    let (log, torn) = Log::open(files.clone(), folder, segment).map_err(failed)?;
    if let Some(torn) = torn {
        let fields: [(&str, &dyn std::fmt::Display); 3] =
            [("model", &name), ("bytes", &torn.bytes), ("kept", &torn.kept)];
        event("warning", "incomplete-commit-cut-off", &fields);
    }
    let most = snapshot::forget_after(&*files, folder, log.examples()).map_err(failed)?;
    if most > log.examples() {
        // Only without syncs, or by damage: a snapshot is made of rows that are in the log.
        let lost = most - log.examples();
        event("error", "acknowledged-examples-lost", &[("model", &name), ("at-least", &lost)]);
    }
    let mut engine = history::newest(&*files, folder, &trainer, log.examples(), name)?;
    let from = engine.seq();
    history::learn_on(&*files, folder, &mut engine, log.examples())?;
    if engine.seq() != log.examples() {
        let (found, expected) = (engine.seq(), log.examples());
        return Err(Error::bad_data(format!("{found} examples were recovered where the log has {expected}")));
    }
    Ok((log, engine, from))
}

/// The answer to a request: one object, or `{"results": […], "seq": …}`.
pub fn learned_json(learned: &[Learned], single: bool) -> String {
    let mut out = String::with_capacity(64 * learned.len() + 32);
    match learned {
        [one] if single => one.write_json(&mut out),
        _ => {
            out.push_str("{\"results\":[");
            for (place, one) in learned.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                one.write_json(&mut out);
            }
            let seq = learned.last().map_or(0, |last| last.seq);
            out.push_str(&format!("],\"seq\":{seq}}}"));
        }
    }
    out
}
