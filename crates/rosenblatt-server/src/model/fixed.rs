//! A finished model: it predicts, and does not learn. A model file is not enough to go on learning from: an average, for
//! example, cannot be continued from its value.

use std::collections::HashMap;
use std::sync::Arc;

use rosenblatt::learn::decide;
use rosenblatt::read::VwExample;
use rosenblatt::{AnyRows, Error, Hypothesis, Model, Result, SparseRows};

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
        let names = (0..).zip(model.schema.feature_names()).map(|(at, name)| (name, at)).collect();
        let classes = model.labels.names().iter().map(|name| readable(name).into_owned()).collect();
        Ok(Fixed { name: name.to_string(), model, names, classes: Arc::new(classes) })
    }

    /// The known features of a row, by number.
    fn known(&self, example: &VwExample) -> Vec<(u32, f64)> {
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
        let names = self.model.schema.feature_names();
        let entries = entries.iter().map(|&(at, value)| (names[at as usize].as_str().into(), value)).collect();
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
