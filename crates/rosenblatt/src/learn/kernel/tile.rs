//! A tile: a few rows laid out so that one support vector is multiplied with all of them at once.
//!
//! Three layouts, one result. The product of two rows is defined as Σ over features in increasing order, starting at
//! zero, each product and sum rounded to `f64`. A tile takes the sums of many rows side by side, so vectors of any
//! width give the same bits; features that are zero add nothing; and whole numbers are exact in any order, so they may
//! be added as 32-bit integers.

use crate::rows::{AnyRows, Row, Rows};

/// Rows in a tile.
pub const ROWS: usize = 64;
/// Rows that one block of whole numbers holds side by side.
pub(super) const WHOLE_LANES: usize = 16;
/// Rows that one block of real numbers holds side by side.
pub(super) const REAL_LANES: usize = 8;
/// Up to this many features the layout is always dense.
const NARROW: usize = 256;
/// Above it, at least one value in this many must not be zero.
const SPARSE: usize = 8;
/// Up to this many features a sparse tile is indexed by feature; beyond, by binary search.
const DIRECT: usize = 1 << 20;
/// The greatest whole number that is stored in 16 bits.
const GREATEST: f64 = i16::MAX as f64;
/// Products of whole numbers stay below 2³¹: |x·y| ≤ ‖x‖‖y‖, and so do all partial sums.
const MOST: f64 = (1u64 << 31) as f64;

/// How the rows of a tile are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Whole numbers of 16 bits, two features together.
    Whole,
    /// Real numbers.
    Real,
    /// By feature: which rows have it.
    Sparse,
}

/// What a tile needs to know of the support that its rows are multiplied with.
#[derive(Debug, Clone, Copy)]
pub(super) struct SupportShape {
    /// The greatest squared length, if all values are whole numbers of 16 bits.
    pub(super) whole: Option<f64>,
    /// Whether a dense copy of the support fits in memory.
    pub(super) dense: bool,
}

/// Up to [`ROWS`] rows.
#[derive(Debug, Clone)]
pub struct Tile {
    features: usize,
    len: usize,
    pub(super) layout: Layout,
    /// Whether all its numbers, and those of the support, are whole and small.
    pub(super) all_whole: bool,
    /// `[group][pair of features][row]`, two whole numbers of 16 bits in each.
    pub(super) whole: Vec<[i32; WHOLE_LANES]>,
    /// `[group][feature][row]`.
    pub(super) real: Vec<[f64; REAL_LANES]>,
    /// Sparse: the entries of a feature are `starts[j]..starts[j + 1]` of what was read, j being the feature itself,
    /// or its place among the `columns` that occur where there are too many.
    starts: Vec<u32>,
    columns: Vec<u32>,
    /// ‖x‖² of each row.
    sq: Vec<f64>,
    /// The entries as read, before layout: feature, row, value.
    read: Vec<(u32, u32, f64)>,
}

/// Whether a number is whole and small enough to be stored as 16 bits.
#[inline]
pub(super) fn is_whole(v: f64) -> bool {
    v == f64::from(v as i32) && v.abs() <= GREATEST
}

/// Whether products of rows of these squared lengths fit in 32 bits.
pub(super) fn fits(sq_x: f64, sq_y: f64) -> bool {
    sq_x < MOST && sq_y < MOST
}

/// Two features in one integer.
#[inline]
pub(super) fn pack(at: usize, v: f64) -> i32 {
    let bits = i32::from(v as i16 as u16);
    if at.is_multiple_of(2) { bits } else { bits << 16 }
}

impl Tile {
    /// An empty tile for rows of this many features.
    pub fn new(features: usize) -> Self {
        Tile {
            features,
            len: 0,
            layout: Layout::Real,
            all_whole: false,
            whole: Vec::new(),
            real: Vec::new(),
            starts: Vec::new(),
            columns: Vec::new(),
            sq: Vec::new(),
            read: Vec::new(),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// ‖x‖² of each row.
    pub fn sq(&self) -> &[f64] {
        &self.sq
    }

    /// A row as it was read, without its zeros.
    pub(super) fn row(&self, r: usize) -> (Vec<u32>, Vec<f64>) {
        self.read.iter().filter(|e| e.1 as usize == r).map(|&(j, _, v)| (j, v)).unzip()
    }

    /// Loads rows of any kind.
    pub(super) fn load(
        &mut self,
        rows: AnyRows<'_>,
        numbers: impl ExactSizeIterator<Item = usize>,
        support: SupportShape,
    ) {
        self.load_each(numbers.map(|i| rows.row(i)), support);
    }

    /// Loads the rows of an iterator.
    pub(super) fn load_each<X: Row>(&mut self, rows: impl ExactSizeIterator<Item = X>, support: SupportShape) {
        self.len = rows.len();
        assert!(self.len <= ROWS, "a tile holds {ROWS} rows");
        self.sq.clear();
        self.read.clear();
        let mut all_whole = support.whole.is_some();
        for (r, row) in (0u32..).zip(rows) {
            let mut sq = 0.0;
            row.each(|j, v| {
                if v != 0.0 {
                    sq += v * v;
                    all_whole = all_whole && is_whole(v);
                    self.read.push((j as u32, r, v));
                }
            });
            all_whole &= support.whole.is_some_and(|most| fits(sq, most));
            self.sq.push(sq);
        }
        self.all_whole = all_whole;
        let dense = self.features <= NARROW || self.read.len() * SPARSE >= self.features * self.len;
        self.lay_out(dense && support.dense);
    }

    fn lay_out(&mut self, dense: bool) {
        self.layout = match (dense, self.all_whole) {
            (true, true) => Layout::Whole,
            (true, false) => Layout::Real,
            (false, _) => Layout::Sparse,
        };
        match self.layout {
            Layout::Whole => self.lay_whole(),
            Layout::Real => self.lay_real(),
            Layout::Sparse => self.lay_sparse(),
        }
    }

    fn lay_whole(&mut self) {
        let pairs = self.features.div_ceil(2);
        self.whole.clear();
        self.whole.resize(self.len.div_ceil(WHOLE_LANES) * pairs, [0; WHOLE_LANES]);
        for &(j, r, v) in &self.read {
            let (j, r) = (j as usize, r as usize);
            self.whole[r / WHOLE_LANES * pairs + j / 2][r % WHOLE_LANES] |= pack(j, v);
        }
    }

    fn lay_real(&mut self) {
        self.real.clear();
        self.real.resize(self.len.div_ceil(REAL_LANES) * self.features, [0.0; REAL_LANES]);
        for &(j, r, v) in &self.read {
            let (j, r) = (j as usize, r as usize);
            self.real[r / REAL_LANES * self.features + j][r % REAL_LANES] = v;
        }
    }

    fn lay_sparse(&mut self) {
        // Within a feature the rows stay in order.
        self.read.sort_by_key(|entry| entry.0);
        self.starts.clear();
        self.columns.clear();
        if self.features <= DIRECT {
            self.starts.resize(self.features + 1, 0);
            self.read.iter().for_each(|&(j, _, _)| self.starts[j as usize + 1] += 1);
            for j in 0..self.features {
                self.starts[j + 1] += self.starts[j];
            }
        } else {
            for (at, &(j, _, _)) in (0u32..).zip(&self.read) {
                if self.columns.last() != Some(&j) {
                    self.columns.push(j);
                    self.starts.push(at);
                }
            }
            self.starts.push(self.read.len() as u32);
        }
    }

    /// The rows that have a feature, and its value in each: by `(_, row, value)`.
    #[inline]
    pub(super) fn having(&self, feature: usize) -> &[(u32, u32, f64)] {
        let at = if self.features <= DIRECT {
            feature
        } else {
            match self.columns.binary_search(&(feature as u32)) {
                Ok(at) => at,
                Err(_) => return &[],
            }
        };
        &self.read[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
