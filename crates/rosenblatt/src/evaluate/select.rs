//! Some of the rows of a table.

use crate::data::{DenseMatrix, Matrix, SparseMatrix, Table};
use crate::error::{Error, Result};

impl Table {
    /// These rows, then those of a table with the same features and classes.
    pub fn joined(&self, more: &Table) -> Result<Table> {
        if (&self.schema, &self.labels) != (&more.schema, &more.labels) {
            return Err(Error::bad_data("tables with other features or classes cannot be joined"));
        }
        let mut all = self.clone();
        all.matrix = match (all.matrix, &more.matrix) {
            (Matrix::Dense(mut m), Matrix::Dense(more)) => {
                m.values.extend_from_slice(&more.values);
                Matrix::Dense(m)
            }
            (Matrix::Sparse(mut m), Matrix::Sparse(more)) => {
                let before = m.indices.len();
                m.offsets.extend(more.offsets[1..].iter().map(|end| before + end));
                m.indices.extend_from_slice(&more.indices);
                m.values.extend_from_slice(&more.values);
                Matrix::Sparse(m)
            }
            _ => return Err(Error::bad_data("dense and sparse rows cannot be joined")),
        };
        if self.weights.is_some() || more.weights.is_some() {
            let weights = |t: &Table| t.weights.clone().unwrap_or_else(|| vec![1.0; t.classes.len()]);
            all.weights = Some([weights(self), weights(more)].concat());
        }
        all.classes.extend_from_slice(&more.classes);
        Ok(all)
    }

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
