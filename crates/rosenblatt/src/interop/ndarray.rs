//! Matrices of `ndarray`.

use ndarray::{Array2, ArrayView2};

use crate::error::{Error, Result};
use crate::rows::{AnyRows, DenseMatrix, DenseRows, IntoRows, Matrix, Table};

/// Numbers in the order of `ndarray`'s default are looked at where they lie.
macro_rules! views {
    ($($value:ty => $kind:ident),*) => {$(
        /// Of a matrix in standard (row-major) order; others would have to be copied: see `as_standard_layout`.
        impl<'a> IntoRows<'a> for ArrayView2<'a, $value> {
            fn into_rows(self) -> Result<AnyRows<'a>> {
                let features = self.ncols();
                match self.to_slice() {
                    Some(values) => Ok(DenseRows::new(values, features)?.into()),
                    None => Err(Error::bad_data(
                        "the matrix is not in standard order: pass as_standard_layout() of it",
                    )),
                }
            }
        }

        impl<'a> IntoRows<'a> for &'a Array2<$value> {
            fn into_rows(self) -> Result<AnyRows<'a>> {
                self.view().into_rows()
            }
        }

        impl From<Array2<$value>> for Matrix {
            /// Takes the numbers over if they are in standard order, and copies them into it otherwise.
            fn from(array: Array2<$value>) -> Matrix {
                let features = array.ncols();
                let values = if array.is_standard_layout() && array.iter().len() == array.len() {
                    let (values, offset) = array.into_raw_vec_and_offset();
                    match offset {
                        None | Some(0) => values,
                        Some(offset) => values[offset..].to_vec(),
                    }
                } else {
                    array.iter().copied().collect()
                };
                Matrix::$kind(DenseMatrix { values, features })
            }
        }
    )*};
}

views!(f64 => Dense, f32 => DenseF32);

impl Table {
    /// A label for each row of a matrix: the feature `ndarray`.
    pub fn from_ndarray<L: AsRef<str>>(rows: Array2<f64>, labels: &[L]) -> Result<Table> {
        Table::new(rows.into(), labels)
    }
}
