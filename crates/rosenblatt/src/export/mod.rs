//! A model in the formats of others.

mod onnx;
mod protobuf;

pub use onnx::onnx;
