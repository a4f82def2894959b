//! How raw columns become features. Stored in the model, so that `predict` takes the same raw file.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What a reader learned about the layout of the features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "layout", rename_all = "lowercase")]
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

    /// Refuses a layout that no training file can have had: what a model file claims is not believed.
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |why: String| Err(Error::bad_model(why));
        let (columns, label_at, width) = match self {
            Schema::Indexed { first: 0 | 1, .. } => return Ok(()),
            Schema::Indexed { first, .. } => return refuse(format!("features counted from {first}, not from 0 or 1")),
            Schema::Columns { columns, label_at, width, .. } => (columns, *label_at, *width),
        };
        if label_at >= width {
            return refuse(format!("the label is column {label_at} of {width}, counted from 0"));
        }
        let (mut places, mut names) = (HashSet::from([label_at]), HashSet::new());
        for Column { name, at, kind } in columns {
            if *at >= width {
                return refuse(format!("\"{name}\" is column {at} of {width}, counted from 0"));
            }
            if !places.insert(*at) {
                return refuse(format!("\"{name}\" is column {at}, which is another column or the label"));
            }
            if !names.insert(name) {
                return refuse(format!("two columns are called \"{name}\""));
            }
            if let ColumnKind::Category { values } = kind
                && !values.is_sorted_by(|a, b| a < b)
            {
                return refuse(format!("the categories of column \"{name}\" are not in order"));
            }
        }
        Ok(())
    }

    /// The name of each feature, in order.
    pub fn feature_names(&self) -> Vec<String> {
        (0..self.features()).map(|j| self.feature_name(j)).collect()
    }
}
