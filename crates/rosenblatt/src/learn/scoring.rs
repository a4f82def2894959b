//! Scores of many rows: in blocks, so that rows × classes never fill the memory, on all threads.

use super::geometry::{Geometry, Least};
use super::hypothesis::{Hypothesis, count_wrong};
use super::scratch::Scratch;
use super::weights::Weights;
use crate::error::Result;
use crate::learn::kernel::{self, KernelMachine};
use crate::learn::machine::Tie;
use crate::limits;
use crate::parallel;
use crate::rows::{AnyRows, Examples, Rows, each_kind};

/// Scores in a block: 16 MiB.
const BLOCK: usize = 1 << 21;
/// The most rows that a thread scores at a time.
const CHUNK: usize = 1024;
/// Multiplications that a thread makes before it asks whether to stop: a few milliseconds.
const WORK: usize = 1 << 22;

impl Hypothesis {
    /// Calls `each` with the scores of one block of rows after the other: the number of its first row, and `outputs`
    /// scores for each row. The scores are the same for any number of threads.
    pub fn score_blocks(
        &self,
        rows: AnyRows<'_>,
        tie: Tie,
        each: &mut dyn FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<()> {
        let outputs = self.outputs();
        let size = rows_in_block(outputs, rows.len());
        self.prepare()?;
        let mut scores = limits::zeros(size * outputs, || format!("the scores of {outputs} classes").into())?;
        for first in (0..rows.len()).step_by(size) {
            let last = rows.len().min(first + size);
            let scores = &mut scores[..(last - first) * outputs];
            self.score_into(rows.slice(first..last), tie, scores)?;
            each(first, scores)?;
        }
        Ok(())
    }

    /// The scores of every row, row by row. An error if rows × outputs do not fit in memory: see
    /// [`score_blocks`](Self::score_blocks).
    pub fn score_all(&self, rows: AnyRows<'_>, tie: Tie) -> Result<Vec<f64>> {
        let (count, outputs) = (rows.len(), self.outputs());
        self.prepare()?;
        let what = || format!("the scores of {count} rows × {outputs} classes").into();
        let mut scores = limits::zeros(count.saturating_mul(outputs), what)?;
        self.score_into(rows, tie, &mut scores)?;
        Ok(scores)
    }

    /// The number of these examples that it gets wrong.
    pub fn wrong(&self, examples: Examples<'_>, tie: Tie) -> Result<u64> {
        let (outputs, mut wrong) = (self.outputs(), 0);
        self.score_blocks(examples.rows, tie, &mut |first, scores| {
            wrong += count_wrong(scores, outputs, tie, &examples.classes[first..]);
            Ok(())
        })?;
        Ok(wrong)
    }

    /// Builds what scoring needs, if it fits in memory.
    fn prepare(&self) -> Result<()> {
        if let Hypothesis::Voted(voted) = self { voted.prepare() } else { Ok(()) }
    }

    /// Writes the scores of all rows. On an error some are missing.
    fn score_into(&self, rows: AnyRows<'_>, tie: Tie, scores: &mut [f64]) -> Result<()> {
        match self {
            Hypothesis::Kernel(machine) => machine.score_into(rows, tie, scores),
            _ => each_kind!(rows, rows => self.score_rows(rows, tie, scores)),
        }
        limits::check()
    }

    fn score_rows<R: Rows>(&self, rows: R, tie: Tie, scores: &mut [f64]) {
        let outputs = self.outputs();
        let work = match self {
            Hypothesis::Voted(voted) => voted.work(),
            _ => outputs,
        };
        let chunk = (WORK / work.max(1)).clamp(1, CHUNK);
        parallel::for_chunks_in(scores, chunk * outputs, &Scratch::default, &|scratch, c, out| {
            // What is missing then is never used: the caller checks the limits.
            if limits::has_passed() {
                return;
            }
            for (i, out) in out.chunks_mut(outputs).enumerate() {
                self.scores(rows.row(c * chunk + i), tie, scratch);
                out.copy_from_slice(&scratch.scores);
            }
        });
    }
}

/// The measurements of a hypothesis on labelled examples.
#[derive(Debug)]
pub struct Measurement {
    /// Examples that it gets wrong.
    pub wrong: u64,
    /// The functional margin of each example, if there are two classes.
    pub margins: Vec<f64>,
    /// Radius and margin; of voters, those of the last.
    pub geometry: Geometry,
}

/// Measures a hypothesis on one set of examples after the other.
pub struct Measurer<'a> {
    hypothesis: &'a Hypothesis,
    tie: Tie,
    vectors: Vectors<'a>,
}

/// The vectors whose geometry is measured.
enum Vectors<'a> {
    /// The hyperplane that scores.
    Weights(&'a Weights),
    /// The hyperplane of the last voter.
    LastVoter(Weights),
    /// Vectors in the space of a kernel, with their squared lengths, and the last voter's coefficients if there are voters.
    Kernel { machine: &'a KernelMachine, sq_norms: Vec<f64>, last_voter: Option<Vec<f64>> },
}

impl<'a> Measurer<'a> {
    /// Computes once what all measurements need.
    pub fn new(hypothesis: &'a Hypothesis, tie: Tie) -> Result<Self> {
        let vectors = match hypothesis {
            Hypothesis::Linear(weights) => Vectors::Weights(weights),
            Hypothesis::Voted(voted) => Vectors::LastVoter(voted.last()),
            Hypothesis::Kernel(machine) => {
                let sq_norms = machine.sq_norms()?;
                let last_voter = machine.voters().map(|_| machine.coefficients());
                Vectors::Kernel { machine, sq_norms, last_voter }
            }
        };
        Ok(Measurer { hypothesis, tie, vectors })
    }

    /// Scores these examples.
    pub fn measure(&self, examples: Examples<'_>) -> Result<Measurement> {
        let outputs = self.hypothesis.outputs();
        let (mut wrong, mut margins, mut least) = (0, Vec::new(), Least::new(outputs));
        let own_scores = match &self.vectors {
            Vectors::Weights(_) => true,
            Vectors::LastVoter(_) => false,
            Vectors::Kernel { last_voter, .. } => last_voter.is_none(),
        };
        self.hypothesis.score_blocks(examples.rows, self.tie, &mut |first, scores| {
            let classes = &examples.classes[first..];
            wrong += count_wrong(scores, outputs, self.tie, classes);
            if own_scores {
                least.add_all(scores, classes);
            }
            if outputs == 1 {
                margins.extend(scores.iter().zip(classes).map(|(s, &class)| if class == 1 { *s } else { -*s }));
            }
            Ok(())
        })?;
        let geometry = match &self.vectors {
            Vectors::Weights(weights) => {
                let sq_radius = examples.rows.sq_longest() + weights.constant().squared();
                least.of_hyperplane(weights, sq_radius, examples.len())
            }
            Vectors::LastVoter(weights) => Geometry::measure(weights, examples)?,
            Vectors::Kernel { machine, sq_norms, last_voter } => {
                if let Some(coefficients) = last_voter {
                    machine.sum_blocks(examples.rows, coefficients, &mut |first, scores| {
                        least.add_all(scores, &examples.classes[first..]);
                    })?;
                }
                least.geometry(kernel::radius(&machine.kernel(), examples.rows), sq_norms, examples.len())
            }
        };
        Ok(Measurement { wrong, margins, geometry })
    }
}

/// Rows in a block whose scores take up to 16 MiB.
pub(crate) fn rows_in_block(outputs: usize, rows: usize) -> usize {
    (BLOCK / outputs).clamp(1, rows.max(1))
}
