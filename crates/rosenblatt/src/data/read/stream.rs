//! A file to train on, block by block and in order, without ever being whole in memory.

use super::{Guess, Opened, ReadOptions, indexed};
use crate::data::block::{Block, Seen};
use crate::data::chunks::{Pace, Pool, Want};
use crate::data::schema::Schema;
use crate::data::sniff::Format;
use crate::data::source::Input;
use crate::error::Result;

/// What reading a file to its end, or to where nobody wanted more, came to.
#[derive(Debug)]
pub(crate) struct Passed {
    /// The format it was in.
    pub(crate) format: Format,
    /// How the format was guessed, if it was.
    pub(crate) guessed: Option<Guess>,
    /// XXH3-64 of the decompressed bytes read.
    pub(crate) fingerprint: u64,
    /// What the lines held besides their rows.
    pub(crate) seen: Seen,
}

impl Passed {
    /// What a user may want to know.
    pub(crate) fn notes(&self) -> Vec<String> {
        indexed::notes(&self.seen)
    }
}

/// Whether a file of this format can be read as a stream.
pub(crate) fn can_stream(input: &Input, options: &ReadOptions) -> Result<bool> {
    Ok(Opened::new(input, options, None)?.format == Format::Libsvm)
}

/// Hands over the rows of a file in order. `first` is the index that the file is believed to count from: a block that
/// has `seen.zero` where it is 1 proves otherwise.
pub(crate) fn stream(
    input: &Input,
    options: &ReadOptions,
    first: u32,
    pace: Pace,
    pool: &Pool<Block>,
    mut take: impl FnMut(Block) -> Result<Want>,
) -> Result<Passed> {
    let name = input.name();
    let Opened { lines, format, guessed } = Opened::new(input, options, None)?;
    let mut rows = 0;
    let (seen, fingerprint) = indexed::each_block(lines, &indexed::TRAINING, first, pace, true, pool, |block, _| {
        rows += block.len();
        take(block)
    })
    .map_err(|e| e.in_file(&name))?;
    if rows == 0 {
        return Err(indexed::no_examples(&name));
    }
    Ok(Passed { format, guessed, fingerprint, seen })
}

impl Passed {
    /// How the indices became features.
    pub(crate) fn schema(&self, first: u32) -> Result<Schema> {
        let features = (self.seen.end.max(first) - first) as usize;
        if features == 0 { Err(indexed::no_features()) } else { Ok(Schema::Indexed { first, features }) }
    }
}
