//! One file for each command, and what they share: opening data, building a trainer.

pub mod completions;
pub mod convert;
pub mod cv;
pub mod demo;
pub mod eval;
pub mod explain;
pub mod export;
pub mod help;
pub mod inspect;
pub mod man;
pub mod plot;
pub mod polyfit;
pub mod predict;
pub mod separable;
mod separable_kernel;
pub mod spam;
pub mod tag;
pub mod trace;
pub mod train;
pub mod tune;
pub mod verify;

mod choose;
mod held;
mod open;
mod outputs;
