//! What a user asked to be done to rows before learning, and a table to which it was done.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::kind::kinds;
use super::{Chain, Map, Scale, Scaling};
use crate::data::{Examples, Matrix, Schema, Table};
use crate::error::Result;

/// How rows are prepared before they are learned from. The default leaves them as they are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Preparation {
    /// What is brought to a common size.
    pub scale: Scaling,
}

/// A table whose rows have been prepared; an empty chain copies nothing.
#[derive(Debug, Clone)]
pub struct Prepared<'a> {
    /// The table as it was read.
    pub raw: &'a Table,
    /// Its rows as the learner sees them.
    pub matrix: Cow<'a, Matrix>,
    /// What was done to them.
    pub chain: Chain,
}

impl Preparation {
    /// Fits the maps on these rows, and applies them.
    pub fn fit<'a>(&self, table: &'a Table) -> Result<Prepared<'a>> {
        let mut fitting = Fitting { matrix: Cow::Borrowed(&table.matrix), chain: Chain::default() };
        if self.scale != Scaling::None {
            let scale = Scale::fit(self.scale, fitting.matrix.rows()?, &kinds(table))?;
            fitting.add(scale.map(Map::Scale))?;
        }
        Ok(Prepared { raw: table, matrix: fitting.matrix, chain: fitting.chain })
    }
}

/// Rows on their way through the maps, and the maps so far.
struct Fitting<'a> {
    matrix: Cow<'a, Matrix>,
    chain: Chain,
}

impl Fitting<'_> {
    fn add(&mut self, map: Option<Map>) -> Result<()> {
        if let Some(map) = map {
            let mut one = Chain::default();
            one.push(map.clone());
            self.matrix = Cow::Owned(one.matrix(self.matrix.rows()?)?);
            self.chain.push(map);
        }
        Ok(())
    }
}

impl<'a> Prepared<'a> {
    /// How many features the learner sees.
    pub fn features(&self) -> usize {
        self.matrix.features()
    }

    /// A checked view of the prepared rows with these weights.
    pub fn examples<'b>(&'b self, weights: Option<&'b [f64]>) -> Result<Examples<'b>> {
        Examples::new(self.matrix.rows()?, &self.raw.classes, weights)
    }

    /// The prepared rows as a table of their own, for whoever wants to look at what the learner sees.
    pub fn into_table(self) -> Cow<'a, Table> {
        if self.chain.is_empty() {
            return Cow::Borrowed(self.raw);
        }
        let schema = Schema::Indexed { first: 1, features: self.matrix.features() };
        Cow::Owned(Table {
            matrix: self.matrix.into_owned(),
            classes: self.raw.classes.clone(),
            labels: self.raw.labels.clone(),
            weights: self.raw.weights.clone(),
            schema,
        })
    }
}
