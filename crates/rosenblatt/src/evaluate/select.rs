//! Some of the rows of a table.

use crate::data::{DenseMatrix, Matrix, SparseMatrix, Table};

impl Table {
    /// The rows with these numbers, from 0, in this order; everything else stays as it is.
    pub fn select(&self, rows: &[u32]) -> Table {
        let matrix = match &self.matrix {
            Matrix::Dense(m) => {
                let mut values = Vec::with_capacity(rows.len() * m.features);
                for &i in rows {
                    values.extend_from_slice(&m.values[i as usize * m.features..][..m.features]);
                }
                Matrix::Dense(DenseMatrix { values, features: m.features })
            }
            Matrix::Sparse(m) => {
                let mut some = SparseMatrix { features: m.features, ..SparseMatrix::default() };
                for &i in rows {
                    let range = m.offsets[i as usize]..m.offsets[i as usize + 1];
                    some.indices.extend_from_slice(&m.indices[range.clone()]);
                    some.values.extend_from_slice(&m.values[range]);
                    some.end_row();
                }
                Matrix::Sparse(some)
            }
        };
        Table {
            matrix,
            classes: rows.iter().map(|&i| self.classes[i as usize]).collect(),
            labels: self.labels.clone(),
            weights: self.weights.as_ref().map(|w| rows.iter().map(|&i| w[i as usize]).collect()),
            schema: self.schema.clone(),
        }
    }
}
