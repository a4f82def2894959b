//! The perceptron, done right: fast, exact, and a pleasure to use.
//!
//! ```
//! use rosenblatt::{Table, Trainer};
//!
//! let points = [[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]];
//! let table = Table::dense(&points, &["spam", "spam", "ham", "ham"])?;
//! let fitted = Trainer::new("averaged").epochs(10).fit(&table)?;
//! println!("{}", fitted.model.predict(&[1.5, 1.0])?); // spam
//! println!("margin {:.3}", fitted.report.margin);
//! # assert_eq!(fitted.model.predict(&[1.5, 1.0])?, "spam");
//! # assert!(fitted.report.margin > 0.0);
//! # Ok::<(), rosenblatt::Error>(())
//! ```
//!
//! **A row is read, a learner moves, a model answers.** Each word is a module, and arrows never point back:
//!
//! ```text
//!  bytes ─► data ─► map ─► machine × rule × keep ─► model ─► evaluate ─► report
//!                          base, online, learner
//!                                 ▲
//!                                fit (order, passes, stopping)
//! ```
//!
//! * [`data`]: readers, labels, dense and sparse rows of `f64`, `f32` and `u8`.
//! * [`map`]: feature maps, fitted on training rows and kept in the model: scaling.
//! * [`base`]: the vocabulary. A [`Rule`](base::rule::Rule) says how far to move, a [`Keep`](base::keep::Keep) what to
//!   remember of the path, a [`Machine`](base::machine::Machine) what a mistake is and which weights it moves.
//! * [`online`]: [`Online`](online::Online) puts the three together: every linear online learner.
//! * [`kernel`]: the same rules where no line will do: polynomials, Gaussians, one's own.
//! * [`learner`]: the registry. A learner is one file and one line there.
//! * [`fit`]: [`Trainer`], the loop, the order of the examples, why it stopped.
//! * [`model`]: what is saved, served and scored; FORMAT.md specifies the file.
//! * [`certify`]: is it linearly separable? A proof either way, in exact arithmetic.
//! * [`convert`], [`export`]: data and models in the formats of others.
//! * [`polyfit`]: a polynomial of one variable by least squares, to see over-fitting happen.
//! * [`evaluate`], [`report`], [`theory`]: how good, how sure, and why not.
//! * [`certify`]: is there a separating hyperplane at all, and which is the widest street between the classes?
//!
//! Everything is deterministic: the same data, settings and seed give the same bytes on any number of threads.

mod answer;
pub mod certify;
pub mod convert;
mod error;
pub mod evaluate;
pub mod export;
pub mod fit;
pub mod io;
pub mod learn;
pub mod map;
pub mod message;
pub mod model;
pub mod named;
mod parallel;
pub mod polyfit;
pub mod random;
pub mod read;
pub mod report;
pub mod rows;
pub mod structured;
pub mod theory;

pub use error::{Error, ErrorKind, Place, Result};
pub use evaluate::Evaluation;
pub use fit::{Fitted, Order, Trainer};
pub use learn::Bias;
pub use message::{Message, Setting};
pub use model::Model;
pub use read::Answered;
pub use rows::Table;
