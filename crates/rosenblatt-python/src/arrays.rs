//! NumPy arrays and SciPy's CSR, borrowed as the library's rows.
//!
//! C-contiguous `float64`, `float32` and `uint8` arrays are not copied, nor are the indices and values of CSR with 32-bit
//! indices. Row offsets, one number a row, are copied; 64-bit indices are narrowed in a copy, because the library numbers
//! features with 32 bits.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rosenblatt::rows::{
    AnyRows, Column, ColumnKind, DenseMatrix, DenseRows, Dialect, Labels, Matrix, Schema, SparseMatrix, SparseRows,
    Table,
};

use crate::border::DataError;

/// An array or a sparse matrix, borrowed read-only.
pub(crate) enum Held<'py> {
    DenseF64(PyReadonlyArray2<'py, f64>),
    DenseF32(PyReadonlyArray2<'py, f32>),
    DenseU8(PyReadonlyArray2<'py, u8>),
    SparseF64(Csr<'py, f64>),
    SparseF32(Csr<'py, f32>),
}

/// Compressed sparse rows.
pub(crate) struct Csr<'py, V: Element> {
    offsets: Vec<usize>,
    indices: Indices<'py>,
    values: PyReadonlyArray1<'py, V>,
    features: usize,
}

enum Indices<'py> {
    Shared(PyReadonlyArray1<'py, u32>),
    Narrowed(Vec<u32>),
}

/// The same as plain slices, unchecked, for use without the interpreter.
#[derive(Clone, Copy)]
pub(crate) enum Slices<'a> {
    DenseF64(&'a [f64], usize),
    DenseF32(&'a [f32], usize),
    DenseU8(&'a [u8], usize),
    SparseF64(&'a [usize], &'a [u32], &'a [f64], usize),
    SparseF32(&'a [usize], &'a [u32], &'a [f32], usize),
}

impl<'py> Held<'py> {
    /// Borrows an array that the package has already converted to one of the forms above.
    pub(crate) fn new(x: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = x.cast::<PyArray2<f64>>() {
            Ok(Held::DenseF64(array.try_readonly()?))
        } else if let Ok(array) = x.cast::<PyArray2<f32>>() {
            Ok(Held::DenseF32(array.try_readonly()?))
        } else if let Ok(array) = x.cast::<PyArray2<u8>>() {
            Ok(Held::DenseU8(array.try_readonly()?))
        } else if x.hasattr("indptr")? {
            let values = x.getattr("data")?;
            if let Ok(values) = values.cast::<PyArray1<f32>>() {
                Ok(Held::SparseF32(Csr::new(x, values)?))
            } else {
                Ok(Held::SparseF64(Csr::new(x, values.cast::<PyArray1<f64>>()?)?))
            }
        } else {
            Err(PyTypeError::new_err("expected a two-dimensional array of float64, float32 or uint8, or a CSR matrix"))
        }
    }

    /// The slices, if they are contiguous.
    pub(crate) fn slices(&self) -> PyResult<Slices<'_>> {
        fn dense<'a, V: Element>(array: &'a PyReadonlyArray2<'_, V>) -> PyResult<(&'a [V], usize)> {
            if !array.is_c_contiguous() {
                return Err(PyValueError::new_err("expected an array that is C-contiguous"));
            }
            Ok((array.as_slice()?, array.shape()[1]))
        }
        Ok(match self {
            Held::DenseF64(array) => dense(array).map(|(values, features)| Slices::DenseF64(values, features))?,
            Held::DenseF32(array) => dense(array).map(|(values, features)| Slices::DenseF32(values, features))?,
            Held::DenseU8(array) => dense(array).map(|(values, features)| Slices::DenseU8(values, features))?,
            Held::SparseF64(csr) => {
                Slices::SparseF64(&csr.offsets, csr.indices.slice()?, csr.values.as_slice()?, csr.features)
            }
            Held::SparseF32(csr) => {
                Slices::SparseF32(&csr.offsets, csr.indices.slice()?, csr.values.as_slice()?, csr.features)
            }
        })
    }
}

impl<'py, V: Element> Csr<'py, V> {
    fn new(x: &Bound<'py, PyAny>, values: &Bound<'py, PyArray1<V>>) -> PyResult<Self> {
        let (_, features): (usize, usize) = x.getattr("shape")?.extract()?;
        let offsets = x.getattr("indptr")?.call_method1("astype", ("int64",))?;
        let offsets: PyReadonlyArray1<'_, i64> = offsets.cast::<PyArray1<i64>>()?.try_readonly()?;
        let offset = |&at: &i64| usize::try_from(at).map_err(|_| DataError::new_err(format!("row offset {at}")));
        let indices = x.getattr("indices")?;
        let indices = match indices.cast::<PyArray1<i64>>() {
            Ok(wide) => {
                let narrow = |&j: &i64| {
                    let wrong =
                        || DataError::new_err(format!("feature index {j}: expected one from 0 to {}", u32::MAX));
                    u32::try_from(j).map_err(|_| wrong())
                };
                Indices::Narrowed(wide.try_readonly()?.as_slice()?.iter().map(narrow).collect::<PyResult<_>>()?)
            }
            Err(_) => {
                // A negative index becomes one beyond any width, and is refused as such.
                let bits = indices.cast::<PyArray1<i32>>()?.call_method1("view", ("uint32",))?;
                Indices::Shared(bits.cast::<PyArray1<u32>>()?.try_readonly()?)
            }
        };
        let offsets = offsets.as_slice()?.iter().map(offset).collect::<PyResult<_>>()?;
        Ok(Csr { offsets, indices, values: values.try_readonly()?, features })
    }
}

impl Indices<'_> {
    fn slice(&self) -> PyResult<&[u32]> {
        match self {
            Indices::Shared(array) => Ok(array.as_slice()?),
            Indices::Narrowed(narrowed) => Ok(narrowed),
        }
    }
}

impl<'a> Slices<'a> {
    /// Checks the library's assumptions once, on all threads: numbers are finite, indices increase and are in range.
    pub(crate) fn rows(self) -> rosenblatt::Result<AnyRows<'a>> {
        Ok(match self {
            Slices::DenseF64(values, features) => AnyRows::DenseF64(DenseRows::new(values, features)?),
            Slices::DenseF32(values, features) => AnyRows::DenseF32(DenseRows::new(values, features)?),
            Slices::DenseU8(values, features) => AnyRows::DenseU8(DenseRows::new(values, features)?),
            Slices::SparseF64(offsets, indices, values, features) => {
                AnyRows::SparseF64(SparseRows::new(offsets, indices, values, features)?)
            }
            Slices::SparseF32(offsets, indices, values, features) => {
                AnyRows::SparseF32(SparseRows::new(offsets, indices, values, features)?)
            }
        })
    }

    /// A copy of the rows as a table.
    pub(crate) fn table(self, classes: Vec<u32>, labels: Labels, schema: Schema) -> Table {
        let matrix = match self {
            Slices::DenseF64(values, features) => Matrix::Dense(DenseMatrix { values: values.to_vec(), features }),
            Slices::DenseF32(values, features) => Matrix::DenseF32(DenseMatrix { values: values.to_vec(), features }),
            Slices::DenseU8(values, features) => Matrix::DenseU8(DenseMatrix { values: values.to_vec(), features }),
            Slices::SparseF64(offsets, indices, values, features) => Matrix::Sparse(SparseMatrix {
                offsets: offsets.to_vec(),
                indices: indices.to_vec(),
                values: values.to_vec(),
                features,
            }),
            Slices::SparseF32(offsets, indices, values, features) => Matrix::Sparse(SparseMatrix {
                offsets: offsets.to_vec(),
                indices: indices.to_vec(),
                values: values.iter().map(|&v| v.into()).collect(),
                features,
            }),
        };
        Table { matrix, classes, labels, weights: None, schema }
    }
}

/// The schema of features by their names, else by number from 1.
pub(crate) fn schema(features: usize, names: Option<Vec<String>>) -> Schema {
    let Some(names) = names else { return Schema::Indexed { first: 1, features } };
    let column = |(at, name)| Column { name, at, kind: ColumnKind::Number, missing: None };
    let columns: Vec<Column> = names.into_iter().enumerate().map(column).collect();
    Schema::Columns {
        label: None,
        label_at: columns.len(),
        width: columns.len() + 1,
        header: true,
        dialect: Dialect::default(),
        hashed: None,
        columns,
    }
}
