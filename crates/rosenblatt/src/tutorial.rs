//! A tutorial, in steps that run.
//!
//! Each listing is a program of its own. All are in `examples/tutorial`, the example program `tutorial`, which takes the name of a step.
//!
//! # 1. Train
//!
//! A [`Table`] holds rows and a label for each. A [`Trainer`] takes the name of a learner, and what you set. What comes
//! back is a [`Model`], and a [`Report`] of what happened and what is proved about it.
//!
//! ```
#![doc = include_str!("../examples/tutorial/train.rs")]
//! ```
//!
//! `averaged` is safe without settings, and `Trainer::auto()` also prepares rows. Others are `perceptron`, `voted`, `pocket`, `margin`, `pa1`, `arow` and more;
//! `rosenblatt help learners` lists them with their parameters and theorems. A parameter is set by
//! [`param`](Trainer::param): `.param("rate", 0.5)`.
//!
//! # 2. Predict many rows
//!
//! Two classes or twenty, nothing changes but the number of scores. Whatever is [`IntoRows`] is predicted where it lies.
//!
//! ```
#![doc = include_str!("../examples/tutorial/predict_many.rs")]
//! ```
//!
//! # 3. Evaluate honestly
//!
//! The training error flatters. Hold examples back, or use each once in a fold of its own. An [`Evaluation`] matches the
//! classes by name, so a test table may lack one.
//!
//! ```
#![doc = include_str!("../examples/tutorial/evaluate.rs")]
//! ```
//!
//! # 4. Save and load
//!
//! A model file holds everything that prediction needs: weights, names, maps, and how it was trained. The same training
//! writes the same bytes. Loading executes nothing and trusts no length; the format is specified in FORMAT.md.
//!
//! ```
#![doc = include_str!("../examples/tutorial/save_load.rs")]
//! ```
//!
//! # 5. Sparse data
//!
//! Words, clicks, genes: rows in which almost everything is 0. [`Table::read`] reads LIBSVM and Vowpal Wabbit files, and
//! CSV with texts.
//!
//! ```
#![doc = include_str!("../examples/tutorial/sparse.rs")]
//! ```
//!
//! # 6. Where no line will do
//!
//! A [`Kernel`] lets the same learner work in another space.
//!
//! ```
#![doc = include_str!("../examples/tutorial/kernel.rs")]
//! ```
//!
//! # 7. A rule of your own
//!
//! A [`Rule`] says how far to move along the correction of one example. You write `tau`; two classes and many, every way
//! to [`Keep`], kernels, checkpoints and files come with it. The loop is compiled for your rule: no indirect calls.
//!
//! ```
#![doc = include_str!("../examples/tutorial/own_rule.rs")]
//! ```
//!
//! # 8. Learn as examples arrive
//!
//! An [`OnlineTrainer`] takes batches for as long as they come. In the order given, they leave the same model as one pass
//! over all of them, wherever they were cut.
//!
//! ```
#![doc = include_str!("../examples/tutorial/online.rs")]
//! ```
//!
//! # 9. Can a line do it at all?
//!
//! [`separable`] decides, in exact arithmetic, and names the rows that prove it.
//!
//! ```
#![doc = include_str!("../examples/tutorial/separable.rs")]
//! ```
//!
//! # 10. Tag words
//!
//! The structured perceptron: a tag for each word, found together. [`Structure`] is the trait for structures of your own.
//!
//! ```
#![doc = include_str!("../examples/tutorial/tagger.rs")]
//! ```
//!
//! # 11. See every step
//!
//! [`trace()`] shows the table that textbooks print: each example, what the weights said of it, and what they became.
//!
//! ```
#![doc = include_str!("../examples/tutorial/trace.rs")]
//! ```

#[cfg(doc)]
use crate::{
    Evaluation, IntoRows, Keep, Kernel, Model, OnlineTrainer, Report, Rule, Structure, Table, Trainer, separable, trace,
};
