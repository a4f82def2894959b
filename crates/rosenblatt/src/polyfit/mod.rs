//! Polynomials of one variable by least squares: the simplest example of under- and over-fitting.
//!
//! **Problem.** Points (x, y), a degree M and λ ≥ 0. Find w = (w₀ … w_M) with the least
//! Σ |y − (w₀ + w₁x + … + w_M x^M)|² + λ‖w‖².
//!
//! **Answer.** In powers of x the columns of this problem are nearly dependent, and the normal equations square its
//! condition number. So x is mapped to t in [−1, 1], and the polynomial is written in Chebyshev's polynomials of t,
//! v = (v₀ … v_M), whose columns are well separated. The penalty is on w = Cv, so the rows √λ·C are appended to the
//! problem, and Householder reflections bring it to a triangle (Golub 1965).

mod chebyshev;
mod data;
mod solve;
#[cfg(test)]
mod tests;

pub use data::{noisy_sine, points};

use serde::Serialize;

use crate::error::{Error, Result};
use chebyshev::Range;

/// A polynomial fitted to points.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial {
    range: Range,
    /// In Chebyshev's polynomials of t.
    series: Vec<f64>,
}

/// The residuals of points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Misfit {
    /// How many points.
    pub points: usize,
    /// Σ |y − f(x)|².
    pub sum_of_squares: f64,
    /// The root of the mean of the squares.
    pub rms: f64,
}

/// The highest degree.
pub const HIGHEST: u32 = 64;

impl Polynomial {
    /// The best polynomial of a degree, with a penalty of `ridge` times the squares of its coefficients.
    ///
    /// ```
    /// use rosenblatt::polyfit::Polynomial;
    /// let line = Polynomial::fit(&[[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]], 1, 0.0)?;
    /// assert!((line.value(10.0) - 21.0).abs() < 1e-12);
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn fit(points: &[[f64; 2]], degree: u32, ridge: f64) -> Result<Polynomial> {
        if degree > HIGHEST {
            return Err(Error::settings(format!("degree {degree}: at most {HIGHEST} is fitted")));
        }
        if !(ridge.is_finite() && ridge >= 0.0) {
            return Err(Error::settings(format!("ridge {ridge}: expected a number that is not negative")));
        }
        let unknowns = degree as usize + 1;
        let range = Range::of(points)?;
        let different = different(points);
        if ridge == 0.0 && different < unknowns {
            return Err(Error::bad_data(format!(
                "degree {degree} needs at least {unknowns} points with different x, and there are {different}: lower \
                 the degree, or set a ridge above 0, which makes the polynomial unique"
            )));
        }
        let mut rows: Vec<Vec<f64>> = points
            .iter()
            .map(|&[x, y]| {
                let mut row = chebyshev::values(range.inward(x), unknowns);
                row.push(y);
                row
            })
            .collect();
        if ridge > 0.0 {
            for mut row in range.powers(unknowns) {
                row.iter_mut().for_each(|c| *c *= ridge.sqrt());
                row.push(0.0);
                rows.push(row);
            }
        }
        let series = solve::least_squares(rows, unknowns)
            .ok_or_else(|| Error::bad_data("the numbers are too large or too close together to fit a polynomial"))?;
        Ok(Polynomial { range, series })
    }

    /// The degree that was asked for.
    pub fn degree(&self) -> u32 {
        self.series.len() as u32 - 1
    }

    /// f(x), by Clenshaw's recurrence: as exact as the fit, at any degree.
    pub fn value(&self, x: f64) -> f64 {
        chebyshev::sum(&self.series, self.range.inward(x))
    }

    /// w₀ … w_M, for reading: f(x) = Σ wⱼ xʲ. At high degrees these lose digits that [`value`](Self::value) keeps.
    pub fn coefficients(&self) -> Vec<f64> {
        let rows = self.range.powers(self.series.len());
        rows.iter().map(|row| row.iter().zip(&self.series).map(|(c, v)| c * v).sum()).collect()
    }

    /// The residuals of these points.
    pub fn misfit(&self, points: &[[f64; 2]]) -> Misfit {
        let sum_of_squares = points.iter().map(|&[x, y]| (y - self.value(x)).powi(2)).sum();
        let mean = sum_of_squares / points.len().max(1) as f64;
        Misfit { points: points.len(), sum_of_squares, rms: mean.sqrt() }
    }
}

fn different(points: &[[f64; 2]]) -> usize {
    let mut xs: Vec<f64> = points.iter().map(|p| p[0]).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    xs.len()
}
