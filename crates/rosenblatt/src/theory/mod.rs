//! What the theory says of data and hyperplanes: radius, margins, bounds, cycles, planes.

mod any_data;
mod cycle;
mod geometry;
mod plane;
mod proof;

pub use any_data::{AnyDataBound, any_data_bound};
pub use cycle::{Cycle, CycleWatch};
pub use geometry::Geometry;
pub use plane::{Plane, PlaneScorer};
pub use proof::{Proof, ProofLine};
