//! Hyperplanes of few mistakes, in floats: the upper side of the bracket.
//!
//! 1. **Hinge** (the elastic program of Chinneck, with a quadratic term): min ½‖w‖² + C Σ cᵢ max(0, 1 − aᵢ·w), by ascent in
//!    one dual variable at a time (Hsieh and others 2008). Rows that stay wrong are left out and the rest is learned again.
//! 2. **Search along lines** (Li and Lin 2007): along w + t·v each item is right on an interval of t. Sorting the ends of the
//!    intervals gives the cost for every t at once, and t moves to the middle of the cheapest stretch. Directions v are
//!    coordinates, rows on the wrong side, and random ones.

use super::problem::Problem;
use crate::random::Stream;

/// A hyperplane, the product of each row with it, and what it costs.
#[derive(Debug, Clone)]
pub(super) struct Plane {
    pub(super) w: Vec<f64>,
    scores: Vec<f64>,
    pub(super) cost: u64,
}

/// A score below this part of ‖a‖‖w‖ counts as 0: on the hyperplane, a mistake.
const ON_IT: f64 = 1e-12;

impl Plane {
    pub(super) fn new(problem: &Problem, w: Vec<f64>) -> Self {
        let scores: Vec<f64> = (0..problem.rows()).map(|r| problem.dot(r, &w)).collect();
        let mut plane = Plane { w, scores, cost: 0 };
        plane.cost = plane.mistakes(problem).iter().map(|&i| problem.items[i].cost).sum();
        plane
    }

    /// The items on the wrong side, or on the hyperplane.
    pub(super) fn mistakes(&self, problem: &Problem) -> Vec<usize> {
        let length = self.w.iter().map(|v| v * v).sum::<f64>().sqrt();
        let wrong = |r: usize| self.scores[r] <= ON_IT * length * problem.norms[r];
        (0..problem.items.len()).filter(|&i| problem.items[i].rows.clone().any(wrong)).collect()
    }

    /// How deep on its side the worst row of an item is, in units of its length.
    pub(super) fn depth(&self, problem: &Problem, item: usize) -> f64 {
        problem.items[item].rows.clone().map(|r| self.scores[r] / problem.norms[r]).fold(f64::INFINITY, f64::min)
    }

    /// Moves along `v` to the cheapest stretch; false if that is dearer than now.
    fn move_along(&mut self, problem: &Problem, v: &[f64], buffer: &mut Buffer) -> bool {
        buffer.speeds.clear();
        buffer.speeds.extend((0..problem.rows()).map(|r| problem.dot(r, v)));
        let Some((t, cost)) = buffer.cheapest(problem, &self.scores) else { return false };
        if cost > self.cost || t == 0.0 {
            return false;
        }
        self.w.iter_mut().zip(v).for_each(|(w, v)| *w += t * v);
        self.scores.iter_mut().zip(&buffer.speeds).for_each(|(s, v)| *s += t * v);
        self.cost = cost;
        let length = self.w.iter().map(|v| v * v).sum::<f64>().sqrt();
        if !(1e-3..1e3).contains(&length) && length > 0.0 {
            self.w.iter_mut().for_each(|w| *w /= length);
            self.scores.iter_mut().for_each(|s| *s /= length);
        }
        true
    }
}

/// Space for one search along a line.
#[derive(Debug, Default)]
struct Buffer {
    speeds: Vec<f64>,
    /// (t, cost that is saved from there on).
    ends: Vec<(f64, i64)>,
}

impl Buffer {
    /// The t in the middle of the cheapest stretch (of several the widest), and its cost.
    fn cheapest(&mut self, problem: &Problem, scores: &[f64]) -> Option<(f64, u64)> {
        self.ends.clear();
        let mut saved = 0i64;
        for item in &problem.items {
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            for r in item.rows.clone() {
                let (s, v) = (scores[r], self.speeds[r]);
                if v.abs() <= 1e-13 * problem.norms[r] {
                    if s <= 0.0 {
                        high = f64::NEG_INFINITY;
                    }
                } else if v > 0.0 {
                    low = low.max(-s / v);
                } else {
                    high = high.min(-s / v);
                }
            }
            if low < high {
                if low == f64::NEG_INFINITY {
                    saved += item.cost as i64;
                } else {
                    self.ends.push((low, item.cost as i64));
                }
                if high < f64::INFINITY {
                    self.ends.push((high, -(item.cost as i64)));
                }
            }
        }
        self.ends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let (first, last) = (self.ends.first()?.0, self.ends.last()?.0);
        let total = problem.total() as i64;
        // Beyond the ends: a step as long as the whole range.
        let beyond = (last - first).max(1.0);
        let mut best = (saved, beyond, first - beyond);
        for k in 0..self.ends.len() {
            let (t, change) = self.ends[k];
            saved += change;
            let next = self.ends.get(k + 1).map_or(t + 2.0 * beyond, |end| end.0);
            let width = next - t;
            if width > 1e-9 * (t.abs() + next.abs()) && (saved, width.min(beyond)) > (best.0, best.1) {
                best = (saved, width.min(beyond), t + width / 2.0);
            }
        }
        Some((best.2, (total - best.0).max(0) as u64)).filter(|(t, _)| t.is_finite())
    }
}

/// w of the hinge loss over the items that `takes` allows, with the factor C.
pub(super) fn hinge(
    problem: &Problem,
    c: f64,
    takes: &dyn Fn(usize) -> bool,
    passes: usize,
    late: &dyn Fn() -> bool,
) -> Vec<f64> {
    let mut w = vec![0.0; problem.width];
    let mut alpha = vec![0.0f64; problem.rows()];
    let mut order: Vec<usize> = (0..problem.rows()).filter(|&r| takes(problem.item_of[r])).collect();
    let mut random = Stream::new(0, &[21]);
    let most = problem.items.iter().map(|item| item.cost).max().unwrap_or(1) as f64;
    for _ in 0..passes {
        random.shuffle(&mut order);
        let mut change = 0.0f64;
        for (k, &r) in order.iter().enumerate() {
            if k.is_multiple_of(1024) && late() {
                return w;
            }
            let top = c * problem.items[problem.item_of[r]].cost as f64 / most;
            let gradient = problem.dot(r, &w) - 1.0;
            let old = alpha[r];
            let new = (old - gradient / (problem.norms[r] * problem.norms[r])).clamp(0.0, top);
            if new != old {
                alpha[r] = new;
                problem.each(r, |j, v| w[j] += (new - old) * v);
                change = change.max((new - old).abs() / top);
            }
        }
        if change < 1e-3 {
            break;
        }
    }
    w
}

/// First hyperplanes: all on one side, and the hinge's at several C, each repeated without the rows that stay wrong.
pub(super) fn first(problem: &Problem, late: &dyn Fn() -> bool, mut found: impl FnMut(&Plane)) {
    if problem.width > 0 {
        for sign in [1.0, -1.0] {
            let mut w = vec![0.0; problem.width];
            w[problem.width - 1] = sign;
            found(&Plane::new(problem, w));
        }
    }
    // About 2·10⁹ products at most for each C.
    let passes = (2_000_000_000 / problem.stored().max(1)).clamp(20, 300);
    for c in [1.0, 0.1, 10.0, 100.0, 0.01] {
        let mut plane = Plane::new(problem, hinge(problem, c, &|_| true, passes, late));
        for _ in 0..4 {
            found(&plane);
            if late() || plane.cost == 0 {
                return;
            }
            let wrong = plane.mistakes(problem);
            let mut left_out = vec![false; problem.items.len()];
            wrong.iter().for_each(|&i| left_out[i] = true);
            let next = Plane::new(problem, hinge(problem, 10.0 * c, &|i| !left_out[i], passes, late));
            let better = next.cost < plane.cost;
            plane = next;
            if !better {
                found(&plane);
                break;
            }
        }
    }
}

/// Searches from a hyperplane for so many steps.
pub(super) fn search(problem: &Problem, from: &Plane, steps: usize, seed: u64, late: &dyn Fn() -> bool) -> Plane {
    let mut random = Stream::new(seed, &[22]);
    let (mut best, mut now) = (from.clone(), from.clone());
    let mut buffer = Buffer::default();
    let mut idle = 0usize;
    for step in 0..steps {
        if late() || best.cost == 0 {
            break;
        }
        let v = direction(problem, &now, step, &mut random);
        now.move_along(problem, &v, &mut buffer);
        idle += 1;
        if now.cost < best.cost {
            (best, idle) = (now.clone(), 0);
        } else if idle > 60 + 12 * problem.width {
            // Leave the place: a random step away from the best.
            now = best.clone();
            let size =
                now.w.iter().map(|v| v * v).sum::<f64>().sqrt() * 0.3 * random.unit() / (problem.width as f64).sqrt();
            let w: Vec<f64> = now.w.iter().map(|w| w + size * gauss(&mut random)).collect();
            now = Plane::new(problem, w);
            idle = 0;
        } else if idle.is_multiple_of(16) {
            // Sums of rounded steps drift.
            now = Plane::new(problem, now.w);
        }
    }
    best
}

fn gauss(random: &mut Stream) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn direction(problem: &Problem, now: &Plane, step: usize, random: &mut Stream) -> Vec<f64> {
    let mut v = vec![0.0; problem.width];
    match step % 4 {
        0 => v[random.below(problem.width as u64) as usize] = 1.0,
        1 => v.iter_mut().for_each(|v| *v = gauss(random)),
        2 => {
            // Toward a row on the wrong side, as the perceptron goes.
            let wrong = now.mistakes(problem);
            if !wrong.is_empty() {
                let item = &problem.items[wrong[random.below(wrong.len() as u64) as usize]];
                let rows = item.rows.len() as u64;
                problem.each(item.rows.start + random.below(rows) as usize, |j, a| v[j] = a);
            }
        }
        _ => {
            for _ in 0..2 {
                v[random.below(problem.width as u64) as usize] = gauss(random);
            }
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use super::super::problem::Grouped;
    use super::*;
    use crate::rows::Table;

    fn line(values: &[(f64, i8)]) -> Problem {
        let rows: Vec<[f64; 1]> = values.iter().map(|v| [v.0]).collect();
        let labels: Vec<&str> = values.iter().map(|v| if v.1 > 0 { "b" } else { "a" }).collect();
        let signs: Vec<i8> = values.iter().map(|v| v.1).collect();
        let table = Table::dense(&rows, &labels).unwrap();
        let items = (0..values.len()).map(|i| (vec![i], 1)).collect();
        Problem::new(table.matrix.rows().unwrap(), &signs, true, &Grouped { items, copies: true }).unwrap()
    }

    #[test]
    fn a_search_finds_the_one_mistake() {
        let problem = line(&[(0.0, -1), (1.0, -1), (2.0, 1), (3.0, -1), (4.0, 1), (5.0, 1), (6.0, 1)]);
        let start = Plane::new(&problem, vec![-1.0, 0.1]);
        assert!(start.cost > 1);
        let found = search(&problem, &start, 500, 0, &|| false);
        assert_eq!(found.cost, 1);
        assert_eq!(Plane::new(&problem, found.w.clone()).cost, 1);
    }

    #[test]
    fn the_hinge_separates_what_is_separable() {
        let problem = line(&[(0.0, -1), (1.0, -1), (2.0, 1), (3.0, 1)]);
        let mut least = u64::MAX;
        first(&problem, &|| false, |plane| least = least.min(plane.cost));
        assert_eq!(least, 0);
    }
}
