//! Points to fit: from a table, or a noisy sine.

use crate::error::{Error, Result};
use crate::random::Stream;
use crate::rows::{Row, Rows, Table};

/// The pairs (x, y) of a table: x is one of its features, y is its label.
pub fn points(table: &Table, feature: usize) -> Result<Vec<[f64; 2]>> {
    let number = |name: &String| {
        let value = name.parse::<f64>().ok().filter(|v| v.is_finite());
        value.ok_or_else(|| Error::bad_data(format!("\"{name}\" is not a number: y must be one in every row")))
    };
    let values: Vec<f64> = table.labels.names().iter().map(number).collect::<Result<_>>()?;
    let rows = table.matrix.rows()?;
    let x = (0..rows.len())
        .map(|i| {
            let mut x = 0.0;
            rows.row(i).each(|j, v| {
                if j == feature {
                    x = v
                }
            });
            x
        })
        .collect::<Vec<f64>>();
    Ok(x.into_iter().zip(&table.classes).map(|(x, &class)| [x, values[class as usize]]).collect())
}

/// sin(πx) with normal noise, at equally spaced points of [−1, 1]: the usual example of over-fitting.
pub fn noisy_sine(count: usize, noise: f64, seed: u64) -> Vec<[f64; 2]> {
    let mut stream = Stream::new(seed, &[0x706f_6c79]);
    let step = if count > 1 { 2.0 / (count - 1) as f64 } else { 0.0 };
    (0..count)
        .map(|i| {
            let x = -1.0 + step * i as f64;
            // Box and Muller (1958); 1 − u is never zero.
            let (u, v) = (1.0 - stream.unit(), stream.unit());
            let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            [x, (std::f64::consts::PI * x).sin() + noise * normal]
        })
        .collect()
}
