//! Buffers that predictions reuse.

/// Buffers for one prediction at a time; nothing is allocated per row once they have grown.
#[derive(Debug, Default, Clone)]
pub struct Scratch {
    /// The scores of the last prediction.
    pub scores: Vec<f64>,
    pub(crate) running: Vec<f64>,
    pub(crate) products: Vec<f64>,
    pub(crate) since: Vec<u64>,
}
