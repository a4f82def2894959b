//! All monomials of total degree 1 to D, in order of degree, then lexicographic by rising tuples of features:
//! x₁, x₂, x₁x₁, x₁x₂, x₂x₂.
//!
//! Let c(r, n) = C(n + r − 1, r), the number of rising r-tuples from n features. Of the k-tuples that start with a
//! given prefix ending in i, those whose next feature is from i up to but not j number c(r, m − i) − c(r, m − j),
//! where r is how many places were still open. Adding these up over the places of a tuple gives its rank, so the few
//! nonzero features of a sparse row find their monomials without a loop over all the others.

use crate::limits;
use crate::refusal::{Checked, Refusal};
use crate::rows::Entry;
use crate::scaled::Scaled;

/// The map from features to monomials.
#[derive(Debug)]
pub(crate) struct Monomials {
    base: usize,
    degree: usize,
    /// How many monomials there are.
    pub(crate) features: usize,
    /// c(r, n) at \[r\]\[n\]; empty for degree 1.
    counts: Vec<Vec<u64>>,
}

impl Monomials {
    pub(crate) fn new(base: usize, degree: usize) -> Checked<Self> {
        if degree == 1 {
            return Ok(Monomials { base, degree, features: base, counts: Vec::new() });
        }
        let many = || Refusal::size(format!("{base} features to degree {degree} are more than 2^20 monomials"));
        let mut total = 0u64;
        let mut count = 1u64;
        for r in 1..=degree as u64 {
            // c(r, m) = c(r − 1, m) · (m + r − 1) / r, exactly.
            count = (base as u64 + r - 1).checked_mul(count).ok_or_else(many)? / r;
            total += count;
            if total > limits::MONOMIALS {
                return Err(many());
            }
        }
        // c(r, n) = c(r, n − 1) + c(r − 1, n): the first feature does not occur, or it does.
        let mut counts = vec![vec![1; base + 1]];
        for r in 1..=degree {
            let mut row = vec![0; base + 1];
            for n in 1..=base {
                row[n] = row[n - 1] + counts[r - 1][n];
            }
            counts.push(row);
        }
        Ok(Monomials { base, degree, features: total as usize, counts })
    }

    /// The monomials of a row that are not zero.
    pub(crate) fn apply<'e>(&self, base: &'e [Entry], out: &'e mut Vec<Entry>) -> Checked<&'e [Entry]> {
        if self.degree == 1 {
            return Ok(base);
        }
        let most = base.iter().map(|e| e.value.digits.bits()).max().unwrap_or(0);
        if self.features as u64 * self.degree as u64 * most > limits::BITS {
            return Err(Refusal::size("the monomials of numbers this long would fill more than 1 GiB"));
        }
        out.clear();
        let mut before = 0;
        for degree in 1..=self.degree {
            self.extend(base, degree, 0, before, &Scaled::ONE, out);
            before += self.counts[degree][self.base] as usize;
        }
        Ok(out)
    }

    /// Appends all monomials that extend a prefix by `open` further places; the prefix ends in feature `last`,
    /// `rank` is its rank so far and `product` its value.
    fn extend(&self, base: &[Entry], open: usize, last: usize, rank: usize, product: &Scaled, out: &mut Vec<Entry>) {
        for (i, entry) in base.iter().enumerate() {
            let counts = &self.counts[open];
            let rank = rank + (counts[self.base - last] - counts[self.base - entry.feature]) as usize;
            let value = product.times(&entry.value);
            if open == 1 {
                out.push(Entry { feature: rank, value });
            } else {
                self.extend(&base[i..], open - 1, entry.feature, rank, &value, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries(values: &[i64]) -> Vec<Entry> {
        let entry = |(feature, &v)| Entry { feature, value: Scaled::whole(v) };
        values.iter().enumerate().filter(|(_, v)| **v != 0).map(entry).collect()
    }

    /// The twin: every tuple, by counting up.
    fn twin(values: &[i64], degree: usize) -> Vec<i64> {
        let mut out = Vec::new();
        for k in 1..=degree as u32 {
            for code in 0..values.len().pow(k) {
                let tuple: Vec<usize> = (0..k).rev().map(|t| code / values.len().pow(t) % values.len()).collect();
                if tuple.is_sorted() {
                    out.push(tuple.iter().map(|&i| values[i]).product());
                }
            }
        }
        out
    }

    #[test]
    fn too_many_are_refused() {
        assert_eq!(Monomials::new(2, 2).unwrap().features, 5);
        assert_eq!(Monomials::new(60, 2).unwrap().features, 1890);
        assert_eq!(Monomials::new(0, 64).unwrap().features, 0);
        assert_eq!(Monomials::new(5_000_000, 1).unwrap().features, 5_000_000);
        for (base, degree) in [(2000, 2), (100, 4), (u32::MAX as usize, 2), (u32::MAX as usize, 64), (64, 64)] {
            assert!(Monomials::new(base, degree).is_err(), "{base} {degree}");
        }
    }

    proptest! {
        #[test]
        fn agree_with_the_twin(values in prop::collection::vec(-3i64..4, 1..5), degree in 1usize..5) {
            let (base, mut out) = (entries(&values), Vec::new());
            let map = Monomials::new(values.len(), degree).unwrap();
            let want = twin(&values, degree);
            prop_assert_eq!(map.features, want.len());
            prop_assert_eq!(map.apply(&base, &mut out).unwrap(), entries(&want));
        }
    }
}
