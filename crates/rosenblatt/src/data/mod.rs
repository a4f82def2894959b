//! From bytes to labelled examples.

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
mod words;

pub use labels::{LabelCollector, Labels};
pub use matrix::{AnyRows, DenseMatrix, DenseRows, Matrix, Rows, SparseMatrix, SparseRows};
pub use read::{Dataset, Guess, Header, MAX_FEATURES, NeedLabels, ReadOptions, read, read_for};
pub use schema::{Column, ColumnKind, Fill, Schema};
pub use sniff::Format;
pub use source::{Input, Source};
pub use table::{Examples, Table};

pub(crate) use fault::{Fault, Found, count, show};
pub(crate) use labels::list;
pub(crate) use lines::Lines;
pub(crate) use number::number;
pub(crate) use read::{each_raw, raw_delimiter, refuse_stream};
pub(crate) use words::MAX_NGRAMS;
