//! A trained kernel machine: support vectors, and either a coefficient for each or the path that votes.

use super::function::Biased;
use super::path::{NAMES as PATH_NAMES, Path};
use super::reading::{PathReader, Reading};
use super::sum::{Summer, sq_norms};
use super::support::{NAMES as SUPPORT_NAMES, Support};
use super::tile::ROWS;
use crate::error::{Error, Result};
use crate::learn::machine::{Ballot, Tie};
use crate::learn::{Array, Scratch, State, rows_in_block};
use crate::limits;
use crate::parallel;
use crate::rows::{AnyRows, Row, Sparse};

/// The result of a kernel learner.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelMachine {
    kernel: Biased,
    support: Support,
    outputs: usize,
    answer: Answer,
}

/// How scores are computed from the support.
#[derive(Debug, Clone, PartialEq)]
enum Answer {
    /// s_k = Σ coefficient · K(x_slot, x), by `[slot][output]`.
    Sum(Vec<f64>),
    /// Every vector of the path votes.
    Vote { path: Path, presented: u64, ballot: Ballot },
}

/// The array of coefficients in a file.
pub(crate) const COEFFICIENTS: &str = "coefficients";

impl KernelMachine {
    /// From coefficients by `[slot][output]`; support vectors with none are left out.
    pub fn sum(kernel: Biased, support: &Support, coefficients: Vec<f64>, outputs: usize) -> Self {
        let own = |slot: usize| &coefficients[slot * outputs..][..outputs];
        let (kept, _) = support.keeping(|slot| own(slot).iter().any(|c| *c != 0.0));
        let needed = (0..support.len()).map(own).filter(|c| c.iter().any(|c| *c != 0.0));
        let coefficients = needed.flatten().copied().collect();
        KernelMachine { kernel, support: kept, outputs, answer: Answer::Sum(coefficients) }
    }

    /// From a path that votes.
    pub fn voted(kernel: Biased, support: Support, path: Path, outputs: usize, presented: u64, ballot: Ballot) -> Self {
        KernelMachine { kernel, support, outputs, answer: Answer::Vote { path, presented, ballot } }
    }

    /// The kernel, with its bias if there is one.
    pub fn kernel(&self) -> Biased {
        self.kernel
    }

    /// The support vectors.
    pub fn support(&self) -> &Support {
        &self.support
    }

    /// How many features a row must have.
    pub fn features(&self) -> usize {
        self.support.features()
    }

    /// How many outputs: 1 for two classes, else one for each.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The number of updates that made the voters, if it votes.
    pub fn voters(&self) -> Option<usize> {
        match &self.answer {
            Answer::Sum(_) => None,
            Answer::Vote { path, .. } => Some(path.len()),
        }
    }

    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        match &self.answer {
            Answer::Sum(coefficients) => coefficients.iter().all(|c| c.is_finite()),
            Answer::Vote { .. } => true,
        }
    }

    /// Writes the scores of every row, row by row, on all threads. Some are missing if the limits have passed.
    pub(crate) fn score_into(&self, rows: AnyRows<'_>, tie: Tie, scores: &mut [f64]) {
        match &self.answer {
            Answer::Sum(coefficients) => self.sum_rows(rows, coefficients, scores),
            Answer::Vote { path, presented, ballot } => {
                let reader = self.reader(path, *presented, *ballot, tie);
                reader.score_into(rows, &[Reading::Vote], &mut [scores]);
            }
        }
    }

    fn reader<'a>(&'a self, path: &'a Path, presented: u64, ballot: Ballot, tie: Tie) -> PathReader<'a, Biased> {
        let (kernel, support, outputs) = (&self.kernel, &self.support, self.outputs);
        PathReader { kernel, support, path, sq_norms: &[], presented, outputs, ballot, tie }
    }

    fn sum_rows(&self, rows: AnyRows<'_>, coefficients: &[f64], scores: &mut [f64]) {
        let summer = || Summer::new(&self.kernel, &self.support, coefficients, self.outputs);
        parallel::for_chunks_in(scores, ROWS * self.outputs, &summer, &|summer, number, out| {
            if limits::has_passed() {
                return;
            }
            let first = number * ROWS;
            summer.scores(rows, first..first + out.len() / self.outputs, out);
        });
    }

    /// Calls `each` with the scores of these coefficients on one block of rows after the other, and with the number of
    /// its first row.
    pub(crate) fn sum_blocks(
        &self,
        rows: AnyRows<'_>,
        coefficients: &[f64],
        each: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<()> {
        let size = rows_in_block(self.outputs, rows.len());
        let what = || format!("the scores of {} classes", self.outputs).into();
        let mut scores = limits::zeros(size * self.outputs, what)?;
        for first in (0..rows.len()).step_by(size) {
            let last = rows.len().min(first + size);
            let scores = &mut scores[..(last - first) * self.outputs];
            self.sum_rows(rows.slice(first..last), coefficients, scores);
            limits::check()?;
            each(first, scores);
        }
        Ok(())
    }

    /// The scores of one row, left in `scratch.scores`. Many rows at a time are far faster:
    /// [`score_blocks`](crate::learn::Hypothesis::score_blocks).
    pub fn scores<X: Row>(&self, x: X, tie: Tie, scratch: &mut Scratch) {
        scratch.scores.clear();
        scratch.scores.resize(self.outputs, 0.0);
        match &self.answer {
            Answer::Sum(coefficients) => {
                let mut summer = Summer::new(&self.kernel, &self.support, coefficients, self.outputs);
                summer.scores_of(std::iter::once(x), &mut scratch.scores);
            }
            Answer::Vote { path, presented, ballot } => {
                let reader = self.reader(path, *presented, *ballot, tie);
                reader.score_one(x, Reading::Vote, &mut scratch.scores);
            }
        }
    }

    /// ‖v‖² of each output: of what is summed, or of the last voter.
    pub fn sq_norms(&self) -> Result<Vec<f64>> {
        sq_norms(&self.kernel, &self.support, &self.coefficients(), self.outputs)
    }

    /// The coefficients of what is summed, or of the last voter, by `[slot][output]`.
    pub fn coefficients(&self) -> Vec<f64> {
        match &self.answer {
            Answer::Sum(coefficients) => coefficients.clone(),
            Answer::Vote { path, presented, ballot } => self
                .reader(path, *presented, *ballot, Tie::Update)
                .coefficients(Reading::Last { normalised: false })
                .expect("the last vector is a sum"),
        }
    }

    /// The scale of its scores: the length of the vectors, or the number of votes.
    pub(crate) fn scale(&self) -> Result<f64> {
        match &self.answer {
            Answer::Sum(_) => Ok(self.sq_norms()?.iter().sum::<f64>().sqrt()),
            Answer::Vote { presented, .. } => Ok(*presented as f64),
        }
    }

    /// How its votes are counted and how many examples they were given for, if it votes.
    pub(crate) fn vote(&self) -> Option<(u64, Ballot)> {
        match &self.answer {
            Answer::Sum(_) => None,
            Answer::Vote { presented, ballot, .. } => Some((*presented, *ballot)),
        }
    }

    /// Writes its arrays.
    pub(crate) fn save(&self, state: &mut State) {
        self.support.save(state);
        match &self.answer {
            Answer::Sum(coefficients) => state.put(COEFFICIENTS, Array::F64(coefficients.clone())),
            Answer::Vote { path, .. } => path.save(state),
        }
    }

    /// Whether an array of this name belongs to it.
    pub(crate) fn owns(name: &str, votes: bool) -> bool {
        SUPPORT_NAMES.contains(&name) || if votes { PATH_NAMES.contains(&name) } else { name == COEFFICIENTS }
    }

    /// Reads its arrays, and refuses what no training writes.
    pub(crate) fn restore(
        arrays: &State,
        kernel: Biased,
        (features, outputs): (usize, usize),
        vote: Option<(u64, Ballot)>,
    ) -> Result<Self> {
        let support = Support::restore(arrays, features)?;
        let answer = match vote {
            Some((presented, ballot)) => {
                let path = Path::restore(arrays, support.len(), outputs, presented)?;
                Answer::Vote { path, presented, ballot }
            }
            None => {
                let coefficients = arrays.f64s(COEFFICIENTS)?;
                if Some(coefficients.len()) != support.len().checked_mul(outputs) {
                    return Err(Error::bad_model(format!(
                        "{} coefficients, where {} support vectors have {outputs} each",
                        coefficients.len(),
                        support.len()
                    )));
                }
                Answer::Sum(coefficients.to_vec())
            }
        };
        Ok(KernelMachine { kernel, support, outputs, answer })
    }

    /// A support vector.
    pub fn support_vector(&self, slot: usize) -> Sparse<'_, f64> {
        self.support.row(slot)
    }
}
