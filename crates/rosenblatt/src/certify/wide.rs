//! Wide rows: the same question on fewer rows and columns.
//!
//! * Columns in which no row has a value have the weight 0.
//! * A feature of a = y·x that is ≥ 0 in every row puts the rows in which it is > 0 on their side, whatever the others do.
//!   So strict separability is that of the rows without such a feature, again and again: the **core**, often small. Rows
//!   that cancel are of the core. And such a feature alone separates weakly.
//! * Independent columns decide for all (see [`columns`](crate::certify::exact::columns)): at most as many as there are rows.
//!
//! All of it is a proposal: hyperplanes and weights are checked on all rows and columns.

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::decide::Options;
use super::decider::Decider;
use super::exact::{ExactRow, ExactRows, Filter, Strict, Support, Weak, columns, stages};
use super::float::{self, Problem};
use crate::error::Result;
use crate::limits;
use crate::message::Message;
use crate::rows::{AnyRows, Matrix, Row, Rows, SparseMatrix};

/// More coordinates than this are wide: a basis of a null space would be too large.
pub(super) const WIDE: usize = 1024;

/// Some rows, in some columns.
pub(super) struct Narrow {
    /// The rows, by their numbers in the question.
    pub(super) rows: Vec<usize>,
    /// The columns, increasing.
    pub(super) columns: Vec<u32>,
    /// Their floats.
    pub(super) matrix: Matrix,
}

/// The columns in which some of these rows have a value.
pub(super) fn used(rows: AnyRows<'_>, members: &[usize]) -> Result<Vec<u32>> {
    let mut used: Vec<u32> = Vec::new();
    // Sorted now and then, so that it stays as short as the answer.
    let mut sorted = 0;
    for (k, &i) in members.iter().enumerate() {
        rows.row(i).each(|j, v| {
            if v != 0.0 {
                used.push(j as u32);
            }
        });
        if used.len() > 2 * sorted + (1 << 20) {
            used.sort_unstable();
            used.dedup();
            sorted = used.len();
        }
        if k.is_multiple_of(1024) {
            limits::check()?;
        }
    }
    used.sort_unstable();
    used.dedup();
    Ok(used)
}

/// All rows in the columns that have values, if most have none.
pub(super) fn narrowed(rows: AnyRows<'_>) -> Result<Option<Narrow>> {
    if rows.features() <= WIDE || !rows.is_sparse() {
        return Ok(None);
    }
    let all: Vec<usize> = (0..rows.len()).collect();
    let columns = used(rows, &all)?;
    Ok(if 2 * columns.len() < rows.features() { Some(Narrow::new(rows, all, columns)?) } else { None })
}

impl Narrow {
    /// Copies the floats of these rows in these columns.
    pub(super) fn new(of: AnyRows<'_>, rows: Vec<usize>, columns: Vec<u32>) -> Result<Self> {
        let stored: u128 = rows.iter().map(|&i| of.stored(i) as u128).sum();
        let what = || Message::new(format!("{} examples in {} columns", rows.len(), columns.len()));
        limits::room_for::<(u32, f64)>(stored, what)?;
        let mut matrix = SparseMatrix { features: columns.len(), ..SparseMatrix::default() };
        for (k, &i) in rows.iter().enumerate() {
            of.row(i).each(|j, v| {
                if v != 0.0
                    && let Ok(at) = columns.binary_search(&(j as u32))
                {
                    matrix.indices.push(at as u32);
                    matrix.values.push(v);
                }
            });
            matrix.end_row();
            if k.is_multiple_of(1024) {
                limits::check()?;
            }
        }
        Ok(Narrow { rows, columns, matrix: Matrix::Sparse(matrix) })
    }

    /// The same rows and columns of the exact rows.
    pub(super) fn exact<'n>(&'n self, of: &'n dyn ExactRows) -> NarrowRows<'n> {
        NarrowRows { of, rows: &self.rows, columns: &self.columns }
    }

    /// The signs of the rows.
    pub(super) fn signs(&self, of: &[i8]) -> Vec<i8> {
        self.rows.iter().map(|&i| of[i]).collect()
    }

    /// Weights of the rows by their numbers in the question.
    pub(super) fn weights(&self, weights: Vec<(usize, RBig)>) -> Vec<(usize, RBig)> {
        weights.into_iter().map(|(k, weight)| (self.rows[k], weight)).collect()
    }

    /// w in all columns: 0 in the others. The bias, if any, is last.
    pub(super) fn widen<T: Clone>(&self, w: Vec<T>, zero: T, width: usize, bias: bool) -> Result<Vec<T>> {
        const AT_ONCE: usize = 1 << 20;
        let what = || Message::new(format!("a hyperplane of {width} weights"));
        let mut all = limits::with_capacity(width, what)?;
        while all.len() < width {
            limits::check()?;
            all.resize(width.min(all.len() + AT_ONCE), zero.clone());
        }
        let last = w.len() - usize::from(bias);
        for (k, v) in w.into_iter().enumerate() {
            all[if k < last { self.columns[k] as usize } else { width - 1 }] = v;
        }
        Ok(all)
    }
}

/// Some exact rows, in some columns.
pub(super) struct NarrowRows<'n> {
    of: &'n dyn ExactRows,
    rows: &'n [usize],
    columns: &'n [u32],
}

impl ExactRows for NarrowRows<'_> {
    fn features(&self) -> usize {
        self.columns.len()
    }

    fn fetch(&self, rows: &[usize]) -> Result<Vec<ExactRow>> {
        let wanted: Vec<usize> = rows.iter().map(|&k| self.rows[k]).collect();
        let narrow = |row: ExactRow| {
            let place = |j: usize| u32::try_from(j).ok().and_then(|j| self.columns.binary_search(&j).ok());
            let entries = row.entries.into_iter().filter_map(|(j, v)| Some((place(j)?, v)));
            ExactRow { entries: entries.collect(), scale: row.scale }
        };
        Ok(self.of.fetch(&wanted)?.into_iter().map(narrow).collect())
    }
}

fn problem<'f>(filter: &'f Filter<'_>) -> Problem<'f> {
    Problem { rows: filter.rows(), signs: filter.signs(), bias: filter.bias() }
}

/// Rows that cancel, if two that contradict each other do, or some of a core smaller than all rows.
pub(super) fn refute(filter: &Filter<'_>, options: &Options) -> Result<Option<Support>> {
    if let Some(rows) = float::contradiction(problem(filter))
        && let Some(found) = stages::shortcut(filter, &rows)?
    {
        return Ok(Some(found));
    }
    let core = float::core(problem(filter));
    if core.is_empty() || core.len() == filter.members().count() {
        return Ok(None);
    }
    let columns = used(filter.rows(), &core)?;
    let narrow = Narrow::new(filter.rows(), core, columns)?;
    let (exact, signs) = (narrow.exact(filter.exact()), narrow.signs(filter.signs()));
    let wild =
        if filter.wild().is_empty() { Vec::new() } else { narrow.rows.iter().map(|&i| filter.wild()[i]).collect() };
    // Any hyperplane will do: the margin is that of all rows.
    let options = Options { gap: 0.5, ..options.clone() };
    let decider = Decider::new(narrow.matrix.rows()?, &exact, &signs, wild, &options);
    match decider.strict()? {
        Some(Strict::Refuted(found)) => Support::of(filter, narrow.weights(found.weights())),
        _ => Ok(None),
    }
}

/// The rows in independent columns, if these are fewer than all.
fn independent(filter: &Filter<'_>) -> Result<Option<(Narrow, Vec<usize>)>> {
    let chosen = columns::independent(filter)?;
    if chosen.len() == filter.coordinates() {
        return Ok(None);
    }
    let features = filter.rows().features();
    let of_features = chosen.iter().filter(|&&j| j < features).map(|&j| j as u32).collect();
    Ok(Some((Narrow::new(filter.rows(), (0..filter.count()).collect(), of_features)?, chosen)))
}

/// [`stages::strict`] in independent columns.
pub(super) fn strict(filter: &Filter<'_>, pool: &[usize], options: &Options) -> Result<Strict> {
    let deadline = &options.deadline;
    let Some((narrow, _)) = independent(filter)? else { return stages::strict(filter, pool, deadline) };
    let exact = narrow.exact(filter.exact());
    let inner = filter.narrowed(narrow.matrix.rows()?, &exact);
    Ok(match stages::strict(&inner, pool, deadline)? {
        Strict::Separable(w, weights) => {
            Strict::Separable(narrow.widen(w, IBig::ZERO, filter.coordinates(), filter.bias())?, weights)
        }
        Strict::Refuted(found) => Support::of(filter, found.weights())?.map_or(Strict::Late, Strict::Refuted),
        Strict::Late => Strict::Late,
    })
}

/// [`stages::weak`]: a feature alone, else in independent columns.
pub(super) fn weak(filter: &Filter<'_>, found: Support, options: &Options) -> Result<Weak> {
    if let Some((feature, sign)) = float::one_signed(problem(filter)) {
        let w = filter.unit(feature, sign)?;
        if filter.separates_weakly(&w)? {
            return Ok(Weak::Separable(w));
        }
    }
    let deadline = &options.deadline;
    let Some((narrow, chosen)) = independent(filter)? else { return stages::weak(filter, found, deadline) };
    let exact = narrow.exact(filter.exact());
    let inner = filter.narrowed(narrow.matrix.rows()?, &exact);
    let Some(inside) = Support::of(&inner, found.weights())? else { return Ok(Weak::Late) };
    Ok(match stages::weak(&inner, inside, deadline)? {
        Weak::Separable(w) => Weak::Separable(narrow.widen(w, IBig::ZERO, filter.coordinates(), filter.bias())?),
        Weak::Refuted(p) => {
            let rows: Vec<usize> = p.iter().map(|(i, _)| *i).collect();
            let holds = filter.cancels(&p)? && columns::spans(filter, &rows, &chosen)?;
            if holds { Weak::Refuted(p) } else { Weak::Late }
        }
        Weak::Late => Weak::Late,
    })
}
