//! A finished model: it predicts, and does not learn. A model file is not enough to go on learning from: an average, for
//! example, cannot be continued from its value.

use std::collections::HashMap;
use std::sync::Arc;

use rosenblatt::learn::decide;
use rosenblatt::map::hash_named;
use rosenblatt::read::VwExample;
use rosenblatt::{AnyRows, Error, Hypothesis, Model, Result, Schema, SparseRows};

use super::ask::{Ask, Description, ErrorWindows, Explained, Predicted};
use crate::engine::Prediction;
use crate::http::Problem;
use crate::rows::readable;

/// The model, and its features by name.
pub(super) struct Fixed {
    name: String,
    model: Model,
    names: HashMap<String, u32>,
    classes: Arc<Vec<String>>,
}

impl Fixed {
    /// A model from the bytes of its file.
    pub(super) fn new(name: &str, bytes: &[u8]) -> Result<Fixed> {
        let model = Model::from_bytes(name, bytes)?;
        // Buckets of hashed words have no names that a row could have.
        let names = match model.schema.hashed() {
            Some(_) => HashMap::new(),
            None => (0..).zip(model.schema.feature_names()).map(|(at, name)| (name, at)).collect(),
        };
        let classes = model.labels.names().iter().map(|name| readable(name).into_owned()).collect();
        Ok(Fixed { name: name.to_string(), model, names, classes: Arc::new(classes) })
    }

    /// The name of an n-gram as a model of hashed words has it: `word` of a text alone, whatever the row calls it, or
    /// `column:word`.
    fn gram(&self, name: &str) -> String {
        let alone = matches!(&self.model.schema, Schema::Columns { columns, .. } if columns.len() == 1);
        match name.split_once('^') {
            Some((_, word)) if alone => readable(word).into_owned(),
            Some((column, word)) => format!("{}:{}", readable(column), readable(word)),
            None => readable(name).into_owned(),
        }
    }

    /// The known features of a row, by number.
    fn known(&self, example: &VwExample) -> Vec<(u32, f64)> {
        if let Some(how) = self.model.schema.hashed() {
            let named: Vec<(String, f64)> = example.entries().map(|(name, value)| (self.gram(name), value)).collect();
            return hash_named(how, named.iter().map(|(name, value)| (name.as_str(), *value)));
        }
        let place = |name: &str| self.names.get(name).or_else(|| self.names.get(&*readable(name))).copied();
        let known = |(name, value): (&str, f64)| Some((place(name)?, value));
        let mut entries: Vec<(u32, f64)> = example.entries().filter_map(known).filter(|(_, v)| *v != 0.0).collect();
        entries.sort_by_key(|(at, _)| *at);
        entries.dedup_by_key(|(at, _)| *at);
        entries
    }

    fn predictions(&self, rows: &[VwExample]) -> Result<Vec<Prediction>> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            for (at, value) in self.known(row) {
                indices.push(at);
                values.push(value);
            }
            offsets.push(indices.len());
        }
        let features = self.model.schema.features();
        let rows = AnyRows::SparseF64(SparseRows::new(&offsets, &indices, &values, features)?);
        let scores = self.model.score_all(rows)?;
        let one = |scores: &[f64]| Prediction {
            classes: self.classes.clone(),
            class: Some(decide(scores, self.model.tie())),
            probabilities: self.model.calibration.as_ref().map(|calibration| calibration.probabilities(scores)),
            scores: scores.iter().map(|score| score + 0.0).collect(),
        };
        Ok(scores.chunks(self.model.hypothesis.outputs()).map(one).collect())
    }

    /// The answers for rows.
    pub(super) fn predict(&self, rows: &[VwExample]) -> Result<Predicted> {
        Ok(Predicted { predictions: self.predictions(rows)?, seq: 0 })
    }

    fn explain(&self, row: &VwExample) -> Result<Explained> {
        let predicted = self.predictions(std::slice::from_ref(row))?;
        let [prediction] = <[Prediction; 1]>::try_from(predicted).map_err(|_| Error::bad_data("no row"))?;
        let Hypothesis::Linear(weights) = &self.model.hypothesis else {
            return Err(Error::settings("only a hyperplane has terms for each feature"));
        };
        if !self.model.chain.is_empty() {
            return Err(Error::settings("this model prepares its rows: explain them by the command line"));
        }
        let entries = self.known(row);
        let indices: Vec<u32> = entries.iter().map(|(at, _)| *at).collect();
        let name = |at: u32| self.model.schema.feature_name(at as usize);
        let entries = entries.iter().map(|&(at, value)| (name(at).as_str().into(), value)).collect();
        Ok(Explained { prediction, entries, weights: Some(weights.pick(&indices)), seq: 0 })
    }

    fn describe(&self) -> Description {
        let facts = &self.model.facts;
        Description {
            name: self.name.clone(),
            learner: facts.recipe.learner.clone(),
            params: facts.recipe.params.clone(),
            keep: facts.recipe.keep.map(|keep| keep.name().to_string()).unwrap_or_default(),
            maps: Default::default(),
            classes: self.classes.to_vec(),
            features: self.model.schema.features(),
            seq: 0,
            mistakes: facts.mistakes,
            updates: facts.updates,
            error: ErrorWindows { all: None, last_1000: None, last_10000: None },
            bound: None,
            by_label: Vec::new(),
            drift: false,
            finished: true,
            learning: false,
            stopped: Some("a finished model predicts, and does not learn".into()),
        }
    }

    /// Answers at once.
    pub(super) fn answer(&self, ask: Ask) {
        let failed = |error: Error| Problem::new(422, "bad-row", error.to_string());
        match ask {
            Ask::Predict { rows, reply, .. } => {
                let _ = reply.send(self.predict(&rows).map_err(failed));
            }
            Ask::Explain { row, reply } => {
                let _ = reply.send(self.explain(&row).map_err(failed));
            }
            Ask::Describe(reply) => {
                let _ = reply.send(Ok(self.describe()));
            }
            Ask::Model(reply) => {
                let _ = reply.send(Ok((Box::new(self.model.clone()), 0)));
            }
            Ask::Learn(ask) => {
                let message = "a finished model predicts, and does not learn: learn into another name";
                let _ = ask.reply.send(Err(Problem::new(409, "finished", message)));
            }
            Ask::Snapshotted { .. } | Ask::Stop => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use rosenblatt::fit::{Data, FileData, Storage, With};
    use rosenblatt::read::{NeedLabels, ReadOptions, read_for};
    use rosenblatt::{Input, Trainer};

    use super::*;
    use crate::rows::{Row, RowLimits, Texts, ndjson_line};

    /// The words of a row had no names in the model, which answered by its bias alone.
    #[test]
    fn a_model_of_hashed_words_hashes_the_words_of_a_row() {
        let input = Input::memory("d.tsv", "spam\tbuy now, buy\nham\tsee you soon\n".repeat(20));
        let (label, text) = (Some("1".to_string()), vec!["2".to_string()]);
        let options = ReadOptions { label, text, header: rosenblatt::Header::No, ..ReadOptions::default() };
        let mut trainer = Trainer::auto().epochs(2);
        trainer.preparation.hash_bits = Some(9);
        let data = Data::File(FileData::new(&input, &options, &Storage::Memory));
        let model = trainer.fit_with(data, With::default()).unwrap().model;
        assert!(model.schema.hashed().is_some());
        let fixed = Fixed::new("m", &model.to_bytes()).unwrap();
        for text in ["Buy, buy now", "see you", "neither"] {
            let line = ndjson_line(&format!("{{\"text\": \"{text}\"}}"), &Texts::default()).unwrap();
            let row = Row::new(line, &RowLimits::default(), false).unwrap();
            let found = fixed.predict(&[row.example]).unwrap().predictions.remove(0);
            let file = Input::memory("d.fasttext", format!("{text}\n"));
            let rows = read_for(&file, &ReadOptions::default(), &model.schema, &model.labels, NeedLabels::No).unwrap();
            let expected = model.score_all(rows.table.matrix.rows().unwrap()).unwrap()[0];
            assert!((found.scores[0] - expected).abs() < 1e-12, "{text}: {:?} {expected}", found.scores);
        }
    }
}
