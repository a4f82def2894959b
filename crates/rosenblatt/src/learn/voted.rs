//! Every weight vector of a path, voting.

use std::sync::OnceLock;

use super::products::{Move, Products};
use super::scratch::Scratch;
use super::updates::Updates;
use super::weights::Weights;
use crate::error::Result;
use crate::learn::machine::{Ballot, POSITIVE, Tie};
use crate::limits;
use crate::rows::Row;

/// The voted perceptron: a start vector, the updates that made all later ones, and how votes are counted.
///
/// The score of vector j on x is that of vector j − 1 plus scale · (xⱼ·x): all voters together cost one product for
/// each distinct example that ever erred, and one addition for each update.
#[derive(Debug)]
pub struct Voted {
    pub(crate) start: Weights,
    pub(crate) updates: Updates,
    pub(crate) presented: u64,
    pub(crate) ballot: Ballot,
    /// Built when the first row is scored.
    products: OnceLock<Products>,
}

impl Clone for Voted {
    fn clone(&self) -> Self {
        Voted::new(self.start.clone(), self.updates.clone(), self.presented, self.ballot)
    }
}

impl PartialEq for Voted {
    fn eq(&self, other: &Self) -> bool {
        let facts = |v: &Voted| (v.presented, v.ballot);
        facts(self) == facts(other) && self.start == other.start && self.updates == other.updates
    }
}

impl Voted {
    /// From a path of `presented` examples.
    pub fn new(start: Weights, updates: Updates, presented: u64, ballot: Ballot) -> Self {
        Voted { start, updates, presented, ballot, products: OnceLock::new() }
    }

    /// How many examples were presented: all votes add up to this, for each output that votes yes or no.
    pub fn presented(&self) -> u64 {
        self.presented
    }

    /// The updates that made the voters.
    pub fn updates(&self) -> &Updates {
        &self.updates
    }

    /// The votes of each weight vector, the start vector first, for a machine with one ballot at a time.
    pub fn votes(&self) -> Vec<u64> {
        let mut begins = vec![1];
        begins.extend(self.updates.iter().map(|u| u.time));
        let ends = begins[1..].iter().copied().chain([self.presented + 1]);
        begins.iter().zip(ends).map(|(begin, end)| end - begin).collect()
    }

    /// Calls `each` with every weight vector and its votes, in order, for a machine with one ballot at a time.
    pub fn each_voter(&self, mut each: impl FnMut(&Weights, u64)) {
        let (mut w, votes) = (self.start.clone(), self.votes());
        each(&w, votes[0]);
        for (update, &votes) in self.updates.iter().zip(&votes[1..]) {
            for (&output, &scale) in update.moves {
                w.add(update.x, output as usize, scale);
            }
            each(&w, votes);
        }
    }

    /// The last weight vector.
    pub fn last(&self) -> Weights {
        let mut w = self.start.clone();
        for update in self.updates.iter() {
            for (&output, &scale) in update.moves {
                w.add(update.x, output as usize, scale);
            }
        }
        w
    }

    /// The average of all voters, weighted by their votes: the result of the averaged perceptron.
    pub fn average(&self) -> Weights {
        let mut sum = self.start.clone();
        sum.map(|w| w * self.presented as f64);
        for update in self.updates.iter() {
            // A move at time t counts in all votes from t on.
            let votes = (self.presented + 1 - update.time) as f64;
            for (&output, &scale) in update.moves {
                sum.add(update.x, output as usize, scale * votes);
            }
        }
        let votes = self.presented.max(1) as f64;
        sum.map(|w| w / votes);
        sum
    }

    fn products(&self) -> &Products {
        self.products.get_or_init(|| Products::new(&self.updates, self.start.features()))
    }

    /// Builds what scoring needs, if it fits in memory.
    pub(super) fn prepare(&self) -> Result<()> {
        if self.products.get().is_none() {
            let bytes = Products::bytes(&self.updates, self.start.features());
            limits::room_for::<u8>(bytes, || format!("the votes of {} updates", self.updates.len()).into())?;
            self.products();
        }
        Ok(())
    }

    /// Multiplications and additions for one row, at most.
    pub(super) fn work(&self) -> usize {
        self.products().entries() + self.products().moves().len() + self.start.outputs()
    }

    /// The votes on x, written over `scratch.scores`: yes less no for each output, or the votes of each class.
    ///
    /// The votes of an output are counted when it moves: in between its answer is constant.
    pub fn scores<X: Row>(&self, x: X, tie: Tie, scratch: &mut Scratch) {
        let outputs = self.start.outputs();
        let Scratch { scores: votes, running, products, since } = scratch;
        votes.clear();
        votes.resize(outputs, 0.0);
        running.resize(outputs, 0.0);
        self.start.scores(x, running);
        since.clear();
        since.resize(outputs, 1);
        let index = self.products();
        index.fill(x, products);

        let constant = self.start.constant().squared();
        if outputs == 1 {
            votes[0] = self.count_one(index.moves(), products, running[0], tie);
            return;
        }
        for step in index.moves() {
            let k = step.output as usize;
            match self.ballot {
                Ballot::Sign => {
                    votes[k] += sign(running[k], tie) * (step.time - since[k]) as f64;
                    since[k] = step.time;
                }
                // The outputs of one update move at one time, and are counted before the first of them moves.
                Ballot::ArgMax if step.time > since[0] => {
                    votes[super::hypothesis::arg_max(running)] += (step.time - since[0]) as f64;
                    since[0] = step.time;
                }
                Ballot::ArgMax => {}
            }
            running[k] += step.scale * (products[step.row as usize] + constant);
        }
        let end = self.presented + 1;
        match self.ballot {
            Ballot::ArgMax => votes[super::hypothesis::arg_max(running)] += (end - since[0]) as f64,
            Ballot::Sign => {
                for k in 0..outputs {
                    votes[k] += sign(running[k], tie) * (end - since[k]) as f64;
                }
            }
        }
    }

    /// The same for a single output, whose score and votes then stay in registers: yes less no.
    fn count_one(&self, moves: &[Move], products: &[f64], mut score: f64, tie: Tie) -> f64 {
        let constant = self.start.constant().squared();
        let (mut votes, mut since) = (0, 1);
        let signed =
            |score: f64, count: u64| if tie.class_of(score) == POSITIVE { count as i64 } else { -(count as i64) };
        for step in moves {
            votes += signed(score, step.time - since);
            since = step.time;
            score += step.scale * (products[step.row as usize] + constant);
        }
        (votes + signed(score, self.presented + 1 - since)) as f64
    }
}

fn sign(score: f64, tie: Tie) -> f64 {
    if tie.class_of(score) == POSITIVE { 1.0 } else { -1.0 }
}
