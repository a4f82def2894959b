//! The thread that makes rows durable. One commit at a time: all requests that wait are one frame, with one sync.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use super::ask::{Ask, LearnAsk};
use crate::store::{Failure, Log, Request};

/// When a row is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Once it is on the disk: it survives a crash of the machine.
    Sync,
    /// Once it is written; on the disk at most so much later.
    Batch(Duration),
    /// Once it is written; on the disk when the system likes.
    None,
}

impl std::str::FromStr for Durability {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("batch:").map(str::parse::<u32>)) {
            ("sync", _) => Ok(Durability::Sync),
            ("none", _) => Ok(Durability::None),
            (_, Some(Ok(ms @ 1..=60_000))) => Ok(Durability::Batch(Duration::from_millis(ms.into()))),
            _ => Err("expected sync, batch:MS (1 to 60000 milliseconds) or none".into()),
        }
    }
}

/// Commits what comes until nothing more can come.
pub(super) fn run(mut log: Log, durability: Durability, work: &Receiver<Vec<LearnAsk>>, actor: &SyncSender<Ask>) {
    let mut due: Option<Instant> = None;
    loop {
        let asks = match due {
            None => work.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => work.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        let asks = match asks {
            Ok(asks) => asks,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                due = None;
                if let Err(failure) = log.sync() {
                    let _ = actor.send(Ask::Broken(failure));
                }
                continue;
            }
        };
        let requests: Vec<&Request> = asks.iter().map(|ask| &ask.request).collect();
        let mut done = log.append(&requests);
        match durability {
            Durability::Sync => done = done.and_then(|()| log.sync()),
            Durability::Batch(wait) => due = due.or(Some(Instant::now() + wait)),
            Durability::None => {}
        }
        if actor.send(Ask::Committed { asks, done }).is_err() {
            break;
        }
    }
    // What was acknowledged without a sync is on the disk when the server ends in order.
    if let Err(Failure::Full(why) | Failure::Broken(why)) = log.sync() {
        crate::journal::event("error", "last-sync-failed", &[("why", &why)]);
    }
}
