//! The vocabulary: rows, weights, judgements, rules, ways to keep, learners.

pub mod lanes;
pub mod row;
pub mod weights;
