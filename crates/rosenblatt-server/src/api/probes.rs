//! Probes and metrics.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::extract::Request;
use axum::response::Response;

use super::models::describe_all;
use super::{Serving, json, with_type};
use crate::http::Problem;

pub(super) async fn health(_: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    Ok(json("{\"live\":true}".into()))
}

pub(super) async fn ready(serving: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    let (models, failed) = describe_all(serving).await;
    match failed.is_empty() && models.iter().all(|model| model.learning || model.finished) {
        true => Ok(json("{\"ready\":true}".into())),
        false => Err(Problem::new(503, "not-ready", "a model does not answer or does not learn: see /v1/models")),
    }
}

/// A label value of Prometheus text. Two texts have two values, else a series would come twice: a control character is shown by
/// its number, `\u0001`, and a text that looks so has one backslash more.
fn label(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'u') => out.push_str(r"\\\\"),
            '\\' => out.push_str(r"\\"),
            '"' => out.push_str("\\\""),
            c if rosenblatt::escape::is_control(c) => {
                let _ = write!(out, r"\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

pub(super) async fn metrics(serving: &Arc<Serving>, _: Request) -> Result<Response, Problem> {
    let mut out = String::new();
    let mut family = |name: &str, kind: &str, help: &str, lines: &[(String, f64)]| {
        let _ = write!(out, "# HELP rosenblatt_{name} {help}\n# TYPE rosenblatt_{name} {kind}\n");
        for (labels, value) in lines {
            let _ = writeln!(out, "rosenblatt_{name}{labels} {value}");
        }
    };
    let counters = &serving.counters;
    let one = |value: f64| [(String::new(), value)];
    family("uptime_seconds", "gauge", "Seconds since the start.", &one(serving.since.elapsed().as_secs_f64()));
    let totals = [
        ("requests_total", "Requests answered.", &counters.requests),
        ("refused_total", "Requests and streams refused.", &counters.refused),
        ("predicted_rows_total", "Rows predicted.", &counters.predicted),
        ("learned_rows_total", "Rows learned from since the start.", &counters.learned),
    ];
    for (name, help, counter) in totals {
        family(name, "counter", help, &one(counter.load(Relaxed) as f64));
    }
    let (models, failed) = describe_all(serving).await;
    let of = |value: &dyn Fn(&crate::model::Description) -> Option<f64>| -> Vec<(String, f64)> {
        let line =
            |model: &crate::model::Description| Some((format!("{{model=\"{}\"}}", label(&model.name)), value(model)?));
        models.iter().filter_map(line).collect()
    };
    family("models_failed", "gauge", "Models that could not be opened.", &one(failed.len() as f64));
    family("seq", "gauge", "Examples learned from.", &of(&|m| Some(m.seq as f64)));
    family("features", "gauge", "Known features.", &of(&|m| Some(m.features as f64)));
    family("classes", "gauge", "Known classes.", &of(&|m| Some(m.classes.len() as f64)));
    family("updates", "gauge", "Times that the weights moved.", &of(&|m| Some(m.updates as f64)));
    family("learning", "gauge", "1 while the model learns.", &of(&|m| Some(f64::from(u8::from(m.learning)))));
    family(
        "drift",
        "gauge",
        "1 if the recent error lies above its band.",
        &of(&|m| Some(f64::from(u8::from(m.drift)))),
    );
    let mut errors = Vec::new();
    let (mut by_label, mut examples) = (Vec::new(), Vec::new());
    for model in &models {
        let name = label(&model.name);
        let windows = [("all", model.error.all), ("1000", model.error.last_1000), ("10000", model.error.last_10000)];
        for (window, error) in windows {
            errors.extend(error.map(|error| (format!("{{model=\"{name}\",window=\"{window}\"}}"), error)));
        }
        for count in &model.by_label {
            let labels = format!("{{model=\"{name}\",label=\"{}\"}}", label(&count.label));
            examples.push((labels.clone(), count.examples as f64));
            by_label.push((labels, count.mistakes as f64));
        }
    }
    family("progressive_error", "gauge", "Share of examples that were mistakes before they were learned.", &errors);
    family("examples", "gauge", "Examples by label.", &examples);
    family("mistakes", "gauge", "Mistakes by label.", &by_label);
    Ok(with_type("text/plain; version=0.0.4; charset=utf-8", out))
}

#[cfg(test)]
mod tests {
    use super::label;

    /// Labels of two control characters were one series, which came twice.
    #[test]
    fn two_texts_have_two_values() {
        let texts = ["a", "\0", "\u{1}", "\n", r"\u0001", r"\\u0001", "\\", r"\\", "\"", "\u{202e}", "\u{fffd}"];
        let values: Vec<String> = texts.iter().map(|text| label(text)).collect();
        for (at, value) in values.iter().enumerate() {
            assert!(!values[..at].contains(value), "{value}");
            // Only the escapes of the format: \\, \" and \n.
            let rest = value.replace(r"\\", "").replace("\\\"", "").replace(r"\n", "");
            assert!(!rest.contains(['\\', '"', '\n']), "{value}");
        }
    }
}
