//! The triangle R of a QR factorisation B = QR that grows and shrinks by columns, without Q.
//!
//! B is the caller's; the triangle receives BᵀB-type products and residuals. Squaring B would square its condition
//! number; here a column is projected twice (as in twice-is-enough Gram–Schmidt), which does not.

use crate::rows::{add, dot};

/// An upper triangle, stored by columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Triangle {
    columns: Vec<Vec<f64>>,
}

impl Triangle {
    /// How many columns.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// v ← R⁻ᵀ v
    pub fn solve_transposed(&self, v: &mut [f64]) {
        for (i, column) in self.columns.iter().enumerate() {
            let (done, rest) = v.split_at_mut(i);
            rest[0] = (rest[0] - dot(&column[..i], done)) / column[i];
        }
    }

    /// v ← R⁻¹ v
    pub fn solve(&self, v: &mut [f64]) {
        for (i, column) in self.columns.iter().enumerate().rev() {
            v[i] /= column[i];
            let (above, at) = v.split_at_mut(i);
            add(&column[..i], above, -at[0]);
        }
    }

    /// v ← (RᵀR)⁻¹ v
    pub fn solve_normal(&self, v: &mut [f64]) {
        self.solve_transposed(v);
        self.solve(v);
    }

    /// Appends the column `above` with `corner` > 0 on the diagonal.
    pub fn push(&mut self, mut above: Vec<f64>, corner: f64) {
        debug_assert_eq!(above.len(), self.len());
        above.push(corner);
        self.columns.push(above);
    }

    /// Removes column `at`: what is left has one entry too many below the diagonal in each later column, and plane
    /// rotations of neighbouring rows clear them.
    pub fn remove(&mut self, at: usize) {
        self.columns.remove(at);
        for i in at..self.len() {
            let (a, b) = (self.columns[i][i], self.columns[i][i + 1]);
            let r = a.hypot(b);
            let (cos, sin) = if r > 0.0 { (a / r, b / r) } else { (1.0, 0.0) };
            for column in &mut self.columns[i..] {
                let (p, q) = (column[i], column[i + 1]);
                column[i] = cos * p + sin * q;
                column[i + 1] = cos * q - sin * p;
            }
            self.columns[i].truncate(i + 1);
        }
    }

    /// Forgets all columns.
    pub fn clear(&mut self) {
        self.columns.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn product(r: &Triangle) -> Vec<Vec<f64>> {
        let entry = |i: usize, j: usize| -> f64 {
            let (a, b) = (&r.columns[i], &r.columns[j]);
            a.iter().zip(b).map(|(p, q)| p * q).sum()
        };
        (0..r.len()).map(|i| (0..r.len()).map(|j| entry(i, j)).collect()).collect()
    }

    #[test]
    fn removing_a_column_removes_a_row_and_a_column_of_the_product() {
        let mut stream = Stream::new(1, &[]);
        let mut r = Triangle::default();
        for k in 0..9 {
            let column = (0..k).map(|_| stream.unit() - 0.5).collect();
            r.push(column, 1.0 + stream.unit());
        }
        for at in [8, 3, 0, 2] {
            let mut expected = product(&r);
            expected.remove(at);
            expected.iter_mut().for_each(|row| {
                row.remove(at);
            });
            r.remove(at);
            for (row, wanted) in product(&r).iter().zip(&expected) {
                assert!(row.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-13));
            }
        }
    }

    #[test]
    fn solving_undoes_multiplying() {
        let mut r = Triangle::default();
        r.push(vec![], 2.0);
        r.push(vec![1.0], 3.0);
        r.push(vec![-1.0, 0.5], 0.25);
        let v = [0.5, -2.0, 7.0];
        let mut b: Vec<f64> = product(&r).iter().map(|row| row.iter().zip(v).map(|(m, v)| m * v).sum()).collect();
        r.solve_normal(&mut b);
        assert!(b.iter().zip(v).all(|(b, v)| (b - v).abs() < 1e-13), "{b:?}");
    }
}
