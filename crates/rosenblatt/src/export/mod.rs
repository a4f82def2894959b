//! Models in the formats of other systems.

mod onnx;
mod pipeline;
mod protobuf;
mod text;

pub use onnx::onnx;
