//! Compaction: drops the oldest segments of a log, once snapshots hold what they say.
//!
//! After it the state is a snapshot and the log after it, and is still what `train` makes of all examples. Three conditions
//! make that so, whatever comes next:
//!
//! 1. Two snapshots are whole, as they are read back, and segments go only up to the older one: if the newer is damaged
//!    later, the older and the log after it are there.
//! 2. The log is durable beyond both: no crash takes away examples that a snapshot has.
//! 3. The older one knows all classes. A new class would have to be learned from the start; so no replay meets one, and from
//!    now on a new one is refused.
//!
//! Segments are removed from the oldest on, each durably before the next: what is left has no gap after any crash.

use std::io;
use std::path::Path;

use super::files::Files;
use super::{log, snapshot};
use crate::points;

/// Drops what is not needed; `durable` examples survive a crash, and the newest class came with example `settled`. How many
/// examples of the log are dropped now.
pub fn compact(files: &dyn Files, folder: &Path, durable: u64, settled: u64) -> io::Result<u64> {
    let segments = log::segments(files, folder)?;
    let start = segments.first().copied().unwrap_or(0);
    let snapshots = snapshot::reached(files, folder, durable)?;
    let [.., older, newer] = snapshots[..] else { return Ok(start) };
    let goes = segments.windows(2).take_while(|pair| pair[1] <= older).count();
    if goes == 0 || older < settled {
        return Ok(start);
    }
    for examples in [older, newer] {
        if snapshot::open(files, folder, examples)?.is_none() {
            return Ok(start);
        }
    }
    points::reach("compaction");
    for &before in &segments[..goes] {
        files.remove(&folder.join(log::segment_name(before)))?;
        points::reach("segment-removed");
        files.sync_folder(folder)?;
    }
    points::reach("compacted");
    Ok(segments[goes])
}
