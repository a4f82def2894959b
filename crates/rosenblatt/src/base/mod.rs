//! The vocabulary: rows, weights, machines, rules, ways to keep, learners.

pub mod bias;
pub mod decimal;
pub mod keep;
pub mod lanes;
pub mod learner;
pub mod machine;
pub mod params;
pub mod row;
pub mod rule;
pub mod state;
pub(crate) mod unique;
pub mod weights;
