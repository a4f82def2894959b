//! Random Fourier features (Rahimi and Recht 2007): a Gaussian kernel as a plain product.
//!
//! exp(−γ‖x − y‖²) is the mean of cos(ω·(x − y)) over ω drawn from a normal distribution of variance 2γ in each
//! coordinate (Bochner). With m draws and phases b, uniform in [0, 2π),
//!
//! > z_i(x) = √(2/m) · cos(ω_i·x + b_i),   z(x)·z(y) → exp(−γ‖x − y‖²),   with an error of the order 1/√m.
//!
//! The draws are stored in the model: a reader needs no generator.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use super::Step;
use super::entries::Entries;
use super::kind::Kind;
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::limits;
use crate::message::{Message, Setting};
use crate::random::Stream;

/// The random frequencies and phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fourier {
    gamma: f64,
    features: u32,
    /// ω by `[input][wave]`.
    #[serde(skip)]
    omega: Vec<f64>,
    /// b of each wave.
    #[serde(skip)]
    phase: Vec<f64>,
}

impl Fourier {
    /// Draws waves for rows of `inputs` features.
    pub fn draw(gamma: f64, features: u32, inputs: usize, seed: u64) -> Result<Fourier> {
        let size = check_size(inputs, features)?;
        let what = || format!("{features} random features of {inputs} features").into();
        let mut omega = limits::zeros(size, what)?;
        let scale = (2.0 * gamma).sqrt();
        for (j, row) in omega.chunks_mut(features as usize).enumerate() {
            let mut stream = Stream::new(seed, &[0, j as u64]);
            // Box and Muller: two normal numbers from two even ones.
            for pair in row.chunks_mut(2) {
                let (length, angle) = ((-2.0 * (1.0 - stream.unit()).ln()).sqrt(), TAU * stream.unit());
                pair[0] = scale * length * angle.cos();
                if let Some(second) = pair.get_mut(1) {
                    *second = scale * length * angle.sin();
                }
            }
        }
        let mut stream = Stream::new(seed, &[1]);
        let phase = (0..features).map(|_| TAU * stream.unit()).collect();
        Ok(Fourier { gamma, features, omega, phase })
    }
}

/// The numbers that the map takes; refuses too many.
pub(super) fn check_size(inputs: usize, features: u32) -> Result<usize> {
    const LARGEST: usize = 1 << 28;
    match inputs.checked_mul(features as usize) {
        Some(size) if size <= LARGEST => Ok(size),
        _ => {
            let why = format!("{features} new features of {inputs} old ones take more than {LARGEST} numbers");
            let advice = ": ask for fewer, or hash the old ones with ";
            Err(Error::settings(Message::new(why).text(advice).with(Setting::HashBits)))
        }
    }
}

impl Step for Fourier {
    fn outputs(&self, _: usize) -> usize {
        self.features as usize
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        let m = self.features as usize;
        spare.clear();
        spare.values.extend_from_slice(&self.phase);
        for (&j, &v) in row.indices.iter().zip(&row.values) {
            let waves = &self.omega[j as usize * m..][..m];
            spare.values.iter_mut().zip(waves).for_each(|(sum, w)| *sum += v * w);
        }
        let scale = (2.0 / m as f64).sqrt();
        row.clear();
        for (i, sum) in (0..).zip(&spare.values) {
            row.push(i, scale * sum.cos());
        }
    }

    fn kinds(&self, _: Vec<Kind>) -> Vec<Kind> {
        vec![Kind::Number; self.features as usize]
    }

    fn names(&self, _: Vec<String>) -> Vec<String> {
        (1..=self.features).map(|i| format!("wave {i}")).collect()
    }

    fn describe(&self) -> String {
        format!("{} random Fourier features of the kernel rbf:{}", self.features, self.gamma)
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("omega", Array::F64(self.omega.clone()));
        arrays.put("phase", Array::F64(self.phase.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let (omega, phase) = (arrays.f64s("omega")?, arrays.f64s("phase")?);
        let fits =
            inputs.checked_mul(self.features as usize) == Some(omega.len()) && phase.len() == self.features as usize;
        if !fits || self.features == 0 || !(self.gamma > 0.0 && self.gamma.is_finite()) {
            return Err(Error::bad_model("the waves of a map do not fit its features"));
        }
        (self.omega, self.phase) = (omega.to_vec(), phase.to_vec());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Dense, Row};

    fn mapped(map: &Fourier, x: &[f64]) -> Vec<f64> {
        let (mut row, mut spare) = (Entries::default(), Entries::default());
        row.fill(Dense(x));
        map.apply(&mut row, &mut spare);
        let mut out = vec![0.0; map.features as usize];
        row.row().each(|j, v| out[j] = v);
        out
    }

    #[test]
    fn products_come_close_to_the_kernel() {
        let map = Fourier::draw(0.5, 4000, 3, 7).unwrap();
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, -1.0], [0.3, 0.2, 0.1], [-2.0, 1.0, 0.5]];
        for x in &points {
            for y in &points {
                let product: f64 = mapped(&map, x).iter().zip(mapped(&map, y)).map(|(a, b)| a * b).sum();
                let sq: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
                // An error of about 1/√4000 = 0.016; four times that is allowed.
                assert!((product - (-0.5 * sq).exp()).abs() < 0.064, "{x:?} {y:?}: {product}");
            }
        }
    }
}
