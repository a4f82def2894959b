//! One file for each command, and what they share: reading data, choosing a trainer.

pub mod completions;
pub mod demo;
pub mod eval;
pub mod export;
pub mod help;
pub mod inspect;
pub mod man;
pub mod predict;
pub mod separable;
mod separable_kernel;
pub mod trace;
pub mod train;
pub mod verify;

mod choose;
mod open;
