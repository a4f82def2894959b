//! Structured logs: one JSON object a line, on standard error.

use std::fmt::Display;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::engine::json_text;

/// Writes an event with its fields.
pub fn event(level: &str, name: &str, fields: &[(&str, &dyn Display)]) {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let mut line = format!("{{\"time\":{}.{:03},\"level\":\"{level}\",\"event\":\"{name}\"", time / 1000, time % 1000);
    for (name, value) in fields {
        line.push_str(",\"");
        line.push_str(name);
        line.push_str("\":");
        json_text(&value.to_string(), &mut line);
    }
    line.push_str("}\n");
    // Standard error may be closed.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
