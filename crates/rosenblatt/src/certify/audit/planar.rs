//! Two features: the cheapest line, by turning a line about every point.
//!
//! Any line that touches no point can be moved until it touches one, without any other changing its side; so some best line
//! passes beside a point. About each point the others are sorted by the angle at which the line meets them, and the cost is
//! kept up as they change sides: O(n² log n). Angles are floats; the caller counts the mistakes exactly.

use std::f64::consts::PI;

use crate::rows::{AnyRows, Row, Rows};

/// The most points: 2,000² angles are sorted in about a second.
pub(super) const MAX_POINTS: usize = 2500;

/// A point, whether it is positive, and what a mistake costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) at: [f64; 2],
    pub(super) positive: bool,
    pub(super) cost: u64,
}

/// The points of some rows.
pub(super) fn points(rows: AnyRows<'_>, of: impl Iterator<Item = (usize, bool, u64)>) -> Vec<Point> {
    let point = |(row, positive, cost): (usize, bool, u64)| {
        let mut at = [0.0; 2];
        rows.row(row).each(|j, v| at[j] = v);
        Point { at, positive, cost }
    };
    of.map(point).collect()
}

/// The places of the points that a cheapest line has on the wrong side, and their cost.
pub(super) fn cheapest(points: &[Point], late: &dyn Fn() -> bool) -> Option<(u64, Vec<usize>)> {
    let mut best: Option<(u64, Vec<usize>)> = None;
    let mut turn = Turn::default();
    for pivot in 0..points.len() {
        if late() {
            break;
        }
        // Points at the same place have the same lines.
        if points[..pivot].iter().any(|p| p.at == points[pivot].at) {
            continue;
        }
        turn.about(points, pivot, &mut best);
    }
    best
}

#[derive(Default)]
struct Turn {
    /// (angle in 0..π, point).
    events: Vec<(f64, usize)>,
    /// Whether each point is on the left of the line.
    left: Vec<bool>,
}

impl Turn {
    fn about(&mut self, points: &[Point], pivot: usize, best: &mut Option<(u64, Vec<usize>)>) {
        let centre = points[pivot].at;
        self.events.clear();
        self.left.clear();
        self.left.resize(points.len(), false);
        // Mistakes if the left side is positive, and if it is negative; points at the pivot's place apart.
        let (mut cost, mut here) = ([0u64; 2], [0u64; 2]);
        for (k, p) in points.iter().enumerate() {
            let (x, y) = (p.at[0] - centre[0], p.at[1] - centre[1]);
            if x == 0.0 && y == 0.0 {
                here[usize::from(p.positive)] += p.cost;
                continue;
            }
            let mut angle = y.atan2(x);
            // Just after angle 0, a point above is on the left, and so is one behind.
            self.left[k] = angle > 0.0 && angle < PI || (y == 0.0 && x < 0.0);
            if angle < 0.0 {
                angle += PI;
            }
            if y == 0.0 {
                angle = PI;
            }
            cost[usize::from(self.left[k] == p.positive)] += p.cost;
            self.events.push((angle, k));
        }
        self.events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.take(points, pivot, cost, here, best);
        for at in 0..self.events.len() {
            let (angle, k) = self.events[at];
            let p = points[k];
            cost[usize::from(self.left[k] == p.positive)] -= p.cost;
            self.left[k] = !self.left[k];
            cost[usize::from(self.left[k] == p.positive)] += p.cost;
            if self.events.get(at + 1).is_none_or(|next| next.0 > angle) {
                self.take(points, pivot, cost, here, best);
            }
        }
    }

    /// cost[0]: the left side is positive. The points at the pivot go to the cheaper side.
    fn take(
        &self,
        points: &[Point],
        pivot: usize,
        cost: [u64; 2],
        here: [u64; 2],
        best: &mut Option<(u64, Vec<usize>)>,
    ) {
        let beside = here[0].min(here[1]);
        for (side, cost) in cost.into_iter().enumerate() {
            if best.as_ref().is_some_and(|(least, _)| *least <= cost + beside) {
                continue;
            }
            let wrong = |k: &usize| {
                let p = points[*k];
                if p.at == points[pivot].at {
                    p.positive == (here[1] < here[0])
                } else {
                    usize::from(self.left[*k] == p.positive) == side
                }
            };
            *best = Some((cost + beside, (0..points.len()).filter(wrong).collect()));
        }
    }
}
