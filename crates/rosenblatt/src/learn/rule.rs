//! A rule: how far to move along the correction.

use crate::learn::machine::Judgement;

/// How far to move along z, the correction of one example (y·x for two classes).
///
/// A rule keeps no state: what it may need of the past is the number of this update, `k`, counted from 1.
pub trait Rule: Clone + Send + Sync + 'static {
    /// Whether the rule promises a margin, so that training goes on until nothing moves rather than until nothing errs.
    const WANTS_MARGIN: bool = false;

    /// τ ≥ 0, zero to stay. `sq_len` is ‖z‖², computed only if asked for.
    fn tau(&self, seen: Judgement, k: u64, sq_len: impl FnOnce() -> f64) -> f64;

    /// At most this many **mistakes** on examples with ‖z‖ ≤ `radius`, when a unit vector separates them with
    /// margin `margin` > 0 and learning starts from zero with weights all 1. `None`: no theorem is known to us.
    fn bound(&self, _radius: f64, _margin: f64) -> Option<f64> {
        None
    }

    /// Whether the bound for any data holds too: see [`any_data_bound`](super::any_data::any_data_bound).
    fn bounded_on_any_data(&self) -> bool {
        false
    }
}
