//! The user's settings for preparing rows before learning, and a prepared table.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Map;
use super::chain::Chain;
use super::fourier::Fourier;
use super::hashing::Hashing;
use super::impute::Impute;
use super::kind::{Kind, kinds};
use super::lift::{Lift, Way};
use super::nystroem::Nystroem;
use super::polynomial::Polynomial;
use super::scale::{Scale, Scaling};
use super::select::Select;
use super::words::{Tf, Words};
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Setting;
use crate::rows::{Examples, HashedWords, Matrix, Schema, Table};

/// How rows are prepared before they are learned from. The default leaves them as they are.
///
/// ```
/// use rosenblatt::{Preparation, Scaling, Table, Trainer};
/// let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let xor = Table::dense(&corners, &["no", "yes", "yes", "no"])?;
/// let preparation = Preparation { degree: 2, scale: Scaling::Standard, ..Preparation::default() };
/// let fitted = Trainer::new("perceptron").preparation(preparation).epochs(100).fit(&xor)?;
/// assert_eq!(fitted.report.train_error, Some(0.0)); // the product of both features separates them
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Preparation {
    /// Features that fewer training rows have are left out; 1 keeps all.
    pub min_count: u32,
    /// The value of a word's count.
    pub tf: Tf,
    /// Whether words are weighted by inverse document frequency.
    pub tf_idf: bool,
    /// Products of up to this many features are added; 1 adds none.
    pub degree: u32,
    /// Features are hashed into 2 to this power buckets.
    pub hash_bits: Option<u32>,
    /// How rows or columns are scaled.
    pub scale: Scaling,
    /// Whether the columns of sparse rows are shifted too: right where most of their values are there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub centre: bool,
    /// An approximate kernel space; `None`: that of the features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<Lift>,
}

impl Default for Preparation {
    fn default() -> Self {
        Preparation {
            min_count: 1,
            tf: Tf::Count,
            tf_idf: false,
            degree: 1,
            hash_bits: None,
            scale: Scaling::None,
            centre: false,
            lift: None,
        }
    }
}

/// Bytes that maps take while they are fitted, for each feature: counts, sums, places.
const PER_FEATURE: usize = 48;

/// A table whose rows have been prepared; an empty chain copies nothing.
#[derive(Debug, Clone)]
pub struct Prepared<'a> {
    /// The table as it was read.
    pub raw: &'a Table,
    /// Its prepared rows.
    pub matrix: Cow<'a, Matrix>,
    /// The fitted maps.
    pub chain: Chain,
}

impl Preparation {
    /// How these settings hash words while rows are read, if they need no other rows for it. `open`: how words are weighed
    /// and rows scaled is left to the rows, which are words.
    pub(crate) fn hashed(&self, open: bool) -> Option<HashedWords> {
        let bits = self.hash_bits.filter(|_| !self.tf_idf && self.min_count <= 1 && self.degree <= 1)?;
        let tf = if open && self.tf == Tf::Count { Tf::Log } else { self.tf };
        Some(HashedWords { bits, tf, unit: open || self.scale == Scaling::Unit })
    }

    /// What is left to do where words were hashed while rows were read.
    pub(crate) fn behind(&self, hashed: Option<HashedWords>) -> Preparation {
        let Some(HashedWords { unit, .. }) = hashed else { return self.clone() };
        let scale = if unit && self.scale == Scaling::Unit { Scaling::None } else { self.scale };
        Preparation { tf: Tf::Count, hash_bits: None, scale, ..self.clone() }
    }

    /// Fits the maps on these rows, and applies them.
    pub fn fit<'a>(&self, table: &'a Table) -> Result<Prepared<'a>> {
        if let hashed @ Some(_) = table.schema.hashed() {
            let behind = self.behind(hashed);
            if behind != *self {
                return behind.fit(table);
            }
        }
        let mut fitting = Fitting { matrix: Cow::Borrowed(&table.matrix), kinds: Vec::new(), chain: Chain::default() };
        let impute = Impute::fit(&table.schema, table.matrix.rows()?);
        if *self != Preparation::default() || impute.is_some() {
            let features = table.matrix.features();
            limits::room_for::<[u8; PER_FEATURE]>(features as u128, || {
                format!("the preparation of {features} features").into()
            })?;
            fitting.kinds = kinds(table)?;
            if self.centre {
                fitting.kinds.iter_mut().filter(|kind| **kind == Kind::Count).for_each(|kind| *kind = Kind::Number);
            }
        }
        fitting.add(impute.map(Map::Impute))?;
        let weighs = self.tf_idf || self.tf != Tf::Count;
        if weighs {
            Words::check(&fitting.kinds)?;
        }
        if self.min_count > 1 {
            let select = Select::fit(self.min_count, fitting.matrix.rows()?, &fitting.kinds)?;
            fitting.add(select.map(Map::Select))?;
        }
        if weighs {
            let words = Words::fit(self.tf, self.tf_idf, fitting.matrix.rows()?, &fitting.kinds);
            fitting.add(words.map(Map::Words))?;
        }
        let polynomial = Polynomial::fit(self.degree, fitting.matrix.rows()?)?;
        fitting.add(polynomial.map(Map::Polynomial))?;
        if let Some(bits) = self.hash_bits {
            let names = fitting.chain.feature_names(&table.schema)?;
            fitting.add(Some(Map::Hashing(Hashing::fit(bits, &names)?)))?;
        }
        let scale = Scale::fit(self.scale, fitting.matrix.rows()?, &fitting.kinds)?;
        fitting.add(scale.map(Map::Scale))?;
        if let Some(Lift { by, features, seed }) = self.lift {
            let rows = fitting.matrix.rows()?;
            fitting.add(Some(match by {
                Way::Rff(gamma) => Map::Fourier(Fourier::draw(gamma, features, rows.features(), seed)?),
                Way::Nystroem(kernel) => Map::Nystroem(Nystroem::fit(kernel, features, rows, seed)?),
            }))?;
        }
        Ok(Prepared { raw: table, matrix: fitting.matrix, chain: fitting.chain })
    }
}

impl Preparation {
    /// The maps for rows that come one by one, and whose features come by and by, each with its name
    /// ([`OnlineTrainer::grow_named`](crate::OnlineTrainer::grow_named)): those that need no other row. They are the maps that
    /// [`fit`](Self::fit) makes of all rows. Refuses the others.
    pub fn online(&self) -> Result<Chain> {
        let refused = |setting: Setting, why: &str| {
            let rest = "; rows that come one by one cannot have it";
            Err(Error::settings(setting.named().text(format!(" {why}{rest}"))))
        };
        if self.tf_idf {
            return refused(Setting::TfIdf, "counts the rows that have a word, and needs all of them first");
        }
        if self.min_count > 1 {
            return refused(Setting::MinCount, "counts the rows that have a feature, and needs all of them first");
        }
        if self.degree > 1 {
            return refused(Setting::Degree, "multiplies all features, and needs all of their names first");
        }
        if !matches!(self.scale, Scaling::None | Scaling::Unit) {
            let why = "it measures all rows first, and rows come one by one; unit needs only the row itself";
            return Err(Error::setting(Setting::Scale, self.scale.name(), why));
        }
        if self.centre || self.lift.is_some() {
            return Err(Error::settings("a lift needs all features first; rows that come one by one cannot have it"));
        }
        let mut chain = Chain::default();
        if self.tf != Tf::Count {
            chain.push(Map::Words(Words::growing(self.tf)));
        }
        if let Some(bits) = self.hash_bits {
            chain.push(Map::Hashing(Hashing::fit(bits, &[])?));
        }
        if self.scale == Scaling::Unit {
            chain.push(Map::Scale(Scale::unit()));
        }
        Ok(chain)
    }

    /// The same, once features of these names have come.
    pub fn online_for<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<Chain> {
        let mut chain = self.online()?;
        names.for_each(|name| chain.grow(name));
        Ok(chain)
    }
}

/// Rows mapped so far, and the maps so far.
struct Fitting<'a> {
    matrix: Cow<'a, Matrix>,
    kinds: Vec<Kind>,
    chain: Chain,
}

impl Fitting<'_> {
    fn add(&mut self, map: Option<Map>) -> Result<()> {
        if let Some(map) = map {
            let mut one = Chain::default();
            one.push(map.clone());
            self.matrix = Cow::Owned(one.matrix(self.matrix.rows()?)?);
            self.kinds = map.step().kinds(std::mem::take(&mut self.kinds));
            self.chain.push(map);
        }
        Ok(())
    }
}

impl<'a> Prepared<'a> {
    /// The number of features after preparation.
    pub fn features(&self) -> usize {
        self.matrix.features()
    }

    /// A checked view of the prepared rows with these weights.
    pub fn examples<'b>(&'b self, weights: Option<&'b [f64]>) -> Result<Examples<'b>> {
        Examples::new(self.matrix.rows()?, &self.raw.classes, weights)
    }

    /// The prepared rows as a table, for inspection.
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
