//! The support: every distinct row that a hypothesis is made of, once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use super::tile::{SupportShape, fits, is_whole, pack};
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::limits;
use crate::rows::{AnyRows, Row, Rows, Sparse};

/// Distinct rows, numbered by slots in the order of insertion.
#[derive(Debug, Clone, Default)]
pub struct Support {
    features: usize,
    /// The entries of slot `s` end at `ends[s]`. Zeros are not stored.
    ends: Vec<u64>,
    indices: Vec<u32>,
    values: Vec<f64>,
    sq: Vec<f64>,
    by_hash: HashMap<u64, Vec<u32>>,
    /// The greatest squared length, while all values are whole numbers of 16 bits.
    whole_sq: Option<f64>,
    /// The same rows in a dense layout, built on first use.
    whole: OnceLock<Vec<i32>>,
    real: OnceLock<Vec<f64>>,
}

impl PartialEq for Support {
    fn eq(&self, other: &Self) -> bool {
        self.features == other.features
            && self.ends == other.ends
            && self.indices == other.indices
            && self.values == other.values
    }
}

/// Rows that may come before the next tile is loaded.
const MORE: u128 = 512;
/// Numbers that are few in any case: 8 MiB.
const ALWAYS: u128 = 1 << 20;

/// The names of its arrays in a file.
pub const NAMES: [&str; 3] = ["support.ends", "support.indices", "support.values"];

impl Support {
    /// No rows yet, of this many features.
    pub fn new(features: usize) -> Self {
        Support { features, whole_sq: Some(0.0), ..Support::default() }
    }

    /// The number of distinct rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of features of a row.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The row of a slot.
    pub fn row(&self, slot: usize) -> Sparse<'_, f64> {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] as usize };
        let range = start..self.ends[slot] as usize;
        Sparse { indices: &self.indices[range.clone()], values: &self.values[range] }
    }

    /// ‖x‖² of a slot's row.
    pub fn sq(&self, slot: usize) -> f64 {
        self.sq[slot]
    }

    /// What a tile needs to know. All layouts give the same bits: where a dense copy does not fit, rows stay sparse.
    pub(super) fn shape(&self) -> SupportShape {
        let held = self.real.get().map_or(0, Vec::len).max(self.whole.get().map_or(0, |pairs| 2 * pairs.len()));
        let more = (self.features as u128 * (self.len() as u128 + MORE)).saturating_sub(held as u128);
        let dense = more <= ALWAYS || limits::room_for::<f64>(more, || "support vectors".into()).is_ok();
        SupportShape { whole: self.whole_sq, dense }
    }

    /// The slot of a row; a new one if no equal row is stored.
    pub fn slot<X: Row>(&mut self, x: X) -> u32 {
        let hash = hash(x);
        if let Some(alike) = self.by_hash.get(&hash)
            && let Some(&slot) = alike.iter().find(|&&slot| same(self.row(slot as usize), x))
        {
            return slot;
        }
        let slot = self.push(x);
        self.by_hash.entry(hash).or_default().push(slot);
        slot
    }

    fn push<X: Row>(&mut self, x: X) -> u32 {
        let slot = self.len();
        let mut sq = 0.0;
        x.each(|j, v| {
            if v != 0.0 {
                self.indices.push(j as u32);
                self.values.push(v);
                sq += v * v;
            }
        });
        self.ends.push(self.indices.len() as u64);
        self.sq.push(sq);
        let whole = self.row(slot).values.iter().all(|&v| is_whole(v)) && fits(sq, sq);
        self.whole_sq = self.whole_sq.filter(|_| whole).map(|most| most.max(sq));
        if self.whole_sq.is_none() {
            self.whole.take();
        }
        if let Some(mut dense) = self.whole.take() {
            self.lay_whole(slot, &mut dense);
            self.whole = dense.into();
        }
        if let Some(mut dense) = self.real.take() {
            self.lay_real(slot, &mut dense);
            self.real = dense.into();
        }
        slot as u32
    }

    fn lay_whole(&self, slot: usize, dense: &mut Vec<i32>) {
        let pairs = self.features.div_ceil(2);
        dense.resize(slot * pairs + pairs, 0);
        self.row(slot).each(|j, v| dense[slot * pairs + j / 2] |= pack(j, v));
    }

    fn lay_real(&self, slot: usize, dense: &mut Vec<f64>) {
        dense.resize((slot + 1) * self.features, 0.0);
        self.row(slot).each(|j, v| dense[slot * self.features + j] = v);
    }

    /// The row of a slot as pairs of whole numbers; only if all values are whole numbers.
    pub(super) fn whole(&self, slot: usize) -> &[i32] {
        let all = self.whole.get_or_init(|| {
            let mut dense = Vec::new();
            (0..self.len()).for_each(|slot| self.lay_whole(slot, &mut dense));
            dense
        });
        let pairs = self.features.div_ceil(2);
        &all[slot * pairs..][..pairs]
    }

    /// The row of a slot, one value for each feature.
    pub(super) fn real(&self, slot: usize) -> &[f64] {
        let all = self.real.get_or_init(|| {
            let mut dense = Vec::new();
            (0..self.len()).for_each(|slot| self.lay_real(slot, &mut dense));
            dense
        });
        &all[slot * self.features..][..self.features]
    }

    /// A copy with only the needed rows, and the new slot of each old one.
    pub fn keeping(&self, needed: impl Fn(usize) -> bool) -> (Support, Vec<Option<u32>>) {
        let mut kept = Support::new(self.features);
        let moved = (0..self.len()).map(|slot| needed(slot).then(|| kept.slot(self.row(slot)))).collect();
        (kept, moved)
    }

    /// Writes the rows.
    pub fn save(&self, state: &mut State) {
        state.put(NAMES[0], Array::U64(self.ends.clone()));
        state.put(NAMES[1], Array::U32(self.indices.clone()));
        state.put(NAMES[2], Array::F64(self.values.clone()));
    }

    /// Reads them back and refuses inconsistent data.
    pub fn restore(state: &State, features: usize) -> Result<Support> {
        let refuse = |why: &str| Err(Error::bad_model(format!("the support contradicts itself: {why}")));
        let (ends, indices, values) = (state.u64s(NAMES[0])?, state.u32s(NAMES[1])?, state.f64s(NAMES[2])?);
        if !ends.is_sorted() || ends.last().copied().unwrap_or(0) != indices.len() as u64 {
            return refuse("its rows do not end where they should");
        }
        if values.len() != indices.len() {
            return refuse("not one value for each index");
        }
        if indices.iter().any(|&j| j as usize >= features) {
            return refuse("a feature that the model does not have");
        }
        if !values.iter().all(|v| v.is_finite() && *v != 0.0) {
            return refuse("a value that is zero or not finite");
        }
        let mut support = Support::new(features);
        let mut start = 0;
        for (slot, &end) in (0u32..).zip(ends) {
            let range = start..end as usize;
            let row = Sparse { indices: &indices[range.clone()], values: &values[range] };
            if !row.indices.is_sorted_by(|a, b| a < b) {
                return refuse("features must increase within a row");
            }
            if support.slot(row) != slot {
                return refuse("a row comes twice");
            }
            start = end as usize;
        }
        Ok(support)
    }
}

/// Two examples with the same features and different classes, the first such pair: no kernel tells them apart.
pub fn conflict(rows: AnyRows<'_>, classes: &[u32]) -> Option<(usize, usize)> {
    let mut support = Support::new(rows.features());
    let mut first: Vec<usize> = Vec::new();
    (0..rows.len()).find_map(|i| {
        let slot = support.slot(rows.row(i)) as usize;
        if slot == first.len() {
            first.push(i);
        }
        (classes[first[slot]] != classes[i]).then_some((first[slot], i))
    })
}

fn hash<X: Row>(x: X) -> u64 {
    let mut hasher = DefaultHasher::new();
    x.each(|j, v| {
        if v != 0.0 {
            (j as u32, v.to_bits()).hash(&mut hasher);
        }
    });
    hasher.finish()
}

fn same<X: Row>(known: Sparse<'_, f64>, x: X) -> bool {
    let (mut at, mut equal) = (0, true);
    x.each(|j, v| {
        if v != 0.0 {
            equal &= known.indices.get(at) == Some(&(j as u32)) && known.values.get(at) == Some(&v);
            at += 1;
        }
    });
    equal && at == known.indices.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Dense;

    #[test]
    fn equal_rows_share_a_slot_whatever_their_kind() {
        let mut support = Support::new(3);
        let sparse = Sparse { indices: &[0, 2], values: &[1.0, 2.0] };
        assert_eq!(support.slot(Dense(&[1.0, 0.0, 2.0])), 0);
        assert_eq!(support.slot(sparse), 0);
        assert_eq!(support.slot(Dense(&[1u8, 0, 3])), 1);
        assert_eq!(support.slot(Dense(&[0.0, 0.0, 0.0])), 2);
        assert_eq!((support.len(), support.sq(0), support.sq(2)), (3, 5.0, 0.0));
        assert_eq!(support.shape().whole, Some(10.0));
        support.slot(Dense(&[0.5, 0.0, 0.0]));
        assert_eq!(support.shape().whole, None, "one half is no whole number");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut support = Support::new(4);
        support.slot(Dense(&[0.0, 1.5, 0.0, -2.0]));
        support.slot(Dense(&[0.0; 4]));
        let mut state = State::default();
        support.save(&mut state);
        assert_eq!(Support::restore(&state, 4).unwrap(), support);
        assert!(Support::restore(&state, 3).is_err());
    }
}
