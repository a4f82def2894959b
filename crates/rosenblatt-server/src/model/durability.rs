//! When a row is acknowledged.

use std::time::Duration;

/// When a row is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Once it is on the disk: it survives a crash of the machine.
    Sync,
    /// Once it is written; on the disk at most so much later.
    Batch(Duration),
    /// Once it is written; on the disk when the system likes.
    None,
}

impl std::str::FromStr for Durability {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("batch:").map(str::parse::<u32>)) {
            ("sync", _) => Ok(Durability::Sync),
            ("none", _) => Ok(Durability::None),
            (_, Some(Ok(ms @ 1..=60_000))) => Ok(Durability::Batch(Duration::from_millis(ms.into()))),
            _ => Err("expected sync, batch:MS (1 to 60000 milliseconds) or none".into()),
        }
    }
}
