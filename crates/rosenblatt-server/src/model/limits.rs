//! Limits.

use crate::store::Sizes;

/// Limits of a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelLimits {
    /// The most features.
    pub features: usize,
    /// The most classes.
    pub classes: usize,
    /// The most requests that wait in the queue.
    pub queue: usize,
    /// The most bytes of rows that wait to be committed.
    pub waiting: usize,
    /// Examples between two snapshots.
    pub snapshot: u64,
    /// Files of the log.
    pub log: Sizes,
    /// Drop segments once snapshots hold what they say.
    pub compact: bool,
    /// The most bytes of the weights of one model, with the copies that are made of them for a snapshot.
    pub memory: u64,
}

impl Default for ModelLimits {
    fn default() -> Self {
        ModelLimits {
            features: 1 << 24,
            classes: 1_000,
            queue: 10_240,
            waiting: 64 << 20,
            snapshot: 200_000,
            log: Sizes { segment: 64 << 20, ahead: 4 << 20 },
            compact: false,
            memory: u64::MAX,
        }
    }
}
