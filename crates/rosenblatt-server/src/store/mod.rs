//! What survives a crash: the log, snapshots, and the files under them.

pub mod compaction;
mod crc;
pub mod files;
pub mod frame;
pub mod log;
#[cfg(test)]
pub mod simulated;
pub mod snapshot;

pub use files::{Disk, Files, remove_unfinished, replace};
pub use frame::{Frame, Request};
pub use log::{Failure, Log, Sizes};
