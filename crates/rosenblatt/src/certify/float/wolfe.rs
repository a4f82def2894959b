//! The maximum margin between two bounds that come for free: a working set around Wolfe's method.
//!
//! ```text
//!   loop:
//!     x, λ ← shortest point of the hull of the pool                   (small: no pass over the data)
//!     s ← A x                                                         (the only full pass)
//!     U = ‖x‖/G      every hyperplane's margin is at most this        (weak duality)
//!     L = Σ_g min_{i∈g} sᵢ / (G‖x‖)    the margin of x itself
//!     stop if L ≥ (1 − gap)·U, or U is as small as its rounding, or nothing lies below its level
//!     pool ← pool + the examples that lie lowest
//! ```
//!
//! U decreases with each iteration; L need not increase, so the best is kept with its direction.

use super::corral::Corral;
use super::pricing::{Pass, price};
use super::view::{View, sq_norm};
use crate::certify::Deadline;
use crate::rows::Rows;

/// ‖x‖ ≤ this·R: the hulls seem to meet.
pub(super) const MEETING: f64 = 1.5e-14;

/// A margin below this·R cannot be distinguished from rounding.
pub(super) const VISIBLE: f64 = 8.0 * f64::EPSILON;

/// Time granted for a first bound, even beyond the deadline.
const FIRST_MILLISECONDS: u64 = 100;

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// L ≥ (1 − gap)·U
    Gap,
    /// U is zero within rounding.
    Meeting,
    /// Rounding hides what is left to gain.
    Limit,
    /// No time left.
    Deadline,
}

/// Counts of work done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Full passes over the data that priced every example (or, for coordinate ascent, moved or measured each).
    pub passes: usize,
    /// Small problems solved: how often an example joined a support.
    pub solves: usize,
}

/// The result of the loop, in the geometry of its view.
pub(super) struct Found {
    pub end: End,
    /// The direction with the best lower bound, and that bound; the street's two sides (lowest a·w of each group).
    pub direction: Vec<f64>,
    pub lower: f64,
    pub sides: [f64; 2],
    pub upper: f64,
    /// Rows and weights, the weights of each group summing to 1.
    pub support: Vec<(usize, f64)>,
    pub pool: Vec<usize>,
}

/// Where to start: the examples that lie lowest along a first direction.
pub(super) struct Start<'s> {
    pub direction: &'s [f64],
    /// What lies below this, in each group, may be picked at once.
    pub level: [f64; 2],
    /// Examples that belong to the pool from the beginning.
    pub pool: &'s [usize],
}

/// Wolfe's method on a growing pool.
pub(super) fn maximise<R: Rows>(
    view: View<'_, R>,
    radius: f64,
    start: Start<'_>,
    gap: f64,
    deadline: &Deadline,
    effort: &mut Effort,
) -> Found {
    let groups = view.groups();
    let add = (5 * view.rows.features()).clamp(50, 1000);
    let mut pooled = vec![false; view.rows.len()];
    let mut pool = start.pool.to_vec();
    pool.iter().for_each(|&i| pooled[i] = true);

    let pass = price(&view, start.direction, start.level, 0.0, add, |i| !pooled[i]);
    effort.passes += 1;
    let first: Vec<usize> = pass.lowest[..groups].iter().map(|l| l.1).collect();
    extend(&mut pool, &mut pooled, first.iter().copied().chain(pass.picks.iter().map(|p| p.index)));
    let mut corral = Corral::new(view, radius, &first);
    let mut best = Best::new(start.direction, &pass, groups);
    let tolerance = (gap / 20.0).clamp(1e-13, 1e-5);
    let late = || deadline.has_passed();
    let too_late = late();
    let granted = deadline.granting(FIRST_MILLISECONDS);
    let end = loop {
        corral.minimise(&pool, tolerance, MEETING * radius, &granted);
        let norm = corral.norm();
        let upper = norm / groups as f64;
        let pass = price(&view, &corral.x, corral.level, corral.noise(), add, |i| !pooled[i]);
        effort.passes += 1;
        best.keep_better(&corral.x, &pass, groups);
        if too_late {
            break End::Deadline;
        }
        if norm <= MEETING * radius {
            break End::Meeting;
        }
        if best.lower > VISIBLE * radius && best.lower >= (1.0 - gap) * upper {
            break End::Gap;
        }
        if pass.picks.is_empty() {
            break End::Limit;
        }
        if late() {
            break End::Deadline;
        }
        if pool.len() > 12 * add + corral.members.len() {
            thin(&mut pool, &mut pooled, &corral, 4 * add);
        }
        extend(&mut pool, &mut pooled, pass.picks.iter().map(|p| p.index));
    };
    effort.solves += corral.joined;
    let support: Vec<(usize, f64)> = corral.members.iter().copied().zip(corral.lambda.iter().copied()).collect();
    Found {
        end,
        upper: corral.norm() / groups as f64,
        direction: best.direction,
        lower: best.lower,
        sides: best.sides,
        support,
        pool,
    }
}

fn extend(pool: &mut Vec<usize>, pooled: &mut [bool], more: impl Iterator<Item = usize>) {
    for i in more {
        if !std::mem::replace(&mut pooled[i], true) {
            pool.push(i);
        }
    }
}

/// Keeps the support and the lowest `keep` of a pool that has grown too large.
fn thin<R: Rows>(pool: &mut Vec<usize>, pooled: &mut [bool], corral: &Corral<'_, R>, keep: usize) {
    let mut heights = corral.shortfalls(pool);
    heights.sort_unstable_by(super::pricing::Pick::order);
    pool.iter().for_each(|&i| pooled[i] = false);
    pool.clear();
    extend(pool, pooled, corral.members.iter().copied().chain(heights.iter().take(keep).map(|p| p.index)));
}

/// The best direction so far.
struct Best {
    direction: Vec<f64>,
    lower: f64,
    sides: [f64; 2],
}

impl Best {
    fn new(w: &[f64], pass: &Pass, groups: usize) -> Self {
        let mut best = Best { direction: w.to_vec(), lower: f64::NEG_INFINITY, sides: [0.0; 2] };
        best.keep_better(w, pass, groups);
        best
    }

    fn keep_better(&mut self, w: &[f64], pass: &Pass, groups: usize) {
        let norm = sq_norm(w).sqrt();
        let lower = pass.street(groups) / (groups as f64 * norm);
        if norm > 0.0 && lower > self.lower {
            *self = Best { direction: w.to_vec(), lower, sides: pass.lowest.map(|l| l.0) };
        }
    }
}
