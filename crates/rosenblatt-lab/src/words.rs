//! The library's messages in the terms of the page: a setting is a control, or an option of the program; a tool is a view.

use rosenblatt::message::{Advice, Part, Tool, Value, enumerated};
use rosenblatt::{Error, ErrorKind, Message, Setting};

/// The control that sets a setting, as the page labels it. What the page does not set, the program does: that is said.
fn control(setting: Setting) -> String {
    match setting {
        Setting::NoBias => "“bias” 0".to_string(),
        Setting::Init => "“start”".to_string(),
        Setting::Epochs => "“passes”".to_string(),
        Setting::Learner
        | Setting::Order
        | Setting::Keep
        | Setting::Schedule
        | Setting::Bias
        | Setting::Kernel
        | Setting::Degree => format!("“{}”", setting.name()),
        other => format!("the program's --{}", other.name()),
    }
}

fn option(setting: Setting, value: &Value) -> String {
    let control = control(setting);
    match value {
        Value::Unsaid | Value::Open => control,
        Value::One(value) => format!("{control} {value}"),
        Value::OneOf(values) => format!("{control} {}", enumerated(values, "or")),
    }
}

/// The text of the first part; the others are its context.
fn word(parts: &[Part]) -> String {
    match &parts[0] {
        Part::Text(text) => text.clone(),
        Part::Setting(setting, value) | Part::Advice(Advice::Set(setting, value)) => option(*setting, value),
        Part::Advice(Advice::LeaveOut(settings)) => {
            let controls: Vec<String> = settings.iter().map(|(setting, value)| option(*setting, value)).collect();
            format!("reset {}", enumerated(&controls, "and"))
        }
        Part::Advice(Advice::Use(Tool::Separable)) => "the view “Separable?”".to_string(),
        other => Message::from(other.clone()).to_string(),
    }
}

/// A message in the terms of the page.
pub fn message(message: &Message) -> String {
    message.worded(word)
}

/// An error in the terms of the page.
pub fn error(error: &Error) -> String {
    error.worded(word)
}

/// The kind of an error, for programs.
pub fn kind(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::Settings => "settings",
        ErrorKind::Memory | ErrorKind::Interrupted => "limit",
        _ => "data",
    }
}
