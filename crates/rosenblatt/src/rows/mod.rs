//! Rows, labels and tables in memory: dense, sparse and decimal rows, and what their columns are called.

mod buffer;
mod decimal;
mod decimals;
mod dot;
mod into_rows;
mod kinds;
mod labels;
mod matrix;
mod packed;
mod row;
mod schema;
mod split;
mod table;

pub(crate) use buffer::{Buffered, lay_out};
pub use decimal::{MOST_PLACES, Unit};
pub use decimals::Decimals;
pub(crate) use decimals::Gathered;
pub use dot::{add, dot, prefetch, sq_norm};
pub use into_rows::IntoRows;
pub(crate) use kinds::each_kind;
pub use kinds::{AnyRows, DenseDecimalRows, DenseRows, Rows, SparseDecimalRows, SparseRows};
pub(crate) use labels::list;
pub use labels::{LabelCollector, Labels};
pub use matrix::{DecimalMatrix, DenseMatrix, Matrix, SparseDecimalMatrix, SparseMatrix};
pub(crate) use packed::Form;
pub use packed::Packed;
pub use row::{Dense, Row, Sparse, Value};
pub use schema::{Column, ColumnKind, Fill, MAX_FEATURES, Schema};
pub use split::{Folds, Split};
pub use table::{Examples, Table};
pub(crate) use table::{check_classes, check_lengths, too_long_row};
