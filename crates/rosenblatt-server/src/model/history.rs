//! Examples from the log.

use std::io;
use std::path::Path;

use rosenblatt::read::VwExample;
use rosenblatt::{Error, Model, Result, Trainer};

use crate::engine::Engine;
use crate::store::{Files, Frame, log, snapshot};

/// Calls `each` with the first `to` examples.
pub(super) fn replay(
    files: &dyn Files,
    folder: &Path,
    to: u64,
    each: &mut dyn FnMut(&VwExample) -> Result<()>,
) -> Result<()> {
    let mut left = to;
    let mut failed = None;
    let read = log::read(files, folder, 0, to, &mut |frame| {
        for row in frame.requests.iter().flat_map(|request| &request.rows).take(left as usize) {
            left -= 1;
            if let Err(error) = parse(row).and_then(|example| each(&example)) {
                failed = Some(error);
                return Err(io::Error::other("stopped"));
            }
        }
        Ok(())
    });
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(Error::bad_data(error.to_string())),
        (None, Ok(())) => Ok(()),
    }
}

/// A row of the log.
pub(super) fn parse(row: &str) -> Result<VwExample> {
    let example = VwExample::parse(row.as_bytes(), 1, "log")?;
    example.ok_or_else(|| Error::bad_data("an empty row in the log"))
}

/// The text of the examples after the first `from`, up to `to`, a line each, in pieces.
pub fn text(
    files: &dyn Files,
    folder: &Path,
    from: u64,
    to: u64,
    piece: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut lines = Vec::new();
    log::read(files, folder, from, to, &mut |frame| {
        lines.clear();
        for (at, row) in (frame.before..).zip(frame.requests.iter().flat_map(|request| &request.rows)) {
            if (from..to).contains(&at) {
                lines.extend_from_slice(row.as_bytes());
                lines.push(b'\n');
            }
        }
        piece(&lines)
    })
}

/// The state of the newest snapshot of at most `most` examples that is whole, else the one before any example. Refuses if
/// the examples after it are not in the log.
pub(super) fn newest(files: &dyn Files, folder: &Path, trainer: &Trainer, most: u64, name: &str) -> Result<Engine> {
    let failed = |error: io::Error| Error::io(folder, error);
    let start = log::start(files, folder).map_err(failed)?;
    for examples in snapshot::reached(files, folder, most).map_err(failed)?.into_iter().rev() {
        let Some(found) = snapshot::open(files, folder, examples).map_err(failed)? else { continue };
        match Engine::restore(trainer.clone(), &found.header, &found.checkpoint) {
            Ok(engine) if engine.seq() == examples && examples >= start => return Ok(engine),
            Ok(_) => tracing::warn!(model = name, "snapshot-ignored"),
            Err(error) => tracing::warn!(model = name, why = %error, "snapshot-ignored"),
        }
    }
    match start {
        0 => Engine::new(trainer.clone()),
        _ => Err(Error::bad_data(format!(
            "the first {start} examples were dropped after a snapshot, and no snapshot of {start} to {most} examples is whole"
        ))),
    }
}

/// The model after the first `to` examples: from the newest snapshot before, and the log after it.
pub fn model_at(files: &dyn Files, folder: &Path, trainer: &Trainer, to: u64) -> Result<Model> {
    let mut engine = newest(files, folder, trainer, to, "replay")?;
    learn_on(files, folder, &mut engine, to)?;
    engine.model()
}

/// Learns from the log until `to` examples.
pub(super) fn learn_on(files: &dyn Files, folder: &Path, engine: &mut Engine, to: u64) -> Result<()> {
    let mut problem = None;
    let read = log::read(files, folder, engine.seq(), to, &mut |frame| {
        learn_frame(files, folder, engine, &frame, to).map_err(|error| {
            problem = Some(error);
            io::Error::other("stopped")
        })
    });
    match (problem, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(Error::io(folder, error)),
        (None, Ok(())) => Ok(()),
    }
}

fn learn_frame(files: &dyn Files, folder: &Path, engine: &mut Engine, frame: &Frame, to: u64) -> Result<()> {
    let mut at = frame.before;
    for request in &frame.requests {
        let mut learned = Vec::new();
        for row in &request.rows {
            at += 1;
            // A snapshot lies between two frames; what is in it is not learned from again.
            if at <= engine.seq() || at > to {
                continue;
            }
            let mut again = |to, each: &mut dyn FnMut(&_) -> Result<()>| replay(files, folder, to, each);
            learned.push(engine.learn_next(row, &parse(row)?, &mut again)?);
        }
        if !request.key.is_empty() && learned.len() == request.rows.len() {
            let answer = super::learned_json(&learned, request.rows.len() == 1 && request.digest & 1 == 1);
            engine.keys.put(request.key.clone(), request.digest, answer);
        }
    }
    Ok(())
}
