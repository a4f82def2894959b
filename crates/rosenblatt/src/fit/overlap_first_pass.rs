//! The first of many passes, learned while the file is still being read into memory.
//!
//! It leaves a checkpoint at its last example, and whoever has the data goes on from there: the model has the same bytes
//! as if learning had begun when all was read. Where the file surprises (a class that comes late, features counted from 0),
//! what was learned is thrown away, and nothing is lost but the time that would have been spent waiting.

use super::Observer;
use super::checkpoint::Checkpoint;
use super::stream::{Known, Pass};
use super::trainer::Trainer;
use crate::error::Result;
use crate::io::{Input, Pace, Pool};
use crate::map::Chain;
use crate::read::{Dataset, Format, ReadOptions, format_of, read, read_passing_on};

/// A file that was read, and perhaps learned from once.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a training")]
pub enum Begun {
    /// All of it was read.
    Read {
        /// The examples.
        dataset: Dataset,
        /// Where the first pass ended, if it was learned on the way.
        after_first: Option<Checkpoint>,
    },
    /// The observer wanted no more before the first pass was over.
    Stopped,
}

impl Trainer {
    /// Reads a file whole, as [`read`] does, and learns the first of several passes on the way where the settings and the
    /// format allow it.
    pub fn read_and_begin(&self, input: &Input, options: &ReadOptions, observer: &mut dyn Observer) -> Result<Begun> {
        self.read_and_begin_at(input, options, Pace::default(), observer)
    }

    pub(crate) fn read_and_begin_at(
        &self,
        input: &Input,
        options: &ReadOptions,
        pace: Pace,
        observer: &mut dyn Observer,
    ) -> Result<Begun> {
        let several = self.plan.epochs > 1 && self.learns_by_blocks() && input.opens_again();
        if !several || format_of(input, options)?.0 != Format::Libsvm {
            return Ok(Begun::Read { dataset: read(input, options)?, after_first: None });
        }
        let pool = Pool::new();
        let mut pass = Pass::new(self, options.positive.as_deref(), Known::little(), true, &pool).counting();
        let read = read_passing_on(input, options, pace, &pool, |block, labels| pass.take(block, labels, observer))?;
        let Some((dataset, labels)) = read else { return Ok(Begun::Stopped) };
        let learned = pass.so_far(&labels, observer).map_err(|e| e.in_file(&dataset.name))?;
        let Some((mut pupil, failures)) = learned else { return Ok(Begun::Read { dataset, after_first: None }) };
        if pupil.stopped.is_some() {
            return Ok(Begun::Stopped);
        }
        let table = &dataset.table;
        pupil.learner.grow(table.schema.features());
        let shape = (&table.labels, &table.schema, &Chain::default());
        let mut after_first = Checkpoint::of(self, shape, &*pupil.learner, &pupil.course, &failures);
        after_first.data = Some(dataset.fingerprint);
        Ok(Begun::Read { dataset, after_first: Some(after_first) })
    }
}
