//! The convex hull of points in the plane.

use crate::scene::Point;

/// The corners in order; fewer than three if all points lie on a line (Andrew's monotone chain, 1979).
pub(crate) fn hull(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut sorted: Vec<Point> = points.collect();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let turn = |a: Point, b: Point, c: Point| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |order: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for p in order {
            while chain.len() >= 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut lower = chain(&mut sorted.iter().copied());
    lower.extend(chain(&mut sorted.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn of_a_square_of_a_line_and_of_a_point() {
        let square = [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0]];
        assert_eq!(hull(square.into_iter()), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(hull([[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]].into_iter()), [[0.0, 0.0], [2.0, 2.0]]);
        assert_eq!(hull([[1.0, 1.0]; 3].into_iter()), [[1.0, 1.0]]);
    }

    proptest! {
        #[test]
        fn no_point_lies_outside(points in proptest::collection::vec((-50i32..50, -50i32..50), 3..60)) {
            let points: Vec<Point> = points.into_iter().map(|(x, y)| [x.into(), y.into()]).collect();
            let corners = hull(points.iter().copied());
            for i in 0..corners.len() {
                let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
                prop_assert!(points.contains(&a));
                for p in &points {
                    prop_assert!((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0.0);
                }
            }
        }
    }
}
