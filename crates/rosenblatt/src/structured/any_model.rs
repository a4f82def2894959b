//! Files that may be of a classifier or of a tagger.

use std::path::Path;

use super::{Tagger, TaggerCheckpoint, checkpoint, file};
use crate::error::Result;
use crate::fit::Checkpoint;
use crate::model::{Frame, Kind, Model, read_model, restore};

/// A model of either kind.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// Predicts a label for a row.
    Classifier(Box<Model>),
    /// Predicts a tag for each token of a sentence.
    Tagger(Box<Tagger>),
}

impl AnyModel {
    /// A model of either kind from the bytes of a file in either form; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<AnyModel> {
        let frame = Frame::open(name, bytes)?;
        match frame.kind {
            Kind::Tagger => file::from_frame(frame).map(|tagger| AnyModel::Tagger(Box::new(tagger))),
            _ => restore(frame).map(|model| AnyModel::Classifier(Box::new(model))),
        }
    }

    /// Reads a model of either kind.
    pub fn load(path: impl AsRef<Path>) -> Result<AnyModel> {
        let path = path.as_ref();
        let bytes = read_model(path)?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}

/// A checkpoint of either kind.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyCheckpoint {
    /// Of a classifier's training.
    Classifier(Box<Checkpoint>),
    /// Of a tagger's training.
    Tagger(Box<TaggerCheckpoint>),
}

impl AnyCheckpoint {
    /// A checkpoint of either kind from the bytes of a file in either form; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<AnyCheckpoint> {
        let frame = Frame::open(name, bytes)?;
        match frame.kind {
            Kind::TaggerCheckpoint => checkpoint::from_frame(frame).map(|c| AnyCheckpoint::Tagger(Box::new(c))),
            _ => Checkpoint::from_bytes(name, bytes).map(|c| AnyCheckpoint::Classifier(Box::new(c))),
        }
    }

    /// Reads a checkpoint of either kind.
    pub fn load(path: impl AsRef<Path>) -> Result<AnyCheckpoint> {
        let path = path.as_ref();
        let bytes = read_model(path)?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}
