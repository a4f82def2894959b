//! A file with a valid frame: its declared kind, and content that is not yet checked.

use serde::{Deserialize, Serialize};

use super::container::{MAGIC, Opened, json_message, unpack, unpack_json};
use crate::error::{Error, Result};
use crate::learn::State;
use crate::map::Map;
use crate::rows::Schema;

/// The prefix of the arrays of maps.
pub(crate) const MAPS: &str = "maps.";

/// The kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Linear,
    Voted,
    Kernel,
    Checkpoint,
    Tagger,
    #[serde(rename = "tagger-checkpoint")]
    TaggerCheckpoint,
    /// A training on shards between two rounds.
    Mixture,
    /// What shards report after a round.
    Delta,
}

/// The kind of any content.
#[derive(Deserialize)]
struct AnyContent {
    kind: Kind,
}

/// Content that knows the version of the format it needs.
pub(crate) trait Versioned {
    /// The oldest version that can represent it: older programs read what they can, and equal models are equal files.
    fn version(&self) -> u32;
}

/// The oldest version that has this schema and these maps.
pub(crate) fn version(schema: &Schema, maps: &[Map]) -> u32 {
    if schema.is_recent() {
        return 3;
    }
    if maps.is_empty() && schema.is_as_written() { 1 } else { 2 }
}

/// A file with a valid checksum and arrays; its content is not yet checked.
pub(crate) struct Frame<'a> {
    /// The file's name in errors.
    name: &'a str,
    version: u32,
    content: &'a str,
    /// The declared kind.
    pub(crate) kind: Kind,
    /// Its numbers.
    pub(crate) arrays: State,
}

impl<'a> Frame<'a> {
    /// Opens a file in either form.
    pub(crate) fn open(name: &'a str, bytes: &'a [u8]) -> Result<Self> {
        let json = !bytes.starts_with(MAGIC) && bytes.trim_ascii_start().starts_with(b"{");
        if json { Self::open_json(name, bytes) } else { Self::new(name, unpack(name, bytes)?) }
    }

    /// Opens a file in the JSON form.
    pub(crate) fn open_json(name: &'a str, bytes: &'a [u8]) -> Result<Self> {
        Self::new(name, unpack_json(name, bytes)?)
    }

    fn new(name: &'a str, Opened { version, content, arrays }: Opened<'a>) -> Result<Self> {
        let AnyContent { kind } = parse(content).map_err(|e| Error::model(name, e.message()))?;
        Ok(Frame { name, version, content, kind, arrays })
    }

    /// The content, parsed.
    pub(crate) fn content<C: Deserialize<'a>>(&self) -> Result<C> {
        parse(self.content)
    }

    /// Refuses a file whose version is not the one its content needs.
    pub(crate) fn check_version(&self, content: &impl Versioned) -> Result<()> {
        let (needed, version) = (content.version(), self.version);
        if needed != version {
            return Err(Error::bad_model(format!("what the file holds is version {needed}, but it says {version}")));
        }
        Ok(())
    }

    /// Turns any error, a bad setting included, into an error of the file.
    pub(crate) fn fault(&self, error: Error) -> Error {
        Error::model(self.name, error.message())
    }
}

fn parse<'a, C: Deserialize<'a>>(content: &'a str) -> Result<C> {
    serde_json::from_str(content).map_err(|e| Error::bad_model(format!("the header is invalid: {}", json_message(&e))))
}
