//! The lab's engine and page, for the widget.

use pyo3::prelude::*;

/// Answers a request of the page.
#[pyfunction]
pub(crate) fn lab_answer(py: Python<'_>, request: &str) -> String {
    py.detach(|| rosenblatt_lab::answer(request))
}

/// The files of the page: name and text.
#[pyfunction]
pub(crate) fn lab_files() -> Vec<(&'static str, &'static str)> {
    rosenblatt_lab::page::FILES.iter().map(|file| (file.name, file.text)).collect()
}
