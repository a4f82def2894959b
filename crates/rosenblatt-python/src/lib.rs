//! `rosenblatt._rosenblatt`: what the Python package asks of the library. No algorithm is here.
//!
//! Every call that may take long crosses the [`border`]; arrays are looked at where they lie ([`arrays`]).

mod arrays;
mod border;
mod estimator;
mod model;

/// What the package `rosenblatt` is built on; use that.
#[pyo3::pymodule]
mod _rosenblatt {
    #[pymodule_export]
    use crate::border::{DataError, ModelError, SettingsError};
    #[pymodule_export]
    use crate::estimator::{Apprentice, Paused, Trainer, learners};
    #[pymodule_export]
    use crate::model::Model;
}
