//! The question in floats: items that a hyperplane has on their side or not, with their costs.
//!
//! An item is a set of equal examples of one class (they are on one side of every hyperplane), or one example with its
//! rows against each other class. Features are shifted and scaled to mean 0 and variance 1, which neither changes which
//! rows cancel nor which sides hyperplanes can have.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use dashu_int::{IBig, UBig};

use crate::certify::exact::approx::mantissas;
use crate::certify::exact::{ExactRow, ExactRows};
use crate::error::Result;
use crate::limits;
use crate::rows::{AnyRows, Row, Rows};

/// What a hyperplane has on its side, or not.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The rows of the question.
    pub(super) members: Vec<usize>,
    /// What a mistake costs, in units of the smallest difference of costs.
    pub(super) cost: u64,
    /// Its rows in floats.
    pub(super) rows: Range<usize>,
}

/// Which rows belong together, before they are measured.
#[derive(Debug)]
pub(super) struct Grouped {
    /// Members and cost of each item.
    pub(super) items: Vec<(Vec<usize>, u64)>,
    /// Whether all members of an item are the same point: one of them is enough.
    pub(super) copies: bool,
}

/// Rows a = y·(x, 1) in floats, with their items.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) items: Vec<Item>,
    /// The item of each row.
    pub(super) item_of: Vec<usize>,
    /// The row of the question.
    pub(super) question_row: Vec<usize>,
    /// Coordinates: the features, and one for the bias.
    pub(super) width: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// Whether every row has all coordinates.
    full: bool,
    pub(super) norms: Vec<f64>,
    means: Vec<f64>,
    spreads: Vec<f64>,
    bias: bool,
}

impl Problem {
    /// Measures the rows of the question.
    pub(super) fn new(rows: AnyRows<'_>, signs: &[i8], bias: bool, grouped: &Grouped) -> Result<Self> {
        let features = rows.features();
        let width = features + usize::from(bias);
        let chosen = |members: &[usize]| if grouped.copies { 1 } else { members.len() };
        let all: Vec<usize> = grouped.items.iter().flat_map(|(m, _)| m[..chosen(m)].iter().copied()).collect();
        let sparse: usize = all.iter().map(|&i| rows.stored(i) + 1).sum();
        let full = !rows.is_sparse() || 3 * sparse > all.len() * width;
        let stored = if full { all.len() * width } else { sparse };
        limits::room_for::<(f64, u32)>(stored as u128, || "the rows of an audit".into())?;
        let (means, spreads) = measured(rows, &all, full && bias)?;
        let mut problem = Problem {
            items: Vec::with_capacity(grouped.items.len()),
            item_of: Vec::with_capacity(all.len()),
            question_row: all,
            width,
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::with_capacity(stored),
            full,
            norms: Vec::new(),
            means,
            spreads,
            bias,
        };
        let mut next = 0;
        for (members, cost) in &grouped.items {
            let range = next..next + chosen(members);
            problem.item_of.extend(range.clone().map(|_| problem.items.len()));
            problem.items.push(Item { members: members.clone(), cost: *cost, rows: range.clone() });
            next = range.end;
        }
        for at in 0..next {
            problem.add_row(rows, signs, at, features);
            if at.is_multiple_of(4096) {
                limits::check()?;
            }
        }
        Ok(problem)
    }

    fn add_row(&mut self, rows: AnyRows<'_>, signs: &[i8], at: usize, features: usize) {
        let i = self.question_row[at];
        let sign = f64::from(signs[i]);
        let begin = self.values.len();
        if self.full {
            self.values.extend((0..features).map(|j| -sign * self.means[j] / self.spreads[j]));
        }
        rows.row(i).each(|j, v| {
            let scaled = sign * (v / self.spreads[j]);
            let scaled = if scaled.is_finite() { scaled } else { 0.0 };
            if self.full {
                self.values[begin + j] += scaled;
            } else if v != 0.0 {
                self.indices.push(j as u32);
                self.values.push(scaled);
            }
        });
        if self.bias {
            self.values.push(sign);
            if !self.full {
                self.indices.push(features as u32);
            }
        }
        self.starts.push(self.values.len());
        let square: f64 = self.values[begin..].iter().map(|v| v * v).sum();
        self.norms.push(if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 });
    }

    /// How many rows.
    pub(super) fn rows(&self) -> usize {
        self.item_of.len()
    }

    /// How many numbers.
    pub(super) fn stored(&self) -> usize {
        self.values.len()
    }

    /// a·w.
    #[inline]
    pub(super) fn dot(&self, row: usize, w: &[f64]) -> f64 {
        let range = self.starts[row]..self.starts[row + 1];
        let values = &self.values[range.clone()];
        if self.full {
            values.iter().zip(w).map(|(a, b)| a * b).sum()
        } else {
            values.iter().zip(&self.indices[range]).map(|(a, j)| a * w[*j as usize]).sum()
        }
    }

    /// Calls `visit(coordinate, entry)`.
    pub(super) fn each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let range = self.starts[row]..self.starts[row + 1];
        for (k, v) in self.values[range.clone()].iter().enumerate() {
            visit(if self.full { k } else { self.indices[range.start + k] as usize }, *v);
        }
    }

    /// The weights of the features as they are, and the bias if there is one.
    pub(super) fn unscaled(&self, w: &[f64]) -> (Vec<f64>, Option<f64>) {
        let features = self.means.len();
        let weights: Vec<f64> = (0..features).map(|j| w[j] / self.spreads[j]).collect();
        let shift: f64 = weights.iter().zip(&self.means).map(|(w, m)| w * m).sum();
        (weights, self.bias.then(|| w[features] - shift))
    }

    /// A hyperplane of whole numbers, in the scales of the floats.
    pub(super) fn rescaled(&self, w: &[IBig]) -> Vec<f64> {
        let (floats, _) = mantissas(&w.iter().collect::<Vec<_>>());
        let features = self.means.len();
        let mut scaled: Vec<f64> = (0..features).map(|j| floats[j] * self.spreads[j]).collect();
        if self.bias {
            scaled.push(floats[features] + (0..features).map(|j| floats[j] * self.means[j]).sum::<f64>());
        }
        let length = scaled.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 0.0 && length.is_finite() {
            scaled.iter_mut().for_each(|v| *v /= length);
        }
        scaled
    }

    /// The cost of all items.
    pub(super) fn total(&self) -> u64 {
        self.items.iter().map(|item| item.cost).sum()
    }
}

/// The mean (0 where rows are not shifted) and the spread of each feature.
fn measured(rows: AnyRows<'_>, all: &[usize], shifted: bool) -> Result<(Vec<f64>, Vec<f64>)> {
    let features = rows.features();
    let what = || "the scales of the features".into();
    let mut most = limits::filled(0.0f64, features, what)?;
    let (mut sums, mut squares) = (limits::filled(0.0, features, what)?, limits::filled(0.0, features, what)?);
    for &i in all {
        rows.row(i).each(|j, v| most[j] = most[j].max(v.abs()));
    }
    most.iter_mut().filter(|m| **m == 0.0).for_each(|m| *m = 1.0);
    for &i in all {
        rows.row(i).each(|j, v| {
            sums[j] += v / most[j];
            squares[j] += (v / most[j]) * (v / most[j]);
        });
    }
    let n = all.len().max(1) as f64;
    let mean = |j: usize| if shifted { sums[j] / n } else { 0.0 };
    let spread = |j: usize| {
        let deviation = (squares[j] / n - mean(j) * mean(j)).max(0.0).sqrt();
        if deviation > 1e-12 { deviation * most[j] } else { most[j] }
    };
    let spreads = (0..features).map(spread).collect();
    Ok(((0..features).map(|j| mean(j) * most[j]).collect(), spreads))
}

/// Examples that take part, those of one class and one point together. `cost` maps a sign to the cost of a mistake.
pub(super) fn copies(
    rows: AnyRows<'_>,
    exact: &dyn ExactRows,
    signs: &[i8],
    cost: impl Fn(i8) -> u64,
) -> Result<Grouped> {
    let mut met: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut order: Vec<u64> = Vec::new();
    for i in (0..signs.len()).filter(|&i| signs[i] != 0 && cost(signs[i]) > 0) {
        let mut hasher = DefaultHasher::new();
        signs[i].hash(&mut hasher);
        rows.row(i).each(|j, v| {
            if v != 0.0 {
                (j, v.to_bits()).hash(&mut hasher);
            }
        });
        let key = hasher.finish();
        let members = met.entry(key).or_default();
        if members.is_empty() {
            order.push(key);
        }
        members.push(i);
        if i.is_multiple_of(4096) {
            limits::check()?;
        }
    }
    let mut items = Vec::with_capacity(order.len());
    for key in order {
        let members = met.remove(&key).unwrap_or_default();
        let of = cost(signs[members[0]]);
        for group in truly_equal(exact, members)? {
            let cost = of * group.len() as u64;
            items.push((group, cost));
        }
    }
    items.sort_by_key(|(members, _)| members[0]);
    Ok(Grouped { items, copies: true })
}

/// Rows whose floats are the same, in groups that are the same exactly.
fn truly_equal(exact: &dyn ExactRows, members: Vec<usize>) -> Result<Vec<Vec<usize>>> {
    if members.len() == 1 {
        return Ok(vec![members]);
    }
    let mut groups: Vec<(ExactRow, Vec<usize>)> = Vec::new();
    for some in members.chunks(4096) {
        limits::check()?;
        for (&i, row) in some.iter().zip(exact.fetch(some)?) {
            match groups.iter_mut().find(|(first, _)| same_point(first, &row)) {
                Some((_, group)) => group.push(i),
                None => groups.push((row, vec![i])),
            }
        }
    }
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

/// Whether two rows have the same features.
pub(super) fn same_point(a: &ExactRow, b: &ExactRow) -> bool {
    let scaled = |v: &IBig, scale: &UBig| v * IBig::from(scale.clone());
    let same = |(p, q): (&(usize, IBig), &(usize, IBig))| {
        p.0 == q.0 && if a.scale == b.scale { p.1 == q.1 } else { scaled(&p.1, &b.scale) == scaled(&q.1, &a.scale) }
    };
    a.entries.len() == b.entries.len() && a.entries.iter().zip(&b.entries).all(same)
}
