//! What the theory says of data and hyperplanes: radius, margins, bounds, cycles.

mod cycle;
mod geometry;
mod proof;

pub use cycle::{Cycle, CycleWatch};
pub use geometry::Geometry;
pub use proof::{Proof, ProofLine};
