//! A rule: how far to move along the correction.

use crate::learn::machine::Judgement;

/// How far to move along z, the correction of one example (y·x for two classes).
///
/// A rule keeps no state; `k` is the number of this update, from 1.
///
/// ```
/// use rosenblatt::{Judgement, Rule, Table, Trainer};
///
/// /// Steps that shrink with their number.
/// #[derive(Clone)]
/// struct Shrinking;
///
/// impl Rule for Shrinking {
///     fn tau(&self, judgement: Judgement, k: u64, _sq_len: impl FnOnce() -> f64) -> f64 {
///         if judgement.mistake { 1.0 / (k as f64).sqrt() } else { 0.0 }
///     }
/// }
///
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let fitted = Trainer::with_rule("shrinking", Shrinking).fit(&table)?;
/// assert_eq!(fitted.report.train_error, Some(0.0));
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub trait Rule: Clone + Send + Sync + 'static {
    /// True if the rule promises a margin: training then continues until nothing moves, not only until there is no mistake.
    const WANTS_MARGIN: bool = false;

    /// τ ≥ 0, zero for no step. `sq_len` returns ‖z‖²; call it only if needed.
    fn tau(&self, judgement: Judgement, k: u64, sq_len: impl FnOnce() -> f64) -> f64;

    /// τ for an example of this weight: by default weight·τ. A rule whose step is a smallest sufficient one, which a longer
    /// one would overshoot, weighs its limit instead.
    #[inline]
    fn weighted_tau(&self, judgement: Judgement, k: u64, sq_len: impl FnOnce() -> f64, weight: f64) -> f64 {
        weight * self.tau(judgement, k, sq_len)
    }

    /// At most this many **mistakes** on examples with ‖z‖ ≤ `radius`, when a unit vector separates them with
    /// margin `margin` > 0 and learning starts from zero with weights all 1. `None`: we know no theorem.
    fn bound(&self, _radius: f64, _margin: f64) -> Option<f64> {
        None
    }

    /// Whether the bound for any data holds too: see [`any_data_bound`](super::any_data::any_data_bound).
    fn bounded_on_any_data(&self) -> bool {
        false
    }
}

/// Any rule, behind a pointer: for learners that ask it once among thousands of multiplications.
pub trait AnyRule: Send + Sync {
    /// See [`Rule::WANTS_MARGIN`].
    fn wants_margin(&self) -> bool;
    /// See [`Rule::weighted_tau`]; `sq_len` is ‖z‖².
    fn weighted_tau(&self, judgement: Judgement, k: u64, sq_len: f64, weight: f64) -> f64;
    /// See [`Rule::bound`].
    fn bound(&self, radius: f64, margin: f64) -> Option<f64>;
    /// See [`Rule::bounded_on_any_data`].
    fn bounded_on_any_data(&self) -> bool;
}

impl<R: Rule> AnyRule for R {
    fn wants_margin(&self) -> bool {
        R::WANTS_MARGIN
    }

    fn weighted_tau(&self, judgement: Judgement, k: u64, sq_len: f64, weight: f64) -> f64 {
        Rule::weighted_tau(self, judgement, k, || sq_len, weight)
    }

    fn bound(&self, radius: f64, margin: f64) -> Option<f64> {
        Rule::bound(self, radius, margin)
    }

    fn bounded_on_any_data(&self) -> bool {
        Rule::bounded_on_any_data(self)
    }
}
