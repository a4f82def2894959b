//! Answers for a file of any size: rows are read, scored and answered on all threads, and written in order.

use crate::error::Result;
use crate::io::{Input, Pace, Pool};
use crate::model::Model;
use crate::read::{Answered, NeedLabels, Prediction, ReadOptions, indexed_answers};
use crate::rows::Schema;

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
        let answer = |said: &mut Prediction| {
            let Prediction { block, text, scratch } = said;
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
