//! Models in the formats of other systems.

mod onnx;
mod pipeline;
mod protobuf;

pub use onnx::onnx;
