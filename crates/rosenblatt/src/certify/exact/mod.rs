//! The exact half: integers only; floating point is used only within a proved error bound.

pub mod approx;
pub mod columns;
pub mod decimal;
pub mod float_simplex;
pub mod linear;
pub mod margin;
pub mod modular;
pub mod monomials;
pub mod reread;
pub mod rows;
pub mod signs;
pub mod simplex;
pub mod stages;

pub use decimal::{Decimal, dyadic};
pub use linear::primitive;
pub use margin::{Bound, lower, rounded, upper, whole};
pub use monomials::{MAX_DEGREE, MappedRows, Monomials};
pub use reread::Written;
pub use rows::{Chosen, ExactRow, ExactRows, Memory};
pub use signs::Filter;
pub use stages::{Strict, Support, Weak, contradict};
