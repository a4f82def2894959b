//! Independent columns: what decides about wide rows.
//!
//! Let A be the matrix of the rows a. Which rows cancel, and on which sides of a hyperplane they can lie, depends on the
//! column space { A w } alone. A set C of independent columns that spans it has at most min(rows, coordinates) members, and
//! the question about the rows in these columns alone is the same question: its w, with 0 elsewhere, is one for all columns.
//!
//! C is found modulo P = 2⁶¹ − 1, column by column on the rows' own sparsity, the shortest columns first. Independent columns
//! mod P are independent. The converse may fail, so whoever concludes from C that rows cancel or lie in a span checks it in
//! all columns ([`Filter::cancels`], [`spans`]).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use dashu_int::IBig;

use super::linear::Regular;
use super::modular::{inverse, mul, profile, residue, sub};
use super::rows::IntRow;
use super::signs::Filter;
use crate::error::Result;
use crate::limits;
use crate::message::Message;

/// Multiplications between two looks at the limits.
const OFTEN: usize = 1 << 18;

/// One number of a column, mod P.
type Entry = (u32, u64);

/// The rows by columns, mod P.
struct Columns {
    /// Where each column begins; one more at the end.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    /// How many numbers each row has.
    lengths: Vec<u32>,
    /// Rows that are not multiples of each other, counted.
    distinct: usize,
}

/// Independent columns mod P that span all others there, in order. The bias is among them.
pub fn independent(filter: &Filter<'_>) -> Result<Vec<usize>> {
    let columns = Columns::new(filter)?;
    let count = columns.starts.len() - 1;
    let mut order: Vec<usize> = (0..count).filter(|&j| columns.starts[j] < columns.starts[j + 1]).collect();
    // The bias first, then the shortest.
    order.sort_by_key(|&j| (!(filter.bias() && j + 1 == count), columns.starts[j + 1] - columns.starts[j], j));
    let mut elimination = Elimination::new(columns.lengths.len());
    let mut found = Vec::new();
    for j in order {
        if found.len() == columns.distinct {
            break;
        }
        let column = &columns.entries[columns.starts[j]..columns.starts[j + 1]];
        if elimination.add(column, &columns.lengths)? {
            found.push(j);
        }
    }
    found.sort_unstable();
    Ok(found)
}

impl Columns {
    fn new(filter: &Filter<'_>) -> Result<Self> {
        let members: Vec<usize> = filter.members().collect();
        let stored: u128 = members.iter().map(|&i| filter.rows().stored(i) as u128 + 1).sum();
        limits::room_for::<(u32, Entry)>(stored + filter.coordinates() as u128, || {
            Message::new(format!("the columns of {} examples", members.len()))
        })?;
        let mut all: Vec<(u32, Entry)> = Vec::with_capacity(stored as usize);
        let (mut lengths, mut seen) = (Vec::with_capacity(members.len()), HashSet::new());
        for block in filter.blocks(&members) {
            limits::check()?;
            for row in filter.fetch(block)? {
                let at = lengths.len() as u32;
                let residues = row.entries.iter().map(|(j, v)| (*j as u32, residue(v))).filter(|(_, v)| *v != 0);
                let begin = all.len();
                all.extend(residues.map(|(j, v)| (j, (at, v))));
                lengths.push((all.len() - begin) as u32);
                seen.insert(direction(&all[begin..]));
            }
        }
        all.sort_unstable_by_key(|(j, (row, _))| (*j, *row));
        let mut starts = limits::filled(0usize, filter.coordinates() + 1, || "the columns of the examples".into())?;
        all.iter().for_each(|(j, _)| starts[*j as usize + 1] += 1);
        (1..starts.len()).for_each(|j| starts[j] += starts[j - 1]);
        let zero = seen.contains(&direction(&[]));
        Ok(Columns {
            starts,
            entries: all.into_iter().map(|(_, entry)| entry).collect(),
            lengths,
            distinct: seen.len() - usize::from(zero),
        })
    }
}

/// A hash of a row's multiples.
fn direction(row: &[(u32, Entry)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some((_, (_, first))) = row.first() {
        let scale = inverse(*first);
        row.iter().for_each(|(j, (_, v))| (*j, mul(*v, scale)).hash(&mut hasher));
    }
    hasher.finish()
}

/// Columns in echelon form: the k-th is 1 in its own row, and 0 in the rows of those before it.
struct Elimination {
    kept: Vec<(u32, Vec<Entry>)>,
    /// Which column is 1 in a row; `NONE` if no column is.
    of_row: Vec<u32>,
    sum: Vec<u64>,
    /// The last column that met a row, from 1.
    met: Vec<u32>,
    columns: u32,
    work: usize,
}

const NONE: u32 = u32::MAX;

impl Elimination {
    fn new(rows: usize) -> Self {
        Elimination {
            kept: Vec::new(),
            of_row: vec![NONE; rows],
            sum: vec![0; rows],
            met: vec![0; rows],
            columns: 0,
            work: 0,
        }
    }

    /// Adds a column if it is independent of the others.
    fn add(&mut self, column: &[Entry], lengths: &[u32]) -> Result<bool> {
        let mut touched: Vec<u32> = Vec::new();
        self.columns += 1;
        let mut next = BinaryHeap::new();
        for &(row, v) in column {
            self.sum[row as usize] = v;
            touched.push(row);
            self.met[row as usize] = self.columns;
            if self.of_row[row as usize] != NONE {
                next.push(Reverse(self.of_row[row as usize]));
            }
        }
        while let Some(Reverse(k)) = next.pop() {
            let (pivot, entries) = &self.kept[k as usize];
            let factor = self.sum[*pivot as usize];
            if factor == 0 {
                continue;
            }
            for &(row, v) in entries {
                let at = &mut self.sum[row as usize];
                let was = *at;
                *at = sub(was, mul(factor, v));
                if was == 0 {
                    if std::mem::replace(&mut self.met[row as usize], self.columns) != self.columns {
                        touched.push(row);
                    }
                    if self.of_row[row as usize] != NONE {
                        next.push(Reverse(self.of_row[row as usize]));
                    }
                }
            }
            self.work += entries.len();
            if self.work > OFTEN {
                self.work = 0;
                limits::check()?;
            }
        }
        touched.sort_unstable();
        let mut reduced: Vec<Entry> = Vec::new();
        for row in touched {
            let v = std::mem::take(&mut self.sum[row as usize]);
            if v != 0 {
                reduced.push((row, v));
            }
        }
        // The shortest row: it fills in least.
        let Some(&(row, v)) = reduced.iter().min_by_key(|(row, _)| (lengths[*row as usize], *row)) else {
            return Ok(false);
        };
        let scale = inverse(v);
        reduced.iter_mut().for_each(|(_, v)| *v = mul(*v, scale));
        self.of_row[row as usize] = self.kept.len() as u32;
        self.kept.push((row, reduced));
        Ok(true)
    }
}

/// Whether every row is in the span of these in all columns, if it is in the columns `chosen`, which are independent on
/// `support`.
///
/// As many rows of the support as there are columns are independent there; each other row is their combination in those
/// columns in one way only, and that is checked in the others.
pub fn spans(filter: &Filter<'_>, support: &[usize], chosen: &[usize]) -> Result<bool> {
    let places: HashMap<usize, usize> = chosen.iter().copied().zip(0..).collect();
    let rows = filter.fetch(support)?;
    limits::room_for::<IBig>(3 * (chosen.len() as u128).pow(2), || "the span of the examples that cancel".into())?;
    let dense = |row: &IntRow| {
        let mut all = vec![IBig::ZERO; chosen.len()];
        row.entries.iter().filter_map(|(j, v)| Some((places.get(j)?, v))).for_each(|(k, v)| all[*k] = v.clone());
        all
    };
    let residues: Vec<Vec<u64>> = rows.iter().map(|row| dense(row).iter().map(residue).collect()).collect();
    let independent = profile(&residues)?.rows;
    if independent.len() != chosen.len() {
        return Ok(false);
    }
    drop(residues);
    let base: Vec<Vec<IBig>> = independent.iter().map(|&k| dense(&rows[k])).collect();
    let transposed = (0..chosen.len()).map(|k| base.iter().map(|row| row[k].clone()).collect()).collect();
    drop(base);
    let Some(regular) = Regular::new(transposed)? else { return Ok(false) };
    let known: HashSet<usize> = independent.iter().map(|&k| support[k]).collect();
    let others: Vec<usize> = filter.members().filter(|i| !known.contains(i)).collect();
    for block in filter.blocks(&others) {
        for row in filter.fetch(block)? {
            let z = regular.solve(&dense(&row))?;
            let mut left: HashMap<usize, IBig> = row.entries.iter().map(|(j, v)| (*j, v * &z.denominator)).collect();
            for (&k, n) in independent.iter().zip(&z.numerators).filter(|(_, n)| !n.is_zero()) {
                rows[k].entries.iter().for_each(|(j, v)| *left.entry(*j).or_default() -= v * n);
            }
            if left.values().any(|v| !v.is_zero()) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
