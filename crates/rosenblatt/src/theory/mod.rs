//! Theory of data and hyperplanes: radius, margins, bounds, cycles, planes.

mod cycle;
mod plane;
mod proof;

pub use cycle::{Cycle, CycleWatch};
pub use plane::{Plane, PlaneScorer};
pub use proof::{Proof, ProofLine};
