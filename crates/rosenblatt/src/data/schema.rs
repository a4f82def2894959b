//! How raw columns become features. Stored in the model, so that `predict` takes the same raw file.

use serde::{Deserialize, Serialize};

/// What a reader learned about the layout of the features.
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
    /// Features come from named columns: CSV and its kin.
    Columns {
        /// The feature columns in the order of the training file.
        columns: Vec<Column>,
        /// The name of the label column, if the file had a header.
        label: Option<String>,
        /// Where the label column stood, from 0.
        label_at: usize,
        /// How many columns the training file had, with the label and those that were left out.
        width: usize,
        /// Whether the training file had a header.
        header: bool,
    },
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Column {
    /// Its name: from the header, else `x1`, `x2`, … by its place in the file.
    pub name: String,
    /// Where it stood in the training file, from 0.
    pub at: usize,
    /// What its values are.
    #[serde(flatten)]
    pub kind: ColumnKind,
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
}

/// A column as it is written, so that a field which does not belong is refused.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Written {
    Number { name: String, at: usize },
    Category { name: String, at: usize, values: Vec<String> },
}

impl From<Written> for Column {
    fn from(written: Written) -> Self {
        match written {
            Written::Number { name, at } => Column { name, at, kind: ColumnKind::Number },
            Written::Category { name, at, values } => Column { name, at, kind: ColumnKind::Category { values } },
        }
    }
}

impl Column {
    /// How many features the column gives.
    pub fn width(&self) -> usize {
        match &self.kind {
            ColumnKind::Number => 1,
            ColumnKind::Category { values } => values.len(),
        }
    }
}

impl Schema {
    /// Whether the first version of the model file can say it.
    pub(crate) fn is_first_version(&self) -> bool {
        match self {
            Schema::Indexed { .. } | Schema::Columns { .. } => true,
        }
    }

    /// How many features.
    pub fn features(&self) -> usize {
        match self {
            Schema::Indexed { features, .. } => *features,
            Schema::Columns { columns, .. } => columns.iter().map(Column::width).sum(),
        }
    }

    /// The name of one feature: `x1` for numbered ones, the column's name, or `column=value`.
    pub fn feature_name(&self, feature: usize) -> String {
        match self {
            Schema::Indexed { first, .. } => format!("x{}", feature + *first as usize),
            Schema::Columns { columns, .. } => {
                let mut at = feature;
                for column in columns {
                    match &column.kind {
                        ColumnKind::Number if at == 0 => return column.name.clone(),
                        ColumnKind::Category { values } if at < values.len() => {
                            return format!("{}={}", column.name, values[at]);
                        }
                        _ => at -= column.width(),
                    }
                }
                format!("x{}", feature + 1)
            }
        }
    }

    /// The name of each feature, in order.
    pub fn feature_names(&self) -> Vec<String> {
        (0..self.features()).map(|j| self.feature_name(j)).collect()
    }
}
