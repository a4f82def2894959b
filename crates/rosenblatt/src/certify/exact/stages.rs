//! From rows to an answer in two stages, each with its certificate: the exact cutting plane. [`strict`]: 1 and 2; [`weak`]: 3.
//!
//! 1. On a pool of rows, the [simplex method](crate::certify::exact::simplex) finds w with a·w > 0 on the pool, or p ≥ 0 with Aᵀp = 0.
//! 2. w is checked against all rows; those on the wrong side join the pool. If there are none, w separates.
//! 3. p with support S: every w with A w ≥ 0 is orthogonal to the rows of S. Let N be a basis of that null space. If
//!    all rows are orthogonal to N, the data are not even weakly separable. Else the question is repeated for the
//!    projected rows a·N, those that are 0 left out: w' there is w = N w', which separates weakly; and p' there,
//!    completed by a combination of the rows of S and enough of p, is a p on a larger support.

use std::collections::HashMap;

use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;
use dashu_ratio::RBig;

use super::float_simplex::Guess;
use super::linear::{NullSpace, System, primitive};
use super::margin::whole;
use super::rows::IntRow;
use super::signs::Filter;
use super::simplex::{Alternative, Simplex};
use crate::certify::Deadline;
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Message;

/// Whether w with a·w > 0 throughout exists.
#[derive(Debug)]
pub enum Strict {
    /// a·w > 0 for every row; and weights of rows that bound the margin.
    Separable(Vec<IBig>, Vec<(usize, RBig)>),
    /// Rows that cancel: there is none.
    Refuted(Support),
    /// The deadline came first.
    Late,
}

/// Whether w with a·w ≥ 0 throughout, and not only 0, exists, where none has a·w > 0 throughout.
#[derive(Debug)]
pub enum Weak {
    /// a·w ≥ 0 for every row and > 0 for some.
    Separable(Vec<IBig>),
    /// p > 0 with Σ p·a = 0, and every row is in the span of its support: there is none.
    Refuted(Vec<(usize, RBig)>),
    /// The deadline came first.
    Late,
}

/// Rows of the current problem, and integer weights with Σ weight·row = 0.
#[derive(Debug, Default)]
pub struct Support {
    members: Vec<(usize, IntRow, IBig)>,
}

impl Support {
    /// Rows with these weights, if they cancel.
    pub fn of(filter: &Filter<'_>, weights: Vec<(usize, RBig)>) -> Result<Option<Support>> {
        if !filter.cancels(&weights)? {
            return Ok(None);
        }
        let numbers: Vec<usize> = weights.iter().map(|(i, _)| *i).collect();
        let rows = filter.fetch(&numbers)?;
        let factor = |(row, (i, p)): (&IntRow, (usize, RBig))| {
            (i, p * RBig::from_parts(IBig::from(row.common.clone()), row.scale.clone()))
        };
        let integers = whole(&rows.iter().zip(weights).map(factor).collect::<Vec<_>>());
        let members = rows.into_iter().zip(integers).map(|(row, (i, w))| (i, row, w)).collect();
        Ok(Some(Support { members }))
    }

    /// The weights of the original rows, before they became integers; they sum to 1.
    pub fn weights(&self) -> Vec<(usize, RBig)> {
        let weight = |row: &IntRow, w: &IBig| RBig::from_parts(w * IBig::from(row.scale.clone()), row.common.clone());
        normalised(self.members.iter().map(|(i, row, w)| (*i, weight(row, w))).collect())
    }

    fn system(&self, width: usize) -> Result<System> {
        limits::room_for::<IBig>(self.members.len() as u128 * width as u128, || "the examples that cancel".into())?;
        System::new(self.members.iter().map(|(_, row, _)| dense(row, width)).collect(), width)
    }
}

/// Weights divided by their sum, by number of the row.
fn normalised(mut weights: Vec<(usize, RBig)>) -> Vec<(usize, RBig)> {
    let sum = weights.iter().fold(RBig::ZERO, |sum, (_, w)| sum + w);
    weights.iter_mut().for_each(|(_, w)| *w = &*w / &sum);
    weights.sort_by_key(|(i, _)| *i);
    weights
}

fn dense(row: &IntRow, width: usize) -> Vec<IBig> {
    let mut out = vec![IBig::ZERO; width];
    row.entries.iter().for_each(|(j, v)| out[*j] = v.clone());
    out
}

/// Decides whether the rows are strictly separable. `pool`: the initial rows.
pub fn strict(filter: &Filter<'_>, pool: &[usize], deadline: &Deadline) -> Result<Strict> {
    Ok(match cut(filter, None, &vec![false; filter.count()], pool, deadline)? {
        Cut::Positive(w, weights) => Strict::Separable(w, weights),
        Cut::Cancels(found) => Strict::Refuted(found),
        Cut::Late => Strict::Late,
    })
}

/// Decides whether rows of which `found` cancel are weakly separable.
pub fn weak(filter: &Filter<'_>, mut found: Support, deadline: &Deadline) -> Result<Weak> {
    let mut skip = vec![false; filter.count()];
    // The first rows that cancel refute strict separability; the span of all needs more.
    loop {
        let system = found.system(filter.coordinates())?;
        let unlucky =
            || Error::bad_data("a determinant is divisible by 2⁶¹ − 1: multiply a feature by 3 and try again");
        let basis = match system.null_space(deadline)? {
            NullSpace::Basis(basis) => basis,
            NullSpace::Unlucky => return Err(unlucky()),
            NullSpace::Late => return Ok(Weak::Late),
        };
        let others = if basis.is_empty() { Vec::new() } else { filter.mark_orthogonal(&basis, &mut skip)? };
        if others.is_empty() {
            return Ok(Weak::Refuted(found.weights()));
        }
        let start: Vec<usize> = others.iter().take(2 * basis.len() + 8).copied().collect();
        let more = match cut(filter, Some(&basis), &skip, &start, deadline)? {
            Cut::Positive(w, _) => return Ok(Weak::Separable(w)),
            Cut::Cancels(more) => more,
            Cut::Late => return Ok(Weak::Late),
        };
        found = merge(found, &system, more, filter.coordinates())?.ok_or_else(unlucky)?;
    }
}

/// Rows that probably cancel, if they do so in one way only and with weights of one sign.
pub fn shortcut(filter: &Filter<'_>, support: &[usize]) -> Result<Option<Support>> {
    if support.is_empty() || support.len() > filter.coordinates() + 1 {
        return Ok(None);
    }
    let rows = filter.fetch(support)?;
    // Only the coordinates that occur, in their order.
    let mut used: Vec<usize> = rows.iter().flat_map(|row| &row.entries).map(|(j, _)| *j).collect();
    used.sort_unstable();
    used.dedup();
    let what = || Message::new(format!("{} examples that seem to cancel", rows.len()));
    limits::room_for::<(IBig, u64)>(rows.len() as u128 * used.len() as u128, what)?;
    let dense = |row: &IntRow| {
        let mut all = vec![IBig::ZERO; used.len()];
        row.entries.iter().for_each(|(j, v)| all[used.partition_point(|u| u < j)] = v.clone());
        all
    };
    let system = System::new(rows.iter().map(dense).collect(), used.len())?;
    let Some(mut p) = system.only_dependence()? else { return Ok(None) };
    if p.iter().any(|v| *v < IBig::ZERO) {
        p.iter_mut().for_each(|v| *v = -std::mem::take(v));
    }
    if p.iter().any(|v| *v < IBig::ZERO) {
        return Ok(None);
    }
    let members = support.iter().zip(rows).zip(p).filter(|(_, w)| !w.is_zero());
    Ok(Some(Support { members: members.map(|((&i, row), w)| (i, row, w)).collect() }))
}

enum Cut {
    /// w with a·w > 0 for every row that is not skipped, and the weights that the program ended with.
    Positive(Vec<IBig>, Vec<(usize, RBig)>),
    /// Rows whose projections cancel.
    Cancels(Support),
    Late,
}

/// Cutting planes in the whole space, or in the one that a basis spans.
fn cut(
    filter: &Filter<'_>,
    basis: Option<&[Vec<IBig>]>,
    skip: &[bool],
    pool: &[usize],
    deadline: &Deadline,
) -> Result<Cut> {
    let width = basis.map_or(filter.coordinates(), <[_]>::len);
    let mut simplex = Simplex::new(width);
    // The rows of the pool: number, integers, and what their projections were divided by.
    let mut members: Vec<(usize, IntRow, IBig)> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut wanted: Vec<usize> = pool.iter().filter(|&&i| filter.sign(i) != 0 && !skip[i]).copied().collect();
    wanted.extend(filter.members().find(|&i| !skip[i]).filter(|_| wanted.is_empty()));
    let late = || deadline.has_passed();
    loop {
        if late() {
            return Ok(Cut::Late);
        }
        wanted.retain(|i| !places.contains_key(i));
        wanted.dedup();
        for (&i, row) in wanted.iter().zip(filter.fetch(&wanted)?) {
            if places.contains_key(&i) {
                continue;
            }
            if members.len().is_multiple_of(64) {
                limits::check()?;
            }
            places.insert(i, members.len());
            let (projected, common) = project(&row, basis);
            simplex.add(&projected)?;
            members.push((i, row, common));
        }
        if let Some(guess) = simplex.guess(deadline) {
            match try_guess(filter, &simplex, &guess, basis, skip)? {
                Tried::Separates(w) => {
                    let member = |(k, p): &(usize, f64)| {
                        let (i, row, _) = &members[*k];
                        let scale = RBig::from_parts(IBig::from(row.scale.clone()), row.common.clone());
                        Some((*i, RBig::try_from(*p).ok().filter(|p| *p > RBig::ZERO)? * scale / simplex.size(*k)))
                    };
                    return Ok(Cut::Positive(w, guess.rows.iter().filter_map(member).collect()));
                }
                Tried::Wrong(wrong) => {
                    wanted = wrong.into_iter().filter(|i| !places.contains_key(i)).take(width + 8).collect();
                    if !wanted.is_empty() {
                        continue;
                    }
                }
                Tried::Nothing => {}
            }
            simplex.jump(&guess, deadline);
        }
        let weights = match simplex.solve(deadline)? {
            Alternative::Late => return Ok(Cut::Late),
            Alternative::Combination(weights) => return Ok(Cut::Cancels(Support { members: lift(&members, weights) })),
            Alternative::Positive(v) => {
                let w = match basis {
                    None => v,
                    Some(basis) => unproject(&v, basis),
                };
                let mut wrong = filter.violations(&w, skip)?;
                if wrong.is_empty() {
                    let weights = simplex.weights();
                    let support = Support { members: lift(&members, weights) };
                    return Ok(Cut::Positive(w, support.weights()));
                }
                wrong.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                wrong
            }
        };
        wanted = weights.into_iter().take(width + 8).map(|(i, _)| i).collect();
    }
}

enum Tried {
    /// w has every row on its side.
    Separates(Vec<IBig>),
    /// It has these on the wrong one, the deepest first.
    Wrong(Vec<usize>),
    /// There is no w to try: the rows of the pool seem to cancel.
    Nothing,
}

/// Checks the hyperplane of a guess against all rows.
fn try_guess(
    filter: &Filter<'_>,
    simplex: &Simplex,
    guess: &Guess,
    basis: Option<&[Vec<IBig>]>,
    skip: &[bool],
) -> Result<Tried> {
    if guess.objective < GUESS_CANCELS {
        return Ok(Tried::Nothing);
    }
    let mut deepest = Vec::new();
    for bits in [16, 30, 50] {
        let Some(v) = simplex.guessed(guess, bits) else { return Ok(Tried::Nothing) };
        let w = basis.map_or_else(|| v.clone(), |basis| unproject(&v, basis));
        let mut wrong = filter.violations(&w, skip)?;
        if wrong.is_empty() {
            return Ok(Tried::Separates(w));
        }
        wrong.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        deepest = wrong.into_iter().map(|(i, _)| i).collect();
    }
    Ok(Tried::Wrong(deepest))
}

/// A sum of artificial variables below this is taken for 0.
const GUESS_CANCELS: f64 = 1e-9;

/// a·N, divided by the common divisor of its entries.
fn project(row: &IntRow, basis: Option<&[Vec<IBig>]>) -> (IntRow, IBig) {
    let Some(basis) = basis else { return (row.clone(), IBig::ONE) };
    let all: Vec<IBig> = basis.iter().map(|v| row.dot(v)).collect();
    let reduced = primitive(all.clone());
    let common = all.iter().zip(&reduced).find(|(_, r)| !r.is_zero()).map_or(IBig::ONE, |(a, r)| a / r);
    let entries = reduced.into_iter().enumerate().filter(|(_, v)| !v.is_zero()).collect();
    (IntRow { entries, scale: row.scale.clone(), common: row.common.clone() }, common)
}

/// N v.
fn unproject(v: &[IBig], basis: &[Vec<IBig>]) -> Vec<IBig> {
    let mut w = vec![IBig::ZERO; basis[0].len()];
    for (factor, vector) in v.iter().zip(basis).filter(|(f, _)| !f.is_zero()) {
        w.iter_mut().zip(vector).filter(|(_, b)| !b.is_zero()).for_each(|(w, b)| *w += factor * b);
    }
    primitive(w)
}

/// From weights of projected rows to weights of the rows: each is divided by what its projection was divided by.
fn lift(members: &[(usize, IntRow, IBig)], weights: Vec<(usize, IBig)>) -> Vec<(usize, IntRow, IBig)> {
    let product = weights.iter().fold(IBig::ONE, |product, (k, _)| product * &members[*k].2);
    let whole = primitive(weights.iter().map(|(k, w)| w * &product / &members[*k].2).collect());
    let lifted = weights.iter().zip(whole).map(|((k, _), w)| {
        let (i, row, _) = &members[*k];
        (*i, row.clone(), w)
    });
    lifted.collect()
}

/// p' of projected rows, z on the rows of S with Σ z·row = −Σ p'·row, and as much of p as makes all weights positive.
fn merge(found: Support, system: &System, more: Support, width: usize) -> Result<Option<Support>> {
    // A row of zeros, which the new rows do without.
    if system.rank() == 0 {
        return Ok(Some(more));
    }
    let mut target = vec![IBig::ZERO; width];
    for (_, row, weight) in &more.members {
        row.entries.iter().for_each(|(j, v)| target[*j] -= v * weight);
    }
    let Some(z) = system.combine(&target)? else { return Ok(None) };
    let mut completion = vec![IBig::ZERO; found.members.len()];
    system.profile.rows.iter().zip(z.numerators).for_each(|(&i, n)| completion[i] = n);
    let lacking = |(z, (_, _, p)): (&IBig, &(usize, IntRow, IBig))| {
        if *z < IBig::ZERO { IBig::from(z.unsigned_abs()) / p } else { IBig::ZERO }
    };
    let Some(most) = completion.iter().zip(&found.members).map(lacking).max() else { return Ok(None) };
    let times = most + IBig::ONE;
    let first = found.members.iter().zip(&completion).map(|((_, _, p), z)| z + &times * p);
    let second = more.members.iter().map(|(_, _, p)| p * &z.denominator);
    let weights = primitive(first.chain(second).collect());
    let rows = found.members.into_iter().chain(more.members);
    Ok(Some(Support { members: rows.zip(weights).map(|((i, row, _), w)| (i, row, w)).collect() }))
}

/// Whether two rows are the same point with different labels.
pub fn contradict(filter: &Filter<'_>, a: usize, b: usize) -> Result<bool> {
    if filter.sign(a) * filter.sign(b) != -1 {
        return Ok(false);
    }
    let rows = filter.exact().fetch(&[a, b])?;
    let scale = |row: usize| IBig::from(rows[row].scale.clone());
    let same = |(a, b): (&(usize, IBig), &(usize, IBig))| a.0 == b.0 && &a.1 * scale(1) == &b.1 * scale(0);
    Ok(rows[0].entries.len() == rows[1].entries.len() && rows[0].entries.iter().zip(&rows[1].entries).all(same))
}
