//! The structured perceptron and taggers, against naive twins, theorems and real files.

pub(crate) mod chain;
mod conlleval;
mod file;
mod limits;
mod online;
mod reading;
mod real;
#[path = "../common/real_file.rs"]
mod real_file;
mod resume;
pub(crate) mod tagger;
mod tree;
mod validation;

#[path = "../common/mod.rs"]
mod common;
