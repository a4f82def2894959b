//! Limits on the work that a file may cause. All are far beyond genuine certificates.

/// Levels of brackets in the certificate; genuine ones have four.
pub(crate) const DEPTH: usize = 8;
/// Digits of a rational's numerator or denominator.
pub(crate) const RATIONAL_DIGITS: usize = 100_000;
/// Significant digits of a number in the data, and the largest power of ten either way.
/// Every finite `f64` written out in full has at most 767 digits and 1,074 places.
pub(crate) const DECIMAL: usize = 5_000;
/// The largest feature number of a LIBSVM file.
pub(crate) const FEATURES: u64 = u32::MAX as u64;
/// Monomials, where the degree is 2 or more.
pub(crate) const MONOMIALS: u64 = 1 << 20;
/// The longest runs of words.
pub(crate) const NGRAMS: u64 = 5;
/// The largest degree.
pub(crate) const DEGREE: u64 = 64;
/// Bits of all big integers of one kind together: 1 GiB.
pub(crate) const BITS: u64 = 1 << 33;
/// Values of the support's rows held in memory for the span condition (24 to 48 bytes each).
pub(crate) const HELD: usize = 1 << 24;
/// Values of the matrix that the span condition eliminates (8 bytes each modulo a prime, 24 and more in whole numbers).
pub(crate) const MATRIX: usize = 1 << 25;
/// Values of its null space that are not zero (up to 72 bytes each).
pub(crate) const NULL: usize = 1 << 24;
