//! Limits on memory and time hold for every command, whatever the data look like.
#![allow(clippy::print_stdout, reason = "the table of peaks is for a reader")]

#[path = "../support/mod.rs"]
mod support;

#[cfg(unix)]
mod deadlines;
#[cfg(unix)]
mod kills;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod signals;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(unix)]
mod usage;
