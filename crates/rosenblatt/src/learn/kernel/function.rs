//! Kernels: inner products in a space whose coordinates are never computed.
//!
//! Each is a function of x·y, ‖x‖² and ‖y‖², so one blocked product of rows serves them all.
//!
//! | written | K(x, y) | its space |
//! |---|---|---|
//! | `linear` | x·y | the features themselves |
//! | `poly:D:C` | (C + x·y)^D | all monomials of degree D, and those below if C > 0 |
//! | `rbf:G` | exp(−G‖x − y‖²) | infinitely many dimensions; distinct points are linearly independent |
//!
//! **Exactness.** Products of rows are added up in the order of the features, powers by squaring; both are
//! specifications, the same on every machine. With whole numbers in the rows, and a whole C, nothing is rounded while
//! (C + x·y)^D stays below 2⁵³ (for byte images of 784 pixels: up to D = 2). The exponential is the platform's.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// An inner product in some space, of two rows whose plain product and squared lengths are known.
///
/// It must be symmetric and positive semi-definite, or no theorem holds. Implement it for a kernel of your own:
///
/// ```
/// use rosenblatt::learn::kernel::Kernel;
/// /// The angle between two rows, without their lengths.
/// struct Cosine;
/// impl Kernel for Cosine {
///     fn value(&self, dot: f64, sq_x: f64, sq_y: f64) -> f64 {
///         if dot == 0.0 { 0.0 } else { dot / (sq_x * sq_y).sqrt() }
///     }
/// }
/// assert_eq!(Cosine.value(2.0, 4.0, 1.0), 1.0);
/// ```
pub trait Kernel: Send + Sync {
    /// K(x, y) from x·y, ‖x‖² and ‖y‖².
    fn value(&self, dot: f64, sq_x: f64, sq_y: f64) -> f64;

    /// Turns the products of many rows x with one y into kernel values, in place: one call
    /// for many rows, so that the inner loop is static.
    fn apply(&self, dots: &mut [f64], sq_x: &[f64], sq_y: f64) {
        for (dot, &sq_x) in dots.iter_mut().zip(sq_x) {
            *dot = self.value(*dot, sq_x, sq_y);
        }
    }
}

/// The kernels that have a name, and can be saved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Function {
    /// x·y.
    Linear,
    /// (constant + x·y)^degree.
    Polynomial {
        /// From 1 to [`HIGHEST_DEGREE`].
        degree: u32,
        /// Zero or more.
        constant: f64,
    },
    /// exp(−gamma‖x − y‖²).
    Rbf {
        /// Above zero.
        gamma: f64,
    },
}

/// Beyond this degree every power of anything overflows or vanishes.
pub const HIGHEST_DEGREE: u32 = 64;

impl Kernel for Function {
    #[inline]
    fn value(&self, dot: f64, sq_x: f64, sq_y: f64) -> f64 {
        match *self {
            Function::Linear => dot,
            Function::Polynomial { degree, constant } => power(constant + dot, degree),
            Function::Rbf { gamma } => gaussian(gamma, dot, sq_x, sq_y),
        }
    }

    fn apply(&self, dots: &mut [f64], sq_x: &[f64], sq_y: f64) {
        match *self {
            Function::Linear => {}
            Function::Polynomial { degree, constant } => {
                // Small degrees written out, in the order of `power`, so that the compiler vectorises them.
                let each = |dots: &mut [f64], f: fn(f64) -> f64| dots.iter_mut().for_each(|v| *v = f(constant + *v));
                match degree {
                    1 => each(dots, |v| v),
                    2 => each(dots, |v| v * v),
                    3 => each(dots, |v| v * (v * v)),
                    4 => each(dots, |v| (v * v) * (v * v)),
                    5 => each(dots, |v| v * ((v * v) * (v * v))),
                    6 => each(dots, |v| (v * v) * ((v * v) * (v * v))),
                    _ => dots.iter_mut().for_each(|v| *v = power(constant + *v, degree)),
                }
            }
            Function::Rbf { gamma } => {
                for (dot, &sq_x) in dots.iter_mut().zip(sq_x) {
                    *dot = gaussian(gamma, *dot, sq_x, sq_y);
                }
            }
        }
    }
}

/// v^n by squaring, from the lowest bit of n.
#[inline]
fn power(v: f64, n: u32) -> f64 {
    let (mut result, mut square, mut rest) = (1.0, v, n);
    while rest > 0 {
        if rest & 1 == 1 {
            result *= square;
        }
        square *= square;
        rest >>= 1;
    }
    result
}

/// Rounding may make ‖x‖² + ‖y‖² − 2x·y slightly negative; for x = y it is exactly zero.
#[inline]
fn gaussian(gamma: f64, dot: f64, sq_x: f64, sq_y: f64) -> f64 {
    (-gamma * f64::max(0.0, (sq_x + sq_y) - 2.0 * dot)).exp()
}

impl Function {
    /// Whether its space has a constant coordinate, so that a bias would be a second one.
    pub fn has_constant(self) -> bool {
        matches!(self, Function::Polynomial { constant, .. } if constant > 0.0)
    }
}

/// A kernel with the constant coordinate of a bias beside it: K + 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Biased {
    /// The kernel.
    pub function: Function,
    /// Whether there is a bias, and the kernel has none of its own.
    pub one_more: bool,
}

impl Biased {
    /// The kernel of a machine that learns a bias, or does not.
    pub fn new(function: Function, bias: bool) -> Self {
        Biased { function, one_more: bias && !function.has_constant() }
    }
}

impl Kernel for Biased {
    fn value(&self, dot: f64, sq_x: f64, sq_y: f64) -> f64 {
        self.function.value(dot, sq_x, sq_y) + if self.one_more { 1.0 } else { 0.0 }
    }

    fn apply(&self, dots: &mut [f64], sq_x: &[f64], sq_y: f64) {
        self.function.apply(dots, sq_x, sq_y);
        if self.one_more {
            dots.iter_mut().for_each(|v| *v += 1.0);
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Linear => f.write_str("linear"),
            Function::Polynomial { degree, constant } => write!(f, "poly:{degree}:{constant}"),
            Function::Rbf { gamma } => write!(f, "rbf:{gamma}"),
        }
    }
}

impl FromStr for Function {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse = |why: String| Err(Error::settings(format!("kernel {text}: {why}")));
        let number = |word: &str| word.parse::<f64>().ok().filter(|v| v.is_finite());
        match text.split(':').collect::<Vec<_>>()[..] {
            ["linear"] => Ok(Function::Linear),
            ["poly", degree, ref rest @ ..] if rest.len() <= 1 => {
                let constant = rest.first().map_or(Some(1.0), |c| number(c)).filter(|c| *c >= 0.0);
                let degree = degree.parse().ok().filter(|d| (1..=HIGHEST_DEGREE).contains(d));
                match (degree, constant) {
                    (Some(degree), Some(constant)) => Ok(Function::Polynomial { degree, constant: constant + 0.0 }),
                    (None, _) => refuse(format!("the degree must be a whole number from 1 to {HIGHEST_DEGREE}")),
                    (_, None) => refuse("the constant must be a number, zero or more".into()),
                }
            }
            ["rbf", gamma] => match number(gamma).filter(|g| *g > 0.0) {
                Some(gamma) => Ok(Function::Rbf { gamma }),
                None => refuse("gamma must be a number above zero".into()),
            },
            ["rbf"] => refuse("gamma is missing: for example rbf:0.1".into()),
            ["poly"] => refuse("the degree is missing: for example poly:2".into()),
            _ => refuse("expected linear, poly:DEGREE, poly:DEGREE:CONSTANT or rbf:GAMMA".into()),
        }
    }
}

impl TryFrom<String> for Function {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Function> for String {
    fn from(function: Function) -> String {
        function.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_reads_back_as_it_is_written() {
        for text in ["linear", "poly:4:1", "poly:2:0", "poly:3:0.5", "rbf:0.1", "rbf:1e-7"] {
            let kernel: Function = text.parse().unwrap();
            assert_eq!(kernel.to_string().parse::<Function>().unwrap(), kernel, "{text}");
        }
        assert_eq!("poly:3".parse::<Function>().unwrap(), Function::Polynomial { degree: 3, constant: 1.0 });
    }

    #[test]
    fn every_refusal_says_what_is_allowed() {
        let message = |text: &str| text.parse::<Function>().unwrap_err().to_string();
        assert_eq!(message("poly:0"), "kernel poly:0: the degree must be a whole number from 1 to 64");
        assert_eq!(message("poly:2:-1"), "kernel poly:2:-1: the constant must be a number, zero or more");
        assert_eq!(message("rbf:0"), "kernel rbf:0: gamma must be a number above zero");
        assert_eq!(message("rbf"), "kernel rbf: gamma is missing: for example rbf:0.1");
        assert!(message("cubic").ends_with("expected linear, poly:DEGREE, poly:DEGREE:CONSTANT or rbf:GAMMA"));
    }

    #[test]
    fn many_at_once_are_the_same_bits_as_one_by_one() {
        for text in ["linear", "poly:1", "poly:2", "poly:3:0.1", "poly:4", "poly:5:2", "poly:6", "poly:7", "rbf:0.3"] {
            for bias in [false, true] {
                let kernel = Biased::new(text.parse().unwrap(), bias);
                let dots: Vec<f64> = (0..9).map(|i| (i as f64 * 0.7).sin()).collect();
                let sq_x: Vec<f64> = (0..9).map(|i| 1.0 + i as f64 / 3.0).collect();
                let mut all = dots.clone();
                kernel.apply(&mut all, &sq_x, 1.5);
                for i in 0..9 {
                    assert_eq!(all[i].to_bits(), kernel.value(dots[i], sq_x[i], 1.5).to_bits(), "{text} {i}");
                }
            }
        }
    }

    #[test]
    fn a_point_is_at_no_distance_from_itself() {
        let rbf: Function = "rbf:3".parse().unwrap();
        assert_eq!(rbf.value(0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2), 1.0);
        assert!(rbf.value(0.30000000000000004, 0.3, 0.3) <= 1.0);
    }
}
