//! The model file, attacked: what FORMAT.md promises, and every way we could think of to break a promise.

#[path = "model_file/golden.rs"]
mod golden;
#[path = "model_file/lies.rs"]
mod lies;
#[path = "model_file/make.rs"]
mod make;
#[path = "model_file/memory.rs"]
mod memory;
#[path = "model_file/python.rs"]
mod python;
#[path = "model_file/resume.rs"]
mod resume;
#[path = "model_file/round_trip.rs"]
mod round_trip;
#[path = "model_file/write.rs"]
mod write;
