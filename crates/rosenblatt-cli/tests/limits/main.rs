//! Limits on memory and time hold for every command, whatever the data look like.

#[path = "../support/mod.rs"]
mod support;

#[cfg(unix)]
mod kills;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod signals;
