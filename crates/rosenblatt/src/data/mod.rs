//! From bytes to labelled examples.

mod block;
mod cache;
mod chunks;
mod decimals;
mod fault;
mod fours;
mod labels;
mod lines;
mod matrix;
pub(crate) mod npy;
mod number;
mod packed;
mod read;
mod rows;
mod schema;
mod shelf;
mod sniff;
mod source;
mod table;
pub mod toy;
mod words;

pub use decimals::Decimals;
pub use labels::{LabelCollector, Labels};
pub use matrix::{DecimalMatrix, DenseMatrix, Matrix, SparseDecimalMatrix, SparseMatrix};
pub use packed::Packed;
pub use read::{Dataset, Guess, Header, MAX_FEATURES, NeedLabels, ReadOptions, memory_needed, read, read_for};
pub use rows::{AnyRows, DenseDecimalRows, DenseRows, Rows, SparseDecimalRows, SparseRows};
pub use schema::{Column, ColumnKind, Fill, Schema};
pub use sniff::Format;
pub use source::{Input, Source};
pub use table::{Examples, Table};

pub(crate) use block::Block;
pub(crate) use cache::{Cache, Contents, Origin, Unusable, Writer, check_cache_place};
pub(crate) use chunks::{Pace, Pool, Want};
pub(crate) use fault::{Fault, Found, count, show};
pub(crate) use labels::list;
pub(crate) use lines::Lines;
pub(crate) use number::number;
#[cfg(test)]
pub(crate) use read::csv_twin;
pub(crate) use read::{
    Passed, Survey, can_stream, each_raw, format_of, indexed_answers, lacking, raw_delimiter, read_passing_on,
    refuse_idx, refuse_rounded, refuse_stream, refuse_unwritten, stream, survey,
};
pub(crate) use shelf::{Shelved, lay_out};
pub(crate) use table::{check_classes, check_lengths, too_long_row};
pub(crate) use words::MAX_NGRAMS;
