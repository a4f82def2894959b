//! A chain of maps, which a model applies to every row before it scores it.

use super::Map;
use super::entries::Entries;
use super::select::Select;
use crate::error::{Error, Result};
use crate::learn::{State, Weights};
use crate::limits;
use crate::message::Message;
use crate::parallel;
use crate::rows::{AnyRows, DenseMatrix, Matrix, Row, Rows, Schema, SparseMatrix};

/// Rows in a chunk: fixed, so that the result is the same on any number of threads.
const CHUNK: usize = 512;
/// Bytes of a feature's name in memory: a short text, and its place.
const NAME: usize = 48;

/// Fitted maps, applied one after the other. An empty chain leaves rows as they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chain {
    maps: Vec<Map>,
}

impl Chain {
    /// Whether rows stay as they are.
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// The maps in order.
    pub fn maps(&self) -> &[Map] {
        &self.maps
    }

    /// The maps in order, owned.
    pub(crate) fn into_maps(self) -> Vec<Map> {
        self.maps
    }

    /// Replaces the first map, a selection, by one of other `inputs`; a selection of all is removed.
    pub(crate) fn narrow(&mut self, kept: Vec<u32>, inputs: usize) {
        if kept.len() == inputs {
            self.maps.remove(0);
        } else {
            self.maps[0] = Map::Select(Select::new(kept, inputs));
        }
    }

    /// Appends a map.
    pub(crate) fn push(&mut self, map: Map) {
        self.maps.push(map);
    }

    /// One more feature comes in, of this name. Only for the maps of
    /// [`Preparation::online`](super::Preparation::online).
    pub(crate) fn grow(&mut self, name: &str) {
        for map in &mut self.maps {
            map.step_mut().grow(name);
            // All buckets are there from the start.
            if matches!(map, Map::Hashing(_)) {
                break;
            }
        }
    }

    /// The number of features that come out where `inputs` go in.
    pub fn features(&self, inputs: usize) -> usize {
        self.maps.iter().fold(inputs, |features, map| map.step().outputs(features))
    }

    /// Whether dense rows stay dense.
    pub(crate) fn keeps_dense(&self) -> bool {
        self.maps.iter().all(|map| map.step().keeps_dense())
    }

    /// The names of the features that the model weighs, for rows of this schema.
    pub fn feature_names(&self, schema: &Schema) -> Result<Vec<String>> {
        room_for_names(schema.features())?;
        self.maps.iter().try_fold(schema.feature_names(), |names, map| {
            room_for_names(map.step().outputs(names.len()))?;
            Ok(map.step().names(names))
        })
    }

    /// A short description of each map.
    pub fn describe(&self) -> Vec<String> {
        self.maps.iter().map(|map| map.step().describe()).collect()
    }

    /// Maps one raw row into `row`; `spare` is a scratch buffer.
    pub fn apply<X: Row>(&self, x: X, row: &mut Entries, spare: &mut Entries) {
        row.fill(x);
        for map in &self.maps {
            map.apply(row, spare);
        }
    }

    /// Maps raw rows on all threads.
    pub fn matrix(&self, rows: AnyRows<'_>) -> Result<Matrix> {
        let sparse = rows.is_sparse();
        let dense = !sparse && self.keeps_dense();
        let features = self.features(rows.features());
        let range = |chunk: usize| chunk * CHUNK..rows.len().min((chunk + 1) * CHUNK);
        let matrix = if dense {
            let what = || format!("{} prepared rows × {features} features", rows.len()).into();
            let mut values = limits::zeros(rows.len().saturating_mul(features), what)?;
            parallel::for_chunks(&mut values, CHUNK * features.max(1), &|chunk, out| {
                if limits::has_passed() {
                    return;
                }
                let (mut row, mut spare) = (Entries::default(), Entries::default());
                for (i, out) in range(chunk).zip(out.chunks_mut(features)) {
                    self.apply(rows.row(i), &mut row, &mut spare);
                    row.row().each(|j, v| out[j] = v);
                }
            });
            Matrix::Dense(DenseMatrix { values, features })
        } else {
            let parts = parallel::map(rows.len().div_ceil(CHUNK), &|chunk| {
                limits::check()?;
                let (mut row, mut spare) = (Entries::default(), Entries::default());
                let mut part = SparseMatrix::default();
                for i in range(chunk) {
                    self.apply(rows.row(i), &mut row, &mut spare);
                    part.indices.extend_from_slice(&row.indices);
                    part.values.extend_from_slice(&row.values);
                    part.end_row();
                }
                Ok(part)
            });
            Matrix::Sparse(joined(parts.into_iter().collect::<Result<_>>()?, features)?)
        };
        limits::check()?;
        // Finite numbers can overflow, in a product for example.
        let after = |e: Error| Error::bad_data(Message::new("after the preparation of the rows: ").then(e.message()));
        matrix.rows().map_err(after)?;
        Ok(matrix)
    }

    /// Stores the numbers of each map under its position.
    /// The hyperplane before the maps that is this one behind them, up to rounding; `None`: there is none, because a map
    /// is not of the form x ↦ f·(x − s).
    pub fn pulled_back(&self, weights: &Weights) -> Option<Weights> {
        let mut weights = weights.clone();
        for map in self.maps.iter().rev() {
            let Map::Scale(scale) = map else { return None };
            scale.pull_back(&mut weights)?;
        }
        Some(weights)
    }

    pub(crate) fn save(&self, arrays: &mut State) {
        arrays.within("maps", |arrays| {
            for (at, map) in self.maps.iter().enumerate() {
                arrays.within(&at.to_string(), |arrays| map.step().save(arrays));
            }
        });
    }

    /// Restores maps and their numbers from a file; returns the number of features that come out too.
    pub(crate) fn restore(mut maps: Vec<Map>, arrays: &State, inputs: usize) -> Result<(Chain, usize)> {
        let stored = arrays.below("maps");
        let mut features = inputs;
        for (at, map) in maps.iter_mut().enumerate() {
            map.step_mut().restore(&stored.below(&at.to_string()), features)?;
            features = map.step().outputs(features);
        }
        let chain = Chain { maps };
        let mut again = State::default();
        chain.save(&mut again);
        let held = |state: &State| state.arrays().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
        if held(&again.below("maps")) != held(&stored) {
            return Err(Error::bad_model("arrays that the maps do not have"));
        }
        Ok((chain, features))
    }
}

fn room_for_names(features: usize) -> Result<()> {
    limits::room_for::<[u8; NAME]>(features as u128, || format!("the names of {features} features").into())
}

fn joined(parts: Vec<SparseMatrix>, features: usize) -> Result<SparseMatrix> {
    let stored: usize = parts.iter().map(|p| p.indices.len()).sum();
    let what = || format!("{stored} values of prepared rows").into();
    limits::room_for::<[u8; 12]>(stored as u128, what)?;
    let (indices, values) = (limits::with_capacity(stored, what)?, limits::with_capacity(stored, what)?);
    let mut all = SparseMatrix { features, indices, values, ..SparseMatrix::default() };
    for part in parts {
        let before = all.indices.len();
        all.offsets.extend(part.offsets[1..].iter().map(|end| before + end));
        all.indices.extend_from_slice(&part.indices);
        all.values.extend_from_slice(&part.values);
    }
    Ok(all)
}
