//! Counts that are known, and all small cases against brute force.

use rayon::prelude::*;
use rosenblatt::certify::{Options, Verdict};
use rosenblatt::random::Stream;

use crate::check::brute_force;
use crate::decided;

fn corners(n: usize) -> Vec<Vec<i64>> {
    (0..1usize << n).map(|c| (0..n).map(|i| (c >> i & 1) as i64).collect()).collect()
}

/// The Boolean functions of n inputs that a threshold unit computes; the two constant ones count.
fn thresholds(n: usize) -> usize {
    let rows = corners(n);
    let functions = 1u64 << rows.len();
    let separable = (1..functions - 1).into_par_iter().filter(|f| {
        let signs: Vec<i8> = (0..rows.len()).map(|i| if f >> i & 1 == 1 { 1 } else { -1 }).collect();
        decided(&rows, &signs, &Options { gap: 0.5, ..Options::default() }).verdict == Verdict::Separable
    });
    separable.count() + 2
}

#[test]
fn threshold_functions_of_one_to_four_inputs() {
    assert_eq!((1..=4).map(thresholds).collect::<Vec<_>>(), [4, 14, 104, 1882]);
}

/// Cover 1965: of the 2^N dichotomies of N points in general position in d dimensions, 2·Σ_{k<d} C(N−1, k) are
/// separable by a hyperplane through the origin.
fn dichotomies(points: usize, d: usize) -> usize {
    let rows: Vec<Vec<i64>> = (1..=points as i64).map(|t| (0..d as u32).map(|k| t.pow(k)).collect()).collect();
    let options = Options { bias: false, gap: 0.5, ..Options::default() };
    let separable = (1..(1u32 << points) - 1).filter(|f| {
        let signs: Vec<i8> = (0..points).map(|i| if f >> i & 1 == 1 { 1 } else { -1 }).collect();
        decided(&rows, &signs, &options).verdict == Verdict::Separable
    });
    // One class only is no question; on the moment curve the first coordinate answers it.
    separable.count() + 2
}

#[test]
fn dichotomies_of_points_in_general_position() {
    let counts = [(4, 3), (6, 3), (8, 4), (10, 5)].map(|(n, d)| dichotomies(n, d));
    assert_eq!(counts, [14, 32, 128, 512]);
}

#[test]
fn small_integers_agree_with_brute_force() {
    const CASES: usize = 12_000;
    let found: Vec<usize> = (0..CASES as u64)
        .into_par_iter()
        .map(|case| {
            let mut random = Stream::new(case, &[58]);
            let (n, d) = (2 + random.below(7) as usize, 1 + random.below(3) as usize);
            let bias = random.below(2) == 1;
            let span = 1 + random.below(2);
            let mut value = || random.below(2 * span + 1) as i64 - span as i64;
            let rows: Vec<Vec<i64>> = (0..n).map(|_| (0..d).map(|_| value()).collect()).collect();
            let mut signs: Vec<i8> = (0..n).map(|_| if value() > 0 { 1 } else { -1 }).collect();
            (signs[0], signs[1]) = (1, -1);
            let signed: Vec<Vec<i64>> = rows
                .iter()
                .zip(&signs)
                .map(|(r, s)| r.iter().chain(bias.then_some(&1)).map(|v| v * i64::from(*s)).collect())
                .collect();
            let want = brute_force(&signed);
            let got = decided(&rows, &signs, &Options { bias, gap: 0.5, ..Options::default() }).verdict;
            assert_eq!(got, want, "case {case}: {rows:?} {signs:?} bias {bias}");
            want as usize
        })
        .collect();
    for verdict in [Verdict::Separable, Verdict::WeaklySeparable, Verdict::Inseparable] {
        let count = found.iter().filter(|v| **v == verdict as usize).count();
        assert!(count > 500, "{verdict:?}: only {count} cases");
    }
}

#[test]
fn parity_needs_its_degree() {
    for n in 2..=3usize {
        let rows = corners(n);
        let signs: Vec<i8> = rows.iter().map(|r| if r.iter().sum::<i64>() % 2 == 1 { 1 } else { -1 }).collect();
        for degree in 1..=n as u32 {
            let got = decided(&rows, &signs, &Options { degree, ..Options::default() }).verdict;
            let want = if degree < n as u32 { Verdict::Inseparable } else { Verdict::Separable };
            assert_eq!(got, want, "{n} bits, degree {degree}");
        }
    }
}

#[test]
fn rows_that_are_left_out_play_no_part() {
    let rows = vec![vec![0], vec![1], vec![2], vec![3]];
    assert_eq!(decided(&rows, &[1, -1, 1, -1], &Options::default()).verdict, Verdict::Inseparable);
    assert_eq!(decided(&rows, &[1, -1, 0, -1], &Options::default()).verdict, Verdict::Separable);
}
