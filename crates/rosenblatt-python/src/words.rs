//! The library's messages in Python's terms: a setting is a parameter, a tool is a function.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use rosenblatt::message::{Advice, Part, Tool, Value, enumerated};
use rosenblatt::{Error, Finding, Message, Setting};

/// The parameter of a setting; `None`: Python has none, and the plain name is used.
fn parameter(setting: Setting) -> Option<&'static str> {
    Some(match setting {
        Setting::Format => "format",
        Setting::Header => "header",
        Setting::Label => "label",
        Setting::Drop => "drop",
        Setting::Category => "category",
        Setting::Text => "text",
        Setting::Ngrams => "ngrams",
        Setting::CharNgrams => "char_ngrams",
        Setting::Delimiter => "delimiter",
        Setting::Na => "na",
        Setting::Missing => "missing",
        Setting::Weight => "weight",
        Setting::Labels => "labels",
        Setting::Positive => "positive",
        Setting::Epochs => "max_iter",
        Setting::Order => "shuffle",
        Setting::Keep => "keep",
        Setting::Bias => "intercept_scaling",
        Setting::NoBias => "fit_intercept",
        Setting::ClassWeight => "class_weight",
        Setting::Kernel => "kernel",
        Setting::Budget => "budget",
        Setting::Degree => "degree",
        Setting::MinCount => "min_count",
        Setting::Tf => "tf",
        Setting::TfIdf => "tf_idf",
        Setting::HashBits => "hash_bits",
        Setting::Scale => "scale",
        Setting::Memory => "memory",
        Setting::Calibrate => "calibrate",
        Setting::Cache => "cache",
        Setting::Holdout => "validation_fraction",
        Setting::Tag => "tag",
        Setting::Templates => "templates",
        Setting::TagDictionary => "tag_dictionary",
        Setting::Constrain => "constrain",
        Setting::Encode => "encode",
        Setting::SkipUntagged => "skip_untagged",
        _ => return None,
    })
}

/// A value as Python writes it.
fn literal(value: &str) -> String {
    if value.parse::<f64>().is_ok_and(f64::is_finite) {
        value.to_string()
    } else {
        format!("'{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
    }
}

/// `name=value`.
fn argument(setting: Setting, value: &Value) -> String {
    let name = parameter(setting).unwrap_or(setting.name());
    match (setting, value) {
        (Setting::NoBias, _) => format!("{name}=False"),
        (Setting::Header, Value::One(when)) => format!("{name}={}", if when == "yes" { "True" } else { "False" }),
        (Setting::Order, Value::One(order)) if order == "shuffled" => format!("{name}=True"),
        (Setting::Order, _) => format!("{name}=False"),
        (_, Value::Unsaid | Value::Open) => name.to_string(),
        (_, Value::One(value)) => format!("{name}={}", literal(value)),
        (_, Value::OneOf(values)) => {
            let values: Vec<String> = values.iter().map(|value| literal(value)).collect();
            format!("{name}={}", enumerated(&values, "or"))
        }
    }
}

/// The text of the first part.
fn word(parts: &[Part]) -> String {
    match &parts[0] {
        Part::Text(text) => text.clone(),
        Part::Setting(setting, value) | Part::Advice(Advice::Set(setting, value)) => argument(*setting, value),
        Part::Advice(Advice::LeaveOut(settings)) => {
            let arguments: Vec<String> = settings.iter().map(|(setting, value)| argument(*setting, value)).collect();
            format!("leave out {}", enumerated(&arguments, "and"))
        }
        // In quotes, so that no capital letter begins it.
        Part::Advice(Advice::Use(Tool::Separable)) => "`separable(X, y)`".to_string(),
        // As the user's arrays count them.
        Part::Row(row) => format!("row {row}"),
        Part::Feature(feature) => format!("feature {feature}"),
        // Python has no function for the others.
        other => Message::from(other.clone()).to_string(),
    }
}

/// An error in Python's terms.
pub(crate) fn error(error: &Error) -> String {
    error.worded(word)
}

/// Messages in Python's terms.
pub(crate) fn messages(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.worded(word)).collect()
}

/// A finding with its advice, in Python's terms; examples count from 0, as in the user's arrays.
pub(crate) fn finding(finding: &Finding) -> String {
    let mut found = finding.clone();
    match &mut found {
        Finding::KeptFailing { examples, .. } => examples.iter_mut().for_each(|i| *i -= 1),
        Finding::Contradiction { first, second, .. } => (*first, *second) = (*first - 1, *second - 1),
        _ => {}
    }
    found.message().worded(word)
}

/// The parameter for each setting that has one.
#[pyfunction]
pub(crate) fn parameters() -> BTreeMap<&'static str, &'static str> {
    Setting::ALL.iter().filter_map(|&setting| Some((setting.name(), parameter(setting)?))).collect()
}
