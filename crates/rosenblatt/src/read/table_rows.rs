//! Rows of fields from any kind of table: text between delimiters, JSON Lines, fastText's lines, or Parquet.

use super::fasttext;
use super::json::{self, Hint};
use super::records::{Record, Records};
use crate::error::Result;
use crate::io::Lines;

/// Iterates over the rows of a table.
#[derive(Debug)]
pub(crate) enum TableRows<'a> {
    /// Text; a first row may be a header.
    Text(Box<Records<'a>>),
    /// JSON Lines, whose fields have names.
    Json(Box<json::Records<'a>>),
    /// A label and a text on each line.
    FastText(Box<fasttext::Records<'a>>),
    /// Parquet, whose columns have names.
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::Records>),
}

impl<'a> TableRows<'a> {
    /// The rows of a Parquet file.
    #[cfg(feature = "parquet")]
    pub(crate) fn parquet(lines: Lines<'_>) -> Result<TableRows<'a>> {
        Ok(TableRows::Parquet(Box::new(super::parquet::Records::new(lines)?)))
    }

    /// Refused: this build has no Parquet support.
    #[cfg(not(feature = "parquet"))]
    pub(crate) fn parquet(_: Lines<'_>) -> Result<TableRows<'a>> {
        Err(crate::error::Error::settings("this program was built without Parquet: export the table as csv"))
    }

    /// Leaves the columns empty that are not wanted, by their place and name, where they need not be read to be skipped.
    #[cfg(feature = "parquet")]
    pub(crate) fn keep_only(&mut self, wanted: &dyn Fn(usize, &str) -> bool) {
        if let TableRows::Parquet(records) = self {
            records.keep_only(wanted);
        }
    }

    /// Nothing, in a build without Parquet.
    #[cfg(not(feature = "parquet"))]
    pub(crate) fn keep_only(&mut self, _: &dyn Fn(usize, &str) -> bool) {}

    /// The names of the columns, where the table always has them.
    pub(crate) fn names(&self) -> Option<Vec<String>> {
        match self {
            TableRows::Text(_) => None,
            TableRows::Json(records) => Some(records.layout().names().to_vec()),
            TableRows::FastText(_) => Some(fasttext::NAMES.map(String::from).to_vec()),
            #[cfg(feature = "parquet")]
            TableRows::Parquet(records) => Some(records.names().to_vec()),
        }
    }

    /// What is known of each column before its values are read, where rows are objects: their fields have no order.
    pub(crate) fn hints(&self) -> Option<&[Hint]> {
        match self {
            TableRows::Json(records) => Some(records.layout().hints()),
            TableRows::FastText(_) => Some(&fasttext::HINTS),
            _ => None,
        }
    }

    /// The next row; invalidates the previous one.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>> {
        match self {
            TableRows::Text(records) => records.next(),
            TableRows::Json(records) => records.next(),
            TableRows::FastText(records) => records.next(),
            #[cfg(feature = "parquet")]
            TableRows::Parquet(records) => records.next(),
        }
    }

    /// The first line so far whose field starts with an unclosed quote, read as text.
    pub(crate) fn loose_quote(&self) -> Option<u64> {
        match self {
            TableRows::Text(records) => records.loose_quote(),
            TableRows::Json(_) | TableRows::FastText(_) => None,
            #[cfg(feature = "parquet")]
            TableRows::Parquet(_) => None,
        }
    }

    /// Whether the rows are those of a Parquet file.
    pub(crate) fn is_parquet(&self) -> bool {
        !matches!(self, TableRows::Text(_) | TableRows::Json(_) | TableRows::FastText(_))
    }

    /// Whether each row is wanted as soon as it comes.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self, TableRows::Text(records) if records.is_live())
    }

    /// What messages call the source.
    pub(crate) fn name(&self) -> &str {
        match self {
            TableRows::Text(records) => records.name(),
            TableRows::Json(records) => records.name(),
            TableRows::FastText(records) => records.name(),
            #[cfg(feature = "parquet")]
            TableRows::Parquet(records) => records.name(),
        }
    }

    /// The fingerprint of the source, complete after the last row.
    pub(crate) fn fingerprint(&self) -> u64 {
        match self {
            TableRows::Text(records) => records.fingerprint(),
            TableRows::Json(records) => records.fingerprint(),
            TableRows::FastText(records) => records.fingerprint(),
            #[cfg(feature = "parquet")]
            TableRows::Parquet(records) => records.fingerprint(),
        }
    }
}
