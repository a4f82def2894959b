//! The machines: two classes, many classes with one machine, many classes with one machine each.

mod binary;
mod one_vs_rest;
mod single;

pub use binary::Binary;
pub use one_vs_rest::OneVsRest;
pub use single::{Single, Spread};
