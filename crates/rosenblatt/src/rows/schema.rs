//! How raw columns become features. Stored in the model, so that `predict` reads the same raw file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::char_grams::CharGrams;
use super::dialect::Dialect;
use super::hashed::HashedWords;
use crate::named::named;

/// The largest feature number that is learned from. Weights are dense: 2²⁸ of them are 2 GiB.
pub const MAX_FEATURES: usize = 1 << 28;

/// The layout of the features, as a reader found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "layout", rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Schema {
    /// Features are numbers from the file: LIBSVM. Feature `j` is written as index `j + first`.
    Indexed {
        /// The index of the first feature: 0 or 1.
        first: u32,
        /// How many features.
        features: usize,
    },
    /// Every row names its features: Vowpal Wabbit.
    Named {
        /// The names of the features, sorted.
        names: Vec<String>,
    },
    /// Features come from columns: CSV, TSV, JSON Lines, fastText's text, Parquet.
    Columns {
        /// The feature columns in the order of the training file.
        columns: Vec<Column>,
        /// The name of the label column, if the file had a header.
        label: Option<String>,
        /// The position of the label column, from 0.
        label_at: usize,
        /// How many columns the training file had, with the label and dropped ones.
        width: usize,
        /// Whether the training file had a header.
        header: bool,
        /// How its fields are written, where a text does not show it.
        #[serde(default, skip_serializing_if = "Dialect::is_plain")]
        dialect: Dialect,
        /// How the words of all columns, which are texts, are hashed; `None`: every column has features of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hashed: Option<HashedWords>,
    },
}

/// Each column, and the features that it becomes.
pub(crate) fn with_features(columns: &[Column]) -> impl Iterator<Item = (&Column, Range<usize>)> {
    columns.iter().scan(0, |end, column| {
        let first = std::mem::replace(end, *end + column.width());
        Some((column, first..*end))
    })
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Column {
    /// Its name: from the header, else `x1`, `x2`, … by position.
    pub name: String,
    /// Its position in the training file, from 0.
    pub at: usize,
    /// What its values are.
    #[serde(flatten)]
    pub kind: ColumnKind,
    /// What a missing value becomes; `None`: it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Fill>,
}

/// What a missing value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Zero, or none of the categories.
    Zero,
    /// The mean of the training rows that have a value: read as an indicator, filled in when the rows are prepared.
    Mean,
    /// Zero, and an indicator feature is 1.
    Indicator,
}

named!(Fill: Zero = "zero", Mean = "mean", Indicator = "indicator");

impl Fill {
    /// Whether an indicator feature marks a missing value.
    pub(crate) fn marks(self) -> bool {
        matches!(self, Fill::Mean | Fill::Indicator)
    }

    /// What a missing value is read as, for a message; `categories`: whether any of the columns holds categories.
    pub(crate) fn description(self, categories: bool) -> &'static str {
        match (self, categories) {
            (Fill::Zero, true) => "zero (none of the categories)",
            (Fill::Zero, false) => "zero",
            (Fill::Mean, true) => "the mean of the others (none of the categories)",
            (Fill::Mean, false) => "the mean of the others",
            (Fill::Indicator, _) => "a feature of its own",
        }
    }
}

/// What the values of a column are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers: one feature.
    Number,
    /// Categories: one feature for each value, 1 where the row has it.
    Category {
        /// The values, sorted.
        values: Vec<String>,
    },
    /// Text: one feature for each n-gram of words, its count in the row.
    Text {
        /// The most words of an n-gram.
        ngrams: u32,
        /// The characters of n-grams within words; `None`: there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        chars: Option<CharGrams>,
        /// The n-grams, sorted.
        words: Vec<String>,
    },
}

/// The serialized form of a column; unknown fields are refused.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Written {
    Number {
        name: String,
        at: usize,
        #[serde(default)]
        missing: Option<Fill>,
    },
    Category {
        name: String,
        at: usize,
        values: Vec<String>,
        #[serde(default)]
        missing: Option<Fill>,
    },
    Text {
        name: String,
        at: usize,
        ngrams: u32,
        #[serde(default)]
        chars: Option<CharGrams>,
        words: Vec<String>,
    },
}

impl From<Written> for Column {
    fn from(written: Written) -> Self {
        match written {
            Written::Number { name, at, missing } => Column { name, at, kind: ColumnKind::Number, missing },
            Written::Category { name, at, values, missing } => {
                Column { name, at, kind: ColumnKind::Category { values }, missing }
            }
            Written::Text { name, at, ngrams, chars, words } => {
                Column { name, at, kind: ColumnKind::Text { ngrams, chars, words }, missing: None }
            }
        }
    }
}

impl Column {
    /// How many features the column gives.
    pub fn width(&self) -> usize {
        let marks = usize::from(self.marks_missing());
        match &self.kind {
            ColumnKind::Number => 1 + marks,
            ColumnKind::Category { values } => values.len() + marks,
            ColumnKind::Text { words, .. } => words.len(),
        }
    }

    /// Whether its last feature is an indicator of a missing value.
    pub fn marks_missing(&self) -> bool {
        self.missing.is_some_and(Fill::marks)
    }

    /// The name of one of its features; `alone`: there is no other column.
    fn feature_name(&self, at: usize, alone: bool) -> String {
        match &self.kind {
            ColumnKind::Number if at == 0 => self.name.clone(),
            ColumnKind::Category { values } if at < values.len() => format!("{}={}", self.name, values[at]),
            ColumnKind::Text { words, .. } if alone => words[at].clone(),
            ColumnKind::Text { words, .. } => format!("{}:{}", self.name, words[at]),
            _ => format!("{}=?", self.name),
        }
    }
}

impl Schema {
    /// Whether every feature is a number or a category of the file, with no text and nothing filled in. The first
    /// version of the model file can express this.
    pub(crate) fn is_as_written(&self) -> bool {
        match self {
            Schema::Indexed { .. } => true,
            Schema::Named { .. } => false,
            Schema::Columns { columns, .. } => {
                columns.iter().all(|c| c.missing.is_none() && !matches!(c.kind, ColumnKind::Text { .. }))
            }
        }
    }

    /// How the words of its columns are hashed, if they are.
    pub fn hashed(&self) -> Option<HashedWords> {
        match self {
            Schema::Columns { hashed, .. } => *hashed,
            _ => None,
        }
    }

    /// Whether it is one that only the third version of the model file can express.
    pub(crate) fn is_recent(&self) -> bool {
        self.hashed().is_some() || self.has_char_grams() || self.dialect().is_some_and(|dialect| !dialect.is_plain())
    }

    /// How the fields of the table are written, if there are fields.
    pub(crate) fn dialect(&self) -> Option<&Dialect> {
        match self {
            Schema::Columns { dialect, .. } => Some(dialect),
            _ => None,
        }
    }

    /// Whether a text has n-grams of characters.
    pub(crate) fn has_char_grams(&self) -> bool {
        match self {
            Schema::Columns { columns, .. } => {
                columns.iter().any(|c| matches!(c.kind, ColumnKind::Text { chars: Some(_), .. }))
            }
            _ => false,
        }
    }

    /// The schema without the n-grams that are not among the features `kept` (sorted), and the new number of each kept one.
    pub(crate) fn keep_words(&self, kept: &[u32]) -> (Schema, Vec<u32>) {
        if self.hashed().is_some() {
            return (self.clone(), kept.to_vec());
        }
        let mut schema = self.clone();
        let is_kept = |feature: usize| kept.binary_search(&(feature as u32)).is_ok();
        let (mut first, mut now) = (0, Vec::with_capacity(kept.len()));
        let mut count = 0;
        let mut pass = |first: usize, width: usize, words: bool| {
            for feature in (first..first + width).filter(|&j| !words || is_kept(j)) {
                if is_kept(feature) {
                    now.push(count);
                }
                count += 1;
            }
        };
        match &mut schema {
            Schema::Indexed { features, .. } => pass(0, *features, false),
            Schema::Named { names } => {
                pass(0, names.len(), true);
                let mut at = 0..;
                names.retain(|_| at.next().is_some_and(is_kept));
            }
            Schema::Columns { columns, .. } => {
                for column in columns {
                    let width = column.width();
                    match &mut column.kind {
                        ColumnKind::Text { words, .. } => {
                            pass(first, width, true);
                            let mut at = first..;
                            words.retain(|_| at.next().is_some_and(is_kept));
                        }
                        _ => pass(first, width, false),
                    }
                    first += width;
                }
            }
        }
        (schema, now)
    }

    /// About how many bytes the names take.
    pub(crate) fn bytes(&self) -> u64 {
        /// A string and what its allocation takes beside its letters.
        const STRING: u64 = 40;
        let all = |names: &[String]| names.iter().map(|name| STRING + name.len() as u64).sum::<u64>();
        match self {
            Schema::Indexed { .. } => 0,
            Schema::Named { names } => all(names),
            Schema::Columns { columns, .. } => columns
                .iter()
                .map(|column| match &column.kind {
                    ColumnKind::Number => STRING,
                    ColumnKind::Category { values } => all(values),
                    ColumnKind::Text { words, .. } => all(words),
                })
                .sum(),
        }
    }

    /// How many features.
    pub fn features(&self) -> usize {
        match self {
            Schema::Indexed { features, .. } => *features,
            Schema::Named { names } => names.len(),
            Schema::Columns { hashed: Some(hashed), .. } => hashed.buckets(),
            Schema::Columns { columns, .. } => columns.iter().map(Column::width).sum(),
        }
    }

    /// The name of one feature: `x1` for numbered ones, the column's name, `column=value`, `column:word` (`word` alone
    /// where there is no other column), `column=?` for the indicator of a missing value, or `#7` for bucket 7.
    pub fn feature_name(&self, feature: usize) -> String {
        match self {
            Schema::Indexed { first, .. } => format!("x{}", feature + *first as usize),
            Schema::Named { names } => names[feature].clone(),
            Schema::Columns { hashed: Some(_), .. } => format!("#{feature}"),
            Schema::Columns { columns, .. } => {
                let found = with_features(columns).find(|(_, features)| features.contains(&feature));
                found.map_or_else(
                    || format!("x{}", feature + 1),
                    |(column, features)| column.feature_name(feature - features.start, columns.len() == 1),
                )
            }
        }
    }

    /// The feature of this name. Those of numbered columns have names without a list of them.
    pub fn feature_named(&self, name: &str) -> Option<usize> {
        match self {
            Schema::Indexed { first, .. } => {
                let number: usize = name.strip_prefix('x')?.parse().ok()?;
                let feature = number.checked_sub(*first as usize).filter(|j| *j < self.features())?;
                (self.feature_name(feature) == name).then_some(feature)
            }
            Schema::Named { names } => names.iter().position(|n| n == name),
            Schema::Columns { hashed: Some(_), .. } => {
                let bucket: usize = name.strip_prefix('#')?.parse().ok()?;
                (bucket < self.features() && self.feature_name(bucket) == name).then_some(bucket)
            }
            Schema::Columns { .. } => self.feature_names().iter().position(|n| n == name),
        }
    }

    /// The name of each feature, in order.
    pub fn feature_names(&self) -> Vec<String> {
        match self {
            Schema::Columns { columns, hashed: None, .. } => {
                let alone = columns.len() == 1;
                columns.iter().flat_map(|c| (0..c.width()).map(move |at| c.feature_name(at, alone))).collect()
            }
            Schema::Named { names } => names.clone(),
            Schema::Indexed { .. } | Schema::Columns { .. } => {
                (0..self.features()).map(|j| self.feature_name(j)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numbered_feature_is_found_without_a_list_of_names() {
        let schema = Schema::Indexed { first: 1, features: 4_000_000_000 };
        assert_eq!(schema.feature_named("x4000000000"), Some(3_999_999_999));
        for name in ["x0", "x4000000001", "x01", "x+1", "1", "x", "y1", ""] {
            assert_eq!(schema.feature_named(name), None, "{name}");
        }
        let named = Schema::Named { names: vec!["b".into(), "x1".into()] };
        assert_eq!((named.feature_named("x1"), named.feature_named("x2")), (Some(1), None));
    }
}
