//! The servers of `rosenblatt`: pages and interfaces over HTTP, on this machine unless a token protects them.
//!
//! ```text
//!  http/    connections (time limits, graceful end), checks of every request, bodies within limits, errors as JSON
//!  rows/    bodies to rows: JSON, CSV, LIBSVM and Vowpal Wabbit text, all as one line of text
//!  engine/  names, labels and weights after so many examples; predictions; progressive error
//!  store/   the log, snapshots, and the files under them
//!  model/   one thread and one queue for each model; commits; recovery; all models
//!  api/     the paths
//!  lab.rs   the lab's page and engine
//! ```
//!
//! A server is a [`Router`] of axum, which [`run`] serves until it is asked to stop. [`Serving`] is the learning server.

pub mod api;
pub mod engine;
pub mod http;
pub mod journal;
pub mod lab;
pub mod model;
pub mod points;
pub mod rows;
pub mod store;

pub use api::{Serving, Tokens};
pub use axum::Router;
pub use http::{Hosts, Limits, run};
pub use model::{Catalogue, Durability, ModelLimits, Settings};
pub use rows::Texts;
