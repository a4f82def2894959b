//! From bytes to labelled examples.

mod block;
mod chunks;
mod fault;
mod labels;
mod lines;
mod matrix;
mod number;
mod read;
mod schema;
mod sniff;
mod source;
mod table;
pub mod toy;

pub use labels::{LabelCollector, Labels};
pub use matrix::{AnyRows, DenseMatrix, DenseRows, Matrix, Rows, Scattered, SparseMatrix, SparseRows};
pub use read::{Dataset, Guess, Header, MAX_FEATURES, NeedLabels, ReadOptions, read, read_for};
pub use schema::{Column, ColumnKind, Schema};
pub use sniff::Format;
pub use source::{Input, Source};
pub use table::{Examples, Table};

pub(crate) use block::Block;
pub(crate) use chunks::{Pace, Pool, Want};
pub(crate) use fault::show;
pub(crate) use labels::list;
pub(crate) use read::{Passed, can_stream, each_raw, raw_delimiter, refuse_stream, stream};
pub(crate) use table::{check_classes, too_long_row};
