//! Rows and tables of other crates: one module for each feature. Their types appear nowhere else.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "sprs")]
mod sprs;
