//! Answers for a file of any size: rows are read, mapped, scored and answered on all threads, and written in order.

use crate::error::{Error, Result};
use crate::io::{Input, Pace, Pool};
use crate::learn::Hypothesis;
use crate::model::Model;
use crate::read::{
    Answered, Dataset, ModelFeatures, NeedLabels, Opened, Prediction, ReadOptions, answers, answers_of_table,
    each_array_block, read_opened_for,
};
use crate::rows::{Dense, Row};

impl Model {
    /// Says something of the scores of every row of a file, in order, while it is read. Rows are not kept, unless they
    /// have weights, or are compared with those of a kernel machine. Lines of a pipe are answered as they come.
    pub fn answer_all(
        &self,
        input: &Input,
        options: &ReadOptions,
        say: impl Fn(&[f64], &mut String) + Sync,
        write: impl FnMut(&str) -> Result<()>,
    ) -> Result<Answered> {
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
    ) -> Result<Answered> {
        let opened = Opened::to_answer(input, options, &self.schema, &self.labels)?;
        let features = ModelFeatures::of(&self.schema)?;
        // A kernel machine is faster on many rows at once.
        let kernel = features.is_none() && matches!(self.hypothesis, Hypothesis::Kernel(_));
        if kernel || !opened.streams_to(&self.schema, options) {
            return self.answer_whole(opened, input, options, say, write);
        }
        if opened.is_array() {
            return self.answer_array(opened, input, options, say, write);
        }
        if let Some(features) = features {
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
            return answers(opened, &features, NeedLabels::No, pace, &Pool::new(), answer, write);
        }
        let answer = |said: &mut Prediction| {
            said.text.clear();
            self.answer_table(said, &say);
        };
        answers_of_table(opened, options, &self.schema, pace, answer, write)
    }

    /// The same for the rows of a binary array, some at a time.
    fn answer_array(
        &self,
        opened: Opened<'_>,
        input: &Input,
        options: &ReadOptions,
        say: impl Fn(&[f64], &mut String),
        mut write: impl FnMut(&str) -> Result<()>,
    ) -> Result<Answered> {
        let Opened { lines, format, guessed } = opened;
        let (name, outputs) = (lines.name().to_string(), self.hypothesis.outputs());
        let mut text = String::new();
        let read = each_array_block(lines, format, self.schema.features(), |matrix| {
            self.score_blocks(matrix.rows()?, &mut |_, scores| {
                text.clear();
                scores.chunks(outputs).for_each(|scores| say(scores, &mut text));
                write(&text)
            })
        });
        match read.map_err(|error| error.in_file(&name))? {
            Ok(()) => Ok(Answered { name, format, guessed, notes: Vec::new() }),
            Err(lines) => self.answer_whole(Opened { lines, format, guessed }, input, options, say, write),
        }
    }

    /// The same after all rows are read.
    fn answer_whole(
        &self,
        opened: Opened<'_>,
        input: &Input,
        options: &ReadOptions,
        say: impl Fn(&[f64], &mut String),
        mut write: impl FnMut(&str) -> Result<()>,
    ) -> Result<Answered> {
        let dataset = read_opened_for(opened, input, options, &self.schema, &self.labels, NeedLabels::No)?;
        let (mut text, outputs) = (String::new(), self.hypothesis.outputs());
        self.score_blocks(dataset.table.matrix.rows()?, &mut |_, scores| {
            text.clear();
            scores.chunks(outputs).for_each(|scores| say(scores, &mut text));
            write(&text)
        })?;
        let Dataset { name, format, guessed, notes, .. } = dataset;
        Ok(Answered { name, format, guessed, notes })
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
