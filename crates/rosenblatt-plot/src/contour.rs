//! Regions of a function with few values: marching squares, with the crossings found by bisection.
//!
//! Bisection needs only the value at a point, so scores, votes and kernels are treated alike: a straight boundary comes out
//! straight, and the steps of a vote come out as steps. Regions narrower than a cell may be missed.

use std::collections::BTreeMap;

use crate::scene::{Point, Rect};

/// The values of a function at the nodes of a grid over a rectangle.
pub(crate) struct Map<'a> {
    rect: Rect,
    columns: usize,
    rows: usize,
    at_nodes: Vec<u32>,
    of: &'a dyn Fn(Point) -> u32,
}

/// A side of a cell: its first node, and whether it goes to the right or down.
type Edge = (usize, usize, bool);

impl<'a> Map<'a> {
    /// Evaluates the function at the nodes of cells of about this size.
    pub fn new(rect: Rect, cell: f64, of: &'a dyn Fn(Point) -> u32) -> Map<'a> {
        let (columns, rows) = ((rect.width / cell).ceil() as usize, (rect.height / cell).ceil() as usize);
        let mut map = Map { rect, columns, rows, at_nodes: Vec::new(), of };
        let nodes = (0..=rows).flat_map(|j| (0..=columns).map(move |i| (i, j)));
        map.at_nodes = nodes.map(|(i, j)| of(map.node(i + 1, j + 1))).collect();
        map
    }

    /// All values, sorted.
    pub fn values(&self) -> Vec<u32> {
        let mut values = self.at_nodes.clone();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The position of a node. A ring of nodes lies outside: indices run from 0 to columns + 2 and rows + 2.
    fn node(&self, i: usize, j: usize) -> Point {
        let (w, h) = (self.rect.width / self.columns as f64, self.rect.height / self.rows as f64);
        [self.rect.x + (i as f64 - 1.0) * w, self.rect.y + (j as f64 - 1.0) * h]
    }

    /// The value at a node; none outside the rectangle.
    fn value_at(&self, i: usize, j: usize) -> Option<u32> {
        let inside = (1..=self.columns + 1).contains(&i) && (1..=self.rows + 1).contains(&j);
        inside.then(|| self.at_nodes[(j - 1) * (self.columns + 1) + i - 1])
    }

    /// The closed loops around the region of `value`. Along the rectangle they run just outside it.
    pub fn region(&self, value: u32) -> Vec<Vec<Point>> {
        let inside = |i: usize, j: usize| self.value_at(i, j) == Some(value);
        let mut links: BTreeMap<Edge, [Option<Edge>; 2]> = BTreeMap::new();
        let mut link = |a: Edge, b: Edge| {
            for (from, to) in [(a, b), (b, a)] {
                let known = links.entry(from).or_default();
                let free = usize::from(known[0].is_some());
                known[free] = Some(to);
            }
        };
        for j in 0..self.rows + 2 {
            for i in 0..self.columns + 2 {
                let corners = [inside(i, j), inside(i + 1, j), inside(i + 1, j + 1), inside(i, j + 1)];
                let edges = [(i, j, true), (i + 1, j, false), (i, j + 1, true), (i, j, false)];
                let crossed: Vec<Edge> =
                    (0..4).filter(|&k| corners[k] != corners[(k + 1) % 4]).map(|k| edges[k]).collect();
                match crossed[..] {
                    [a, b] => link(a, b),
                    // Two opposite corners: the value in the middle decides whether they are connected.
                    [top, right, bottom, left] => {
                        let [[x0, y0], [x1, y1]] = [self.node(i, j), self.node(i + 1, j + 1)];
                        let middle = (self.of)([(x0 + x1) / 2.0, (y0 + y1) / 2.0]) == value;
                        if corners[0] == middle {
                            link(top, right);
                            link(bottom, left);
                        } else {
                            link(left, top);
                            link(right, bottom);
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut loops = Vec::new();
        while let Some((&start, _)) = links.first_key_value() {
            let mut points = Vec::new();
            let (mut at, mut from) = (start, None);
            while let Some([a, b]) = links.remove(&at) {
                points.push(self.crossing(at, value));
                let next = if a == from { b } else { a };
                from = Some(at);
                match next {
                    Some(next) => at = next,
                    None => break,
                }
            }
            let simple = simplify(points);
            if simple.len() > 2 {
                loops.push(simple);
            }
        }
        loops
    }

    /// The point on an edge where the region ends.
    fn crossing(&self, (i, j, right): Edge, value: u32) -> Point {
        let (k, l) = if right { (i + 1, j) } else { (i, j + 1) };
        let (mut a, mut b) = (self.node(i, j), self.node(k, l));
        let along = |a: Point, b: Point, t: f64| [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
        match (self.value_at(i, j), self.value_at(k, l)) {
            (Some(first), Some(_)) => {
                const HALVINGS: usize = 12;
                for _ in 0..HALVINGS {
                    let middle = along(a, b, 0.5);
                    if ((self.of)(middle) == value) == (first == value) { a = middle } else { b = middle }
                }
                along(a, b, 0.5)
            }
            (Some(_), None) => along(a, b, 0.9),
            (None, _) => along(b, a, 0.9),
        }
    }
}

/// A loop without the points on the line between their neighbours (Ramer, Douglas and Peucker).
fn simplify(points: Vec<Point>) -> Vec<Point> {
    let far = |from: Point| {
        let distance = |p: &Point| (p[0] - from[0]).powi(2) + (p[1] - from[1]).powi(2);
        (0..points.len()).max_by(|&i, &j| distance(&points[i]).total_cmp(&distance(&points[j]))).unwrap_or(0)
    };
    let Some(&first) = points.first() else { return points };
    // Two certain corners: the farthest point from the first, and the farthest from that.
    let a = far(first);
    let b = far(points[a]);
    let (a, b) = (a.min(b), a.max(b));
    let mut keep = vec![false; points.len()];
    (keep[a], keep[b]) = (true, true);
    let around: Vec<usize> = (b..points.len()).chain(0..=a).collect();
    thin(&points, &(a..=b).collect::<Vec<_>>(), &mut keep);
    thin(&points, &around, &mut keep);
    points.iter().zip(keep).filter(|(_, keep)| *keep).map(|(p, _)| *p).collect()
}

fn thin(points: &[Point], run: &[usize], keep: &mut [bool]) {
    const TOLERANCE: f64 = 0.08;
    let mut work = vec![(0, run.len().saturating_sub(1))];
    while let Some((first, last)) = work.pop() {
        let (a, b) = (points[run[first]], points[run[last]]);
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let distance = |p: Point| match length > 0.0 {
            true => ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])).abs() / length,
            false => (p[0] - a[0]).hypot(p[1] - a[1]),
        };
        let between = (first + 1..last).map(|i| (i, distance(points[run[i]])));
        let Some((at, most)) = between.max_by(|x, y| x.1.total_cmp(&y.1)) else { continue };
        if most > TOLERANCE {
            keep[run[at]] = true;
            work.extend([(first, at), (at, last)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RECT: Rect = Rect { x: 10.0, y: 20.0, width: 200.0, height: 120.0 };

    fn area(loops: &[Vec<Point>]) -> f64 {
        let one = |l: &Vec<Point>| {
            let turns = (0..l.len()).map(|i| {
                let (a, b) = (l[i], l[(i + 1) % l.len()]);
                a[0] * b[1] - a[1] * b[0]
            });
            turns.sum::<f64>() / 2.0
        };
        loops.iter().map(|l| one(l).abs()).sum()
    }

    /// The naive twin: is a place inside an odd number of loops?
    fn within(loops: &[Vec<Point>], [x, y]: Point) -> bool {
        let crossings = loops.iter().flat_map(|l| (0..l.len()).map(move |i| (l[i], l[(i + 1) % l.len()])));
        let right = crossings
            .filter(|(a, b)| (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
        right.count() % 2 == 1
    }

    #[test]
    fn a_straight_boundary_comes_out_straight() {
        let of = |p: Point| u32::from(p[0] + 2.0 * p[1] > 250.0);
        let loops = Map::new(RECT, 4.0, &of).region(1);
        assert_eq!(loops.len(), 1);
        assert!(loops[0].len() <= 8, "{loops:?}");
    }

    #[test]
    fn a_circle_has_its_area_and_a_ring_two_loops() {
        let circle = |p: Point| u32::from((p[0] - 100.0).hypot(p[1] - 80.0) < 40.0);
        let loops = Map::new(RECT, 4.0, &circle).region(1);
        assert!((area(&loops) / (std::f64::consts::PI * 1600.0) - 1.0).abs() < 0.01);
        let ring = |p: Point| u32::from((20.0..40.0).contains(&(p[0] - 100.0).hypot(p[1] - 80.0)));
        assert_eq!(Map::new(RECT, 4.0, &ring).region(1).len(), 2);
    }

    proptest! {
        /// Every point that is not near a boundary is in the region of its value, and in no other.
        #[test]
        fn points_are_in_the_region_of_their_value(lines in proptest::collection::vec((-1.0..1.0f64, -1.0..1.0f64, -150.0..150.0f64), 2..6),
                                    places in proptest::collection::vec((11.0..209.0f64, 21.0..139.0f64), 40)) {
            let score = |k: usize, p: Point| lines[k].0 * p[0] + lines[k].1 * p[1] + lines[k].2;
            let of = |p: Point| (0..lines.len()).max_by(|&a, &b| score(a, p).total_cmp(&score(b, p))).unwrap() as u32;
            let map = Map::new(RECT, 4.0, &of);
            let regions: Vec<_> = (0..lines.len() as u32).map(|k| map.region(k)).collect();
            for (x, y) in places {
                let around = [[-3.0, 0.0], [3.0, 0.0], [0.0, -3.0], [0.0, 3.0], [-2.0, -2.0], [2.0, 2.0], [-2.0, 2.0], [2.0, -2.0]];
                let value = of([x, y]);
                if around.iter().any(|d| of([x + d[0], y + d[1]]) != value) {
                    continue;
                }
                for (k, loops) in regions.iter().enumerate() {
                    prop_assert_eq!(within(loops, [x, y]), k as u32 == value);
                }
            }
        }
    }
}
