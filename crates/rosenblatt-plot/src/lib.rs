//! Pictures of perceptrons: from numbers to SVG or PNG.
//!
//! Each kind of picture is one file with one struct of plain numbers and names. It depends on no model and no file, so any
//! scoring function can be drawn.
//!
//! ```text
//!  boundary curve margins proof confusion polyfit ─► Picture ─► svg
//!       header, panel, axis, contour, hull                   └► png
//! ```
//!
//! ```
//! use rosenblatt_plot::{Curve, Series};
//! let mistakes = [118.0, 20.0, 8.0, 0.0];
//! let curve = Curve {
//!     title: "Mistakes by pass".into(),
//!     notes: vec![],
//!     unit: "mistakes".into(),
//!     series: vec![Series { name: "while learning".into(), values: &mistakes }],
//! };
//! let svg = curve.draw().to_svg();
//! assert!(svg.starts_with("<svg ") && svg.contains("<title>Mistakes by pass</title>"));
//! ```
//!
//! Colours are those of Okabe and Ito, distinct for any kind of colour vision, and classes differ in shape, too. The same
//! numbers give the same bytes. The font in `font/` is measured for the layout and drawn into PNG, so a machine without
//! fonts draws the same picture.

mod axis;
mod boundary;
mod confusion;
mod contour;
mod curve;
mod font;
mod header;
mod hull;
mod margins;
mod number;
mod palette;
mod panel;
#[cfg(feature = "png")]
mod png;
mod polyfit;
mod proof;
mod scene;
mod svg;
#[cfg(test)]
mod tests;

pub use boundary::{Band, Boundary, Crossing};
pub use confusion::Confusion;
pub use curve::{Curve, Series};
pub use margins::Margins;
pub use polyfit::{Fit, Polyfit};
pub use proof::Proof;
pub use scene::Picture;
