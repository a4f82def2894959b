//! The floating-point finder against answers that were found in other ways.

#[path = "common/real_file.rs"]
mod real_file;

use std::time::{Duration, Instant};

use rosenblatt::certify::Deadline;
use rosenblatt::certify::float::{Effort, Problem, Proposal, propose, propose_counting};
use rosenblatt::io::Input;
use rosenblatt::random::Stream;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::rows::{AnyRows, DenseRows, Matrix, SparseRows};

/// Dense points with signs.
#[derive(Clone)]
struct Points {
    values: Vec<f64>,
    features: usize,
    signs: Vec<i8>,
}

impl Points {
    fn new(points: &[(&[f64], i8)]) -> Self {
        Points {
            values: points.iter().flat_map(|p| p.0.iter().copied()).collect(),
            features: points[0].0.len(),
            signs: points.iter().map(|p| p.1).collect(),
        }
    }

    fn problem(&self, bias: bool) -> Problem<'_> {
        let rows = AnyRows::DenseF64(DenseRows::new(&self.values, self.features).unwrap());
        Problem { rows, signs: &self.signs, bias }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.features..][..self.features]
    }

    /// y(w·x + b) of each row that counts.
    fn scores(&self, w: &[f64], b: f64) -> Vec<f64> {
        let score = |i: usize| f64::from(self.signs[i]) * (dot(self.row(i), w) + b);
        (0..self.signs.len()).filter(|&i| self.signs[i] != 0).map(score).collect()
    }

    /// Σ p y x
    fn sum(&self, support: &[(usize, f64)]) -> Vec<f64> {
        let mut sum = vec![0.0; self.features];
        for &(i, p) in support {
            sum.iter_mut().zip(self.row(i)).for_each(|(s, x)| *s += p * f64::from(self.signs[i]) * x);
        }
        sum
    }

    fn radius(&self) -> f64 {
        (0..self.signs.len()).map(|i| norm(self.row(i))).fold(0.0, f64::max)
    }

    /// Checks what a proposal says of itself, and returns (lower, upper) if it is a hyperplane.
    fn check(&self, proposal: &Proposal, bias: bool) -> Option<(f64, f64)> {
        match proposal {
            Proposal::Separable { weights, bias: b, lower, upper, support } => {
                let margin = self.scores(weights, *b).into_iter().fold(f64::INFINITY, f64::min) / norm(weights);
                assert!(margin > 0.0, "a row is on the wrong side: {margin:e}, claimed {lower:e}");
                let rounding = 1e-14 * (self.radius() + b.abs() / norm(weights));
                assert!((margin - lower).abs() <= 1e-9 * margin + rounding, "margin {margin:e}, claimed {lower:e}");
                let groups = if bias { 2.0 } else { 1.0 };
                let bound = norm(&self.sum(support)) / groups;
                assert!((bound - upper).abs() <= 1e-9 * upper + rounding, "bound {bound:e}, claimed {upper:e}");
                assert!(lower <= upper);
                self.check_weights(support, bias, 1.0);
                Some((*lower, *upper))
            }
            Proposal::Inseparable { support } => {
                assert!(norm(&self.sum(support)) <= 1e-12 * self.radius(), "{:e}", norm(&self.sum(support)));
                assert!(support.len() <= self.features + 1 + usize::from(bias), "{} rows", support.len());
                self.check_weights(support, bias, if bias { 0.5 } else { 1.0 });
                None
            }
            Proposal::Unclear { lower, upper, .. } => panic!("unclear between {lower:e} and {upper:e}"),
        }
    }

    fn check_weights(&self, support: &[(usize, f64)], bias: bool, each: f64) {
        assert!(support.iter().all(|s| s.1 > 0.0));
        assert!(support.windows(2).all(|w| w[0].0 < w[1].0), "rows in order, none twice");
        for side in [1, -1] {
            let of: f64 = support.iter().filter(|s| !bias || self.signs[s.0] == side).map(|s| s.1).sum();
            assert!((of - each).abs() < 1e-12, "weights sum to {of}");
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 { 0.0 } else { largest * a.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt() }
}

fn gauss(stream: &mut Stream) -> f64 {
    (-2.0 * (1.0 - stream.unit()).ln()).sqrt() * (std::f64::consts::TAU * stream.unit()).cos()
}

/// Gaussian directions on the unit sphere; the labels are those of a hidden hyperplane, or thrown by a coin.
fn sphere(n: usize, d: usize, seed: u64, planted: bool) -> Points {
    let mut stream = Stream::new(seed, &[]);
    let hidden: Vec<f64> = (0..d).map(|_| gauss(&mut stream)).collect();
    let mut points = Points { values: Vec::new(), features: d, signs: Vec::new() };
    for _ in 0..n {
        let x: Vec<f64> = (0..d).map(|_| gauss(&mut stream)).collect();
        let length = norm(&x);
        points.values.extend(x.iter().map(|v| v / length));
        let side = if planted { dot(&x, &hidden) > 0.0 } else { stream.unit() < 0.5 };
        points.signs.push(if side { 1 } else { -1 });
    }
    points
}

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

/// A real table.
fn open(file: &str, positive: &str) -> Option<Points> {
    let table = read(&Input::Path(real_file::find(file)?), &ReadOptions::default()).unwrap().table;
    let Matrix::Dense(matrix) = table.matrix else { panic!("dense") };
    let class = table.labels.find(positive).expect("a label of this name");
    let signs = table.classes.iter().map(|&c| if c == class { 1 } else { -1 }).collect();
    Some(Points { values: matrix.values, features: matrix.features, signs })
}

/// The best margin by an interior-point solver that shares nothing with us: min ½‖w‖² s.t. y(w·x + b) ≥ 1 on data
/// divided by their largest entry, centred where a bias undoes that; 1/‖w‖.
fn by_interior_point(points: &Points, bias: bool) -> f64 {
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

    let (n, d) = (points.signs.len(), points.features);
    let mean = |j: usize| (0..n).map(|i| points.row(i)[j]).sum::<f64>() / n as f64;
    let centre: Vec<f64> = (0..d).map(|j| if bias { mean(j) } else { 0.0 }).collect();
    let largest = points.values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    // −y(x, 1)·(w, b) + s = −1 with s ≥ 0.
    let row = |i: usize| {
        let y = f64::from(points.signs[i]);
        let x = points.row(i).iter().zip(&centre).map(|(x, c)| (x - c) / largest);
        x.chain(bias.then_some(1.0)).map(|x| -y * x).collect::<Vec<f64>>()
    };
    let a = CscMatrix::from(&(0..n).map(row).collect::<Vec<_>>());
    let variables = d + usize::from(bias);
    let square = |j: usize| (0..variables).map(|k| if k == j && j < d { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let p = CscMatrix::from(&(0..variables).map(square).collect::<Vec<_>>());
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-13,
        tol_gap_rel: 1e-13,
        tol_feas: 1e-13,
        ..Default::default()
    };
    let cones = [SupportedConeT::NonnegativeConeT(n)];
    let mut solver = DefaultSolver::new(&p, &vec![0.0; variables], &a, &vec![-1.0; n], &cones, settings).unwrap();
    solver.solve();
    assert!(
        matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{}",
        solver.solution.status
    );
    largest / norm(&solver.solution.x[..d])
}

#[test]
fn real_data_have_the_margins_that_an_interior_point_solver_finds() {
    for (file, positive, bias) in REAL {
        let Some(points) = open(file, positive) else { continue };
        let (proposal, effort) = propose_counting(points.problem(bias), 1e-7, &Deadline::NEVER);
        let (lower, upper) = points.check(&proposal, bias).expect("separable");
        assert!(lower >= (1.0 - 1e-7) * upper, "{file} {positive}: {lower} {upper} {effort:?}");
        let expected = by_interior_point(&points, bias);
        assert!((lower / expected - 1.0).abs() < 1e-6, "{file} {positive}: {lower}, expected {expected}");
        assert!(points.check(&propose(points.problem(bias), 1.0, &Deadline::NEVER), bias).is_some());
    }
}

const REAL: [(&str, &str, bool); 6] = [
    ("sonar/sonar.csv.gz", "M", true),
    ("wine/wine.csv.gz", "1", true),
    ("wine/wine.csv.gz", "2", true),
    ("wine/wine.csv.gz", "3", true),
    ("iris/iris.csv.gz", "Iris-setosa", true),
    ("iris/iris.csv.gz", "Iris-setosa", false),
];
