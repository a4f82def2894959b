//! Least squares by Householder's reflections.

/// min ‖Av − y‖ for rows (a, y), where A has `unknowns` columns: each column is reflected onto its diagonal, which
/// leaves a triangle to solve. `None` if the columns are dependent, or the numbers overflow.
pub(super) fn least_squares(mut rows: Vec<Vec<f64>>, unknowns: usize) -> Option<Vec<f64>> {
    // A reflection loses the digits of short rows unless the long ones come first.
    let size = |row: &Vec<f64>| row[..unknowns].iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
    for k in 0..unknowns {
        // The longest of what is left goes to the diagonal, for the same reason.
        let pivot = (k..rows.len()).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()))?;
        rows.swap(k, pivot);
        let norm = rows[k..].iter().map(|row| row[k]).fold(0.0, f64::hypot);
        let whole = rows.iter().map(|row| row[k]).fold(0.0, f64::hypot);
        if !(norm.is_finite() && norm > whole * 1e-14) {
            return None;
        }
        let turned = if rows[k][k] > 0.0 { -norm } else { norm };
        // The reflection takes the column to (turned, 0, 0, …); its normal is the difference of the two.
        let normal: Vec<f64> =
            rows[k..].iter().enumerate().map(|(i, row)| row[k] - if i == 0 { turned } else { 0.0 }).collect();
        let square: f64 = normal.iter().map(|v| v * v).sum();
        for j in k..=unknowns {
            let along: f64 = normal.iter().zip(&rows[k..]).map(|(v, row)| v * row[j]).sum();
            let twice = 2.0 * along / square;
            for (v, row) in normal.iter().zip(&mut rows[k..]) {
                row[j] -= twice * v;
            }
        }
    }
    let mut solution = vec![0.0; unknowns];
    for k in (0..unknowns).rev() {
        let known: f64 = (k + 1..unknowns).map(|j| rows[k][j] * solution[j]).sum();
        solution[k] = (rows[k][unknowns] - known) / rows[k][k];
    }
    solution.iter().all(|v| v.is_finite()).then_some(solution)
}
