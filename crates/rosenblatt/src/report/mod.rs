//! What is said about a training: findings with advice, and every step.

mod doctor;
mod trace;

pub use doctor::{Finding, Look, examine, examine_streamed};
pub use trace::{Step, Traced, proof, trace};
