//! The bias, as a coordinate of its own.
//!
//! Every example has one more coordinate, which is always β. With v its weight, b = βv is what a score adds: w·x + b. A step
//! of τ moves v by τβ, and so b by **τβ²**; squared lengths count β². β = 1 is the textbook's. Where rows are about as
//! long as that, as texts scaled to length 1 are, half of every step goes into the bias, and a smaller β learns better:
//! 0.1 moves it a hundred times slower than the weights (which is what scikit-learn's intercepts do on sparse data).

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::{Error, Result};

/// β, or no bias at all.
///
/// ```
/// use rosenblatt::{Bias, Trainer};
/// assert!(Trainer::new("averaged").recipe.bias.is_learned()); // 1 by default
/// assert_eq!(Trainer::new("averaged").bias(false).recipe.bias, Bias::NONE);
/// assert_eq!(Trainer::new("averaged").bias(Bias::new(0.1)?).recipe.bias.beta(), 0.1);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bias(f64);

/// The least and the greatest β, whose squares are still numbers to calculate with.
const LEAST: f64 = 1e-9;
const MOST: f64 = 1e9;

impl Bias {
    /// None is learned: the boundary passes through the origin.
    pub const NONE: Bias = Bias(0.0);
    /// The textbook's.
    pub const ONE: Bias = Bias(1.0);

    /// Of this β; 0 is none.
    pub fn new(beta: f64) -> Result<Self> {
        if beta == 0.0 || (LEAST..=MOST).contains(&beta) {
            Ok(Bias(beta.abs()))
        } else {
            Err(Error::settings(format!(
                "a bias of {beta}: expected a constant from {LEAST:e} to {MOST:e}, or 0 for none"
            )))
        }
    }

    /// Whether one is learned.
    pub fn is_learned(self) -> bool {
        self.0 > 0.0
    }

    /// β, 0 if there is none.
    pub fn beta(self) -> f64 {
        self.0
    }

    /// β².
    pub fn squared(self) -> f64 {
        self.0 * self.0
    }
}

impl Default for Bias {
    fn default() -> Self {
        Bias::ONE
    }
}

impl From<bool> for Bias {
    fn from(learned: bool) -> Self {
        if learned { Bias::ONE } else { Bias::NONE }
    }
}

/// `true` and `false` for the two that need no number.
impl Serialize for Bias {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match *self {
            Bias::NONE => serializer.serialize_bool(false),
            Bias::ONE => serializer.serialize_bool(true),
            Bias(beta) => serializer.serialize_f64(beta),
        }
    }
}

impl<'de> Deserialize<'de> for Bias {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Written;

        impl de::Visitor<'_> for Written {
            type Value = Bias;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or the constant of a bias")
            }

            fn visit_bool<E: de::Error>(self, learned: bool) -> std::result::Result<Bias, E> {
                Ok(learned.into())
            }

            fn visit_f64<E: de::Error>(self, beta: f64) -> std::result::Result<Bias, E> {
                Bias::new(beta).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, beta: u64) -> std::result::Result<Bias, E> {
                self.visit_f64(beta as f64)
            }
        }

        deserializer.deserialize_any(Written)
    }
}
