//! What the theory says of data and hyperplanes: radius, margins, bounds, cycles.

mod any_data;
mod cycle;
mod geometry;
mod proof;

pub use any_data::{AnyDataBound, any_data_bound};
pub use cycle::{Cycle, CycleWatch};
pub use geometry::Geometry;
pub use proof::{Proof, ProofLine};
