//! From a question to its bracket: floats propose hyperplanes and witnesses, whole numbers count.

use std::collections::BTreeMap;

use dashu_int::IBig;

use super::cases::Case;
use super::clock::Clock;
use super::planar;
use super::plane::{self, Plane};
use super::problem::Problem;
use super::witness::Weights;
use crate::certify::decide::{Options, Question, Verdict, decide};
use crate::certify::exact::simplex::{Alternative, Simplex};
use crate::certify::exact::{Filter, rounded, whole};
use crate::error::Result;

/// A hyperplane in whole numbers, the bias last, with its mistakes counted exactly.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub(super) w: Vec<IBig>,
    pub(super) cost: u64,
    /// The items on the wrong side, or on the hyperplane.
    pub(super) items: Vec<usize>,
    /// The rows of the question.
    pub(super) rows: Vec<usize>,
}

/// A lower bound with its proof.
#[derive(Debug, Clone, Default)]
pub(super) struct Proved {
    pub(super) bound: u64,
    pub(super) witnesses: Vec<Weights>,
    /// The items of each witness.
    pub(super) items: Vec<Vec<usize>>,
    pub(super) cases: Vec<Case>,
}

/// The most items for a search by cases at once.
const SMALL: usize = 40;
/// The most rows of one class that are separated from the origin.
const ONE_CLASS: usize = 2000;
/// How many cheapest mistakes the bounds may be apart for one at the end.
const NEAR: u64 = 4;
/// The most cases.
const CASES: usize = 20_000;

/// What an audit works on.
pub(super) struct Engine<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) options: Options,
    pub(super) filter: &'a Filter<'a>,
    pub(super) problem: &'a Problem,
    /// Whether an item is one point.
    pub(super) copies: bool,
    pub(super) clock: &'a Clock,
    pub(super) best: Option<Counted>,
    pub(super) lower: Proved,
    /// Two items at one point, of different classes, or one on every hyperplane, with the weight of the witness.
    pub(super) pairs: Vec<(Vec<usize>, u64)>,
    /// What items cost beside their pairs.
    pub(super) rest: Vec<u64>,
    /// Witnesses that were proved, or not, by their rows.
    pub(super) proved: BTreeMap<Vec<usize>, Option<Weights>>,
    pub(super) report: &'a mut dyn FnMut(u64, u64),
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        (question, options): (&'a Question<'a>, Options),
        filter: &'a Filter<'a>,
        (problem, copies): (&'a Problem, bool),
        clock: &'a Clock,
        report: &'a mut dyn FnMut(u64, u64),
    ) -> Self {
        Engine {
            question,
            options,
            filter,
            problem,
            copies,
            clock,
            best: None,
            lower: Proved::default(),
            pairs: Vec::new(),
            rest: problem.items.iter().map(|item| item.cost).collect(),
            proved: BTreeMap::new(),
            report,
        }
    }

    /// The cost of the best hyperplane so far.
    pub(super) fn upper(&self) -> u64 {
        self.best.as_ref().map_or(self.problem.total(), |best| best.cost)
    }

    pub(super) fn is_done(&self) -> bool {
        self.best.is_some() && self.lower.bound >= self.upper()
    }

    /// Tightens the bracket until it is closed, the steps are made, or the time is over.
    pub(super) fn run(&mut self) -> Result<()> {
        self.pair_up()?;
        self.first_planes()?;
        if self.is_done() {
            return Ok(());
        }
        if self.problem.items.len() <= SMALL {
            self.by_cases(CASES)?;
        }
        if !self.is_done() {
            self.pack()?;
        }
        if !self.is_done() {
            self.search_planes()?;
        }
        if !self.is_done() && self.upper() - self.lower.bound <= NEAR * self.least_cost() {
            self.by_cases(CASES)?;
        }
        Ok(())
    }

    fn least_cost(&self) -> u64 {
        self.problem.items.iter().map(|item| item.cost).min().unwrap_or(1)
    }

    pub(super) fn say(&mut self) {
        let (low, high) = (self.lower.bound, self.upper());
        (self.report)(low, high);
    }

    /// Counts the mistakes of a hyperplane in whole numbers.
    fn count(&self, w: Vec<IBig>) -> Result<Counted> {
        let rows: Vec<usize> = self.filter.violations(&w, &[])?.into_iter().map(|v| v.0).collect();
        let mut wrong = vec![false; self.question.signs.len()];
        rows.iter().for_each(|&i| wrong[i] = true);
        let is_wrong = |i: &usize| self.problem.items[*i].members.iter().any(|&row| wrong[row]);
        let items: Vec<usize> = (0..self.problem.items.len()).filter(is_wrong).collect();
        let cost = items.iter().map(|&i| self.problem.items[i].cost).sum();
        Ok(Counted { w, cost, items, rows })
    }

    fn offer(&mut self, counted: Counted) {
        if self.best.as_ref().is_none_or(|best| counted.cost < best.cost) {
            self.best = Some(counted);
            self.say();
        }
    }

    /// Rounds a hyperplane to whole numbers, as few bits as keep its cost; if none do, separates what it has right.
    fn take(&mut self, plane: &Plane) -> Result<()> {
        if plane.cost >= self.upper() && self.best.is_some() {
            return Ok(());
        }
        let (weights, bias) = self.problem.unscaled(&plane.w);
        let mut least: Option<Counted> = None;
        for bits in [10, 16, 24, 34, 46, 60] {
            let w = match rounded(&weights, bias, bits) {
                Some(w) => w,
                None => match bias {
                    Some(b) if b != 0.0 && weights.iter().all(|v| *v == 0.0) => self.constant(b > 0.0),
                    _ => continue,
                },
            };
            let counted = self.count(w)?;
            let enough = counted.cost <= plane.cost;
            if least.as_ref().is_none_or(|l| counted.cost < l.cost) {
                least = Some(counted);
            }
            if enough {
                break;
            }
        }
        let reached = least.as_ref().is_some_and(|l| l.cost <= plane.cost);
        if let Some(counted) = least {
            self.offer(counted);
        }
        if !reached {
            self.separate(&plane.mistakes(self.problem))?;
        }
        Ok(())
    }

    /// The hyperplane that has everything on one side.
    fn constant(&self, positive: bool) -> Vec<IBig> {
        let mut w = vec![IBig::ZERO; self.filter.coordinates()];
        if let Some(last) = w.last_mut() {
            *last = if positive { IBig::ONE } else { IBig::NEG_ONE };
        }
        w
    }

    /// Separates all but these items, if that is possible: then the hyperplane is offered. Else returns a witness.
    pub(super) fn separate(&mut self, without: &[usize]) -> Result<Option<Vec<usize>>> {
        let mut signs = self.question.signs.clone();
        if self.problem.items.len() < signs.len() {
            // Examples that cost nothing may lie anywhere.
            let mut counts = vec![false; signs.len()];
            self.problem.items.iter().flat_map(|item| &item.members).for_each(|&row| counts[row] = true);
            signs.iter_mut().zip(counts).filter(|(_, counts)| !counts).for_each(|(s, _)| *s = 0);
        }
        for &i in without {
            self.problem.items[i].members.iter().for_each(|&row| signs[row] = 0);
        }
        for sign in [1, -1] {
            if !signs.contains(&sign) {
                if !self.options.bias {
                    return self.separate_one_class(&signs);
                }
                let counted = self.count(self.constant(sign < 0))?;
                self.offer(counted);
                return Ok(None);
            }
        }
        let question = Question { rows: self.question.rows, exact: Box::new(&*self.question.exact), signs };
        let decision =
            decide(&question, &Options { gap: 0.5, deadline: self.clock.deadline(0.97), ..self.options.clone() })?;
        match (decision.verdict, decision.hyperplane) {
            (Verdict::Separable, Some(found)) => {
                let mut all = found.weights;
                if self.options.bias {
                    all.push(found.bias);
                }
                let w = whole(&all.into_iter().enumerate().collect::<Vec<_>>()).into_iter().map(|(_, w)| w).collect();
                let counted = self.count(w)?;
                self.offer(counted);
                Ok(None)
            }
            (Verdict::Undecided, _) => Ok(None),
            _ => Ok(Some(decision.support.iter().map(|(row, _)| *row).collect())),
        }
    }

    /// The same where all that is left has one class, and hyperplanes pass through the origin.
    fn separate_one_class(&mut self, signs: &[i8]) -> Result<Option<Vec<usize>>> {
        let rows: Vec<usize> = (0..signs.len()).filter(|&i| signs[i] != 0).collect();
        if rows.len() > ONE_CLASS {
            return Ok(None);
        }
        let mut method = Simplex::new(self.filter.coordinates());
        self.filter.fetch(&rows)?.iter().try_for_each(|row| method.add(row))?;
        match method.solve(&self.clock.deadline(0.97))? {
            Alternative::Combination(found) => Ok(Some(found.into_iter().map(|(k, _)| rows[k]).collect())),
            Alternative::Positive(w) => {
                let counted = self.count(w)?;
                self.offer(counted);
                Ok(None)
            }
            Alternative::Late => Ok(None),
        }
    }

    fn first_planes(&mut self) -> Result<()> {
        let clock = self.clock;
        let mut planes: Vec<Plane> = Vec::new();
        plane::first(self.problem, &|| clock.is_late(0.25), |plane| planes.push(plane.clone()));
        planes.sort_by_key(|plane| plane.cost);
        for plane in planes.iter().take(3) {
            self.take(plane)?;
        }
        if self.best.is_none() {
            // Floats fail: everything may be wrong.
            let counted = self.count(vec![IBig::ZERO; self.filter.coordinates()])?;
            self.offer(counted);
        }
        let plane = self.copies && self.options.degree == 1 && self.options.bias && self.filter.rows().features() == 2;
        if plane && self.problem.items.len() <= planar::MAX_POINTS && !self.is_done() {
            let of = self.problem.items.iter().map(|item| {
                let row = item.members[0];
                (row, self.question.signs[row] > 0, item.cost)
            });
            let points = planar::points(self.filter.rows(), of);
            if let Some((cost, wrong)) = planar::cheapest(&points, &|| clock.is_late(0.5))
                && cost < self.upper()
            {
                self.separate(&wrong)?;
            }
        }
        Ok(())
    }

    fn search_planes(&mut self) -> Result<()> {
        let clock = self.clock;
        let Some(best) = &self.best else { return Ok(()) };
        let start = self.problem.rescaled(&best.w);
        let starts = Plane::new(self.problem, start);
        // About 10⁹ products in all.
        let work = self.problem.stored() + 30 * self.problem.rows();
        let steps = (1_500_000_000 / work.max(1)).clamp(200, 40_000);
        let rounds = 4;
        for round in 0..rounds {
            if self.is_done() || clock.is_late(0.95) {
                break;
            }
            let found = {
                let from = match &self.best {
                    Some(best) if round > 0 => Plane::new(self.problem, self.problem.rescaled(&best.w)),
                    _ => starts.clone(),
                };
                let late = || clock.is_late(0.95);
                plane::search(self.problem, &from, steps / rounds, round as u64, &late)
            };
            self.take(&found)?;
        }
        Ok(())
    }
}
