//! Polynomial features: all monomials of total degree 1 to D, by degree, then by their index tuples in order.
//!
//! Two features and D = 2: x1, x2, x1·x1, x1·x2, x2·x2. There are C(m+k−1, k) of degree k, the non-decreasing tuples of
//! k indices below m; the place of (i₁ ≤ … ≤ i_k) among them follows by counting the smaller ones.

use dashu_int::{IBig, UBig};

use super::rows::{ExactRow, ExactRows};
use crate::error::{Error, Result};
use crate::limits;
use crate::message::{Message, Setting};
use crate::rows::{AnyRows, DenseMatrix, MAX_FEATURES, Matrix, Row, Rows, SparseMatrix};

/// The largest degree: that of certificates.
pub const MAX_DEGREE: u32 = 64;
/// Mapped rows hold at most this many values in memory.
const MAX_VALUES: usize = 1 << 28;
/// Monomials between two looks at the limits.
const OFTEN: usize = 1 << 12;
/// Floats beyond 2^±this are not trusted as factors of a product.
const TRUSTED: f64 = 900.0;

/// How many non-decreasing tuples of `length` indices below `m` there are: C(m + length − 1, length).
fn tuples(m: usize, length: usize) -> Option<usize> {
    if m == 0 {
        return Some(usize::from(length == 0));
    }
    let mut count = 1u128;
    for k in 1..=length as u128 {
        count = count * (m as u128 + k - 1) / k;
        if count > MAX_FEATURES as u128 * 4 {
            return None;
        }
    }
    usize::try_from(count).ok()
}

/// The map for rows of `features` numbers.
#[derive(Debug, Clone)]
pub struct Monomials {
    features: usize,
    degree: usize,
    /// Where the monomials of each degree begin; one more at the end.
    starts: Vec<usize>,
}

impl Monomials {
    /// Refuses a degree above [`MAX_DEGREE`], and one that gives too many features.
    pub fn new(features: usize, degree: u32) -> Result<Self> {
        if degree > MAX_DEGREE {
            return Err(Error::setting(Setting::Degree, degree, format!("expected at most {MAX_DEGREE}")));
        }
        let mut starts = vec![0, 0];
        for k in 1..=degree as usize {
            let end = tuples(features, k).map(|count| starts[k] + count).filter(|&end| end <= MAX_FEATURES);
            let Some(end) = end else {
                let why = format!("{features} features have more than {MAX_FEATURES} monomials of this degree");
                return Err(Error::setting(Setting::Degree, degree, why));
            };
            starts.push(end);
        }
        Ok(Monomials { features, degree: degree as usize, starts })
    }

    /// How many monomials.
    pub fn count(&self) -> usize {
        self.starts[self.degree + 1]
    }

    /// How many monomials a row of so many values has.
    fn of_row(&self, values: usize) -> usize {
        (1..=self.degree).map(|k| tuples(values, k).unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
    }

    /// Calls `emit(place, degree, product)` for each monomial of the given values, which are (feature, number).
    fn each<T>(
        &self,
        values: &[(usize, T)],
        multiply: &impl Fn(&T, &T) -> T,
        emit: &mut impl FnMut(usize, usize, &T),
    ) -> Result<()> {
        let mut count = 0usize;
        for k in 1..=self.degree {
            let mut emit = |at: usize, v: &T| {
                count += 1;
                if count.is_multiple_of(OFTEN) {
                    limits::check()?;
                }
                emit(at, k, v);
                Ok(())
            };
            self.extend(values, None, (0, k), self.starts[k], multiply, &mut emit)?;
        }
        Ok(())
    }

    /// Extends a product by `left` more factors with indices from `least` on; `place` counts the tuples before.
    fn extend<T>(
        &self,
        values: &[(usize, T)],
        product: Option<&T>,
        (least, left): (usize, usize),
        place: usize,
        multiply: &impl Fn(&T, &T) -> T,
        emit: &mut impl FnMut(usize, &T) -> Result<()>,
    ) -> Result<()> {
        let count = |m: usize| tuples(m, left).unwrap_or(0);
        for (at, (j, v)) in values.iter().enumerate() {
            // Tuples of indices ≥ least, less those of indices ≥ j: the ones that begin before j.
            let here = place + count(self.features - least) - count(self.features - j);
            let grown = product.map(|p| multiply(p, v));
            let value = grown.as_ref().unwrap_or(v);
            if left == 1 {
                emit(here, value)?;
            } else {
                self.extend(&values[at..], Some(value), (*j, left - 1), here, multiply, emit)?;
            }
        }
        Ok(())
    }

    /// The mapped rows as floats, and which of them are too inexact.
    pub fn floats(&self, rows: AnyRows<'_>) -> Result<(Matrix, Vec<bool>)> {
        let dense = !rows.is_sparse();
        let mut wild = vec![false; rows.len()];
        let mut sparse = SparseMatrix { features: self.count(), ..SparseMatrix::default() };
        let mut values = Vec::new();
        for (i, wild) in wild.iter_mut().enumerate() {
            let mut row = Vec::new();
            rows.row(i).each(|j, v| {
                if v != 0.0 {
                    row.push((j, v))
                }
            });
            limits::check()?;
            let start = values.len();
            let more = if dense { self.count() } else { self.of_row(row.len()) };
            let what = || Message::new(format!("the monomials of {} examples", rows.len()));
            if dense {
                limits::reserve(&mut values, more, &what)?;
            } else {
                limits::reserve(&mut sparse.indices, more, &what)?;
                limits::reserve(&mut sparse.values, more, &what)?;
            }
            if dense {
                values.resize(start + self.count(), 0.0);
            }
            let product = |a: &f64, b: &f64| a * b;
            self.each(&row, &product, &mut |at, _, v: &f64| {
                let sound = v.abs().log2().abs() < TRUSTED;
                *wild |= !sound;
                let v = if v.is_finite() { *v } else { 0.0 };
                if dense {
                    values[start + at] = v;
                } else {
                    sparse.indices.push(at as u32);
                    sparse.values.push(v);
                }
            })?;
            sparse.end_row();
            if values.len().max(sparse.values.len()) > MAX_VALUES {
                let why = format!("the monomials of all examples are more than {MAX_VALUES} numbers");
                return Err(Error::setting(Setting::Degree, self.degree, why));
            }
        }
        let matrix =
            if dense { Matrix::Dense(DenseMatrix { values, features: self.count() }) } else { Matrix::Sparse(sparse) };
        Ok((matrix, wild))
    }
}

/// The mapped rows, exactly.
pub struct MappedRows<'a> {
    /// The map.
    pub map: &'a Monomials,
    /// The rows that it is applied to.
    pub of: &'a dyn ExactRows,
}

impl ExactRows for MappedRows<'_> {
    fn features(&self) -> usize {
        self.map.count()
    }

    /// With scale s, a monomial of degree k is (product of entries)·s^(D−k) / s^D.
    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>> {
        let map = |row: ExactRow| -> Result<ExactRow> {
            limits::check()?;
            let what = || Message::new("the monomials of an example");
            limits::room_for::<(usize, IBig)>(self.map.of_row(row.entries.len()) as u128, what)?;
            let powers: Vec<UBig> = (0..=self.map.degree).map(|k| row.scale.pow(k)).collect();
            let mut entries = Vec::new();
            let product = |a: &IBig, b: &IBig| a * b;
            self.map.each(&row.entries, &product, &mut |at, k, v: &IBig| {
                entries.push((at, v * IBig::from(powers[self.map.degree - k].clone())));
            })?;
            Ok(ExactRow { entries, scale: powers[self.map.degree].clone() })
        };
        self.of.fetch(rows)?.into_iter().map(map).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_order_of_the_format() {
        let map = Monomials::new(3, 3).unwrap();
        assert_eq!(map.count(), 3 + 6 + 10);
        let mut want = Vec::new();
        for k in 1..=3u32 {
            for code in 0..27u32 {
                let tuple: Vec<u32> = (0..k).rev().map(|i| code / 3u32.pow(i) % 3).collect();
                if code < 3u32.pow(k) && tuple.is_sorted() {
                    want.push(tuple.iter().map(|i| [2.0, 3.0, 5.0][*i as usize]).product::<f64>());
                }
            }
        }
        let mut got = vec![0.0; map.count()];
        let values = [(0, 2.0), (1, 3.0), (2, 5.0)];
        map.each(&values, &|a, b| a * b, &mut |at, _, v| got[at] = *v).unwrap();
        assert_eq!(got, want);
        let mut sparse = Vec::new();
        map.each(&[(0, 2.0), (2, 5.0)], &|a, b| a * b, &mut |at, _, v: &f64| sparse.push((at, *v))).unwrap();
        assert!(sparse.iter().all(|(at, v)| want[*at] == *v));
        assert_eq!(sparse.len(), 2 + 3 + 4);
    }
}
