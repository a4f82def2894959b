//! A budget as data.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::message::Setting;

/// The most support vectors, and what to do when they are used up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Budget {
    /// At most this many support vectors.
    pub most: u32,
    /// What to do when they are used up.
    pub policy: Way,
    /// The seed of `random`.
    pub seed: u64,
}

/// What to do when a budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Way {
    /// Remove one at random.
    Random,
    /// Shrink all, remove the oldest.
    Forgetron,
    /// Project the new one on the others; before the budget is used up, if its distance from them is at most `eta`.
    Projectron {
        /// In lengths of the longest row, from 0 to 1.
        eta: f64,
    },
}

/// The default `eta`.
pub const ETA: f64 = 0.1;

impl Budget {
    /// Refuses a budget that holds nothing.
    pub fn check(&self) -> Result<()> {
        match self.most {
            0 => Err(Error::setting(Setting::Budget, 0, "at least one support vector is needed")),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Random => f.write_str("random"),
            Way::Forgetron => f.write_str("forgetron"),
            Way::Projectron { eta } => write!(f, "projectron:{eta}"),
        }
    }
}

impl FromStr for Way {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split(':').collect::<Vec<_>>()[..] {
            ["random"] => Ok(Way::Random),
            ["forgetron"] => Ok(Way::Forgetron),
            ["projectron"] => Ok(Way::Projectron { eta: ETA }),
            ["projectron", eta] => match eta.parse::<f64>() {
                Ok(eta) if eta > 0.0 && eta <= 1.0 => Ok(Way::Projectron { eta }),
                _ => Err(Error::settings(format!("policy {text}: eta must be a number above 0, at most 1"))),
            },
            _ => {
                Err(Error::settings(format!("policy {text}: expected random, forgetron, projectron or projectron:ETA")))
            }
        }
    }
}

impl TryFrom<String> for Way {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Way> for String {
    fn from(way: Way) -> String {
        way.to_string()
    }
}
