//! Many points, few points, points of any size and shape.

use std::time::{Duration, Instant};

use rosenblatt::certify::Deadline;
use rosenblatt::certify::float::{Effort, Problem, Proposal, propose, propose_counting};
use rosenblatt::random::Stream;
use rosenblatt::rows::{AnyRows, SparseRows};

use crate::points::{Points, gauss, sphere};

fn proposal_of(points: &Points, bias: bool, gap: f64) -> (Proposal, Effort) {
    propose_counting(points.problem(bias), gap, &Deadline::NEVER)
}

#[test]
fn planted_spheres_take_few_passes() {
    for (n, d, most) in [(2000, 20, 12), (20_000, 50, 15)] {
        for bias in [false, true] {
            let points = sphere(n, d, 1, true);
            let (proposal, effort) = proposal_of(&points, bias, 1e-9);
            let (lower, upper) = points.check(&proposal, bias).expect("planted");
            assert!(lower >= (1.0 - 1e-9) * upper, "{lower} {upper}");
            assert!(effort.passes <= most, "{effort:?}");
        }
    }
}

#[test]
fn labels_by_coin_are_refuted_by_few_examples() {
    for (n, d) in [(300, 10), (2000, 20), (20_000, 50)] {
        for bias in [false, true] {
            let points = sphere(n, d, 5, false);
            let (proposal, effort) = proposal_of(&points, bias, 1e-6);
            assert!(points.check(&proposal, bias).is_none(), "{n}×{d}");
            assert!(effort.passes <= 10, "{effort:?}");
        }
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            [(true, true), (true, false), (false, true)].map(|(planted, bias)| {
                let points = sphere(5000, 30, 3, planted);
                format!("{:?}", propose_counting(points.problem(bias), 1e-8, &Deadline::NEVER))
            })
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn a_single_example() {
    let point = Points::new(&[(&[3.0, 4.0], -1)]);
    let (lower, upper) = point.check(&propose(point.problem(false), 1e-9, &Deadline::NEVER), false).unwrap();
    assert!((lower - 5.0).abs() < 1e-12 && (upper - 5.0).abs() < 1e-12);
    let Proposal::Separable { bias, upper, .. } = propose(point.problem(true), 1e-9, &Deadline::NEVER) else {
        panic!()
    };
    assert_eq!((bias, upper), (-1.0, f64::INFINITY));
}

#[test]
fn one_class_is_trivial_only_with_a_bias() {
    let points = Points::new(&[(&[1.0, 0.0], 1), (&[-1.0, 0.1], 1), (&[0.0, -1.0], 1), (&[9.0, 9.0], 0)]);
    assert!(matches!(propose(points.problem(true), 1e-9, &Deadline::NEVER), Proposal::Separable { .. }));
    assert!(points.check(&propose(points.problem(false), 1e-9, &Deadline::NEVER), false).is_none());
    let nobody = Points::new(&[(&[1.0, 0.0], 0)]);
    for bias in [false, true] {
        assert!(matches!(propose(nobody.problem(bias), 1e-9, &Deadline::NEVER), Proposal::Separable { .. }));
    }
}

#[test]
fn zeros_copies_and_lines() {
    let zeros = Points::new(&[(&[0.0, 0.0], 1), (&[0.0, 0.0], -1)]);
    let touching = Points::new(&[(&[0.0, 0.0], 1), (&[1.0, 1.0], -1), (&[2.0, 2.0], 1)]);
    for bias in [false, true] {
        assert!(zeros.check(&propose(zeros.problem(bias), 1e-9, &Deadline::NEVER), bias).is_none());
        assert!(touching.check(&propose(touching.problem(bias), 1e-9, &Deadline::NEVER), bias).is_none());
    }
    // Five hundred copies of each of three collinear points.
    let mut copies = Points { values: Vec::new(), features: 2, signs: Vec::new() };
    for _ in 0..500 {
        copies.values.extend([1.0, 1.0, 2.0, 2.0, 4.0, 4.0]);
        copies.signs.extend([1, 1, -1]);
    }
    let (lower, _) = copies.check(&propose(copies.problem(true), 1e-9, &Deadline::NEVER), true).unwrap();
    assert!((lower - 2f64.sqrt()).abs() < 1e-12, "{lower}");
}

#[test]
fn numbers_of_any_size() {
    let plain = sphere(60, 4, 8, true);
    let (expected, _) = plain.check(&propose(plain.problem(true), 1e-9, &Deadline::NEVER), true).unwrap();
    for scale in [1e-300, 1e-160, 1e160, 1e300] {
        for bias in [false, true] {
            let mut points = plain.clone();
            points.values.iter_mut().for_each(|v| *v *= scale);
            let (lower, upper) = points.check(&propose(points.problem(bias), 1e-9, &Deadline::NEVER), bias).unwrap();
            assert!(lower >= (1.0 - 1e-8) * upper, "{scale:e}: {lower:e} {upper:e}");
            assert!(!bias || (lower / scale / expected - 1.0).abs() < 1e-8, "{scale:e}");
        }
    }
    // Features from 1e-300 to 1e300 in one table: the margin is invisible, and separable all the same.
    let mut mixed = Points { values: Vec::new(), features: 2, signs: Vec::new() };
    for i in 0..20 {
        let sign = if i % 2 == 0 { 1 } else { -1 };
        mixed.values.extend([((i * 7 % 11) as f64 - 5.0) * 1e300, f64::from(sign) * (1.0 + i as f64) * 1e-300]);
        mixed.signs.push(sign);
    }
    match propose(mixed.problem(true), 1e-6, &Deadline::NEVER) {
        Proposal::Separable { weights, .. } | Proposal::Unclear { weights, .. } => {
            assert!(weights[1] > 0.0 && weights[0].abs() < 1e-300 * weights[1], "{weights:?}");
        }
        Proposal::Inseparable { .. } => panic!("not so"),
    }
}

#[test]
fn data_far_from_the_origin_are_centred() {
    let near = sphere(300, 5, 4, true);
    let (expected, _) = near.check(&propose(near.problem(true), 1e-9, &Deadline::NEVER), true).unwrap();
    let mut far = near.clone();
    far.values.iter_mut().for_each(|v| *v += 65536.0);
    let proposal = propose(far.problem(true), 1e-9, &Deadline::NEVER);
    let Proposal::Separable { lower, upper, .. } = proposal else { panic!("{proposal:?}") };
    assert!((lower / expected - 1.0).abs() < 1e-6 && lower >= (1.0 - 1e-9) * upper, "{lower} {upper} {expected}");
}

#[test]
fn margins_down_to_a_millionth_of_a_millionth() {
    for (exponent, gap) in [(6, 1e-6), (9, 1e-4), (12, 0.05)] {
        let gamma = 10f64.powi(-exponent);
        let mut points = sphere(400, 6, 2, true);
        // Push every point away from a known hyperplane x₀ = 0 until only γ is left.
        for i in 0..points.signs.len() {
            let x = &mut points.values[i * 6];
            let sign = f64::from(points.signs[i]);
            *x = sign * (gamma + if i % 40 == 0 { 0.0 } else { x.abs() });
        }
        for bias in [false, true] {
            let (lower, upper) =
                points.check(&propose(points.problem(bias), gap, &Deadline::NEVER), bias).expect("separable");
            assert!(
                lower >= 0.99 * gamma * (1.0 - gap) && lower >= (1.0 - gap) * upper,
                "1e-{exponent}: {lower:e} {upper:e}"
            );
        }
    }
}

#[test]
fn fewer_examples_than_features_dense_and_sparse() {
    let mut points = sphere(40, 500, 6, false);
    points.values.iter_mut().enumerate().for_each(|(k, v)| *v = if k % 7 < 5 { 0.0 } else { *v });
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..40 {
        for (j, &v) in points.row(i).iter().enumerate().filter(|e| *e.1 != 0.0) {
            indices.push(j as u32);
            values.push(v);
        }
        offsets.push(indices.len());
    }
    let sparse = AnyRows::SparseF64(SparseRows::new(&offsets, &indices, &values, 500).unwrap());
    for bias in [false, true] {
        let dense = propose(points.problem(bias), 1e-9, &Deadline::NEVER);
        let (lower, upper) = points.check(&dense, bias).expect("more features than examples");
        assert!(lower >= (1.0 - 1e-9) * upper);
        let other = propose(Problem { rows: sparse, signs: &points.signs, bias }, 1e-9, &Deadline::NEVER);
        let (again, _) = points.check(&other, bias).unwrap();
        assert!((again / lower - 1.0).abs() < 1e-8);
    }
}

#[test]
fn very_wide_data_go_up_by_coordinates() {
    let (n, d) = (4000, 3200);
    let mut stream = Stream::new(11, &[]);
    let (mut offsets, mut indices, mut values, mut signs) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        let sign: i8 = if i % 3 == 0 { 1 } else { -1 };
        let mut row: Vec<u32> = (0..12).map(|_| stream.below(d - 1) as u32 + 1).collect();
        row.sort_unstable();
        row.dedup();
        indices.push(0);
        values.push(f64::from(sign) + 0.2 * gauss(&mut stream));
        for j in row {
            indices.push(j);
            values.push(gauss(&mut stream) * 0.2);
        }
        offsets.push(indices.len());
        signs.push(sign);
    }
    let rows = AnyRows::SparseF64(SparseRows::new(&offsets, &indices, &values, d as usize).unwrap());
    for (bias, gap) in [(false, 0.05), (true, 0.05), (true, 1.0)] {
        let proposal = propose(Problem { rows, signs: &signs, bias }, gap, &Deadline::NEVER);
        let Proposal::Separable { lower, upper, .. } = proposal else { panic!("{proposal:?}") };
        assert!(lower > 0.0 && lower >= (1.0 - gap) * upper, "bias {bias}: {lower} {upper}");
    }
}

#[test]
fn a_deadline_in_the_past_is_an_answer_too() {
    let points = sphere(20_000, 50, 1, true);
    let start = Instant::now();
    let proposal = propose(points.problem(true), 1e-9, &start.into());
    assert!(start.elapsed() < Duration::from_secs(20));
    match proposal {
        Proposal::Separable { lower, upper, .. } | Proposal::Unclear { lower, upper, .. } => assert!(lower <= upper),
        Proposal::Inseparable { .. } => panic!("planted"),
    }
}
