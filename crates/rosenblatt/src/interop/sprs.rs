//! Matrices of `sprs`.

use sprs::{CsMatBase, CsMatViewI, SpIndex};

use crate::error::{Error, Result};
use crate::rows::{AnyRows, IntoRows, Matrix, SparseMatrix, SparseRows, Table};

/// Refuses compressed columns.
fn by_rows(csr: bool) -> Result<()> {
    match csr {
        true => Ok(()),
        false => Err(Error::bad_data("the matrix is stored by columns: pass to_csr() of it")),
    }
}

/// Compressed rows with `u32` indices and offsets of `usize` that begin at 0 are looked at where they lie.
macro_rules! views {
    ($($value:ty),*) => {$(
        impl<'a> IntoRows<'a> for CsMatViewI<'a, $value, u32, usize> {
            fn into_rows(self) -> Result<AnyRows<'a>> {
                by_rows(self.is_csr())?;
                let (features, (offsets, indices, values)) = (self.cols(), self.into_raw_storage());
                Ok(SparseRows::new(offsets, indices, values, features)?.into())
            }
        }
    )*};
}

views!(f64, f32);

impl Table {
    /// A label for each row of a sparse matrix, copied: the feature `sprs`. Any kind of index will do.
    pub fn from_sprs<I, P, IP, IN, D, L>(rows: &CsMatBase<f64, I, IP, IN, D, P>, labels: &[L]) -> Result<Table>
    where
        I: SpIndex,
        P: SpIndex,
        IP: std::ops::Deref<Target = [P]>,
        IN: std::ops::Deref<Target = [I]>,
        D: std::ops::Deref<Target = [f64]>,
        L: AsRef<str>,
    {
        by_rows(rows.is_csr())?;
        let mut matrix = SparseMatrix { features: rows.cols(), ..SparseMatrix::default() };
        for row in rows.outer_iterator() {
            for (index, &value) in row.iter() {
                let index =
                    u32::try_from(index).map_err(|_| Error::bad_data(format!("feature {index} is too many")))?;
                matrix.indices.push(index);
                matrix.values.push(value);
            }
            matrix.end_row();
        }
        Table::new(Matrix::Sparse(matrix), labels)
    }
}
