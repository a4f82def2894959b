//! How the words of a table are hashed while its rows are read, and kept nowhere.

use serde::{Deserialize, Serialize};

use crate::named::named;

/// The value of a word's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tf {
    /// Itself.
    #[default]
    Count,
    /// 1 + ln(count); what lies between 0 and 1 stays.
    Log,
    /// One, whatever it is.
    Binary,
}

named!(Tf: Count = "count", Log = "log", Binary = "binary");

impl Tf {
    /// The value of a count that is not zero.
    #[inline]
    pub(crate) fn value(self, count: f64) -> f64 {
        match self {
            Tf::Count => count,
            Tf::Log if count > 1.0 => 1.0 + count.ln(),
            Tf::Log => count,
            Tf::Binary => 1.0,
        }
    }

    /// What it takes of a word, in words.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Tf::Count => "how often",
            Tf::Log => "the logarithm of how often",
            Tf::Binary => "whether",
        }
    }
}

/// The features of a table of texts, hashed row by row: bucket |h| mod 2^bits gets the value of each n-gram, with the sign
/// of h, for h the 32-bit MurmurHash3 of its name.
///
/// ```
/// use rosenblatt::rows::{HashedWords, Tf};
/// let hashed = HashedWords { bits: 20, tf: Tf::Log, unit: true };
/// assert_eq!(hashed.describe(), "words hashed into 1048576 buckets, by the logarithm of how often a row has one; each row to length 1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashedWords {
    /// There are 2 to this power buckets.
    pub bits: u32,
    /// The value of the count of an n-gram in a row.
    pub tf: Tf,
    /// Whether each row is divided by its length.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unit: bool,
}

impl HashedWords {
    /// The most bits: 2²⁸ weights are 2 GiB.
    pub const MAX_BITS: u32 = 28;

    /// How many features there are.
    pub fn buckets(self) -> usize {
        1 << self.bits
    }

    /// A short description.
    pub fn describe(self) -> String {
        let unit = if self.unit { "; each row to length 1" } else { "" };
        let (buckets, tf) = (self.buckets(), self.tf.description());
        format!("words hashed into {buckets} buckets, by {tf} a row has one{unit}")
    }
}
