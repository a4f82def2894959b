//! What shards report after a round, and sums of such reports.

use std::collections::BTreeMap;

use super::part::Part;
use crate::error::{Error, Result};
use crate::limits;

/// How many reports are summed at a time: the shape of the tree of sums, and so a part of the result.
pub const FAN: usize = 8;

/// What a shard counted in a round.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Counts {
    /// Examples of the shard.
    pub(super) examples: u64,
    /// Of these, presented: those of weight zero are not.
    pub(super) presented: u64,
    pub(super) mistakes: u64,
    pub(super) updates: u64,
    /// Whether there are weights of examples or classes, which the theorem does not know.
    pub(super) weighted: bool,
    /// R² of the examples, the bias's coordinate counted.
    pub(super) sq_radius: f64,
    /// γ of the weights on the shard, if they never moved.
    pub(super) margin: Option<f64>,
}

/// What one shard changed in a round, or several neighbouring ones together.
#[derive(Debug, Clone, PartialEq)]
pub struct Delta {
    /// The round, from 0.
    pub(super) round: u32,
    /// The first shard.
    pub(super) first: u32,
    /// What each shard counted, from the first on.
    pub(super) counts: Vec<Counts>,
    /// The parts are new values and not sums: there is one shard only.
    pub(super) replaces: bool,
    /// By the name of the array: Σ c·d for what is mixed, Σ a for averages.
    pub(super) parts: BTreeMap<String, Part>,
    /// What counters have grown by.
    pub(super) increments: BTreeMap<String, u64>,
}

impl Delta {
    /// The round that it belongs to, from 0.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The shards that it speaks of, as the first and the one after the last.
    pub fn shards(&self) -> (u32, u32) {
        (self.first, self.first + self.counts.len() as u32)
    }

    /// The sum of the reports of neighbouring shards, in order. The shape of a tree of sums is a part of the result: sum
    /// [`FAN`] reports at a time, and then [`FAN`] sums.
    pub fn sum(deltas: Vec<Delta>) -> Result<Delta> {
        let mut deltas = deltas.into_iter();
        let first = deltas.next().ok_or_else(|| Error::bad_model("a sum of no reports"))?;
        let (mut all, mut rest) = (Delta { parts: BTreeMap::new(), ..first.clone() }, vec![first]);
        for next in deltas {
            if next.round != all.round || next.shards().0 != all.shards().1 || next.replaces || all.replaces {
                return Err(Error::bad_model("reports of shards that are not neighbours in one round"));
            }
            all.counts.extend(&next.counts);
            for (name, more) in &next.increments {
                *all.increments.entry(name.clone()).or_default() += more;
            }
            rest.push(next);
        }
        if let [one] = &mut rest[..] {
            all.parts = std::mem::take(&mut one.parts);
            return Ok(all);
        }
        let names: Vec<String> = rest.iter().flat_map(|delta| delta.parts.keys().cloned()).collect();
        for name in names {
            if !all.parts.contains_key(&name) {
                all.parts.insert(name.clone(), sum_parts(&mut rest, &name)?);
            }
        }
        Ok(all)
    }

    /// The sum of all reports, by the tree of fixed shape.
    pub(super) fn tree(mut nodes: Vec<Delta>) -> Result<Delta> {
        while nodes.len() > 1 {
            let mut above = Vec::with_capacity(nodes.len().div_ceil(FAN));
            let mut left = nodes.into_iter();
            loop {
                let some: Vec<Delta> = left.by_ref().take(FAN).collect();
                if some.is_empty() {
                    break;
                }
                above.push(Delta::sum(some)?);
            }
            nodes = above;
        }
        Delta::sum(nodes)
    }
}

/// The sum of the parts of this name, each of which is freed when it is added. −0 is written as 0, as in bytes.
fn sum_parts(deltas: &mut [Delta], name: &str) -> Result<Part> {
    let mut sum: Option<Vec<f64>> = None;
    for part in deltas.iter_mut().filter_map(|delta| delta.parts.remove(name)) {
        let length = part.len();
        let sum = match &mut sum {
            Some(sum) if sum.len() == length => sum,
            Some(_) => return Err(Error::bad_model(format!("reports with arrays \"{name}\" of different lengths"))),
            None => sum.insert(limits::filled(0.0, length, || format!("the sum of {length} numbers").into())?),
        };
        part.each(|j, v| sum[j] += v);
    }
    Ok(Part::of_sum(sum.unwrap_or_default()))
}
