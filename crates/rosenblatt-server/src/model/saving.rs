//! Snapshots of a model, and the compaction of its log, beside its thread.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::actor::Actor;
use super::ask::Ask;
use crate::store::snapshot::{self, Snapshot};
use crate::store::{Failure, Files, compaction};

/// How long none is tried after a snapshot that failed.
const REST: Duration = Duration::from_secs(30);

impl Actor {
    pub(super) fn snapshot_if_due(&mut self) {
        let rested = self.state.again.is_none_or(|again| again <= Instant::now());
        let due = rested && self.engine().seq() >= self.state.snapshot + self.limits.snapshot;
        if !due || self.state.snapshotting || self.state.broken.is_some() {
            return;
        }
        let Some(snapshot) = self.snapshot() else { return };
        let (files, folder, inbox) = (self.files.clone(), self.folder.clone(), self.inbox.clone());
        let (durable, name, start) = (self.log.durable(), self.name.clone(), self.state.start);
        // A class that is on its way needs the whole log; while it is compacted, none is let in.
        let quiet = self.state.wanted.classes == 0;
        let settled = self.engine().settled().filter(|_| self.limits.compact && (quiet || start > 0));
        (self.state.snapshotting, self.state.compacting) = (true, settled.is_some());
        std::thread::spawn(move || {
            let done = snapshot::write(&*files, &folder, &snapshot, durable).map(|()| snapshot.examples);
            let start = match settled {
                Some(settled) if done.is_ok() => compact(&*files, &folder, durable, settled, start, &name),
                _ => start,
            };
            inbox.tell(Ask::Snapshotted { done, start });
        });
    }

    /// A snapshot was written, or not: then the next is not tried at once. Each takes a copy of all weights, and most fail for
    /// want of room.
    pub(super) fn snapshotted(&mut self, done: io::Result<u64>, start: u64) {
        (self.state.snapshotting, self.state.compacting) = (false, false);
        self.state.start = start;
        match done {
            Ok(seq) => (self.state.snapshot, self.state.again) = (seq, None),
            Err(error) => {
                self.state.again = Some(Instant::now() + REST);
                tracing::error!(model = self.name, why = %error, "snapshot-failed");
            }
        }
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let engine = self.engine();
        match engine.snapshot() {
            Ok((header, checkpoint)) => Some(Snapshot { examples: engine.seq(), header, checkpoint }),
            Err(error) => {
                tracing::error!(model = self.name, why = %error, "snapshot-failed");
                None
            }
        }
    }

    /// The last snapshot.
    pub(super) fn end(mut self) {
        // What was acknowledged without a sync is on the disk when the server ends in order.
        if let Err(Failure::Full(why) | Failure::Broken(why)) = self.log.finish() {
            tracing::error!(model = self.name, %why, "last-sync-failed");
        }
        if self.state.broken.is_some() || self.engine().seq() <= self.state.snapshot {
            return;
        }
        let Some(snapshot) = self.snapshot() else { return };
        let (files, folder, durable) = (&*self.files, &self.folder, self.log.durable());
        match (snapshot::write(files, folder, &snapshot, durable), self.engine().settled()) {
            (Err(error), _) => tracing::error!(model = self.name, why = %error, "snapshot-failed"),
            (Ok(()), Some(settled)) if self.limits.compact => {
                compact(files, folder, durable, settled, self.state.start, &self.name);
            }
            _ => {}
        }
    }
}

/// Compacts the log. How many of its examples are dropped, as far as it is known.
fn compact(files: &dyn Files, folder: &Path, durable: u64, settled: u64, before: u64, name: &str) -> u64 {
    match compaction::compact(files, folder, durable, settled) {
        Ok(start) => {
            if start > before {
                tracing::info!(model = name, dropped = start, "log-compacted");
            }
            start
        }
        Err(error) => {
            tracing::error!(model = name, why = %error, "compaction-failed");
            // Some may be gone.
            crate::store::log::start(files, folder).unwrap_or(durable).max(before)
        }
    }
}
