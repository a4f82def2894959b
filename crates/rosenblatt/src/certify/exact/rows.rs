//! Rows of integers: each exact row times its own positive factor, which does not change separability.

use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::decimal::{Decimal, dyadic};
use crate::error::Result;
use crate::rows::{AnyRows, Row, Rows};

/// One row, exactly: feature j is `entry / scale`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactRow {
    /// (feature, integer), features increasing, no zeros.
    pub entries: Vec<(usize, IBig)>,
    /// The divisor of all entries; positive.
    pub scale: UBig,
}

/// A source of exact rows, by number.
pub trait ExactRows: Sync {
    /// How many features.
    fn features(&self) -> usize;
    /// The rows with these numbers, from 0, in this order.
    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>>;
}

impl<T: ExactRows + ?Sized> ExactRows for &T {
    fn features(&self) -> usize {
        (**self).features()
    }

    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>> {
        (**self).fetch(rows)
    }
}

/// Some of the features of other rows.
pub struct Chosen<'a> {
    /// The rows.
    pub of: &'a dyn ExactRows,
    /// The features that are kept, in their new order.
    pub features: Vec<usize>,
}

impl ExactRows for Chosen<'_> {
    fn features(&self) -> usize {
        self.features.len()
    }

    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>> {
        let choose = |row: ExactRow| {
            let value = |j: usize| row.entries.iter().find(|e| e.0 == j).map(|e| e.1.clone());
            let entries = self.features.iter().enumerate().filter_map(|(to, &from)| Some((to, value(from)?)));
            ExactRow { entries: entries.collect(), scale: row.scale.clone() }
        };
        Ok(self.of.fetch(rows)?.into_iter().map(choose).collect())
    }
}

impl ExactRow {
    /// A row of decimals; the scale is a power of ten.
    pub fn of_decimals(entries: Vec<(usize, Decimal)>) -> ExactRow {
        let least = entries.iter().map(|(_, d)| d.exponent).min().unwrap_or(0).min(0);
        let power = |n: i64| UBig::from(10u8).pow(n as usize);
        let lift = |(j, d): (usize, Decimal)| {
            let up = d.exponent - least;
            (j, if up == 0 { d.digits } else { d.digits * IBig::from(power(up)) })
        };
        let entries = entries.into_iter().filter(|(_, d)| !d.digits.is_zero()).map(lift).collect();
        ExactRow { entries, scale: power(-least) }
    }

    /// A row of floats, as exact dyadic rationals.
    pub fn of_floats(entries: impl Iterator<Item = (usize, f64)>) -> ExactRow {
        let entries: Vec<_> = entries.filter(|e| e.1 != 0.0).map(|(j, v)| (j, dyadic(v))).collect();
        let least = entries.iter().map(|(_, (_, e))| *e).min().unwrap_or(0).min(0);
        let entries = entries.into_iter().map(|(j, (m, e))| (j, IBig::from(m) << (e - least) as usize)).collect();
        ExactRow { entries, scale: UBig::ONE << -least as usize }
    }

    /// The features that are not zero, as rationals.
    pub fn rationals(&self) -> Vec<(usize, RBig)> {
        let value = |(j, v): &(usize, IBig)| (*j, RBig::from_parts(v.clone(), self.scale.clone()));
        self.entries.iter().map(value).collect()
    }

    /// The row a = y·(x, 1) as integers without a common divisor; the bias, if any, is coordinate `bias`.
    pub fn signed(&self, sign: i8, bias: Option<usize>) -> IntRow {
        let mut entries = self.entries.clone();
        entries.extend(bias.map(|at| (at, IBig::from(self.scale.clone()))));
        let mut common = UBig::ZERO;
        for (_, v) in &entries {
            if common.is_one() {
                break;
            }
            common = if common.is_zero() { v.unsigned_abs() } else { common.gcd(v.unsigned_abs()) };
        }
        let whole = IBig::from(common.clone());
        for (_, v) in &mut entries {
            if !whole.is_one() {
                *v = &*v / &whole;
            }
            if sign < 0 {
                *v = -std::mem::take(v);
            }
        }
        IntRow { entries, scale: self.scale.clone(), common: if common.is_zero() { UBig::ONE } else { common } }
    }
}

/// a·scale/common as integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntRow {
    /// (coordinate, integer), coordinates increasing, no zeros.
    pub entries: Vec<(usize, IBig)>,
    /// See the type.
    pub scale: UBig,
    /// See the type.
    pub common: UBig,
}

impl IntRow {
    /// The dot product with a dense vector.
    pub fn dot(&self, w: &[IBig]) -> IBig {
        dot(&self.entries, w)
    }
}

/// Σ entry · w.
pub fn dot(entries: &[(usize, IBig)], w: &[IBig]) -> IBig {
    let mut sum = IBig::ZERO;
    for (j, v) in entries.iter().filter(|(j, _)| !w[*j].is_zero()) {
        sum += v * &w[*j];
    }
    sum
}

/// Rows in memory; floats and bytes count as exact dyadic rationals.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a>(pub AnyRows<'a>);

impl ExactRows for Memory<'_> {
    fn features(&self) -> usize {
        self.0.features()
    }

    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>> {
        Ok(rows
            .iter()
            .map(|&i| {
                let mut entries = Vec::new();
                self.0.row(i).each(|j, v| entries.push((j, v)));
                ExactRow::of_floats(entries.into_iter())
            })
            .collect())
    }
}
