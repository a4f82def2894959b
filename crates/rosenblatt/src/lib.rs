//! rosenblatt: the perceptron, done right.

pub mod base;
pub mod data;
mod error;
pub mod evaluate;
pub mod fit;
pub mod learner;
pub mod machine;
pub mod model;
pub mod online;
pub mod random;
pub mod report;
pub mod theory;

pub use data::Table;
pub use error::{Error, ErrorKind, Place, Result};
pub use evaluate::Evaluation;
pub use fit::{Fitted, Order, Trainer};
pub use model::Model;
