//! Named points at which a test ends the process, as `kill -9` would: `ROSENBLATT_DIE_AT=name:n` ends it the n-th time.
//! Only in builds with debug assertions.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static CHOSEN: OnceLock<Option<(String, u64)>> = OnceLock::new();
static TIMES: AtomicU64 = AtomicU64::new(0);

/// All points, in the order of the work.
pub const POINTS: [&str; 10] = [
    "before-append",
    "half-append",
    "appended",
    "synced",
    "applied",
    "new-segment",
    "snapshot",
    "written",
    "renamed",
    "removed",
];

/// Those of the compaction of a log.
pub const COMPACTION: [&str; 3] = ["compaction", "segment-removed", "compacted"];

/// The process is at this point.
pub fn reach(name: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    let chosen = CHOSEN.get_or_init(|| {
        let text = std::env::var("ROSENBLATT_DIE_AT").ok()?;
        let (name, times) = text.split_once(':')?;
        Some((name.to_string(), times.parse().ok()?))
    });
    if let Some((point, times)) = chosen
        && point == name
        && TIMES.fetch_add(1, Ordering::SeqCst) + 1 == *times
    {
        // No destructor, no flush: what is not on disk is lost, as in a crash.
        std::process::abort();
    }
}

/// Whether the process ends at this point: for work that is done in halves there.
pub fn is_chosen(name: &str) -> bool {
    CHOSEN.get().and_then(Option::as_ref).is_some_and(|(point, _)| point == name)
}
