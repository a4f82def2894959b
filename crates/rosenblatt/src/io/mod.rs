//! Bytes in and out: open, decompress, cut at line ends, parse on all threads in order, write atomically. No formats.

mod chunks;
mod decompress;
mod fault;
mod growing;
pub(crate) mod lines;
mod read_ahead;
mod several;
mod source;
mod temporary;
mod words;
mod write;

pub(crate) use chunks::{Broken, Chunk, Pace, Pool, Want, in_order};
pub(crate) use fault::{Fault, Found, count, show};
pub use growing::Growing;
pub(crate) use lines::{Lines, MAX_LINE};
pub(crate) use several::first_line;
pub use source::{Input, Source, share_read};
pub(crate) use temporary::Temporary;
pub use temporary::remove_temporaries;
pub use words::words;
pub use write::{Outputs, check_place, write_file};
