//! A rule: how far to move along the correction.

use crate::learn::machine::Judgement;

/// How far to move along z, the correction of one example (y·x for two classes).
///
/// A rule keeps no state: what it may need of the past is the number of this update, `k`, counted from 1.
///
/// ```
/// use rosenblatt::{Judgement, Rule, Table, Trainer};
///
/// /// Smaller steps as time goes by.
/// #[derive(Clone)]
/// struct Tiring;
///
/// impl Rule for Tiring {
///     fn tau(&self, seen: Judgement, k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
///         if seen.mistake { 1.0 / (k as f64).sqrt() } else { 0.0 }
///     }
/// }
///
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let fitted = Trainer::with_rule("tiring", Tiring).fit(&table)?;
/// assert_eq!(fitted.report.train_error, Some(0.0));
/// # Ok::<(), rosenblatt::Error>(())
/// ```
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
