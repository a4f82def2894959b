//! Snapshots: a checkpoint of the library, and what the server knows besides, at one example.
//!
//! ```text
//!  "RSNAP001" | header length u64 | checkpoint length u64 | header (JSON) | checkpoint | CRC-32C u32 of everything before
//! ```
//!
//! While the log is whole a snapshot only saves time: without one, or with a damaged one, everything is replayed. Once the
//! log is compacted, the two newest snapshots hold what was dropped.

use std::io;
use std::path::Path;

use super::crc::crc32c;
use super::files::{Files, replace};

const MAGIC: &[u8; 8] = b"RSNAP001";
const HEAD: usize = 24;
/// Snapshots that are kept, of those that the log reaches after any crash.
pub(super) const KEPT: usize = 2;

/// A snapshot, as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Examples before it.
    pub examples: u64,
    /// What the server knows: JSON.
    pub header: Vec<u8>,
    /// The library's checkpoint; empty if there is none yet.
    pub checkpoint: Vec<u8>,
}

fn name(examples: u64) -> String {
    format!("snapshot-{examples:020}")
}

fn all(files: &dyn Files, folder: &Path) -> io::Result<Vec<u64>> {
    Ok(files.list(folder)?.into_iter().filter_map(|name| name.strip_prefix("snapshot-")?.parse().ok()).collect())
}

/// Writes a snapshot, and removes all but the newest. A snapshot of more than the `durable` examples counts for nothing
/// after a crash, so none is removed for it.
pub fn write(files: &dyn Files, folder: &Path, snapshot: &Snapshot, durable: u64) -> io::Result<()> {
    crate::points::reach("snapshot");
    let mut bytes = Vec::with_capacity(HEAD + snapshot.header.len() + snapshot.checkpoint.len() + 4);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&(snapshot.header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(snapshot.checkpoint.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&snapshot.header);
    bytes.extend_from_slice(&snapshot.checkpoint);
    let crc = crc32c(&[&bytes]);
    bytes.extend_from_slice(&crc.to_le_bytes());
    replace(files, folder, &name(snapshot.examples), &bytes)?;
    let all = reached(files, folder, durable)?;
    for &old in &all[..all.len().saturating_sub(KEPT)] {
        files.remove(&folder.join(name(old)))?;
        crate::points::reach("removed");
    }
    Ok(())
}

/// The examples of all snapshots of at most `most`, in order.
pub fn reached(files: &dyn Files, folder: &Path, most: u64) -> io::Result<Vec<u64>> {
    Ok(all(files, folder)?.into_iter().filter(|&examples| examples <= most).collect())
}

/// The snapshot of so many examples, if it is whole.
pub fn open(files: &dyn Files, folder: &Path, examples: u64) -> io::Result<Option<Snapshot>> {
    Ok(read(&files.read(&folder.join(name(examples)))?, examples))
}

fn read(bytes: &[u8], examples: u64) -> Option<Snapshot> {
    let (body, crc) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
    if body.get(..8)? != MAGIC || crc32c(&[body]).to_le_bytes() != *crc {
        return None;
    }
    let length = |at: usize| Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?) as usize);
    let (header, checkpoint) = body.get(HEAD..)?.split_at_checked(length(8)?)?;
    let snapshot = Snapshot { examples, header: header.to_vec(), checkpoint: checkpoint.to_vec() };
    (snapshot.checkpoint.len() == length(16)?).then_some(snapshot)
}

/// Removes all snapshots of more than `most` examples: the log they were made from is not there. The examples of the
/// longest one, or 0.
pub fn forget_after(files: &dyn Files, folder: &Path, most: u64) -> io::Result<u64> {
    let mut longest = 0;
    for examples in all(files, folder)?.into_iter().filter(|&examples| examples > most) {
        files.remove(&folder.join(name(examples)))?;
        files.sync_folder(folder)?;
        longest = examples;
    }
    Ok(longest)
}
