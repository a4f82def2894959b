//! Points with signs, and the check of proposals about them.

use rosenblatt::certify::float::{Problem, Proposal};
use rosenblatt::random::Stream;
use rosenblatt::rows::{AnyRows, DenseRows};

/// Dense points with signs.
#[derive(Clone)]
pub struct Points {
    pub values: Vec<f64>,
    pub features: usize,
    pub signs: Vec<i8>,
}

impl Points {
    pub fn new(points: &[(&[f64], i8)]) -> Self {
        Points {
            values: points.iter().flat_map(|p| p.0.iter().copied()).collect(),
            features: points[0].0.len(),
            signs: points.iter().map(|p| p.1).collect(),
        }
    }

    pub fn problem(&self, bias: bool) -> Problem<'_> {
        let rows = AnyRows::DenseF64(DenseRows::new(&self.values, self.features).unwrap());
        Problem { rows, signs: &self.signs, bias }
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.features..][..self.features]
    }

    /// y(w·x + b) of each row that counts.
    pub fn scores(&self, w: &[f64], b: f64) -> Vec<f64> {
        let score = |i: usize| f64::from(self.signs[i]) * (dot(self.row(i), w) + b);
        (0..self.signs.len()).filter(|&i| self.signs[i] != 0).map(score).collect()
    }

    /// Σ p y x
    pub fn sum(&self, support: &[(usize, f64)]) -> Vec<f64> {
        let mut sum = vec![0.0; self.features];
        for &(i, p) in support {
            sum.iter_mut().zip(self.row(i)).for_each(|(s, x)| *s += p * f64::from(self.signs[i]) * x);
        }
        sum
    }

    pub fn radius(&self) -> f64 {
        (0..self.signs.len()).map(|i| norm(self.row(i))).fold(0.0, f64::max)
    }

    /// Checks a proposal against the points, and returns (lower, upper) if it is a hyperplane.
    pub fn check(&self, proposal: &Proposal, bias: bool) -> Option<(f64, f64)> {
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

    pub fn check_weights(&self, support: &[(usize, f64)], bias: bool, each: f64) {
        assert!(support.iter().all(|s| s.1 > 0.0));
        assert!(support.windows(2).all(|w| w[0].0 < w[1].0), "rows in order, none twice");
        for side in [1, -1] {
            let of: f64 = support.iter().filter(|s| !bias || self.signs[s.0] == side).map(|s| s.1).sum();
            assert!((of - each).abs() < 1e-12, "weights sum to {of}");
        }
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 { 0.0 } else { largest * a.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt() }
}

pub fn gauss(stream: &mut Stream) -> f64 {
    (-2.0 * (1.0 - stream.unit()).ln()).sqrt() * (std::f64::consts::TAU * stream.unit()).cos()
}

/// Gaussian directions on the unit sphere; the labels are those of a hidden hyperplane, or random.
pub fn sphere(n: usize, d: usize, seed: u64, planted: bool) -> Points {
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
