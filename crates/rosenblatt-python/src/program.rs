//! The program `rosenblatt`, as the package's command.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the program with these arguments, its name first, and returns its exit status. Signals are the program's own from
/// then on: call it from a process that does nothing else.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| rosenblatt_cli::main(arguments));
    // A code does not tell its number, but which number makes an equal one.
    (0..=u8::MAX).find(|&status| ExitCode::from(status) == code).unwrap_or(1)
}
