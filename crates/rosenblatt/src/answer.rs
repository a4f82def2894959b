//! Answers for a file of any size: rows are read, mapped, scored and answered on all threads, and written in order.

use crate::error::{Error, Result};
use crate::io::{Input, Pace, Pool};
use crate::learn::Hypothesis;
use crate::model::Model;
use crate::read::{Answered, ModelFeatures, NeedLabels, Prediction, ReadOptions, answers, answers_of_table};
use crate::rows::{Dense, Row};

impl Model {
    /// Says something of the scores of every row of a file, in order, without keeping the rows.
    /// `None` where they have to be read whole: they are binary, come from a pipe, or are compared with rows of a kernel
    /// machine.
    pub fn answer_all(
        &self,
        input: &Input,
        options: &ReadOptions,
        say: impl Fn(&[f64], &mut String) + Sync,
        write: impl FnMut(&str) -> Result<()>,
    ) -> Result<Option<Answered>> {
        self.answer_at(input, options, Pace::default(), say, write)
    }

    /// The same at any pace.
    pub(crate) fn answer_at(
        &self,
        input: &Input,
        options: &ReadOptions,
        pace: Pace,
        say: impl Fn(&[f64], &mut String) + Sync,
        write: impl FnMut(&str) -> Result<()>,
    ) -> Result<Option<Answered>> {
        // What cannot be read twice is read whole, unless its name or its first bytes say that it need not be.
        if !input.opens_again() {
            return Ok(None);
        }
        if let Some(features) = ModelFeatures::of(&self.schema)? {
            let answer = |said: &mut Prediction| {
                let Prediction { block, text, scratch, mapped: (row, spare), .. } = said;
                text.clear();
                for x in block.rows() {
                    if self.chain.is_empty() {
                        self.hypothesis.scores(x, self.tie(), scratch);
                    } else {
                        self.chain.apply(x, row, spare);
                        self.hypothesis.scores(row.row(), self.tie(), scratch);
                    }
                    say(&scratch.scores, text);
                }
            };
            return answers(input, options, &features, NeedLabels::No, pace, &Pool::new(), answer, write);
        }
        if matches!(self.hypothesis, Hypothesis::Kernel(_)) {
            return Ok(None);
        }
        let answer = |said: &mut Prediction| {
            said.text.clear();
            self.answer_table(said, &say);
        };
        answers_of_table(input, options, &self.schema, pace, answer, write)
    }

    /// Answers the rows of a part of a table. Rows that are dense in memory are dense here, so that every sum is the same.
    fn answer_table(&self, said: &mut Prediction, say: &impl Fn(&[f64], &mut String)) {
        let Prediction { block, text, scratch, mapped: (row, spare), dense } = said;
        let mut finite = true;
        if block.width.is_none() {
            for x in block.rows() {
                if self.chain.is_empty() {
                    self.hypothesis.scores(x, self.tie(), scratch);
                } else {
                    self.chain.apply(x, row, spare);
                    finite &= row.values.iter().all(|v| v.is_finite());
                    self.hypothesis.scores(row.row(), self.tie(), scratch);
                }
                say(&scratch.scores, text);
            }
        } else {
            let (features, keeps) = (self.chain.features(self.schema.features()), self.chain.keeps_dense());
            for x in block.dense_rows() {
                if self.chain.is_empty() {
                    self.hypothesis.scores(x, self.tie(), scratch);
                } else {
                    self.chain.apply(x, row, spare);
                    finite &= row.values.iter().all(|v| v.is_finite());
                    if keeps {
                        dense.clear();
                        dense.resize(features, 0.0);
                        row.row().each(|j, v| dense[j] = v);
                        self.hypothesis.scores(Dense(dense), self.tie(), scratch);
                    } else {
                        self.hypothesis.scores(row.row(), self.tie(), scratch);
                    }
                }
                say(&scratch.scores, text);
            }
        }
        if !finite && block.refused.is_none() {
            // Finite numbers can overflow, in a product for example.
            let message = "after the preparation of the rows: a number is not finite";
            block.refused = Some(Error::bad_data(message));
        }
    }
}
