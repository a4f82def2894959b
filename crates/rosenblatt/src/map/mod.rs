//! Feature maps: a row in, a row out, fitted on training rows alone and stored in the model.
//!
//! A [`Preparation`] holds the user's settings. Fitted on a table it becomes a [`Chain`] of [`Map`]s, which the model
//! keeps: training and prediction apply the same chain to every raw row. A trainer fits the chain on the rows that it
//! trains on, so nothing leaks from held-out rows into the maps.
//!
//! The steps come in one order: missing values, rare features, weighing of words, polynomials, hashing, scaling, and
//! last the lift into the space of a kernel. So the learner and the lift get scaled rows.
//!
//! A map is one file and one line in the list below. Sparse rows stay sparse through all of them.

mod chain;
mod entries;
mod fourier;
mod hashing;
mod impute;
mod kind;
mod lift;
mod look;
mod nystroem;
mod polynomial;
mod preparation;
mod row_hasher;
mod scale;
mod select;
mod tokens;
mod words;
mod words_of;

pub use chain::Chain;
pub use entries::Entries;
pub use fourier::Fourier;
pub(crate) use hashing::bucket_of;
pub use hashing::{Collisions, Hashing, hash_named, murmur3};
pub use impute::Impute;
pub use kind::Kind;
pub use lift::{Lift, Way};
pub(crate) use look::needed;
pub use look::{LOOK, Need};
pub use nystroem::Nystroem;
pub use polynomial::Polynomial;
pub use preparation::{Preparation, Prepared};
pub(crate) use row_hasher::{RowHasher, Units};
pub use scale::{Scale, Scaling};
pub use select::Select;
pub use tokens::each_run;
pub(crate) use tokens::{Grams, MAX_NGRAMS, TextScratch};
pub use words::{Tf, Words};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::learn::State;

/// A map: a row in, a row out.
pub trait Step {
    /// The number of features that come out, where `inputs` go in.
    fn outputs(&self, inputs: usize) -> usize;
    /// Maps a row in place; `spare` is a scratch buffer.
    fn apply(&self, row: &mut Entries, spare: &mut Entries);
    /// The kind of each feature that comes out.
    fn kinds(&self, inputs: Vec<Kind>) -> Vec<Kind>;
    /// The names of the features that come out.
    fn names(&self, inputs: Vec<String>) -> Vec<String>;
    /// Whether dense rows stay dense.
    fn keeps_dense(&self) -> bool {
        true
    }
    /// The shift and the factor of a feature, if the map is affine in it.
    fn affine(&self, _feature: usize) -> Option<(f64, f64)> {
        None
    }
    /// A short description.
    fn describe(&self) -> String;
    /// One more feature comes in, of this name. Only maps of [`Preparation::online`] grow.
    fn grow(&mut self, _name: &str) {}
    /// Stores its numbers.
    fn save(&self, arrays: &mut State);
    /// Reads its numbers from a file, and refuses what no fitting makes.
    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()>;
}

macro_rules! maps {
    ($($name:ident: $doc:literal,)*) => {
        /// A fitted map. In a file, its numbers are separate arrays.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "map", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Map {
            $(#[doc = $doc] $name($name),)*
        }

        impl Map {
            /// The map behind the name.
            pub fn step(&self) -> &dyn Step {
                match self {
                    $(Map::$name(step) => step,)*
                }
            }

            /// Maps a row in place; `spare` is a scratch buffer.
            pub fn apply(&self, row: &mut Entries, spare: &mut Entries) {
                match self {
                    $(Map::$name(step) => step.apply(row, spare),)*
                }
            }

            fn step_mut(&mut self) -> &mut dyn Step {
                match self {
                    $(Map::$name(step) => step,)*
                }
            }
        }
    };
}

maps! {
    Impute: "Fills in missing numbers.",
    Select: "Leaves out rare features.",
    Words: "Weighs words.",
    Polynomial: "Multiplies features.",
    Hashing: "Puts many features into few buckets.",
    Fourier: "Random waves: the space of a Gaussian kernel.",
    Nystroem: "The values of a kernel at some training rows.",
    Scale: "Brings rows or columns to a common size.",
}

/// An array of exactly `length` numbers.
pub(crate) fn numbers(arrays: &State, name: &str, length: usize) -> Result<Vec<f64>> {
    let values = arrays.f64s(name)?;
    if values.len() != length {
        return Err(Error::bad_model(format!("\"{name}\" holds {} numbers where {length} belong", values.len())));
    }
    Ok(values.to_vec())
}

/// The list without these places, which are sorted.
fn without<T>(list: Vec<T>, places: &[u32]) -> Vec<T> {
    let mut places = places.iter().map(|&p| p as usize).peekable();
    list.into_iter().enumerate().filter(|(j, _)| places.next_if_eq(j).is_none()).map(|(_, t)| t).collect()
}
