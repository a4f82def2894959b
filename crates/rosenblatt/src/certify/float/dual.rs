//! Dual coordinate ascent, for supports too large for a triangle. (Hildreth 1957; the adatron.)
//!
//! ```text
//!   minimise ½‖w‖²   subject to   aᵢ·w + yᵢ b ≥ 1
//!   w = Σ αᵢ aᵢ,  α ≥ 0;   one step:   αᵢ ← max(0, αᵢ + (1 − aᵢ·w − yᵢ b) / qᵢ)
//! ```
//!
//! Without a bias q = ‖a‖². A free bias asks for Σ α y = 0, which single steps cannot keep; it is reached by the
//! method of multipliers: within a round b = anchor + β²·Σ α y and q = ‖a‖² + β², then the anchor moves to b.
//!
//! The bounds cost a pass: L is the margin of w, and α, scaled to the sum 1 in each group, gives
//! U = ‖Σ p a‖/G. Rows with α = 0 that stay clear of their constraint are left alone until the next such pass.

use super::pricing::price;
use super::view::{View, sq_norm};
use super::wolfe::{Effort, End, Found, MEETING, VISIBLE};
use crate::certify::Deadline;
use crate::random::Stream;
use crate::rows::Rows;

/// Epochs between two measurements.
const ROUND: usize = 10;
/// Rounds without closer bounds before giving up; rounds at most.
const PATIENCE: usize = 20;
const ROUNDS: usize = 400;
/// Entries of rows that the epochs look at, where no time is set: some seconds. More time brings the bounds closer.
const ENTRIES: usize = 500_000_000;
/// β² = mean ‖a‖² / this, in b = anchor + β²·Σ α y. Larger steps of b make the epochs zigzag, smaller ones
/// make it slow to arrive.
const BIAS_SHARE: f64 = 30.0;
/// A row is skipped after this many epochs clear of its constraint.
const IDLE: u8 = 3;

struct State {
    w: Vec<f64>,
    b: f64,
    alpha: Vec<f64>,
    /// ‖a‖²
    square: Vec<f64>,
    /// β², or 0 without a bias.
    reach: f64,
}

/// Coordinate ascent until the gap, the deadline, or no further gain; better than what is known already.
pub(super) fn ascend<R: Rows>(
    view: View<'_, R>,
    radius: f64,
    known: Option<Found>,
    gap: f64,
    deadline: &Deadline,
    effort: &mut Effort,
) -> Found {
    let n = view.signs.len();
    let square = view.blocks(|range| range.map(|i| view.sq_norm(i)).collect::<Vec<f64>>());
    let square: Vec<f64> = square.into_iter().flatten().collect();
    let counted = || square.iter().zip(view.signs).filter(|s| *s.1 != 0);
    let mean = counted().map(|s| s.0).sum::<f64>() / counted().count().max(1) as f64;
    let reach = if view.bias { mean / BIAS_SHARE } else { 0.0 };
    let mut state = State { w: vec![0.0; view.rows.features()], b: 0.0, alpha: vec![0.0; n], square, reach };
    let everyone: Vec<usize> = (0..n).filter(|&i| view.signs[i] != 0).collect();
    let late = || deadline.has_passed();
    let mut found = known.unwrap_or_else(|| Found {
        end: End::Limit,
        direction: state.w.clone(),
        lower: f64::NEG_INFINITY,
        sides: [0.0; 2],
        upper: f64::INFINITY,
        support: Vec::new(),
        pool: Vec::new(),
    });
    let (mut stale, mut closest) = (0, f64::INFINITY);
    let mut entries = 0usize;
    for round in 0..ROUNDS {
        let mut active = everyone.clone();
        let mut idle = vec![0u8; n];
        for epoch in 0..ROUND {
            Stream::new(0, &[round as u64, epoch as u64]).shuffle(&mut active);
            state.epoch(&view, &active, &mut idle, deadline);
            effort.passes += usize::from(active.len() * 2 > everyone.len());
            entries += active.iter().map(|&i| view.rows.stored(i)).sum::<usize>();
            active.retain(|&i| idle[i] < IDLE);
            if late() {
                break;
            }
        }
        let apart = state.measure(&view, &mut found);
        effort.passes += 1;
        found.end = if found.upper <= MEETING * radius {
            End::Meeting
        } else if found.lower > VISIBLE * radius && found.lower >= (1.0 - gap) * found.upper {
            End::Gap
        } else if late() {
            End::Deadline
        } else {
            stale = if apart < 0.99 * closest { 0 } else { stale + 1 };
            closest = closest.min(apart);
            let enough = entries > ENTRIES && !deadline.is_timed() && found.lower > VISIBLE * radius;
            if stale < PATIENCE && !enough {
                state.move_anchor(view.signs);
                continue;
            }
            End::Limit
        };
        break;
    }
    found.pool = found.support.iter().map(|s| s.0).collect();
    found
}

impl State {
    fn epoch<R: Rows>(&mut self, view: &View<'_, R>, active: &[usize], idle: &mut [u8], deadline: &Deadline) {
        for (k, &i) in active.iter().enumerate() {
            if k.is_multiple_of(4096) && deadline.has_passed() {
                return;
            }
            let y = f64::from(view.signs[i]);
            let short = 1.0 - view.dot(i, &self.w) - y * self.b;
            let old = self.alpha[i];
            let new = (old + short / (self.square[i] + self.reach)).max(0.0);
            idle[i] = if new == 0.0 && short < -0.01 { idle[i].saturating_add(1) } else { 0 };
            // Not for NaN: a zero row without a bias has no constraint to meet.
            if new != old && new.is_finite() {
                self.alpha[i] = new;
                view.add(i, &mut self.w, new - old);
                self.b += y * self.reach * (new - old);
            }
        }
    }

    /// b = anchor + β²·Σ α y with the anchor at the b of before.
    fn move_anchor(&mut self, signs: &[i8]) {
        let unbalanced: f64 = self.alpha.iter().zip(signs).map(|(a, &y)| a * f64::from(y)).sum();
        self.b += self.reach * unbalanced;
    }

    /// Both bounds, kept where they are the best; returns how far apart those of this moment are.
    fn measure<R: Rows>(&self, view: &View<'_, R>, found: &mut Found) -> f64 {
        let groups = view.groups();
        let mut apart = f64::INFINITY;
        let mut sums = [0.0; 2];
        self.alpha.iter().enumerate().for_each(|(i, a)| sums[view.group(i)] += a);
        if sums[..groups].iter().all(|&s| s > 0.0) {
            let chosen = self.alpha.iter().enumerate().filter(|a| *a.1 > 0.0);
            let support: Vec<(usize, f64)> = chosen.map(|(i, a)| (i, a / sums[view.group(i)])).collect();
            let x = view.combine(support.iter().copied());
            let bound = sq_norm(&x).sqrt() / groups as f64;
            if bound < found.upper {
                (found.upper, found.support) = (bound, support);
            }
            apart = bound - measure_margin(view, &x, found).max(measure_margin(view, &self.w, found));
        }
        apart
    }
}

/// Computes the margin of a direction and keeps it if it is the best.
fn measure_margin<R: Rows>(view: &View<'_, R>, w: &[f64], found: &mut Found) -> f64 {
    let groups = view.groups();
    let norm = sq_norm(w).sqrt();
    let pass = price(view, w, [f64::NEG_INFINITY; 2], 0.0, 0, |_| false);
    let lower = pass.street(groups) / (groups as f64 * norm);
    if norm > 0.0 && lower > found.lower {
        found.lower = lower;
        found.direction = w.to_vec();
        found.sides = pass.lowest.map(|l| l.0);
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::DenseRows;

    #[test]
    fn both_bounds_converge_to_a_known_margin() {
        // Positives at (±1, 3), negatives at (±2, 1): the street lies between y = 1 and y = 3.
        let rows = DenseRows::new(&[1.0, 3.0, -1.0, 3.0, 2.0, 1.0, -2.0, 1.0], 2).unwrap();
        let view = View { rows, signs: &[1, 1, -1, -1], bias: true, map: None };
        let found = ascend(view, view.radius(), None, 1e-3, &Deadline::NEVER, &mut Effort::default());
        assert_eq!(found.end, End::Gap);
        assert!(found.lower <= 1.0 + 1e-12 && 1.0 <= found.upper + 1e-12, "{} {}", found.lower, found.upper);
        // Without a bias the nearest point of conv{(±1, 3), (±2, −1)} is the origin itself: no such line.
        let found =
            ascend(View { bias: false, ..view }, view.radius(), None, 1e-3, &Deadline::NEVER, &mut Effort::default());
        assert!(found.lower < 0.0);
    }
}
