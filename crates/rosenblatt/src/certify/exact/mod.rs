//! The exact half: integers only, floats never trusted further than a proved bound of their error.

pub mod approx;
pub mod decimal;
pub mod guide;
pub mod linear;
pub mod margin;
pub mod modular;
pub mod monomials;
pub mod reread;
pub mod rows;
pub mod signs;
pub mod simplex;
pub mod stages;
