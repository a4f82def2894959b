//! Is there a hyperplane that separates the classes? Yes, no or just not, and a proof of it.
//!
//! ```text
//!  rows ─► float: a proposal in seconds ─► exact: a certificate in integers ─► anyone: a check
//! ```
//!
//! * [`float`]: ordinary arithmetic. It finds the maximum margin between two bounds, or the few examples whose hulls
//!   meet, and never claims more than "it seems so".

pub mod float;
