//! Times the floating-point search on Gaussian directions: `separable_speed [rows] [features] [gap]`.
//!
//! Once with the labels of a hyperplane, once with random labels. Run it by hand: the default, a million rows of a hundred
//! features, needs 0.8 GB.

use std::io::Write as _;
use std::time::Instant;

use rosenblatt::certify::Deadline;
use rosenblatt::certify::float::{Problem, Proposal, propose_counting};
use rosenblatt::random::Stream;
use rosenblatt::rows::{AnyRows, DenseRows};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| given.get(at).map_or(Ok(default), |text| text.parse());
    let (n, d) = (number(0, 1_000_000)?, number(1, 100)?);
    let gap: f64 = given.get(2).map_or(Ok(1e-6), |text| text.parse())?;
    let mut out = std::io::stdout();
    for (what, planted) in [("planted", true), ("coin", false)] {
        let (values, signs) = sphere(n, d, planted);
        for bias in [false, true] {
            let rows = AnyRows::DenseF64(DenseRows::new(&values, d)?);
            let start = Instant::now();
            let (proposal, effort) = propose_counting(Problem { rows, signs: &signs, bias }, gap, &Deadline::NEVER);
            let seconds = start.elapsed().as_secs_f64();
            let said = match proposal {
                Proposal::Separable { lower, upper, support, .. } => {
                    format!("separable, {lower:e} to {upper:e}, support {}", support.len())
                }
                Proposal::Inseparable { support } => format!("inseparable, support {}", support.len()),
                Proposal::Unclear { lower, upper, .. } => format!("unclear, {lower:e} to {upper:e}"),
            };
            writeln!(out, "{n} x {d} {what}, bias {bias}: {seconds:.2} s, {effort:?}, {said}")?;
        }
    }
    Ok(())
}

/// Gaussian directions on the unit sphere, and signs.
fn sphere(n: usize, d: usize, planted: bool) -> (Vec<f64>, Vec<i8>) {
    let mut stream = Stream::new(1, &[]);
    let mut gauss = || (-2.0 * (1.0 - stream.unit()).ln()).sqrt() * (std::f64::consts::TAU * stream.unit()).cos();
    let hidden: Vec<f64> = (0..d).map(|_| gauss()).collect();
    let (mut values, mut signs) = (Vec::with_capacity(n * d), Vec::with_capacity(n));
    for _ in 0..n {
        let x: Vec<f64> = (0..d).map(|_| gauss()).collect();
        let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        values.extend(x.iter().map(|v| v / length));
        let along: f64 = x.iter().zip(&hidden).map(|(a, b)| a * b).sum();
        signs.push(if (if planted { along } else { gauss() }) > 0.0 { 1 } else { -1 });
    }
    (values, signs)
}
