//! rosenblatt: the perceptron, done right.

pub mod base;
pub mod data;
mod error;

pub use data::Table;
pub use error::{Error, ErrorKind, Place, Result};
