//! Small sets exactly: a search by cases for mistakes that hit every witness and cost less than some bound.
//!
//! An item is a mistake or it is right. With H the mistakes of a case so far and F the right ones, a packing of the witnesses
//! that H does not hit, in which items of F may carry any weight, bounds the cost from below by c(H) + Σ λ. If no case can
//! cost less than the bound, the tree of cases is a proof; else the set that was found either leaves rows that a hyperplane
//! separates, or a new witness.

use super::packing::Shares;

/// One step of a proof, in preorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Case {
    /// First the case in which this item is a mistake, then the one in which it is right.
    Item(usize),
    /// A packing ends the case.
    Sum(Shares),
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// Items that hit every witness and cost less.
    Cheaper(Vec<usize>),
    /// There are none.
    Proof(Vec<Case>),
    /// The search was too long.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Mistake,
    Right,
}

struct Search<'a> {
    witnesses: &'a [Vec<usize>],
    costs: &'a [u64],
    bound: u64,
    state: Vec<State>,
    cases: Vec<Case>,
    most: usize,
    late: &'a dyn Fn() -> bool,
    stopped: bool,
}

/// Looks for items that hit every witness and cost less than `bound`, in at most `most` cases.
pub(super) fn search(
    witnesses: &[Vec<usize>],
    costs: &[u64],
    bound: u64,
    most: usize,
    late: &dyn Fn() -> bool,
) -> Found {
    let state = vec![State::Open; costs.len()];
    let mut search = Search { witnesses, costs, bound, state, cases: Vec::new(), most, late, stopped: false };
    match search.visit(0, 0) {
        Some(found) => Found::Cheaper(found),
        None if search.stopped => Found::Unknown,
        None => Found::Proof(search.cases),
    }
}

/// The deepest nesting of cases.
const DEPTH: usize = 2000;

impl Search<'_> {
    fn visit(&mut self, spent: u64, depth: usize) -> Option<Vec<usize>> {
        self.stopped |=
            self.cases.len() >= self.most || depth > DEPTH || (self.cases.len() % 64 == 63 && (self.late)());
        if self.stopped {
            return None;
        }
        let (shares, branch) = self.packing(self.bound.saturating_sub(spent));
        if spent + shares.bound() >= self.bound {
            self.cases.push(Case::Sum(shares));
            return None;
        }
        let Some(item) = branch else {
            return Some((0..self.state.len()).filter(|&i| self.state[i] == State::Mistake).collect());
        };
        self.cases.push(Case::Item(item));
        for (state, cost) in [(State::Mistake, self.costs[item]), (State::Right, 0)] {
            self.state[item] = state;
            let found = self.visit(spent + cost, depth + 1);
            self.state[item] = State::Open;
            if found.is_some() || self.stopped {
                return found;
            }
        }
        None
    }

    /// A packing by whole numbers, until it is worth `enough`; and the item in most witnesses that are not hit yet.
    fn packing(&self, enough: u64) -> (Shares, Option<usize>) {
        let mut left = self.costs.to_vec();
        let mut often = vec![0usize; self.costs.len()];
        let is_hit = |w: &[usize]| w.iter().any(|&i| self.state[i] == State::Mistake);
        let open = |w: &[usize]| w.iter().filter(|&&i| self.state[i] == State::Open).count();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (k, w) in self.witnesses.iter().enumerate().filter(|(_, w)| !is_hit(w)) {
            order.push((open(w), k));
            w.iter().filter(|&&i| self.state[i] == State::Open).for_each(|&i| often[i] += 1);
        }
        let frequency = |k: usize| self.witnesses[k].iter().map(|&i| often[i]).sum::<usize>();
        order.sort_by_cached_key(|&(open, k)| (open, frequency(k)));
        let (mut shares, mut sum) = (Vec::new(), 0);
        for &(open, k) in &order {
            if sum >= enough {
                break;
            }
            let items = self.witnesses[k].iter().filter(|&&i| self.state[i] == State::Open);
            // All of its items are right: this case cannot be.
            let weight = if open == 0 { enough } else { items.clone().map(|&i| left[i]).min().unwrap_or(0) };
            if weight > 0 {
                items.for_each(|&i| left[i] -= weight);
                shares.push((k, weight));
                sum += weight;
            }
        }
        // In the shortest witness that is not hit, the item in most others.
        let shortest = order.first().map(|(_, k)| *k);
        let branch = shortest.and_then(|k| {
            let able = self.witnesses[k].iter().copied().filter(|&i| self.state[i] == State::Open);
            able.max_by_key(|&i| (often[i], std::cmp::Reverse(i)))
        });
        shares.sort_unstable();
        (Shares { shares, denominator: 1 }, branch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// The twin: every subset.
    fn cheapest(witnesses: &[Vec<usize>], costs: &[u64]) -> u64 {
        let hits = |set: u32| witnesses.iter().all(|w| w.iter().any(|i| set >> i & 1 == 1));
        let cost = |set: u32| (0..costs.len()).filter(|i| set >> i & 1 == 1).map(|i| costs[i]).sum();
        (0..1u32 << costs.len()).filter(|s| hits(*s)).map(cost).min().unwrap()
    }

    #[test]
    fn a_search_agrees_with_every_subset() {
        let mut random = Stream::new(5, &[]);
        for _ in 0..300 {
            let n = 3 + random.below(6) as usize;
            let costs: Vec<u64> = (0..n).map(|_| 1 + random.below(2)).collect();
            let mut witnesses = Vec::new();
            for _ in 0..1 + random.below(9) {
                let items: Vec<usize> = (0..n).filter(|_| random.below(2) == 0).collect();
                if !items.is_empty() {
                    witnesses.push(items);
                }
            }
            let least = cheapest(&witnesses, &costs);
            assert!(matches!(search(&witnesses, &costs, least, 10_000, &|| false), Found::Proof(_)));
            let Found::Cheaper(set) = search(&witnesses, &costs, least + 1, 10_000, &|| false) else { panic!() };
            assert_eq!(set.iter().map(|&i| costs[i]).sum::<u64>(), least);
            assert!(witnesses.iter().all(|w| w.iter().any(|i| set.contains(i))));
        }
    }
}
