//! The perceptron, done right: fast, exact, and a pleasure to use.
//!
//! For whom? For those who want a linear classifier that trains in one pass over anything that fits on a disk, that says
//! what is proved about it, and that gives the same bytes on every machine; for those who teach or study perceptrons; and
//! for those who have a rule of their own and no wish to write the rest.
//!
//! ```
//! use rosenblatt::{Table, Trainer};
//!
//! let points = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]];
//! let table = Table::dense(&points, &["spam", "spam", "ham", "ham"])?;
//! let fitted = Trainer::new("averaged").epochs(10).fit(&table)?;
//! println!("{}", fitted.model.predict(&[1.5, 1.0])?); // spam
//! println!("{:?}", fitted.report.train_error); // Some(0.0)
//! # assert_eq!(fitted.model.predict(&[1.5, 1.0])?, "spam");
//! # assert_eq!(fitted.report.train_error, Some(0.0));
//! # Ok::<(), rosenblatt::Error>(())
//! ```
//!
//! New here? The [`tutorial`] goes from here to proofs, taggers and rules of your own, in steps that run.
//!
//! | to | use |
//! |---|---|
//! | get examples | [`Table::dense`], [`Table::sparse`], [`Table::csr`], [`Table::read`] |
//! | train | [`Trainer`], with [`Preparation`] before it; batch by batch: [`OnlineTrainer`] |
//! | predict, save, load | [`Model`] |
//! | measure honestly | [`Evaluation`], [`Folds`], [`cross_validate`], [`calibrate`] |
//! | go where no line will do | [`Trainer::kernel`] with a [`Kernel`], or [`Preparation::degree`] |
//! | bring a rule of your own | [`Rule`], [`Trainer::with_rule`] |
//! | know whether a line can do it | [`separable`]: a proof either way, in exact arithmetic |
//! | see every step | [`trace()`], [`Observer`] |
//! | tag words, or predict any structure | [`TaggerTrainer`], [`Tagger`], [`Structure`] |
//!
//! **A row is read, a learner moves, a model answers, a certificate proves.** Each word is a layer, and arrows never point
//! back:
//!
//! ```text
//!  bytes ─► read ─► rows ─► map ─► learn ─► model ─► evaluate ─► report
//!                                   ▲                   ▲
//!                      fit (one loop over any source)   certify (separable? margin? best error?)
//! ```
//!
//! A learner is a [`Rule`] (how far to move), a [`Keep`] (what to remember of the path) and a machine (what a mistake is:
//! two classes, or a [`Multiclass`] scheme). Everything is deterministic: the same data, settings and seed give the same
//! bytes on any number of threads.
//!
//! # Features
//!
//! None is on by default. `ndarray` and `sprs` let those crates' matrices be [`IntoRows`]; `arrow` makes a [`Table`] of a
//! record batch; `parquet` reads Parquet files.

mod answer;
#[doc(hidden)]
pub mod certify;
#[doc(hidden)]
pub mod convert;
mod error;
#[doc(hidden)]
pub mod escape;
#[doc(hidden)]
pub mod evaluate;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod fit;
#[cfg(any(feature = "ndarray", feature = "sprs", feature = "arrow"))]
mod interop;
#[doc(hidden)]
pub mod io;
#[doc(hidden)]
pub mod learn;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod map;
#[doc(hidden)]
pub mod message;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod named;
mod parallel;
#[doc(hidden)]
pub mod polyfit;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod read;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod rows;
#[doc(hidden)]
pub mod structured;
#[doc(hidden)]
pub mod theory;
pub mod tutorial;

pub use certify::{Separability, Verdict, separable};
pub use error::{Error, ErrorKind, Place, Result};
pub use evaluate::{
    ClassScore, Confusion, CrossValidation, Evaluation, Explainer, Explanation, Fold, Folds, Split, calibrate,
    cross_validate,
};
pub use export::onnx;
pub use fit::{
    Borrowed, Checkpoint, ClassWeights, Data, FileData, Fitted, HeldBack, Kept, Now, Observer, OnlineTrainer, Order,
    Plan, Report, Start, Storage, Trainer, Validated, With,
};
pub use io::Input;
pub use learn::keep::KeepKind as Keep;
pub use learn::kernel::budget::{Budget, Way as BudgetPolicy};
pub use learn::kernel::{Choice as KernelChoice, Function as Kernel};
pub use learn::learners::Multiclass;
pub use learn::machine::{Judgement, Tie};
pub use learn::{Bias, CustomRule, Hypothesis, ParamValue, Progress, Recipe, Rule, Stop, Tally, Weights};
pub use map::{Preparation, Scaling, Tf};
pub use message::{Message, Setting};
pub use model::{Calibration, Facts, Model};
pub use read::{Answered, Dataset, Format, Header, ReadOptions};
pub use report::{Finding, Step as TraceStep, Traced, examine, trace};
pub use rows::{
    AnyRows, Column, ColumnKind, DenseMatrix, DenseRows, Examples, Fill, IntoRows, Labels, Matrix, Schema,
    SparseMatrix, SparseRows, Table,
};
pub use structured::read::SequenceOptions;
pub use structured::{Corpus, Perceptron, Store, Structure, TagEvaluation, Tagger, TaggerTrainer};
pub use theory::{Cycle, Proof, ProofLine};
