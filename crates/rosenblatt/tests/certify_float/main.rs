//! The floating-point finder against answers that were found in other ways.

mod naive;
mod points;
mod real;
#[path = "../common/real_file.rs"]
mod real_file;
mod shapes;
