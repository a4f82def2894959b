//! The simplex method of [`simplex`](crate::certify::exact::simplex) in floating point: predicts the final basis.
//!
//! Its pivots are cheap, so it makes most of the pivots, and the exact method starts at its final basis. Nothing here is
//! trusted: a bad guess costs time only. Coordinates are scaled to a largest entry of 1 for better rounding; neither the
//! basis nor its feasibility depends on it.

use crate::certify::Deadline;

/// The most equations: the inverse is dense.
const MAX_EQUATIONS: usize = 1500;
/// Pivots after which the inverse is computed afresh.
const REFRESH: usize = 64;
const TINY: f64 = 1e-10;

/// The basis where the method stopped.
#[derive(Debug, Clone)]
pub struct Guess {
    /// Basic rows of the pool, with their weights.
    pub rows: Vec<(usize, f64)>,
    /// Equations whose artificial variable is basic.
    pub artificial: Vec<usize>,
    /// The sum of the artificial variables: 0 if the rows cancel.
    pub objective: f64,
    /// (t, −w), for the coordinates as they are.
    pub dual: Vec<f64>,
}

/// A variable of the basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    /// The weight of this row of the pool.
    Row(usize),
    /// The artificial variable of this equation.
    Artificial(usize),
}

impl Variable {
    fn is_artificial(self) -> bool {
        matches!(self, Variable::Artificial(_))
    }
}

struct Method<'a> {
    rows: &'a [(f64, Vec<(usize, f64)>)],
    /// What each equation is multiplied by; negative where its artificial variable has the sign −.
    scales: Vec<f64>,
    basis: Vec<Variable>,
    inverse: Vec<Vec<f64>>,
    values: Vec<f64>,
}

/// Runs the method. Rows are (1 of equation 0, scaled with the row; the rest); `negative`: the artificial variable of an equation
/// has the coefficient −1. `None` if there are too many equations, or the deadline has passed.
pub fn run(rows: &[(f64, Vec<(usize, f64)>)], negative: &[bool], deadline: &Deadline) -> Option<Guess> {
    let n = negative.len();
    if n > MAX_EQUATIONS {
        return None;
    }
    let mut largest = vec![0.0f64; n];
    rows.iter().flat_map(|r| &r.1).for_each(|(k, v)| largest[*k] = largest[*k].max(v.abs()));
    let sign = |k: usize| if negative[k] { -1.0 } else { 1.0 };
    let scale = |k: usize| if largest[k] > 0.0 { sign(k) / largest[k] } else { sign(k) };
    let scales: Vec<f64> = (0..n).map(scale).collect();
    if scales.iter().any(|s| !s.is_finite()) {
        return None;
    }
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
    let mut method = Method {
        rows,
        scales,
        basis: (0..n).map(Variable::Artificial).collect(),
        inverse: (0..n).map(unit).collect(),
        values: (0..n).map(|i| f64::from(u8::from(i == 0))).collect(),
    };
    for step in 0..50 * n + 1000 {
        if deadline.has_passed() {
            return None;
        }
        if step % REFRESH == REFRESH - 1 {
            method.refresh(deadline)?;
        }
        let dual = method.dual();
        if method.objective() < TINY {
            break;
        }
        let Some(entering) = method.entering(&dual) else { break };
        let column = method.column(entering);
        let Some(leaving) = method.leaving(&column) else { break };
        method.pivot(entering, leaving, &column);
    }
    Some(method.guess())
}

impl Method<'_> {
    /// The rows, with equation 0 always 1: a row's own scale does not matter.
    fn entries(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        self.rows[row].1.iter().map(|(k, v)| (*k, v * self.scales[*k]))
    }

    fn dual(&self) -> Vec<f64> {
        let mut dual = vec![0.0; self.basis.len()];
        for (row, _) in self.inverse.iter().zip(&self.basis).filter(|(_, b)| b.is_artificial()) {
            dual.iter_mut().zip(row).for_each(|(d, v)| *d += v);
        }
        dual
    }

    fn objective(&self) -> f64 {
        self.values.iter().zip(&self.basis).filter(|(_, b)| b.is_artificial()).map(|(v, _)| *v).sum()
    }

    fn entering(&self, dual: &[f64]) -> Option<usize> {
        let mut best = (1e-9, None);
        for i in 0..self.rows.len() {
            let price = dual[0] + self.entries(i).map(|(k, v)| v * dual[k]).sum::<f64>();
            if price > best.0 {
                best = (price, Some(i));
            }
        }
        best.1.filter(|i| !self.basis.contains(&Variable::Row(*i)))
    }

    fn column(&self, row: usize) -> Vec<f64> {
        let entries: Vec<(usize, f64)> = self.entries(row).collect();
        let product = |m: &Vec<f64>| m[0] + entries.iter().map(|(k, v)| v * m[*k]).sum::<f64>();
        self.inverse.iter().map(product).collect()
    }

    /// The least ratio; of those about as small, the largest pivot.
    fn leaving(&self, column: &[f64]) -> Option<usize> {
        let able = || (0..column.len()).filter(|&i| column[i] > 1e-9);
        let ratio = |i: usize| self.values[i].max(0.0) / column[i];
        let least = able().map(|i| (self.values[i].max(0.0) + 1e-11) / column[i]).fold(f64::INFINITY, f64::min);
        able().filter(|&i| ratio(i) <= least).max_by(|&a, &b| column[a].total_cmp(&column[b]))
    }

    fn pivot(&mut self, entering: usize, r: usize, column: &[f64]) {
        let scale = 1.0 / column[r];
        let mut row = std::mem::take(&mut self.inverse[r]);
        row.iter_mut().for_each(|v| *v *= scale);
        let value = self.values[r].max(0.0) * scale;
        for (i, by) in column.iter().enumerate().filter(|(i, by)| *i != r && **by != 0.0) {
            self.inverse[i].iter_mut().zip(&row).for_each(|(v, p)| *v -= by * p);
            self.values[i] -= by * value;
        }
        self.values[r] = value;
        self.inverse[r] = row;
        self.basis[r] = Variable::Row(entering);
    }

    /// The inverse of the basis, computed afresh by elimination with the largest pivots.
    fn refresh(&mut self, deadline: &Deadline) -> Option<()> {
        let n = self.basis.len();
        // Row i of `work`: equation i of the basis matrix, then of the unit matrix.
        let mut work = vec![vec![0.0; 2 * n]; n];
        for (j, variable) in self.basis.iter().enumerate() {
            match variable {
                Variable::Artificial(k) => work[*k][j] = 1.0,
                Variable::Row(row) => {
                    work[0][j] = 1.0;
                    self.entries(*row).for_each(|(k, v)| work[k][j] = v);
                }
            }
        }
        (0..n).for_each(|i| work[i][n + i] = 1.0);
        for c in 0..n {
            if c.is_multiple_of(64) && deadline.has_passed() {
                return None;
            }
            let at = (c..n).max_by(|&a, &b| work[a][c].abs().total_cmp(&work[b][c].abs()))?;
            if work[at][c].abs() < 1e-13 {
                return None;
            }
            work.swap(c, at);
            let scale = 1.0 / work[c][c];
            work[c].iter_mut().for_each(|v| *v *= scale);
            let pivot = std::mem::take(&mut work[c]);
            for row in work.iter_mut().filter(|r| !r.is_empty() && r[c] != 0.0) {
                let by = row[c];
                row[c..].iter_mut().zip(&pivot[c..]).for_each(|(v, p)| *v -= by * p);
            }
            work[c] = pivot;
        }
        self.inverse = work.into_iter().map(|row| row[n..].to_vec()).collect();
        self.values = self.inverse.iter().map(|row| row[0]).collect();
        Some(())
    }

    fn guess(&self) -> Guess {
        let dual = self.dual().iter().zip(&self.scales).map(|(d, s)| d * s).collect();
        let (mut rows, mut artificial) = (Vec::new(), Vec::new());
        for (variable, value) in self.basis.iter().zip(&self.values) {
            match variable {
                Variable::Row(row) => rows.push((*row, value.max(0.0))),
                Variable::Artificial(equation) => artificial.push(*equation),
            }
        }
        Guess { rows, artificial, objective: self.objective(), dual }
    }
}
