//! Structured prediction: sequences, trees, any output with features φ(x, y) and an argmax.
//!
//! ```text
//!  text ─► read ─► template × features ─► chain ┐
//!                                         tree  ├─► Perceptron ─► Tagger ─► tags
//!                                  (your own)   ┘
//! ```
//!
//! * [`Structure`] is what is predicted, [`Store`] holds its weights, [`Perceptron`] learns. They are independent: a
//!   structure of your own is one `impl`, as [`tree`] shows.
//! * [`chain`]: a tag for each token, by Viterbi of first and second order, a beam, or greedily.
//! * [`template`]: which features a token has, in a small language. [`read`]: CoNLL, CoNLL-U, CRFsuite.
//! * [`scheme`]: how tags encode chunks (IOB and others), and which tag may follow which.
//! * [`TaggerTrainer`] and [`Tagger`] put them together.
//!
//! ```
//! use rosenblatt::io::Input;
//! use rosenblatt::structured::TaggerTrainer;
//! use rosenblatt::structured::read::SequenceOptions;
//!
//! let text = "the D\ndog N\nbarks V\n\na D\ncat N\nruns V\n\nthe D\ncat N\nbarks V\n";
//! let trainer = TaggerTrainer::default();
//! let corpus = trainer.read(&Input::memory("toy.conll", text), &SequenceOptions::default())?;
//! let tagger = trainer.fit(corpus, &mut ())?;
//! assert_eq!(tagger.tag(&[["a"], ["dog"], ["runs"]]), ["D", "N", "V"]);
//! # Ok::<(), rosenblatt::Error>(())
//! ```

mod any_model;
pub mod chain;
mod checkpoint;
pub(crate) mod conlleval;
mod corpus;
mod corpus_source;
mod features;
mod file;
mod interner;
mod meter;
mod online;
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
pub mod tree;

pub use any_model::{AnyCheckpoint, AnyModel};
pub use checkpoint::TaggerCheckpoint;
pub use conlleval::{ChunkScore, TagEvaluation};
pub use corpus::{Corpus, HeldSentences};
pub use features::{Extractor, Lookup, Prepared, Vocabulary};
pub use interner::{Interner, Keys, Strings, Unit};
pub use online::OnlineTagger;
pub use perceptron::Perceptron;
pub use rows::{Entry, Rows};
pub use scheme::{Chunk, Scheme, chunks};
pub use strength::{Strength, TagStrengths};
pub use structure::{Dense, Owned, Store, Structure};
pub use tagger::{Tagger, TaggerFacts, Words, Worker};
pub use trainer::{Constrain, FittedTagger, MOST_TAGS, TaggerTrainer, TaggerWith};
pub use tree::{ArcFeatures, Chart, Trees};
