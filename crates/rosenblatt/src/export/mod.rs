//! Models in the formats of other systems.

mod onnx;
mod protobuf;

pub use onnx::onnx;
