//! Few points: naive twins try everything.

use rosenblatt::certify::Deadline;
use rosenblatt::certify::float::propose;
use rosenblatt::random::Stream;

use crate::points::{Points, dot, gauss, norm};

/// The naive twin: try every subset as the support. The shortest point of each subset's affine hull, by Gaussian
/// elimination; the best one with non-negative weights is the answer. Exponential, and right.
fn by_all_supports(points: &Points, bias: bool) -> f64 {
    let n = points.signs.len();
    let mut best = f64::INFINITY;
    for subset in 1u32..1 << n {
        let members: Vec<usize> = (0..n).filter(|i| subset >> i & 1 == 1 && points.signs[*i] != 0).collect();
        let of = |i: usize| usize::from(bias && points.signs[i] < 0);
        let groups = if bias { 2 } else { 1 };
        if (0..groups).any(|g| !members.iter().any(|&i| of(i) == g)) {
            continue;
        }
        let k = members.len();
        let a = |i: usize, j: usize| f64::from(points.signs[i] * points.signs[j]) * dot(points.row(i), points.row(j));
        // [G Eᵀ; E 0] (λ, ν) = (0, 1)
        let mut system = vec![vec![0.0; k + groups + 1]; k + groups];
        for (r, &i) in members.iter().enumerate() {
            members.iter().enumerate().for_each(|(c, &j)| system[r][c] = a(i, j));
            system[r][k + of(i)] = 1.0;
            system[k + of(i)][r] = 1.0;
        }
        (0..groups).for_each(|g| system[k + g][k + groups] = 1.0);
        let Some(solution) = eliminate(system) else { continue };
        if solution[..k].iter().all(|&l| l >= -1e-12) {
            let support: Vec<(usize, f64)> = members.iter().copied().zip(solution).collect();
            best = best.min(norm(&points.sum(&support)) / groups as f64);
        }
    }
    best
}

fn eliminate(mut m: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = m.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&a, &b| m[a][c].abs().total_cmp(&m[b][c].abs()))?;
        m.swap(c, pivot);
        if m[c][c].abs() < 1e-10 {
            return None;
        }
        let top = m[c].clone();
        for (r, row) in m.iter_mut().enumerate() {
            if r != c {
                let factor = row[c] / top[c];
                row.iter_mut().zip(&top).for_each(|(v, t)| *v -= factor * t);
            }
        }
    }
    Some((0..n).map(|r| m[r][n] / m[r][r]).collect())
}

#[test]
fn every_support_of_a_few_points_tried() {
    let mut separable = 0;
    for seed in 0..400 {
        let mut stream = Stream::new(seed, &[9]);
        let n = 2 + stream.below(8) as usize;
        let d = 1 + stream.below(4) as usize;
        // A grid half of the time: duplicates, collinear points, ties.
        let grid = seed % 2 == 0;
        let value = |s: &mut Stream| if grid { s.below(5) as f64 - 2.0 } else { gauss(s) };
        let values = (0..n * d).map(|_| value(&mut stream)).collect();
        let mut signs: Vec<i8> = (0..n).map(|_| if stream.unit() < 0.5 { 1 } else { -1 }).collect();
        (signs[0], signs[1]) = (1, -1);
        let points = Points { values, features: d, signs };
        for bias in [false, true] {
            let naive = by_all_supports(&points, bias);
            let proposal = propose(points.problem(bias), 1e-10, &Deadline::NEVER);
            match points.check(&proposal, bias) {
                Some((lower, upper)) => {
                    separable += 1;
                    assert!((lower - naive).abs() < 1e-8 && (upper - naive).abs() < 1e-8, "{lower} {naive} {upper}");
                }
                None => assert!(naive < 1e-8, "seed {seed}, bias {bias}: {naive}"),
            }
            let verdict = points.check(&propose(points.problem(bias), 1.0, &Deadline::NEVER), bias);
            assert_eq!(verdict.is_some(), naive >= 1e-8, "the quick verdict differs: seed {seed}");
        }
    }
    assert!(separable > 150, "{separable}");
}

/// Distance between two polygons as the least distance of a corner of one to a segment of the other.
fn by_all_segments(points: &Points) -> f64 {
    let of = |s: i8| (0..points.signs.len()).filter(|&i| points.signs[i] == s).collect::<Vec<_>>();
    let (plus, minus) = (of(1), of(-1));
    let mut best = f64::INFINITY;
    for (corners, others) in [(&plus, &minus), (&minus, &plus)] {
        for &c in corners {
            for (&a, &b) in others.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                let (c, a, b) = (points.row(c), points.row(a), points.row(b));
                let (along, off) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
                let t = (dot(&along, &off) / dot(&along, &along).max(1e-300)).clamp(0.0, 1.0);
                best = best.min(norm(&[off[0] - t * along[0], off[1] - t * along[1]]));
            }
        }
    }
    best
}

#[test]
fn polygons_in_the_plane() {
    for seed in 0..100 {
        let mut stream = Stream::new(seed, &[2]);
        let mut points = Points { values: Vec::new(), features: 2, signs: Vec::new() };
        for i in 0..30 {
            let sign = if i % 2 == 0 { 1 } else { -1 };
            points.values.extend([gauss(&mut stream) + 4.0 * f64::from(sign), gauss(&mut stream) * 3.0]);
            points.signs.push(sign);
        }
        if let Some((lower, upper)) = points.check(&propose(points.problem(true), 1e-9, &Deadline::NEVER), true) {
            let half = by_all_segments(&points) / 2.0;
            assert!((lower - half).abs() < 1e-8 && (upper - half).abs() < 1e-8, "{lower} {half} {upper}");
        }
    }
}
