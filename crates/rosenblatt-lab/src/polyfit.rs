//! `polyfit`: over-fitting, live. Polynomials through noisy points of a sine, by degree and penalty.

use rosenblatt::polyfit::{Polynomial, noisy_sine};
use rosenblatt::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// The sliders.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    points: usize,
    noise: f64,
    degree: u32,
    ridge: f64,
    seed: u64,
    /// How far outside of the data the curve is drawn, as a share of their range on each side.
    outside: f64,
}

impl Default for Request {
    fn default() -> Self {
        Request { points: 10, noise: 0.25, degree: 3, ridge: 0.0, seed: 0, outside: 0.15 }
    }
}

/// The degrees whose errors are shown.
const HIGHEST: u32 = 12;
const CURVE: usize = 241;
const TEST: usize = 100;

pub fn answer(request: &Request) -> Result<Value> {
    if !(2..=1000).contains(&request.points) {
        return Err(Error::settings(format!("{} points: expected 2 to 1000", request.points)));
    }
    if !(request.noise.is_finite() && (0.0..=10.0).contains(&request.noise)) {
        return Err(Error::settings(format!("noise {}: expected 0 to 10", request.noise)));
    }
    if !(request.outside.is_finite() && (0.0..=1.0).contains(&request.outside)) {
        return Err(Error::settings(format!("outside {}: expected 0 to 1", request.outside)));
    }
    let train = noisy_sine(request.points, request.noise, request.seed);
    let test = noisy_sine(TEST, request.noise, request.seed.wrapping_add(1));
    let fit = |degree: u32| Polynomial::fit(&train, degree, request.ridge);
    let chosen = fit(request.degree)?;
    let half = 1.0 + 2.0 * request.outside;
    let at = |i: usize| half * (2.0 * i as f64 / (CURVE - 1) as f64 - 1.0);
    let curve: Vec<[f64; 2]> = (0..CURVE).map(|i| [at(i), chosen.value(at(i))]).collect();
    let truth: Vec<[f64; 2]> = (0..CURVE).map(|i| [at(i), libm::sin(std::f64::consts::PI * at(i))]).collect();
    let most = if request.ridge > 0.0 { HIGHEST } else { HIGHEST.min(request.points as u32 - 1) };
    let mut errors = Vec::new();
    for degree in 0..=most {
        let one = fit(degree)?;
        errors.push(json!({ "degree": degree, "train": one.misfit(&train).rms, "test": one.misfit(&test).rms }));
    }
    Ok(json!({
        "train_points": train, "test_points": test, "curve": curve, "truth": truth,
        "coefficients": chosen.coefficients(), "train": chosen.misfit(&train).rms, "test": chosen.misfit(&test).rms,
        "errors": errors,
        "command": command(request),
    }))
}

/// The command that gives these numbers, on the two files that the page saves.
fn command(request: &Request) -> String {
    let ridge = if request.ridge > 0.0 { format!(" --ridge {}", request.ridge) } else { String::new() };
    format!("rosenblatt polyfit train.csv --test test.csv --degree {}{ridge}", request.degree)
}
