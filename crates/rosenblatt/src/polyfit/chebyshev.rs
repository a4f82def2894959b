//! Chebyshev's polynomials on the range of the data: T₀ = 1, T₁ = t, Tⱼ₊₁ = 2t·Tⱼ − Tⱼ₋₁.

use crate::error::{Error, Result};

/// The range of x, mapped to [−1, 1]: t = (x − middle)/half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    middle: f64,
    half: f64,
}

impl Range {
    pub(super) fn of(points: &[[f64; 2]]) -> Result<Range> {
        if points.is_empty() {
            return Err(Error::bad_data("no points: there is nothing to fit"));
        }
        let low = points.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max);
        let half = high / 2.0 - low / 2.0;
        Ok(Range { middle: low / 2.0 + high / 2.0, half: if half > 0.0 { half } else { 1.0 } })
    }

    pub(super) fn inward(self, x: f64) -> f64 {
        (x - self.middle) / self.half
    }

    /// C: row i holds the coefficient of xⁱ in each Tⱼ(t).
    pub(super) fn powers(self, count: usize) -> Vec<Vec<f64>> {
        // Tⱼ as a polynomial in x, by the same recurrence on coefficients; t = a + bx.
        let (a, b) = (-self.middle / self.half, 1.0 / self.half);
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(count);
        for j in 0..count {
            let mut column = vec![0.0; count];
            if j == 0 {
                column[0] = 1.0;
            } else {
                let twice = if j == 1 { 1.0 } else { 2.0 };
                for i in 0..j {
                    column[i] += twice * a * columns[j - 1][i];
                    column[i + 1] += twice * b * columns[j - 1][i];
                }
                if j > 1 {
                    (0..j - 1).for_each(|i| column[i] -= columns[j - 2][i]);
                }
            }
            columns.push(column);
        }
        (0..count).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
    }
}

/// T₀(t) … T_{count−1}(t).
pub(super) fn values(t: f64, count: usize) -> Vec<f64> {
    let mut values = Vec::with_capacity(count + 1);
    for j in 0..count {
        values.push(match j {
            0 => 1.0,
            1 => t,
            _ => 2.0 * t * values[j - 1] - values[j - 2],
        });
    }
    values
}

/// Σ vⱼ Tⱼ(t) (Clenshaw 1955).
pub(super) fn sum(series: &[f64], t: f64) -> f64 {
    let (mut next, mut after) = (0.0, 0.0);
    for &v in series.iter().skip(1).rev() {
        (next, after) = (2.0 * t * next - after + v, next);
    }
    series.first().map_or(0.0, |v| t * next - after + v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clenshaw_horner_and_terms_agree() {
        let range = Range::of(&[[2.0, 0.0], [5.0, 0.0]]).unwrap();
        let series = [0.5, -1.0, 2.0, 0.25, 3.0];
        let powers = range.powers(series.len());
        for x in [2.0, 2.7, 3.5, 5.0] {
            let t = range.inward(x);
            let terms: f64 = values(t, series.len()).iter().zip(series).map(|(value, v)| value * v).sum();
            let horner = powers
                .iter()
                .rev()
                .fold(0.0, |sum, row| sum * x + row.iter().zip(series).map(|(c, v)| c * v).sum::<f64>());
            assert!((sum(&series, t) - terms).abs() < 1e-12 && (horner - terms).abs() < 1e-10, "{x}");
        }
    }
}
