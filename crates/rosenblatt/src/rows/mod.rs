//! Rows, labels and tables in memory: dense, sparse and decimal rows, and the names of their columns.

mod buffer;
mod decimal;
mod decimals;
mod dot;
mod indices;
mod into_rows;
mod kinds;
mod labels;
mod matrix;
mod packed;
mod prefetch;
mod row;
mod schema;
mod split;
mod table;

pub(crate) use buffer::{Buffered, lay_out};
pub use decimal::{MOST_PLACES, Unit};
pub use decimals::Decimals;
pub(crate) use decimals::Gathered;
pub use dot::{add, dot, sq_norm};
pub use into_rows::IntoRows;
pub use kinds::{AnyRows, DenseDecimalRows, DenseRows, Rows, SparseDecimalRows, SparseRows};
pub(crate) use kinds::{each_buffered_kind, each_kind};
pub(crate) use labels::list;
pub use labels::{LabelCollector, Labels};
pub use matrix::{DecimalMatrix, DenseMatrix, Matrix, SparseDecimalMatrix, SparseMatrix};
pub(crate) use packed::Form;
pub use packed::Packed;
pub use prefetch::prefetch;
pub use row::{Dense, Row, Sparse, Value};
pub(crate) use schema::with_features;
pub use schema::{Column, ColumnKind, Fill, MAX_FEATURES, Schema};
pub use split::{Folds, Split};
pub use table::{Examples, Table};
pub(crate) use table::{check_classes, check_lengths, too_long_row};
