//! What the targets of the server share.

use std::path::{Path, PathBuf};

use rosenblatt::Recipe;
use rosenblatt_server::{Durability, ModelLimits, Settings};

/// A folder of this run, in memory where there is such a place: every model is a folder of synced files.
pub fn folder(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    let folder = parent.join(format!("rosenblatt-fuzz-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Small limits, so that they are reached.
pub fn settings() -> Settings {
    let limits = ModelLimits {
        features: 1 << 12,
        classes: 16,
        snapshot: 4,
        segment: 1 << 12,
        compact: true,
        memory: 16 << 20,
        ..ModelLimits::default()
    };
    let recipe = Recipe { learner: "averaged".into(), ..Recipe::default() };
    Settings { recipe, durability: Durability::None, limits, models: 4 }
}

/// What is between lines of three dashes.
pub fn parts(bytes: &[u8]) -> Vec<&[u8]> {
    const BETWEEN: &[u8] = b"\n---\n";
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while let Some(at) = rest.windows(BETWEEN.len()).position(|bytes| bytes == BETWEEN) {
        parts.push(&rest[..at]);
        rest = &rest[at + BETWEEN.len()..];
    }
    parts.push(rest);
    parts
}
