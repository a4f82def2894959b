//! `rosenblatt._rosenblatt`: the native module of the Python package. It has no algorithms.
//!
//! Every call that may take long goes through [`border`]; arrays are borrowed, not copied ([`arrays`]).

mod arrays;
mod border;
mod estimator;
mod files;
mod model;
mod separable;
mod tagger;
mod trace;
mod words;

/// Python's own memory is not counted.
#[global_allocator]
static ALLOCATOR: rosenblatt::limits::Counting = rosenblatt::limits::Counting;

/// The native module of the package `rosenblatt`; use that.
#[pyo3::pymodule]
mod _rosenblatt {
    #[pymodule_export]
    use crate::border::{DataError, ModelError, SettingsError};
    #[pymodule_export]
    use crate::estimator::{OnlineTrainer, Paused, Trainer, learners};
    #[pymodule_export]
    use crate::files::{fit_file, load_libsvm, predict_file, read_bytes};
    #[pymodule_export]
    use crate::model::{Model, canonical_labels};
    #[pymodule_export]
    use crate::separable::{CertificateError, proved_bytes, separable, separable_file, verify};
    #[pymodule_export]
    use crate::tagger::{Tagger, TaggerTrainer};
    #[pymodule_export]
    use crate::trace::trace;
    #[pymodule_export]
    use crate::words::parameters;
}
