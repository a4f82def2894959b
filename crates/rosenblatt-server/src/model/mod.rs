//! One model: its actor, and how it is opened after a crash.

mod actor;
mod ask;
mod catalogue;
#[cfg(test)]
mod catalogue_tests;
#[cfg(test)]
mod compaction_tests;
mod crowd;
#[cfg(test)]
mod disk_tests;
mod durability;
mod fixed;
pub mod history;
mod inbox;
mod limits;
#[cfg(test)]
mod map_tests;
mod saving;
#[cfg(test)]
mod tests;

pub use ask::{Answer, Ask, Description, Explained, LearnAsk, Predicted};
pub use catalogue::{Catalogue, Served, Settings};
pub use durability::Durability;
pub use limits::ModelLimits;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::JoinHandle;

use rosenblatt::read::VwExample;
use rosenblatt::{Error, Result, Trainer};
use tokio::sync::oneshot;

use crate::engine::{Engine, Learned};
use crate::http::{Problem, aside};
use crate::rows::Texts;
use crate::store::{Files, Log, Sizes, log, remove_unfinished, snapshot};
use actor::Actor;
use inbox::{Inbox, Refused};

/// The most rows that the thread of a request predicts by itself.
pub const AT_ONCE: usize = 64;

/// A model that is served.
pub struct Handle {
    name: Arc<str>,
    model: Kind,
    files: Arc<dyn Files>,
    folder: PathBuf,
    texts: Arc<Texts>,
}

enum Kind {
    /// It learns, on a thread of its own.
    Learning {
        inbox: Arc<Inbox>,
        thread: Mutex<Option<JoinHandle<()>>>,
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
        let (log, engine, snapshot) = recover(name, files.clone(), folder, trainer.clone(), limits.log)?;
        let start = log::start(&*files, folder).map_err(|error| Error::io(folder, error))?;
        let inbox = Arc::new(Inbox::new(limits.queue, limits.waiting));
        let mut state = actor::State::default();
        (state.snapshot, state.start) = (snapshot, start);
        let engine = Arc::new(RwLock::new(engine));
        let actor = Actor {
            name: name.to_string(),
            engine: engine.clone(),
            files: files.clone(),
            folder: folder.to_path_buf(),
            limits,
            inbox: inbox.clone(),
            log,
            durability,
            state,
        };
        let named = std::thread::Builder::new().name(format!("model {name}").chars().take(15).collect());
        let thread = named.spawn(move || actor.run()).map_err(|error| Error::io(folder, error))?;
        let model = Kind::Learning { inbox, thread: Mutex::new(Some(thread)), trainer: Box::new(trainer), engine };
        Ok(Handle { name: name.into(), model, files, folder: folder.to_path_buf(), texts: Arc::default() })
    }

    /// A finished model, from the bytes of its file.
    pub fn finished(name: &str, files: Arc<dyn Files>, folder: &Path, bytes: &[u8]) -> Result<Handle> {
        let model = Kind::Finished(Box::new(fixed::Fixed::new(name, bytes)?));
        Ok(Handle { name: name.into(), model, files, folder: folder.to_path_buf(), texts: Arc::default() })
    }

    /// The same with these texts.
    pub(super) fn with_texts(self, texts: Texts) -> Handle {
        Handle { texts: Arc::new(texts), ..self }
    }

    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
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
        match &self.model {
            Kind::Learning { inbox, .. } => inbox.put(ask).map_err(|refused| match refused {
                Refused::Full => Problem {
                    retry_after: Some(1),
                    ..Problem::new(429, "busy", "too many requests wait for this model")
                },
                Refused::Closed => Problem::new(503, "stopped", "this model has stopped"),
            }),
            Kind::Finished(model) => {
                model.answer(ask);
                Ok(())
            }
        }
    }

    /// The answers for a few rows, at once, on the thread of the request: `None` if the model learns just now, or has not come
    /// to `min_seq`. Then ask: what waits is answered before the next commit.
    pub fn predict(&self, rows: &[VwExample], min_seq: u64) -> Option<Predicted> {
        match &self.model {
            _ if rows.len() > AT_ONCE => None,
            Kind::Learning { engine, .. } => {
                let engine = engine.try_read().ok()?;
                (engine.seq() >= min_seq).then(|| actor::predict(&engine, rows))
            }
            Kind::Finished(model) => model.predict(rows).ok(),
        }
    }

    /// Whether the queue is half full.
    pub fn is_busy(&self) -> bool {
        matches!(&self.model, Kind::Learning { inbox, .. } if inbox.is_busy())
    }

    /// Asks, and waits for the answer.
    pub async fn answer<T>(
        self: &Arc<Self>,
        ask: impl FnOnce(ask::Reply<T>) -> Ask,
    ) -> std::result::Result<T, Problem> {
        let (reply, answer) = oneshot::channel();
        let ask = ask(reply);
        if self.is_finished() {
            // There is no thread that waits for it.
            let model = self.clone();
            aside(move || model.ask(ask)).await?;
        } else {
            self.ask(ask)?;
        }
        let gone = || Problem::new(503, "stopped", "this model has stopped");
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    /// The files of the model, and their folder.
    pub fn place(&self) -> (Arc<dyn Files>, PathBuf) {
        (self.files.clone(), self.folder.clone())
    }

    /// Commits what waits, writes a snapshot, and ends the thread.
    pub fn stop(&self) {
        let Kind::Learning { inbox, thread, .. } = &self.model else { return };
        inbox.tell(Ask::Stop);
        let thread = thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(thread) = thread {
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
    sizes: Sizes,
) -> Result<(Log, Engine, u64)> {
    let failed = |error: std::io::Error| Error::io(folder, error);
    remove_unfinished(&*files, folder).map_err(failed)?;
    let (log, torn) = Log::open(files.clone(), folder, sizes).map_err(failed)?;
    if let Some(torn) = torn {
        tracing::warn!(model = name, bytes = torn.bytes, kept = torn.kept, "incomplete-commit-cut-off");
    }
    let most = snapshot::forget_after(&*files, folder, log.examples()).map_err(failed)?;
    if most > log.examples() {
        // Only without syncs, or by damage: a snapshot is made of rows that are in the log.
        let lost = most - log.examples();
        tracing::error!(model = name, at_least = lost, "acknowledged-examples-lost");
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
