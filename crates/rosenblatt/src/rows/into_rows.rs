//! Conversion to borrowed rows.

use super::any::AnyRows;
use super::kinds::DenseRows;
use super::matrix::Matrix;
use super::table::Table;
use crate::error::Result;

/// What can be borrowed as rows: a table, arrays of numbers, or rows of any kind.
///
/// Nothing is copied. Numbers that are not finite are refused. The features `ndarray` and `sprs` add those crates' views.
///
/// ```
/// use rosenblatt::{IntoRows, SparseRows, Table};
/// let points = [[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!(points.into_rows()?.features(), 2);
/// let sparse = SparseRows::new(&[0, 1, 3], &[5, 0, 5], &[1.0f64, 2.0, 3.0], 6)?;
/// assert_eq!(sparse.into_rows()?.len(), 2);
/// assert!([[f64::NAN]].into_rows().is_err());
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub trait IntoRows<'a> {
    /// The rows, checked.
    fn into_rows(self) -> Result<AnyRows<'a>>;
}

impl<'a, R: Into<AnyRows<'a>>> IntoRows<'a> for R {
    fn into_rows(self) -> Result<AnyRows<'a>> {
        Ok(self.into())
    }
}

impl<'a> IntoRows<'a> for &'a Table {
    fn into_rows(self) -> Result<AnyRows<'a>> {
        self.matrix.rows()
    }
}

impl<'a> IntoRows<'a> for &'a Matrix {
    fn into_rows(self) -> Result<AnyRows<'a>> {
        self.rows()
    }
}

/// Arrays, slices and vectors of arrays of one length.
macro_rules! arrays {
    ($($value:ty),*) => {$(
        impl<'a, const N: usize> IntoRows<'a> for &'a [[$value; N]] {
            fn into_rows(self) -> Result<AnyRows<'a>> {
                Ok(DenseRows::new(self.as_flattened(), N)?.into())
            }
        }

        impl<'a, const N: usize, const M: usize> IntoRows<'a> for &'a [[$value; N]; M] {
            fn into_rows(self) -> Result<AnyRows<'a>> {
                self.as_slice().into_rows()
            }
        }

        impl<'a, const N: usize> IntoRows<'a> for &'a Vec<[$value; N]> {
            fn into_rows(self) -> Result<AnyRows<'a>> {
                self.as_slice().into_rows()
            }
        }
    )*};
}

arrays!(f64, f32);
