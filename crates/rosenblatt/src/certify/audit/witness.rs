//! Witnesses: sets of rows that no hyperplane has on their sides all at once, and none of which can be left out.
//!
//! Positive weights p with Σ p·a = 0 on rows that have no other dependence are one (Gordan): they are the vertices of
//!
//! ```text
//! { p ≥ 0 : Σ pᵢaᵢ = 0, Σ sᵢpᵢ = 1 },   s > 0 (Gleeson and Ryan 1990).
//! ```
//!
//! A vertex of least Σ zᵢpᵢ is a witness whose rows have small z, which the packing needs. A second and third run with the costs
//! zᵢ/(pᵢ + δ) prefer vertices of few rows.

use std::collections::HashMap;

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::lp::{Columns, End, Goal, Simplex};
use super::problem::Problem;
use crate::certify::Deadline;
use crate::certify::decide::Options;
use crate::certify::decider::{in_time, is_late};
use crate::certify::exact::Filter;
use crate::certify::exact::linear::System;
use crate::certify::exact::rows::IntRow;
use crate::certify::exact::simplex::{self, Alternative};
use crate::error::Result;
use crate::random::Stream;

/// The most equations of the program: its inverse is dense.
const MAX_EQUATIONS: usize = 1500;
/// Weights below this part of the largest count as 0.
const ZERO: f64 = 1e-9;

/// Rows of the question with weights that sum to 1, Σ weight·a = 0.
pub(super) type Weights = Vec<(usize, RBig)>;

/// Finds vertices in floats.
pub(super) struct Finder<'p> {
    problem: &'p Problem,
    method: Simplex,
    program: Program<'p>,
    random: Stream,
}

struct Program<'p> {
    problem: &'p Problem,
    /// s.
    sizes: Vec<f64>,
    costs: Vec<f64>,
    /// Rows that take part; empty for all.
    chosen: Vec<usize>,
}

impl Program<'_> {
    fn row(&self, column: usize) -> usize {
        if self.chosen.is_empty() { column } else { self.chosen[column] }
    }
}

impl Columns for Program<'_> {
    fn count(&self) -> usize {
        if self.chosen.is_empty() { self.problem.rows() } else { self.chosen.len() }
    }

    fn cost(&self, column: usize) -> f64 {
        self.costs[self.row(column)]
    }

    fn dot(&self, column: usize, dual: &[f64]) -> f64 {
        let row = self.row(column);
        self.problem.dot(row, &dual[1..]) / self.problem.norms[row] + dual[0] * self.sizes[row]
    }

    fn each(&self, column: usize, visit: &mut dyn FnMut(usize, f64)) {
        let row = self.row(column);
        visit(0, self.sizes[row]);
        let norm = self.problem.norms[row];
        self.problem.each(row, |j, v| {
            if v != 0.0 {
                visit(j + 1, v / norm);
            }
        });
    }
}

impl<'p> Finder<'p> {
    /// `None` if there are too many coordinates. `chosen`: the rows to look among; empty for all.
    pub(super) fn new(problem: &'p Problem, chosen: Vec<usize>, seed: u64) -> Option<Self> {
        if problem.width + 1 > MAX_EQUATIONS {
            return None;
        }
        let mut rhs = vec![0.0; problem.width + 1];
        rhs[0] = 1.0;
        let (sizes, costs) = (vec![1.0; problem.rows()], vec![0.0; problem.rows()]);
        let program = Program { problem, sizes, costs, chosen };
        Some(Finder { problem, method: Simplex::new(rhs, true), program, random: Stream::new(seed, &[19]) })
    }

    /// Whether there is a witness, as far as floats can tell. Must be called first.
    pub(super) fn is_feasible(&mut self, late: &dyn Fn() -> bool) -> bool {
        let most = 50 * self.problem.width + 2000;
        let mut go_on = |_: &Simplex, _| !late();
        self.method.run(&self.program, Goal::Feasible, most, &mut self.random, &mut go_on);
        self.method.own() < 1e-9
    }

    /// Draws the sizes s afresh: other vertices become the best.
    pub(super) fn shake(&mut self) -> bool {
        let random = &mut self.random;
        self.program.sizes.iter_mut().for_each(|s| *s = (1.4 * (random.unit() - 0.5)).exp2());
        self.method.refresh(&self.program)
    }

    /// Vertices whose items' z sum to less than `below`, as sets of rows; each run ends at `most` pivots.
    pub(super) fn find(&mut self, z: &[f64], below: f64, late: &dyn Fn() -> bool) -> Vec<Vec<usize>> {
        let problem = self.problem;
        let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
        for round in 0..3 {
            let floor = 1e-3;
            let noise = &mut self.random;
            if round == 0 {
                for (row, cost) in self.program.costs.iter_mut().enumerate() {
                    *cost = z[problem.item_of[row]] + floor * (0.5 + noise.unit());
                }
            } else {
                let mut weights = vec![0.0; problem.rows()];
                let most = self.method.solution().map(|(_, p)| p).fold(0.0, f64::max);
                let program = &self.program;
                self.method.solution().for_each(|(k, p)| weights[program.row(k)] = p / most.max(1e-12));
                let delta = if round == 1 { 0.1 } else { 0.01 };
                for (row, cost) in self.program.costs.iter_mut().enumerate() {
                    *cost = (z[problem.item_of[row]] + floor) * delta / (weights[row] + delta);
                }
            }
            let mut visit = |method: &Simplex, changed: bool| {
                if let Some(rows) = changed.then(|| support(method, &self.program)).flatten() {
                    let sum = distinct(problem, &rows).iter().map(|&i| z[i]).sum::<f64>();
                    if sum < below - 1e-6 {
                        found.push((sum, rows));
                    }
                }
                !late()
            };
            let most = 4 * problem.width + 200;
            let end = self.method.run(&self.program, Goal::Cost, most, &mut self.random, &mut visit);
            if end == End::Broken && !(self.method.refresh(&self.program) && self.method.own() < 1e-7) {
                break;
            }
            if late() {
                break;
            }
        }
        // The smallest sums first: the vertices on the way are worse than the last.
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        found.dedup_by(|a, b| a.1 == b.1);
        found.into_iter().map(|(_, rows)| rows).collect()
    }
}

/// The rows of the basic solution that have weights, in order; `None` if an artificial variable has a value.
fn support(method: &Simplex, program: &Program<'_>) -> Option<Vec<usize>> {
    if method.own() > 1e-8 {
        return None;
    }
    let most = method.solution().map(|(_, p)| p).fold(0.0, f64::max);
    let mut rows: Vec<usize> =
        method.solution().filter(|(_, p)| *p > ZERO * most).map(|(k, _)| program.row(k)).collect();
    rows.sort_unstable();
    Some(rows).filter(|rows| !rows.is_empty())
}

/// The items of some rows, each once, in order.
pub(super) fn distinct(problem: &Problem, rows: &[usize]) -> Vec<usize> {
    let mut items: Vec<usize> = rows.iter().map(|&r| problem.item_of[r]).collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// Proves that rows of the question cancel with positive weights, in whole numbers: `None` if they do not, or in more than
/// one way. Rows with weight 0 are left out.
pub(super) fn prove(filter: &Filter<'_>, rows: &[usize]) -> Result<Option<Weights>> {
    let fetched = filter.fetch(rows)?;
    if let Some(zero) = zero_row(rows, &fetched) {
        return Ok(Some(zero));
    }
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (j, _) in fetched.iter().flat_map(|row| &row.entries) {
        let next = places.len();
        places.entry(*j).or_insert(next);
    }
    let dense = |row: &IntRow| {
        let mut all = vec![IBig::ZERO; places.len()];
        row.entries.iter().for_each(|(j, v)| all[places[j]] = v.clone());
        all
    };
    let system = System::new(fetched.iter().map(dense).collect(), places.len())?;
    let Some(mut p) = system.only_dependence()? else { return Ok(None) };
    if p.iter().any(|v| *v < IBig::ZERO) {
        p.iter_mut().for_each(|v| *v = -std::mem::take(v));
    }
    if p.iter().any(|v| *v < IBig::ZERO) {
        return Ok(None);
    }
    Ok(Some(shares(rows, &fetched, &p)))
}

/// A row of zeros is on every hyperplane: it is a witness alone.
fn zero_row(rows: &[usize], whole: &[IntRow]) -> Option<Weights> {
    let at = whole.iter().position(|row| row.entries.is_empty())?;
    Some(vec![(rows[at], RBig::ONE)])
}

/// The weights of the rows as they are, from those of their whole numbers: they sum to 1. Weights of 0 are left out.
fn shares(rows: &[usize], whole: &[IntRow], p: &[IBig]) -> Weights {
    let weight = |(row, p): (&IntRow, &IBig)| RBig::from_parts(p * IBig::from(row.scale.clone()), row.common.clone());
    let weights: Vec<RBig> = whole.iter().zip(p).map(weight).collect();
    let sum = weights.iter().fold(RBig::ZERO, |sum, w| sum + w);
    let positive = rows.iter().copied().zip(weights).filter(|(_, w)| *w > RBig::ZERO);
    positive.map(|(i, w)| (i, w / &sum)).collect()
}

/// A witness among rows that cancel, perhaps in many ways; `None` if the time is over, or they do not cancel.
pub(super) fn reduce(filter: &Filter<'_>, rows: &[usize], deadline: &Deadline) -> Result<Option<Weights>> {
    let options = Options { deadline: deadline.clone(), ..Options::default() };
    match in_time(&options, || prove(filter, rows)) {
        Ok(Some(weights)) => return Ok(Some(weights)),
        Err(error) if is_late(&error) => return Ok(None),
        other => drop(other?),
    }
    let fetched = filter.fetch(rows)?;
    let mut method = simplex::Simplex::new(filter.coordinates());
    fetched.iter().try_for_each(|row| method.add(row))?;
    if let Some(guess) = method.guess(deadline) {
        method.jump(&guess, deadline);
    }
    let Alternative::Combination(found) = method.solve(deadline)? else { return Ok(None) };
    let mut p = vec![IBig::ZERO; rows.len()];
    found.into_iter().for_each(|(k, weight)| p[k] = weight);
    Ok(Some(shares(rows, &fetched, &p)))
}
