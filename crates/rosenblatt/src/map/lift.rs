//! A lift: a kernel's space approximated by explicit features, for data with too many rows for a kernel machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::learn::kernel::Function;

/// The space, and the number of features.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lift {
    /// How the features are made.
    pub by: Way,
    /// Their number.
    pub features: u32,
    /// The seed of the draws.
    pub seed: u64,
}

/// How the features are made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// Random waves, for the Gaussian kernel of this gamma.
    Rff(f64),
    /// The kernel's values at training rows.
    Nystroem(Function),
}

/// The most features.
pub const MOST: u32 = 1 << 16;

impl fmt::Display for Lift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.by {
            Way::Rff(gamma) => write!(f, "rff:{gamma}:{}", self.features),
            Way::Nystroem(function) => write!(f, "nystroem:{function}:{}", self.features),
        }
    }
}

impl FromStr for Lift {
    type Err = Error;

    /// `rff:GAMMA:M` or `nystroem:KERNEL:M`; the seed defaults to zero.
    fn from_str(text: &str) -> Result<Self> {
        let refuse = |why: &str| Err(Error::settings(format!("lift {text}: {why}")));
        let Some((head, features)) = text.rsplit_once(':') else {
            return refuse("expected rff:GAMMA:M or nystroem:KERNEL:M, for example rff:0.1:500 or nystroem:poly:3:500");
        };
        let Some(features) = features.parse().ok().filter(|m| (1..=MOST).contains(m)) else {
            return refuse("the number of features, at the end, must be from 1 to 65536");
        };
        let by = match head.split_once(':') {
            Some(("rff", gamma)) => match gamma.parse::<f64>() {
                Ok(gamma) if gamma > 0.0 && gamma.is_finite() => Way::Rff(gamma),
                _ => return refuse("gamma must be a number above zero"),
            },
            Some(("nystroem", kernel)) => Way::Nystroem(kernel.parse()?),
            _ => {
                return refuse(
                    "expected rff:GAMMA:M or nystroem:KERNEL:M, for example rff:0.1:500 or nystroem:poly:3:500",
                );
            }
        };
        Ok(Lift { by, features, seed: 0 })
    }
}
