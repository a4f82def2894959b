//! `rosenblatt._rosenblatt`: the native module of the Python package. It has no algorithms.
//!
//! Every call that may take long goes through [`border`]; arrays are borrowed, not copied ([`arrays`]).

mod arrays;
mod audit;
mod border;
mod dicts;
mod estimator;
mod files;
mod lab;
mod model;
mod online;
mod online_tagger;
mod program;
mod separable;
mod shards;
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
    use crate::audit::audit;
    #[pymodule_export]
    use crate::border::{DataError, ModelError, SettingsError};
    #[pymodule_export]
    use crate::dicts::DictLearner;
    #[pymodule_export]
    use crate::estimator::{Trainer, learners};
    #[pymodule_export]
    use crate::files::{fit_file, load_libsvm, predict_file, read_bytes, read_rows};
    #[pymodule_export]
    use crate::lab::{lab_answer, lab_files};
    #[pymodule_export]
    use crate::model::{Model, canonical_labels};
    #[pymodule_export]
    use crate::online::{OnlineTrainer, Paused};
    #[pymodule_export]
    use crate::online_tagger::OnlineTagger;
    #[pymodule_export]
    use crate::program::run_program;
    #[pymodule_export]
    use crate::separable::{CertificateError, proved_bytes, separable, separable_file, verify};
    #[pymodule_export]
    use crate::shards::{Mixture, merge_labels, read_shard, sum_reports};
    #[pymodule_export]
    use crate::tagger::{Tagger, TaggerTrainer};
    #[pymodule_export]
    use crate::trace::trace;
    #[pymodule_export]
    use crate::words::parameters;
}
