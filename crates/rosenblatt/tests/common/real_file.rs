//! Real files: at `ROSENBLATT_DATA`, or beside the workspace.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The path of one; a test without its file says so, loudly, and passes.
pub fn find(file: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("ROSENBLATT_DATA").map_or_else(beside, PathBuf::from).join(file);
    if path.exists() {
        return Some(path);
    }
    // Not `eprintln!`, which the test harness keeps to itself when a test passes.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: no data at {}: set ROSENBLATT_DATA to the folder of data sets",
        path.display()
    );
    None
}
