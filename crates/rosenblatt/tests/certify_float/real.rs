//! Real data, against an interior-point solver.

use rosenblatt::certify::Deadline;
use rosenblatt::certify::float::{propose, propose_counting};
use rosenblatt::io::Input;
use rosenblatt::read::{ReadOptions, read};
use rosenblatt::rows::Matrix;

use crate::points::{Points, norm};
use crate::real_file;

/// A real table.
fn open(file: &str, positive: &str) -> Option<Points> {
    let table = read(&Input::Path(real_file::find(file)?), &ReadOptions::default()).unwrap().table;
    let Matrix::Dense(matrix) = table.matrix else { panic!("dense") };
    let class = table.labels.find(positive).expect("a label of this name");
    let signs = table.classes.iter().map(|&c| if c == class { 1 } else { -1 }).collect();
    Some(Points { values: matrix.values, features: matrix.features, signs })
}

/// The best margin by an independent interior-point solver: min ½‖w‖² s.t. y(w·x + b) ≥ 1 on data
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
