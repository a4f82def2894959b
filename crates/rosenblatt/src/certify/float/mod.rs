//! The floating-point half: fast, and explicit about what it cannot decide.
//!
//! **Problem.** Examples x with signs y = ±1. With a bias: the hyperplane w·x + b = 0 with the widest street,
//! max min y(w·x + b)/‖w‖, is the one between the nearest points of the hulls of the two classes. Without: the widest
//! through the origin belongs to the point of conv{y·x} that is nearest to it.
//!
//! **Answer.** Weak duality bounds the maximum margin γ* from both sides by quantities that are easy to recompute:
//! any w gives margin(w) ≤ γ*, any convex weights p give γ* ≤ ‖Σ p y x‖ (half of that with a bias, each class
//! summing to 1). Hulls that meet have no separating hyperplane; the examples with p > 0 prove it.
//!
//! * `view`, `geometry`: signed points; scales and centre that avoid overflow.
//! * `pricing`: the full pass. `corral`, `factor`: the small exact-in-theory solver. `wolfe`: both together.
//! * `dual`: coordinate ascent, where a support may be too large for a triangle.
//! * `presolve`: what linear time can decide.
//! * `folded`: the margin with the bias as one more weight.
//!
//! All results are bitwise the same for any number of threads.

mod corral;
mod decide;
mod dual;
mod factor;
mod folded;
mod geometry;
mod presolve;
mod pricing;
mod view;
mod wolfe;

pub(crate) use folded::{Widest, widest};
pub use wolfe::Effort;

use crate::certify::Deadline;
use crate::error::Result;
use crate::limits;
use crate::rows::AnyRows;

/// Examples with two classes.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The features.
    pub rows: AnyRows<'a>,
    /// +1 or −1 for each row; 0: the row is left out.
    pub signs: &'a [i8],
    /// Whether there is a bias.
    pub bias: bool,
}

/// The result of floating-point arithmetic.
///
/// Bounds are rounded, with a relative error of about u·R/γ; proofs recompute them exactly.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposal {
    /// A hyperplane with every example on its side.
    Separable {
        /// w, one for each feature.
        weights: Vec<f64>,
        /// b; 0 without a bias.
        bias: f64,
        /// The margin of (w, b): the distance of the nearest example.
        lower: f64,
        /// No hyperplane has a larger margin. Infinite where there is nothing on one side (then w = 0).
        upper: f64,
        /// Rows (from 0) and the convex weights that give `upper`; with a bias they sum to 1 in each class.
        support: Vec<(usize, f64)>,
    },
    /// The hulls seem to meet.
    Inseparable {
        /// Rows (from 0) and weights that sum to 1 (with a bias, ½ in each class) with Σ p y x ≈ 0.
        support: Vec<(usize, f64)>,
    },
    /// Undecided by floating point, or by the deadline.
    Unclear {
        /// The rows that matter most: the support, then the lowest.
        pool: Vec<usize>,
        /// Rows (from 0) and the convex weights that give `upper`; with a bias they sum to 1 in each class.
        support: Vec<(usize, f64)>,
        /// The best direction so far.
        weights: Vec<f64>,
        /// Its bias.
        bias: f64,
        /// Its margin, perhaps negative.
        lower: f64,
        /// No hyperplane has a larger margin.
        upper: f64,
    },
}

fn plain(problem: Problem<'_>) -> view::View<'_, AnyRows<'_>> {
    view::View { rows: problem.rows, signs: problem.signs, bias: problem.bias, map: None }
}

/// Rows that contradict each other, as far as floats tell: two, or one of zeros without a bias.
pub(super) fn contradiction(problem: Problem<'_>) -> Option<Vec<usize>> {
    Some(presolve::contradiction(&plain(problem))?.into_iter().map(|(i, _)| i).collect())
}

/// The rows that are left when features of one sign take theirs, again and again: these decide about strict separability.
pub(super) fn core(problem: Problem<'_>) -> Vec<usize> {
    presolve::core(&plain(problem))
}

/// A feature that is on one side only, with its side: it separates weakly.
pub(super) fn one_signed(problem: Problem<'_>) -> Option<(usize, i8)> {
    presolve::one_signed(&plain(problem))
}

/// An error if there is no room for the vectors of the search, each as long as a row: the means of all parts, directions,
/// scales; and for the whole numbers that they are rounded to.
pub(crate) fn room(problem: Problem<'_>) -> Result<()> {
    const DIRECTIONS: usize = 16;
    const ROUNDED: usize = 16;
    let features = problem.rows.features();
    let vectors = 2 * plain(problem).part_count().min(problem.rows.len()) + DIRECTIONS + ROUNDED;
    let what = || format!("hyperplanes over {features} features").into();
    limits::room_for::<f64>(features as u128 * vectors as u128, what)
}

/// Looks for the maximum margin until lower ≥ (1 − `gap`)·upper, for hulls that meet, or for the deadline.
///
/// A `gap` of 1 or more asks for a verdict only: any separating hyperplane suffices, and shortcuts are taken.
///
/// # Panics
/// If there is not one sign for each row.
pub fn propose(problem: Problem<'_>, gap: f64, deadline: &Deadline) -> Proposal {
    propose_counting(problem, gap, deadline).0
}

/// The same, and how much work it was.
pub fn propose_counting(problem: Problem<'_>, gap: f64, deadline: &Deadline) -> (Proposal, Effort) {
    let Problem { rows, signs, bias } = problem;
    assert_eq!(rows.len(), signs.len(), "one sign for each row");
    let dense = !rows.is_sparse();
    let gap = if gap.is_nan() { 0.0 } else { gap.max(0.0) };
    decide::decide(view::View { rows, signs, bias, map: None }, dense, gap, deadline)
}
