//! A trained hypothesis: what is saved, served, certified and evaluated.

use super::scratch::Scratch;
use super::updates::Updates;
use super::voted::Voted;
use super::weights::Weights;
use crate::error::Result;
use crate::learn::kernel::KernelMachine;
use crate::learn::machine::{Ballot, Tie};
use crate::rows::Row;

/// The result of a learner.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Hypothesis {
    /// One hyperplane, or one for each class.
    Linear(Weights),
    /// Every hyperplane of a path, voting.
    Voted(Voted),
    /// Support vectors in the space of a kernel.
    Kernel(KernelMachine),
}

/// The index of the greatest score; the lowest index wins ties.
pub(crate) fn arg_max(scores: &[f64]) -> usize {
    let mut best = 0;
    for (k, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = k;
        }
    }
    best
}

/// The predicted class: by sign for one output, by the greatest for many (the lowest class wins ties).
pub fn decide(scores: &[f64], tie: Tie) -> u32 {
    match scores {
        [score] => tie.class_of(*score),
        many => arg_max(many) as u32,
    }
}

/// Counts the wrong predictions, given `outputs` scores for each row.
pub fn count_wrong(scores: &[f64], outputs: usize, tie: Tie, classes: &[u32]) -> u64 {
    scores.chunks(outputs).zip(classes).filter(|(scores, class)| decide(scores, tie) != **class).count() as u64
}

/// The margin of the true class: y·score for two classes, else its score less the best other's.
pub fn margin(scores: &[f64], class: u32) -> f64 {
    match scores {
        [score] if class == 1 => *score,
        [score] => -*score,
        many => {
            let others = many.iter().enumerate().filter(|(k, _)| *k != class as usize).map(|(_, s)| *s);
            many[class as usize] - others.fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

impl Hypothesis {
    /// How many features a row must have.
    pub fn features(&self) -> usize {
        match self {
            Hypothesis::Linear(weights) => weights.features(),
            Hypothesis::Voted(voted) => voted.start.features(),
            Hypothesis::Kernel(machine) => machine.features(),
        }
    }

    /// How many outputs: 1 for two classes, else one for each.
    pub fn outputs(&self) -> usize {
        match self {
            Hypothesis::Linear(weights) => weights.outputs(),
            Hypothesis::Voted(voted) => voted.start.outputs(),
            Hypothesis::Kernel(machine) => machine.outputs(),
        }
    }

    /// The hyperplane to draw and measure, if there is one in the space of the features: the weights, or the last voter.
    pub fn linear(&self) -> Option<Weights> {
        match self {
            Hypothesis::Linear(weights) => Some(weights.clone()),
            Hypothesis::Voted(voted) => Some(voted.last()),
            Hypothesis::Kernel(_) => None,
        }
    }

    /// The hyperplane of a hypothesis that is known to have one.
    ///
    /// # Panics
    /// If it has none: a kernel machine's boundary is curved. Use [`linear`](Self::linear) where that is possible.
    pub fn hyperplane(&self) -> Weights {
        self.linear().expect("a kernel machine has no hyperplane")
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Hypothesis::Linear(weights) => weights.is_finite(),
            Hypothesis::Voted(voted) => voted.last().is_finite(),
            Hypothesis::Kernel(machine) => machine.is_finite(),
        }
    }

    /// The hyperplane that explains the scores best: the weights, or the average of all voters.
    ///
    /// # Panics
    /// As [`hyperplane`](Self::hyperplane).
    pub fn summed(&self) -> Weights {
        match self {
            Hypothesis::Linear(weights) => weights.clone(),
            Hypothesis::Voted(voted) => voted.average(),
            Hypothesis::Kernel(_) => self.hyperplane(),
        }
    }

    /// The scale of the scores: the length of the weights, or the number of votes. Never zero.
    pub fn scale(&self) -> Result<f64> {
        let scale = match self {
            Hypothesis::Linear(weights) => weights.norm(),
            Hypothesis::Voted(voted) => voted.presented as f64,
            Hypothesis::Kernel(machine) => machine.scale()?,
        };
        Ok(if scale > 0.0 { scale } else { 1.0 })
    }

    /// The scores of x, left in `scratch.scores`.
    #[inline]
    pub fn scores<X: Row>(&self, x: X, tie: Tie, scratch: &mut Scratch) {
        match self {
            Hypothesis::Linear(weights) => {
                scratch.scores.resize(weights.outputs(), 0.0);
                weights.scores(x, &mut scratch.scores);
            }
            Hypothesis::Voted(voted) => voted.scores(x, tie, scratch),
            Hypothesis::Kernel(machine) => machine.scores(x, tie, scratch),
        }
    }

    /// Renumbers the features: feature j becomes `places[j]`. No score changes, as the rows are renumbered, too.
    ///
    /// # Panics
    /// If it is a kernel machine, whose rows are sorted; no stream trains one.
    pub(crate) fn renumber(&mut self, places: &[u32]) {
        match self {
            Hypothesis::Linear(weights) => weights.renumber(places),
            Hypothesis::Voted(voted) => {
                let mut updates = std::mem::take(&mut voted.updates);
                updates.renumber(places);
                let mut start = voted.start.clone();
                start.renumber(places);
                *voted = Voted::new(start, updates, voted.presented, voted.ballot);
            }
            Hypothesis::Kernel(_) => unreachable!("kernel machines are trained in memory"),
        }
    }

    /// Joins binary hypotheses into one with an output for each.
    ///
    /// # Panics
    /// If they are of different kinds: one learner makes one kind.
    pub(crate) fn side_by_side(each: Vec<Hypothesis>) -> Hypothesis {
        let mut linear = Vec::new();
        let mut voted = Vec::new();
        for hypothesis in &each {
            match hypothesis {
                Hypothesis::Linear(weights) => linear.push(weights),
                Hypothesis::Voted(v) => voted.push(v),
                Hypothesis::Kernel(_) => {}
            }
        }
        if linear.len() == each.len() {
            return Hypothesis::Linear(Weights::side_by_side(linear.into_iter()));
        }
        assert_eq!(voted.len(), each.len(), "one learner makes one kind of hypothesis");
        let starts: Vec<&Weights> = voted.iter().map(|v| &v.start).collect();
        let lists: Vec<&Updates> = voted.iter().map(|v| &v.updates).collect();
        let start = Weights::side_by_side(starts.into_iter());
        Hypothesis::Voted(Voted::new(start, Updates::merged(&lists), voted[0].presented, Ballot::Sign))
    }
}
