//! Every command, through the binary: what it prints, what it writes, and how it ends.

#[path = "../support/mod.rs"]
mod support;

mod convert;
mod custom;
mod doctor;
mod files;
mod foreign;
mod help;
mod judge;
mod kernel;
mod plot;
mod predict_eval;
mod tag;
mod tag_judge;
mod trace;
mod train;
mod usage;
