//! A file that is written bit by bit, and is there completely or not at all.

use std::fs::{File, OpenOptions};
use std::io::{Result as IoResult, Write};
use std::path::Path;

use super::write::{Outputs, Way, named};
use crate::error::Result;

/// Bytes that are written at once.
const BLOCK: usize = 1 << 16;

/// A file that is replaced as [`write_file`](super::write_file) replaces one, but takes its content in parts, so that it may be
/// larger than memory. Dropped before [`finish`](Self::finish), it leaves the old file as it was.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let place = folder.path().join("answers");
/// let mut file = rosenblatt::io::Growing::create(&place)?;
/// file.write(b"spam\n")?;
/// file.write(b"ham\n")?;
/// assert!(!place.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(place)?, b"spam\nham\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Growing {
    outputs: Outputs,
    /// A pipe or a device.
    direct: Option<File>,
    waiting: Vec<u8>,
}

impl Growing {
    /// Creates the temporary file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Growing { outputs: Outputs::create(&[path])?, direct: None, waiting: Vec::new() })
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= BLOCK { self.pass_on() } else { Ok(()) }
    }

    /// Writes what waits in memory.
    pub fn pass_on(&mut self) -> Result<()> {
        let output = &mut self.outputs.0[0];
        let written = add(&mut output.way, &mut self.direct, &output.path, &self.waiting);
        self.waiting.clear();
        written.map_err(|error| named(&output.path, error))
    }

    /// Replaces the old file.
    pub fn finish(mut self) -> Result<()> {
        self.pass_on()?;
        let output = &mut self.outputs.0[0];
        output.way.seal().map_err(|error| named(&output.path, error))?;
        self.outputs.replace_all().map_err(|(path, error)| named(&path, error))
    }
}

fn add(way: &mut Way, direct: &mut Option<File>, path: &Path, bytes: &[u8]) -> IoResult<()> {
    match (way, direct) {
        (Way::Replace { temporary, .. }, _) => temporary.write_all(bytes),
        (Way::Direct { .. }, Some(file)) => file.write_all(bytes),
        (Way::Direct { truncate }, direct) => {
            let file = OpenOptions::new().write(true).truncate(*truncate).open(path)?;
            direct.insert(file).write_all(bytes)
        }
    }
}
