//! The columns of a table: the role of each field, and the features it becomes.
//!
//! One description, decided once and used by every reader of tables:
//!
//! | reader | decided from | categories and words |
//! |---|---|---|
//! | `csv.rs`: a file to train on | the options and the first rows ([`Columns::to_train`]) | collected while it is read |
//! | `dense.rs`: the same on all threads, if all features are numbers | the same | none |
//! | `apply.rs`: a file for a model | the model's schema and the file's header ([`Columns::for_model`]) | the model's |
//! | `raw.rs`, `survey.rs`: a file that was read before, as it is written | the schema ([`TrainedTable::columns`]) | the schema's |
//!
//! [`Kind::read`] is the one place that interprets a field.

mod model;
mod training;
mod value;
mod weights;

pub(super) use model::TrainedTable;
pub(super) use value::{Gaps, Kind, Refused, Value, is_gap, is_marked, is_missing, label_of, missing, not_utf8};
pub(super) use weights::Weights;

use super::number::NotFinite;
use crate::rows::Fill;

/// The roles of the fields of a row. `C` holds the categories of a column, `T` the words of one.
#[derive(Debug)]
pub(super) struct Columns<C, T> {
    /// How many fields a row has.
    pub(super) width: usize,
    /// Whether the file has a header.
    pub(super) header: bool,
    /// The field with the label, if labels are read.
    pub(super) label: Option<usize>,
    /// The field with the weight, if weights are read.
    pub(super) weight: Option<usize>,
    /// Texts that stand for a missing value, beside the usual.
    pub(super) na: Vec<String>,
    /// The columns that become features, in feature order.
    pub(super) features: Vec<FeatureColumn<C, T>>,
}

/// A column that becomes features.
#[derive(Debug)]
pub(super) struct FeatureColumn<C, T> {
    /// Its name: from the header, else `x1`, `x2`, … by position.
    pub(super) name: String,
    /// Its position in this file, from 0.
    pub(super) at: usize,
    /// What its values are.
    pub(super) kind: Kind<C, T>,
    /// What a missing value becomes; `None`: it is refused.
    pub(super) missing: Option<Fill>,
    /// Its first feature; 0 while a training file is being read, as widths are known only at its end.
    pub(super) first: usize,
}

/// The role of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The class.
    Label,
    /// The weight of the example.
    Weight,
    /// A feature that is a number.
    Number,
    /// Features that are categories.
    Category,
    /// Features that are words.
    Text,
    /// Left out.
    Unused,
}

impl<C, T> Columns<C, T> {
    /// The role of each field, by position.
    pub(super) fn roles(&self) -> Vec<Role> {
        let mut roles = vec![Role::Unused; self.width];
        for column in &self.features {
            roles[column.at] = match column.kind {
                Kind::Number => Role::Number,
                Kind::Category(_) => Role::Category,
                Kind::Text(_) | Kind::Set(_) => Role::Text,
            };
        }
        for (at, role) in [(self.weight, Role::Weight), (self.label, Role::Label)] {
            if let Some(at) = at {
                roles[at] = role;
            }
        }
        roles
    }
}

impl<C, T> FeatureColumn<C, T> {
    /// What its missing values are.
    #[inline]
    pub(super) fn gaps<'n>(&self, na: &'n [String]) -> Gaps<'n> {
        Gaps { fill: self.missing.is_some(), na }
    }
}

impl<T> FeatureColumn<&[String], T> {
    /// The indicator feature of a missing value, counted from the column's first; `None`: there is none.
    pub(super) fn missing_mark(&self) -> Option<usize> {
        let place = match &self.kind {
            Kind::Number => 1,
            Kind::Category(values) => values.len(),
            Kind::Text(_) | Kind::Set(_) => return None,
        };
        self.missing.filter(|fill| fill.marks()).map(|_| place)
    }
}

/// The position of a category among the sorted values of a column.
pub(super) fn category_place(values: &[String], text: &[u8]) -> Option<usize> {
    values.binary_search_by(|value| value.as_bytes().cmp(text)).ok()
}

/// The text of a number, for [`Kind::read`]; not parsed, because the file was validated before.
pub(super) fn as_written(text: &[u8]) -> Result<&[u8], NotFinite> {
    if is_gap(text) { Err(NotFinite::Text) } else { Ok(text) }
}
