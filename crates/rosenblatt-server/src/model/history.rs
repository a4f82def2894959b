//! Examples from the log.

use std::hash::Hasher;
use std::io;
use std::path::Path;

use rosenblatt::read::VwExample;
use rosenblatt::{Error, Model, Result, Trainer};
use twox_hash::XxHash3_64;

use crate::engine::Engine;
use crate::store::{Files, log};

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

/// The text of the first `to` examples, a line each, in pieces.
pub fn text(
    files: &dyn Files,
    folder: &Path,
    to: u64,
    piece: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let (mut left, mut lines) = (to, Vec::new());
    log::read(files, folder, 0, to, &mut |frame| {
        lines.clear();
        for row in frame.requests.iter().flat_map(|request| &request.rows).take(left as usize) {
            left -= 1;
            lines.extend_from_slice(row.as_bytes());
            lines.push(b'\n');
        }
        piece(&lines)
    })
}

/// XXH3-64 of that text: what a model file says of its training data.
pub fn fingerprint(files: &dyn Files, folder: &Path, to: u64) -> io::Result<u64> {
    let mut hash = XxHash3_64::with_seed(0);
    text(files, folder, to, &mut |lines| {
        hash.write(lines);
        Ok(())
    })?;
    Ok(hash.finish())
}

/// The model after the first `to` examples, learned again from the log.
pub fn model_at(files: &dyn Files, folder: &Path, trainer: Trainer, to: u64) -> Result<Model> {
    let mut engine = Engine::new(trainer)?;
    replay(files, folder, to, &mut |example| {
        let mut again = |to, each: &mut dyn FnMut(&VwExample) -> Result<()>| replay(files, folder, to, each);
        engine.learn_next(example, &mut again).map(drop)
    })?;
    engine.model(fingerprint(files, folder, to).map_err(|error| Error::io(folder, error))?)
}
