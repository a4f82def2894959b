//! Answers for a file of any size: rows are read, scored and answered on all threads, and written in order.

use super::{Model, Scratch};
use crate::data::{Block, Format, Guess, Input, NeedLabels, Pace, Pool, ReadOptions, Schema, indexed_answers};
use crate::error::Result;

/// The file that was answered.
#[derive(Debug)]
pub struct Answered {
    /// What messages call it.
    pub name: String,
    /// The format it was in.
    pub format: Format,
    /// How the format was guessed, if it was.
    pub guessed: Option<Guess>,
    /// What a user may want to know of it.
    pub notes: Vec<String>,
}

/// The rows of one chunk, and what was said of them.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) block: Block,
    pub(crate) text: String,
    scratch: Scratch,
}

impl Model {
    /// Says something of the scores of every row of a file, in order, without keeping the rows.
    /// `None` where they have to be read whole: they are no LIBSVM text, or have to be prepared.
    pub fn answer_all(
        &self,
        input: &Input,
        options: &ReadOptions,
        say: impl Fn(&[f64], &mut String) + Sync,
        write: impl FnMut(&str) -> Result<()>,
    ) -> Result<Option<Answered>> {
        let Schema::Indexed { first, features } = self.schema else { return Ok(None) };
        // What cannot be read twice is read whole, unless its name or its first bytes say that it need not be.
        if !self.chain.is_empty() || !input.opens_again() {
            return Ok(None);
        }
        let answer = |said: &mut Said| {
            let Said { block, text, scratch } = said;
            text.clear();
            for x in block.rows() {
                self.hypothesis.scores(x, self.tie(), scratch);
                say(&scratch.scores, text);
            }
        };
        let (pool, pace) = (Pool::new(), Pace::default());
        indexed_answers(input, options, (first, features), NeedLabels::No, pace, &pool, answer, write)
    }
}
