//! Structured logs: events of `tracing` as lines of JSON on standard error. `event` is the message; the fields follow.
//!
//! Lines of JSON are all that is wanted of a subscriber: fifty lines here instead of tracing-subscriber and what it brings.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

pub use tracing::Level;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::engine::json_text;

/// Writes the events of this process from now on, up to a level. Only the first call counts.
pub fn install(level: Level) {
    let _ = tracing::subscriber::set_global_default(Lines(level));
}

struct Lines(Level);

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // What libraries say of themselves is not of this server.
        metadata.is_event() && *metadata.level() <= self.0 && metadata.target().starts_with("rosenblatt")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.0.into())
    }

    fn event(&self, event: &Event<'_>) {
        // Standard error may be closed.
        let _ = std::io::stderr().write_all(line(event).as_bytes());
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn line(event: &Event<'_>) -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let level = match *event.metadata().level() {
        Level::ERROR => "error",
        Level::WARN => "warning",
        Level::INFO => "info",
        _ => "debug",
    };
    let mut fields = Fields::default();
    event.record(&mut fields);
    let mut line = format!("{{\"time\":{}.{:03},\"level\":\"{level}\",\"event\":", time / 1000, time % 1000);
    json_text(&fields.message, &mut line);
    line.push_str(&fields.others);
    line.push_str("}\n");
    line
}

/// What an event says.
#[derive(Default)]
struct Fields {
    message: String,
    others: String,
}

impl Fields {
    fn add(&mut self, field: &Field, value: impl FnOnce(&mut String)) {
        self.others.push(',');
        json_text(field.name(), &mut self.others);
        self.others.push(':');
        value(&mut self.others);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            _ => self.add(field, |out| json_text(&format!("{value:?}"), out)),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, |out| json_text(value, out));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, |out| {
            let _ = write!(out, "{value}");
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Keeps the lines.
    struct Kept(Lines, Arc<Mutex<String>>);

    impl Subscriber for Kept {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            self.0.enabled(metadata)
        }
        fn event(&self, event: &Event<'_>) {
            self.1.lock().unwrap().push_str(&line(event));
        }
        fn new_span(&self, span: &Attributes<'_>) -> Id {
            self.0.new_span(span)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn an_event_is_a_line_of_json() {
        let kept = Arc::new(Mutex::new(String::new()));
        tracing::subscriber::with_default(Kept(Lines(Level::INFO), kept.clone()), || {
            let hostile = "a \"name\"\n\u{1b}[31m";
            tracing::warn!(model = %hostile, bytes = 7u64, why = "because", "incomplete-commit-cut-off");
            tracing::debug!("not heard");
            tracing::info!(target: "hyper", "of another");
        });
        let text = kept.lock().unwrap().clone();
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(line["time"].as_f64().unwrap() > 1e9 && !text.contains('\u{1b}'), "{text}");
        let expected = serde_json::json!({"time": line["time"], "level": "warning", "event": "incomplete-commit-cut-off",
            "model": "a \"name\"\n\u{1b}[31m", "bytes": 7, "why": "because"});
        assert_eq!(line, expected);
    }
}
