//! From bytes to labelled examples.

mod labels;
mod matrix;
mod schema;
mod table;

pub use labels::{LabelCollector, Labels};
pub use matrix::{AnyRows, DenseMatrix, DenseRows, Matrix, Rows, SparseMatrix, SparseRows};
pub use schema::{Column, ColumnKind, Schema};
pub use table::{Examples, Table};

pub(crate) use labels::list;
