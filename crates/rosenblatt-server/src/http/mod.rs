//! What every server here has in common: connections, checks, bodies, errors.

mod aside;
mod body;
mod connections;
mod patient;
mod problem;
mod safety;
mod unread;

pub use aside::{LONG, aside};
pub use body::read_body;
pub use connections::{Limits, run};
pub use problem::Problem;
pub use safety::Hosts;
