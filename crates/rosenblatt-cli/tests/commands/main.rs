//! Every command, through the binary: what it prints, what it writes, and how it ends.

#[path = "../support/mod.rs"]
mod support;

mod convert;
mod custom;
mod defaults;
mod doctor;
mod files;
mod foreign;
mod formats;
mod help;
mod judge;
mod kernel;
mod lab;
mod plot;
mod predict_eval;
#[cfg(all(feature = "serve", unix))]
mod serve;
mod shards;
mod tag;
mod tag_judge;
mod tag_tools;
mod trace;
mod train;
mod usage;
