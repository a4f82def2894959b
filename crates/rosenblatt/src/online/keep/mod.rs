//! The ways to keep.

mod average;
mod last;
mod pocket;
mod vote;

pub use average::Average;
pub use last::Last;
pub use pocket::Pocket;
pub use vote::Vote;
