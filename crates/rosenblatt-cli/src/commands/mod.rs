//! One file for each command, and what they share: opening data, building a trainer.

mod about_data;
pub mod audit;
pub mod completions;
pub mod convert;
pub mod cv;
pub mod demo;
pub mod eval;
pub mod explain;
pub mod export;
pub mod help;
pub mod inspect;
#[cfg(feature = "serve")]
pub mod lab;
pub mod man;
pub mod plot;
pub mod polyfit;
pub mod predict;
pub mod separable;
mod separable_kernel;
mod separable_many;
#[cfg(feature = "serve")]
pub mod serve;
pub mod spam;
pub mod tag;
pub mod trace;
pub mod train;
mod train_shards;
pub mod tune;
pub mod verify;

mod choose;
mod held;
mod interrupted;
mod open;
mod outputs;
mod scope;
