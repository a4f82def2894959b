//! What is said about a training: findings with advice, and every step.

mod doctor;
mod json;
mod majority;
mod trace;

pub use doctor::{Finding, Look, examine, examine_streamed};
pub use json::{TraceRow, cycle_object, proof_object};
pub use majority::no_better;
pub use trace::{Step, Traced, proof, trace};
