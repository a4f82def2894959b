//! The lower side of the bracket: pairs at one point, packings of witnesses, and cases.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::cases::{self, Case, Found};
use super::engine::{Engine, Proved};
use super::packing::{Packing, Shares};
use super::problem::same_point;
use super::witness::{Finder, Weights, distinct, prove, reduce};
use crate::certify::decide::Options;
use crate::certify::decider::{in_time, is_late};
use crate::error::Result;
use crate::rows::{Row, Rows};
use crate::{limits, parallel};

/// Tries without a new witness before the packing counts as the best.
const IDLE: usize = 12;
/// The part of the time until which witnesses are proved.
const PROVED: f64 = 0.9;
/// The most rounds of a packing.
const ROUNDS: usize = 4000;

impl Engine<'_> {
    /// Pairs of items at one point with different classes: each is a witness, taken at once.
    pub(super) fn pair_up(&mut self) -> Result<()> {
        if !self.copies {
            return Ok(());
        }
        let mut met: HashMap<u64, [Vec<usize>; 2]> = HashMap::new();
        let rows = self.filter.rows();
        for (i, item) in self.problem.items.iter().enumerate() {
            let row = item.members[0];
            let mut hasher = DefaultHasher::new();
            rows.row(row).each(|j, v| {
                if v != 0.0 {
                    (j, v.to_bits()).hash(&mut hasher);
                }
            });
            met.entry(hasher.finish()).or_default()[usize::from(self.question.signs[row] > 0)].push(i);
        }
        let mut pairs = Vec::new();
        for [negative, positive] in met.into_values() {
            for (&a, &b) in negative.iter().flat_map(|a| positive.iter().map(move |b| (a, b))) {
                let of = [a, b].map(|i| self.problem.items[i].members[0]);
                let found = self.question.exact.fetch(&of)?;
                // Rows of zeros without a bias are witnesses alone.
                let alone = found[0].entries.is_empty() && !self.options.bias;
                if same_point(&found[0], &found[1]) && !alone {
                    pairs.push((vec![a.min(b), a.max(b)], self.rest[a].min(self.rest[b])));
                }
            }
        }
        pairs.sort_unstable();
        if !self.options.bias {
            pairs.extend(self.zeros()?);
        }
        for (items, weight) in &pairs {
            items.iter().for_each(|&i| self.rest[i] -= weight);
        }
        self.pairs = pairs;
        if !self.pairs.is_empty() {
            self.settle(Vec::new(), 1)?;
        }
        Ok(())
    }

    /// Items of zeros, which lie on every hyperplane through the origin.
    fn zeros(&self) -> Result<Vec<(Vec<usize>, u64)>> {
        let mut zeros = Vec::new();
        for (i, item) in self.problem.items.iter().enumerate() {
            let mut empty = true;
            self.filter.rows().row(item.members[0]).each(|_, v| empty &= v == 0.0);
            if empty && self.filter.fetch(&item.members[..1])?.iter().all(|row| row.entries.is_empty()) {
                zeros.push((vec![i], item.cost));
            }
        }
        Ok(zeros)
    }

    /// Proves witnesses by their float rows, all at once. Those for which there is no time stay open.
    fn prove_all(&mut self, wanted: &[Vec<usize>]) -> Result<()> {
        let new: Vec<&Vec<usize>> = wanted.iter().filter(|rows| !self.proved.contains_key(*rows)).collect();
        let options = Options { deadline: self.clock.deadline(PROVED), ..self.options.clone() };
        let found = in_time(&options, || {
            parallel::map(new.len(), &|k| {
                limits::check()?;
                let rows: Vec<usize> = new[k].iter().map(|&r| self.problem.question_row[r]).collect();
                prove(self.filter, &rows)
            })
        });
        for (rows, proof) in new.into_iter().cloned().zip(found).collect::<Vec<_>>() {
            match proof {
                Err(error) if is_late(&error) => {}
                proof => drop(self.proved.insert(rows, proof?)),
            }
        }
        Ok(())
    }

    /// The items of a proved witness.
    fn items_of(&self, weights: &Weights, of_row: &HashMap<usize, usize>) -> Vec<usize> {
        let rows: Vec<usize> = weights.iter().filter_map(|(row, _)| of_row.get(row).copied()).collect();
        distinct(self.problem, &rows)
    }

    fn rows_by_question(&self) -> HashMap<usize, usize> {
        self.problem.question_row.iter().enumerate().map(|(r, &q)| (q, r)).collect()
    }

    /// Column generation: the best packing, further witnesses by its cover, and so on.
    pub(super) fn pack(&mut self) -> Result<()> {
        let (clock, problem) = (self.clock, self.problem);
        let late = || clock.is_late(0.7);
        let costs = self.rest.clone();
        let chosen: Vec<usize> = (0..problem.rows()).filter(|&r| costs[problem.item_of[r]] > 0).collect();
        let Some(mut finder) = Finder::new(problem, chosen, 0) else { return self.peel() };
        if !finder.is_feasible(&late) {
            return self.peel();
        }
        let mut packing = Packing::new(&costs);
        let mut supports: Vec<Vec<usize>> = Vec::new();
        let (mut idle, mut next) = (0, 1);
        for round in 0..ROUNDS {
            if idle >= IDLE || late() {
                break;
            }
            if add_witnesses(self, &mut finder, &mut packing, &mut supports, &late) {
                idle = 0;
                packing.solve(&late);
            } else {
                idle += 1;
                if !finder.shake() {
                    break;
                }
            }
            if round == next {
                next *= 2;
                self.settle_packing(&mut packing, &supports)?;
                if self.is_done() {
                    return Ok(());
                }
            }
        }
        self.settle_packing(&mut packing, &supports)
    }

    /// Witnesses without a common item, one after another, for data that are too wide for the program.
    fn peel(&mut self) -> Result<()> {
        let of_row = self.rows_by_question();
        let mut taken: Vec<usize> = self.pairs.iter().flat_map(|(items, _)| items.clone()).collect();
        let mut parts = Vec::new();
        while parts.len() < 1000 && !self.clock.is_late(0.7) && !self.is_done() {
            let Some(rows) = self.separate(&taken)? else { break };
            let Some(weights) = reduce(self.filter, &rows, &self.clock.deadline(0.9))? else { break };
            let items = self.items_of(&weights, &of_row);
            let weight = items.iter().map(|&i| self.rest[i]).min().unwrap_or(0);
            taken.extend(&items);
            parts.push((weights, items, weight));
            self.settle(parts.clone(), 1)?;
        }
        Ok(())
    }

    /// Proves the witnesses that the packing uses, until all of them are.
    fn settle_packing(&mut self, packing: &mut Packing<'_>, supports: &[Vec<usize>]) -> Result<()> {
        for _ in 0..200 {
            let used: Vec<usize> = packing.weights().iter().map(|(k, _)| *k).collect();
            let shares = packing.shares(&packing.weights());
            let all: Vec<usize> = used.into_iter().chain(shares.shares.iter().map(|(k, _)| *k)).collect();
            self.prove_all(&all.iter().map(|&k| supports[k].clone()).collect::<Vec<_>>())?;
            let of_row = self.rows_by_question();
            let mut refuted = 0;
            for &k in &all {
                // A proof may rest on fewer rows: then the items are fewer, and the packing holds all the more.
                if self.proved.get(&supports[k]).is_some_and(Option::is_none) && !packing.is_refuted(k) {
                    packing.refute(k);
                    refuted += 1;
                }
            }
            if refuted == 0 {
                // Without those that are open it is a packing, too.
                let parts = shares.shares.iter().filter_map(|(k, n)| {
                    let weights = self.proved.get(&supports[*k])?.clone()?;
                    let items = self.items_of(&weights, &of_row);
                    Some((weights, items, *n))
                });
                let parts: Vec<(Weights, Vec<usize>, u64)> = parts.collect();
                return self.settle(parts, shares.denominator);
            }
            let clock = self.clock;
            packing.solve(&|| clock.is_late(PROVED));
        }
        Ok(())
    }

    /// Takes a packing of proved witnesses, and all pairs, as the lower bound if it is higher.
    fn settle(&mut self, parts: Vec<(Weights, Vec<usize>, u64)>, denominator: u64) -> Result<()> {
        let mut lower = Proved::default();
        let mut shares = Vec::new();
        let pairs: Vec<Vec<usize>> =
            self.pairs.iter().map(|(of, _)| of.iter().map(|&i| self.problem.items[i].rows.start).collect()).collect();
        self.prove_all(&pairs)?;
        for ((items, weight), rows) in self.pairs.iter().zip(&pairs) {
            if let Some(Some(weights)) = self.proved.get(rows) {
                shares.push((lower.witnesses.len(), weight * denominator));
                lower.witnesses.push(weights.clone());
                lower.items.push(items.clone());
            }
        }
        for (weights, items, share) in parts {
            shares.push((lower.witnesses.len(), share));
            lower.witnesses.push(weights);
            lower.items.push(items);
        }
        let shares = Shares { shares, denominator };
        lower.bound = shares.bound();
        lower.cases = vec![Case::Sum(shares)];
        if lower.bound > self.lower.bound {
            self.lower = lower;
            self.say();
        }
        Ok(())
    }

    /// Few items: cases, until the bracket is closed or the search is too long.
    pub(super) fn by_cases(&mut self, most: usize) -> Result<()> {
        let clock = self.clock;
        let late = || clock.is_late(0.95);
        let costs: Vec<u64> = self.problem.items.iter().map(|item| item.cost).collect();
        let of_row = self.rows_by_question();
        let mut known: Vec<(Vec<usize>, Weights)> =
            self.lower.items.iter().cloned().zip(self.lower.witnesses.iter().cloned()).collect();
        known.extend(self.proved.values().flatten().map(|weights| (self.items_of(weights, &of_row), weights.clone())));
        known.sort_by(|a, b| a.0.cmp(&b.0));
        known.dedup_by(|a, b| a.0 == b.0);
        let (mut items, mut witnesses): (Vec<Vec<usize>>, Vec<Weights>) = known.into_iter().unzip();
        for _ in 0..500 {
            let mut set = match cases::search(&items, &costs, self.upper(), most, &late) {
                Found::Unknown => return Ok(()),
                Found::Proof(cases) => {
                    self.lower = Proved { bound: self.upper(), witnesses, items, cases };
                    self.say();
                    return Ok(());
                }
                Found::Cheaper(set) => set,
            };
            // A hyperplane for the rest is cheaper than the best; else some witnesses without a common item are new.
            let before = (self.upper(), items.len());
            for _ in 0..8 {
                let Some(rows) = self.separate(&set)? else { break };
                let Some(weights) = reduce(self.filter, &rows, &clock.deadline(0.97))? else { break };
                let new = self.items_of(&weights, &of_row);
                set.extend(&new);
                items.push(new);
                witnesses.push(weights);
            }
            if before == (self.upper(), items.len()) || late() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Adds witnesses that the cover does not cover yet; false if none were found.
fn add_witnesses(
    engine: &Engine<'_>,
    finder: &mut Finder<'_>,
    packing: &mut Packing<'_>,
    supports: &mut Vec<Vec<usize>>,
    late: &dyn Fn() -> bool,
) -> bool {
    let problem = engine.problem;
    let mut z = packing.cover();
    let before = supports.len();
    // Several for one cover: the items of each count as covered for the next.
    for _ in 0..1 + problem.items.len() / 20 {
        let mut any = false;
        for rows in finder.find(&z, 1.0, late).into_iter().take(4) {
            let items = distinct(problem, &rows);
            if packing.add(items.clone()) {
                supports.push(rows);
                items.iter().for_each(|&i| z[i] += 1.0 / items.len() as f64);
                any = true;
            }
        }
        if !any || late() {
            break;
        }
    }
    supports.len() > before
}
