//! Weights of words: by how often a text has them, and by how few texts do (tf-idf).
//!
//! value = tf · idf, with tf one of
//!   count    how often the text has the word,
//!   log      1 + ln(count): repetitions count less and less,
//!   binary   1,
//! and idf = ln((1 + N)/(1 + n)) + 1 for a word that n of N training texts have (Spärck Jones 1972, smoothed as if one
//! more text had every word), or 1 where it is not asked for.
//!
//! It applies to the words of text columns; to all features where rows are sparse and have no columns (LIBSVM, Vowpal
//! Wabbit); never to numbers and categories.

use serde::{Deserialize, Serialize};

use super::Step;
use super::entries::Entries;
use super::kind::Kind;
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::message::Setting;
pub use crate::rows::Tf;
use crate::rows::{AnyRows, Row, Rows};

/// Fitted weights of words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    tf: Tf,
    /// The idf of each feature; 0: the feature is no word, and stays as it is.
    #[serde(skip)]
    idf: Vec<f64>,
}

/// The kind of the features that are words: those of texts, else counts.
fn word_kind(kinds: &[Kind]) -> Option<Kind> {
    [Kind::Word, Kind::Count].into_iter().find(|kind| kinds.contains(kind))
}

impl Words {
    /// Without a word so far; none is weighed by how rare it is.
    pub(super) fn growing(tf: Tf) -> Words {
        Words { tf, idf: Vec::new() }
    }

    /// The value of a count, and the idf of each feature, 0 where it is no word.
    pub(crate) fn weights(&self) -> (Tf, &[f64]) {
        (self.tf, &self.idf)
    }

    /// Refuses weights of words where there are no words.
    pub(crate) fn check(kinds: &[Kind]) -> Result<()> {
        match word_kind(kinds) {
            Some(_) => Ok(()),
            None => {
                let both = Setting::Tf.named().text(" and ").name(Setting::TfIdf);
                let why = both.text(" weigh words, and there are none: name a column with ").with(Setting::Text);
                Err(Error::settings(why))
            }
        }
    }

    /// Counts the rows that have each word. `None`: there is no word.
    pub fn fit(tf: Tf, idf: bool, rows: AnyRows<'_>, kinds: &[Kind]) -> Option<Words> {
        let word = word_kind(kinds)?;
        let mut counts = vec![0u64; kinds.len()];
        if idf {
            for i in 0..rows.len() {
                rows.row(i).each(|j, v| counts[j] += u64::from(v != 0.0));
            }
        }
        let all = rows.len() as f64;
        let weight = |(kind, &n): (&Kind, &u64)| match *kind == word {
            true if idf => ((1.0 + all) / (1.0 + n as f64)).ln() + 1.0,
            true => 1.0,
            false => 0.0,
        };
        Some(Words { tf, idf: kinds.iter().zip(&counts).map(weight).collect() })
    }
}

impl Step for Words {
    fn outputs(&self, inputs: usize) -> usize {
        inputs
    }

    fn apply(&self, row: &mut Entries, _: &mut Entries) {
        for (&j, v) in row.indices.iter().zip(&mut row.values) {
            let idf = self.idf[j as usize];
            if idf > 0.0 {
                *v = idf * self.tf.value(*v);
            }
        }
    }

    fn kinds(&self, inputs: Vec<Kind>) -> Vec<Kind> {
        inputs
    }

    fn names(&self, inputs: Vec<String>) -> Vec<String> {
        inputs
    }

    fn grow(&mut self, _: &str) {
        self.idf.push(1.0);
    }

    fn describe(&self) -> String {
        let tf = self.tf.description();
        let idf = if self.idf.iter().any(|&w| w > 1.0) { ", times how rare it is (idf)" } else { "" };
        format!("words weighed by {tf} a text has one{idf}")
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("idf", Array::F64(self.idf.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        self.idf = super::numbers(arrays, "idf", inputs)?;
        match self.idf.iter().find(|&&w| w != 0.0 && w < 1.0) {
            Some(w) => Err(Error::bad_model(format!("an idf of {w}: it is 1 or more, or 0 for what is no word"))),
            None => Ok(()),
        }
    }
}
