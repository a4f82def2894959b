//! Predicting more than a label: sequences, trees, whatever has features and an argmax.

pub mod chain;
mod features;
mod interner;
mod perceptron;
pub mod read;
mod rows;
pub mod scheme;
mod stream;
mod strength;
mod structure;
mod tagger;
pub mod template;
mod trainer;

pub use features::{Extractor, Lookup, Prepared, Vocabulary};
pub use interner::{Interner, Keys, Strings, Unit};
pub use perceptron::Perceptron;
pub use rows::{Entry, Rows};
pub use strength::{Strength, TagStrengths};
pub use structure::{Dense, Owned, Store, Structure};
pub(crate) use tagger::bars;
pub use tagger::{Tagger, TaggerFacts, Words, Worker};
pub use trainer::{Constrain, Corpus, MOST_TAGS, TaggerNow, TaggerTrainer};
