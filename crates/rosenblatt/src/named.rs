//! Choices that a user makes by name: `tie="positive"`, `{"tie": "positive"}`.
//!
//! The names are written once, beside the type. Front ends list [`Named::ALL`] and parse with [`FromStr`].

use std::str::FromStr;

use crate::error::{Error, Result};

/// A type with a few values, each of which has a name.
///
/// ```
/// use rosenblatt::learn::machine::Tie;
/// use rosenblatt::named::Named;
///
/// assert_eq!(Tie::names(), ["update", "positive", "negative"]);
/// assert_eq!("positive".parse::<Tie>()?, Tie::Positive);
/// assert_eq!(Tie::Negative.to_string(), "negative");
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub trait Named: Copy + PartialEq + FromStr<Err = Error> + 'static {
    /// All values, in the order that help texts list them.
    const ALL: &'static [Self];

    /// The name that users type.
    fn name(self) -> &'static str;

    /// The value of this name.
    fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name)
    }

    /// All names.
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|value| value.name()).collect()
    }
}

/// Parses a name; the error lists all names.
pub(crate) fn parse<T: Named>(text: &str) -> Result<T> {
    T::by_name(text).ok_or_else(|| Error::settings(format!("\"{text}\": expected one of {}", T::names().join(", "))))
}

/// Gives an enum its names: [`Named`], `Display`, `FromStr`, and `ALL`, `name` and `by_name` without the trait.
/// `@names` leaves `FromStr` and `by_name` to the type.
macro_rules! named {
    ($kind:ident: $($value:ident = $name:literal),+ $(,)?) => {
        $crate::named::named!(@names $kind: $($value = $name),+);

        impl $kind {
            /// The one of this name.
            pub fn by_name(name: &str) -> Option<$kind> {
                $crate::named::Named::by_name(name)
            }
        }

        impl std::str::FromStr for $kind {
            type Err = $crate::error::Error;

            fn from_str(text: &str) -> $crate::error::Result<Self> {
                $crate::named::parse(text)
            }
        }
    };
    (@names $kind:ident: $($value:ident = $name:literal),+) => {
        impl $kind {
            /// All of them, in the order that help texts list them.
            pub const ALL: &'static [$kind] = &[$($kind::$value),+];

            /// The name that users type.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$value => $name),+
                }
            }
        }

        impl $crate::named::Named for $kind {
            const ALL: &'static [$kind] = $kind::ALL;

            fn name(self) -> &'static str {
                $kind::name(self)
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($kind::name(*self))
            }
        }
    };
}
pub(crate) use named;

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;
    use crate::learn::OrderKind;
    use crate::learn::keep::KeepKind;
    use crate::learn::learners::Multiclass;
    use crate::learn::machine::Tie;
    use crate::map::{Scaling, Tf};
    use crate::read::{Format, Header};
    use crate::rows::Fill;
    use crate::structured::Scheme;
    use crate::structured::chain::Update;
    use crate::structured::read::SequenceFormat;

    fn check<T: Named + std::fmt::Debug>(expected: &[&str]) {
        assert_eq!(T::names(), expected);
        for &value in T::ALL {
            assert_eq!(value.name().parse::<T>().unwrap(), value);
        }
        let error = "other".parse::<T>().unwrap_err().to_string();
        assert!(expected.iter().all(|name| error.contains(name)), "{error}");
    }

    /// Names in files are the names that are typed.
    fn check_stored<T: Named + std::fmt::Debug + Serialize>(expected: &[&str]) {
        check::<T>(expected);
        for &value in T::ALL {
            assert_eq!(serde_json::to_value(value).unwrap(), value.name());
        }
    }

    #[test]
    fn names_are_typed_shown_and_stored_alike() {
        check::<Format>(&["libsvm", "csv", "tsv", "jsonl", "fasttext", "vw", "idx", "npy", "parquet"]);
        check::<Header>(&["auto", "yes", "no"]);
        check_stored::<Fill>(&["zero", "mean", "indicator"]);
        check_stored::<KeepKind>(&["last", "average", "vote", "pocket"]);
        check_stored::<Tie>(&["update", "positive", "negative"]);
        check_stored::<Multiclass>(&["single", "uniform", "one-vs-rest"]);
        check_stored::<Scaling>(&["none", "ball", "unit", "standard", "minmax"]);
        check_stored::<OrderKind>(&["cyclic", "shuffled", "given"]);
        check_stored::<Tf>(&["count", "log", "binary"]);
        check_stored::<SequenceFormat>(&["conll", "conllu", "crfsuite"]);
        check_stored::<Scheme>(&["iob2", "iobes", "iob1", "ioe2", "ioe1"]);
        check_stored::<Update>(&["max-violation", "early"]);
    }
}
