//! A first look at the rows: which preparation they need.
//!
//! The size of a column is the root of the mean square of its values that are not zero. A perceptron's step is a whole row,
//! so a column a hundred times as large as the others takes nearly all of every step, and a column far from zero moves as
//! the bias does. So
//!
//! * words are weighed by log counts and tf-idf, and rows of words have length 1; words that are hashed have no tf-idf, which
//!   needs all rows first, so that they are learned from while they are read;
//! * columns of numbers are standardised if their sizes differ much, or if most of them lie far from zero;
//! * sparse numbers, whose zeros mean "absent", are divided if their sizes differ very much. A sparse file of which most
//!   values are there is a table;
//! * all other rows are left as they are.
//!
//! Only the first rows are looked at, so that a file that needs nothing is learned from while it is read. Sums are made row
//! by row: the same decision for any number of threads.

use super::kind::{Kind, kinds};
use super::preparation::Preparation;
use super::scale::Scaling;
use super::words::Tf;
use crate::error::Result;
use crate::limits;
use crate::rows::{AnyRows, Row, Rows, Schema, Table};

/// The number of rows that are looked at.
pub const LOOK: usize = 2048;

/// Sizes that differ by more count as different: columns of a table, columns without names (images, arrays, dense rows of a
/// sparse format), and sparse columns beside the median of them.
const TABLE: f64 = 2.0;
const UNNAMED: f64 = 4.0;
const SPARSE: f64 = 30.0;
/// Most columns lie far from zero if the median of |mean|/deviation is at least this.
const FAR: f64 = 1.25;
/// The share of values of a sparse file that makes it a table.
const DENSE: f64 = 0.5;
/// The share of rows in which a column of a table must not be zero, and the number of rows for any column, to be measured.
const COMMON: f64 = 0.05;
const FEW: f64 = 3.0;

/// Why rows are prepared, or not.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Need {
    /// Their columns are alike: nothing is done.
    Nothing,
    /// Columns differ in size by this factor.
    Differ(f64),
    /// Most columns are this many deviations away from zero.
    Far(f64),
    /// They are words.
    Words,
    /// Columns differ in size by this factor, but the rows are not kept in memory, so nothing is done.
    TooLarge(f64),
}

/// The preparation that the first rows of a table need, with the other settings as they are, and why.
pub(crate) fn needed(first: &Table, given: &Preparation) -> Result<(Preparation, Need)> {
    // One far index makes a row of any width: where there is no room for a few numbers a column, nothing is prepared.
    let features = first.matrix.features();
    if limits::room_for::<[f64; 4]>(features as u128, || "the sizes of columns".into()).is_err() {
        return Ok((given.clone(), Need::Nothing));
    }
    let kinds = kinds(first)?;
    let has = |kind: Kind| kinds.contains(&kind);
    let mut chosen = given.clone();
    if has(Kind::Word) || first.schema.hashed().is_some() {
        if (given.tf, given.tf_idf) == (Tf::Count, false) {
            (chosen.tf, chosen.tf_idf) = (Tf::Log, given.hash_bits.is_none());
        }
        chosen.scale = if has(Kind::Number) { Scaling::Standard } else { Scaling::Unit };
        return Ok((chosen, Need::Words));
    }
    // Weighed words of a sparse file, hashes and kernels' features are what the user made of them.
    if given.tf_idf || given.tf != Tf::Count || given.hash_bits.is_some() {
        return Ok((chosen, Need::Nothing));
    }
    let Some(need) = Sizes::measure(first.matrix.rows()?, &kinds).and_then(|sizes| sizes.need(first, &kinds)) else {
        return Ok((chosen, Need::Nothing));
    };
    chosen.scale = Scaling::Standard;
    chosen.centre = has(Kind::Count) && is_dense(first);
    Ok((chosen, need))
}

/// Whether most values of a matrix are stored.
fn is_dense(table: &Table) -> bool {
    let Ok(rows) = table.matrix.rows() else { return false };
    let mut stored = 0usize;
    for i in 0..rows.len() {
        rows.row(i).each(|_, v| stored += usize::from(v != 0.0));
    }
    stored as f64 >= DENSE * rows.len() as f64 * rows.features() as f64
}

/// Sums over the rows for each column.
struct Sizes {
    rows: f64,
    /// How many values are not zero, their sum, the sum of their squares.
    stored: Vec<f64>,
    sum: Vec<f64>,
    squares: Vec<f64>,
}

impl Sizes {
    /// `None` if no column is of numbers.
    fn measure(rows: AnyRows<'_>, kinds: &[Kind]) -> Option<Sizes> {
        let features = kinds.len();
        if !kinds.iter().any(|kind| matches!(kind, Kind::Number | Kind::Count)) {
            return None;
        }
        let zeros = || vec![0.0; features];
        let mut sizes = Sizes { rows: rows.len() as f64, stored: zeros(), sum: zeros(), squares: zeros() };
        for i in 0..rows.len() {
            rows.row(i).each(|j, v| {
                if v != 0.0 && v.is_finite() {
                    sizes.stored[j] += 1.0;
                    sizes.sum[j] += v;
                    sizes.squares[j] += v * v;
                }
            });
        }
        Some(sizes)
    }

    /// What the columns of numbers need.
    fn need(&self, first: &Table, kinds: &[Kind]) -> Option<Need> {
        let dense = !kinds.contains(&Kind::Count) || is_dense(first);
        let least = if dense { FEW.max(COMMON * self.rows) } else { FEW };
        let numbers: Vec<usize> = (0..kinds.len())
            .filter(|&j| matches!(kinds[j], Kind::Number | Kind::Count) && self.stored[j] >= least)
            .collect();
        let mut sizes: Vec<f64> = numbers.iter().map(|&j| (self.squares[j] / self.stored[j]).sqrt()).collect();
        if kinds.contains(&Kind::Mark) {
            // A category that is there is 1.
            sizes.push(1.0);
        }
        sizes.sort_by(f64::total_cmp);
        let (&smallest, &largest) = (sizes.first()?, sizes.last()?);
        let (beside, differ) = match &first.schema {
            _ if !dense => (sizes[sizes.len() / 2], SPARSE),
            Schema::Columns { .. } => (smallest, TABLE),
            _ => (smallest, UNNAMED),
        };
        let ratio = largest / beside;
        if ratio > differ && ratio.is_finite() {
            return Some(Need::Differ(ratio));
        }
        if !dense {
            return None;
        }
        let mut far: Vec<f64> = numbers.iter().filter_map(|&j| self.distance(j)).collect();
        far.sort_by(f64::total_cmp);
        let median = *far.get(far.len() / 2)?;
        (median >= FAR).then_some(Need::Far(median))
    }

    /// |mean|/deviation of a column that is not constant.
    fn distance(&self, j: usize) -> Option<f64> {
        let mean = self.sum[j] / self.rows;
        let variance = self.squares[j] / self.rows - mean * mean;
        (variance > 1e-9 * mean * mean).then(|| mean.abs() / variance.sqrt())
    }
}
