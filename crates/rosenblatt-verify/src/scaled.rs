//! The data's numbers, exactly: a whole number times a power of ten in texts, of two in binary files.
//!
//! One file has one base, so a row is made whole by one power of it, and sums need no fractions.

use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// What the powers of a file's numbers are powers of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Two,
    Ten,
}

/// 10⁰ … 10¹⁸.
const TENS: [i64; 19] = {
    let mut tens = [1; 19];
    let mut i = 1;
    while i < 19 {
        tens[i] = 10 * tens[i - 1];
        i += 1;
    }
    tens
};

impl Base {
    pub(crate) fn number(self) -> u64 {
        match self {
            Base::Two => 2,
            Base::Ten => 10,
        }
    }

    /// base^power.
    pub(crate) fn power(self, power: u32) -> IBig {
        match (self, self.word(power)) {
            (_, Some(word)) => IBig::from(word),
            (Base::Two, None) => IBig::ONE << power as usize,
            (Base::Ten, None) => IBig::from(10).pow(power as usize),
        }
    }

    /// base^power, where a word holds it.
    #[inline]
    pub(crate) fn word(self, power: u32) -> Option<i64> {
        match self {
            Base::Two => (power < 63).then(|| 1 << power),
            Base::Ten => TENS.get(power as usize).copied(),
        }
    }
}

/// An integer; a word where it fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Digits {
    Word(i64),
    Long(IBig),
}

impl Digits {
    pub(crate) fn new(value: IBig) -> Self {
        i64::try_from(&value).map_or(Digits::Long(value), Digits::Word)
    }

    pub(crate) fn big(&self) -> IBig {
        match self {
            Digits::Word(word) => IBig::from(*word),
            Digits::Long(long) => long.clone(),
        }
    }

    /// In 128 bits, where it fits.
    pub(crate) fn small(&self) -> Option<i128> {
        match self {
            Digits::Word(word) => Some(i128::from(*word)),
            Digits::Long(long) => i128::try_from(long).ok(),
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        *self == Digits::Word(0)
    }

    /// About how many bits it has; never fewer than it has.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Digits::Word(_) => 64,
            Digits::Long(long) => long.bit_len() as u64,
        }
    }

    fn times(&self, other: &Digits) -> Digits {
        match (self, other) {
            (Digits::Word(a), Digits::Word(b)) => match a.checked_mul(*b) {
                Some(product) => Digits::Word(product),
                None => Digits::Long(IBig::from(i128::from(*a) * i128::from(*b))),
            },
            _ => Digits::new(self.big() * other.big()),
        }
    }
}

/// digits · base^power.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scaled {
    pub(crate) digits: Digits,
    pub(crate) power: i32,
}

impl Scaled {
    pub(crate) const ONE: Scaled = Scaled::whole(1);

    pub(crate) const fn whole(value: i64) -> Scaled {
        Scaled { digits: Digits::Word(value), power: 0 }
    }

    pub(crate) fn times(&self, other: &Scaled) -> Scaled {
        Scaled { digits: self.digits.times(&other.digits), power: self.power + other.power }
    }
}
