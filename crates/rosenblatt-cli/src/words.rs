//! The library's messages in the terms of the command line: a setting is a flag, a tool is a command.

use rosenblatt::message::{Advice, Part, Tool, Value, enumerated};
use rosenblatt::{Message, Setting};

/// The flag that sets a setting.
pub fn flag(setting: Setting) -> String {
    format!("--{}", setting.name())
}

/// The placeholder of a setting's value in the help.
fn placeholder(setting: Setting) -> &'static str {
    match setting {
        Setting::Labels | Setting::Init | Setting::Checkpoint => "FILE",
        Setting::Random | Setting::Folds | Setting::Epochs | Setting::Budget => "N",
        _ => "VALUE",
    }
}

/// A value as it must be typed in a shell.
fn typed(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.+=,:/@%…".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        value.to_string()
    } else {
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}

/// A flag with its value; `comma`: whether a comma follows, which would run into a list of values.
fn option(setting: Setting, value: &Value, comma: bool) -> String {
    let flag = flag(setting);
    match value {
        Value::Unsaid => flag,
        Value::Open => format!("{flag} {}", placeholder(setting)),
        Value::One(value) => format!("{flag} {}", typed(value)),
        Value::OneOf(values) if comma => format!("{flag} {}", values.join("|")),
        Value::OneOf(values) => format!("{flag} {}", enumerated(values, "or")),
    }
}

/// The text of the first part; the others are its context.
fn word(parts: &[Part]) -> String {
    let comma = matches!(parts.get(1), Some(Part::Text(text)) if text.starts_with(','));
    match &parts[0] {
        Part::Text(text) => text.clone(),
        Part::Setting(setting, value) | Part::Advice(Advice::Set(setting, value)) => option(*setting, value, comma),
        Part::Advice(Advice::LeaveOut(settings)) => {
            let flags: Vec<String> = settings.iter().map(|(setting, value)| option(*setting, value, false)).collect();
            format!("leave out {}", enumerated(&flags, "and"))
        }
        Part::Advice(Advice::Use(tool)) => command(*tool).to_string(),
        other => Message::from(other.clone()).to_string(),
    }
}

/// The command that a tool is.
fn command(tool: Tool) -> &'static str {
    match tool {
        Tool::Separable => "`rosenblatt separable`",
        Tool::Convert => "`rosenblatt convert`",
        Tool::Resume => "`rosenblatt train DATA --resume`",
        Tool::Commas => "put commas between them, say with `awk '{$1=$1} 1' OFS=,`",
        _ => "another command",
    }
}

/// A message in the terms of the command line.
pub fn message(message: &Message) -> String {
    message.worded(word)
}

/// An error in the terms of the command line.
pub fn error(error: &rosenblatt::Error) -> String {
    error.worded(word)
}

/// Any error in the terms of the command line.
pub fn any_error(error: &anyhow::Error) -> String {
    let mut causes = error.chain().map(|cause| match cause.downcast_ref::<rosenblatt::Error>() {
        Some(own) => self::error(own),
        None => cause.to_string(),
    });
    // A library error includes its source, and a context replaces it.
    match error.downcast_ref::<rosenblatt::Error>() {
        Some(_) => causes.next().unwrap_or_default(),
        None => causes.collect::<Vec<_>>().join(": "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All long flags of a command and of those below it.
    fn flags(command: &clap::Command, found: &mut Vec<String>) {
        found.extend(command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))));
        command.get_subcommands().for_each(|below| flags(below, found));
    }

    #[test]
    fn every_setting_is_a_flag() {
        let mut known = Vec::new();
        flags(&crate::args::command(), &mut known);
        let unknown: Vec<String> = Setting::ALL.iter().map(|&s| flag(s)).filter(|f| !known.contains(f)).collect();
        assert!(unknown.is_empty(), "no command has {unknown:?}");
    }

    #[test]
    fn every_tool_is_a_command() {
        let known: Vec<String> = crate::args::command()
            .get_subcommands()
            .map(|below| format!("`rosenblatt {}`", below.get_name()))
            .collect();
        for tool in [Tool::Separable, Tool::Convert] {
            assert!(known.contains(&command(tool).to_string()), "{tool:?}");
        }
    }

    #[test]
    fn values_are_quoted_for_a_shell() {
        let label = |value: &str| message(&Setting::Label.given(value));
        assert_eq!(label("x1"), "--label x1");
        assert_eq!(label("größe_2.5"), "--label größe_2.5");
        assert_eq!(label("petal width"), "--label 'petal width'");
        assert_eq!(label("o'clock"), r"--label 'o'\''clock'");
        assert_eq!(label(""), "--label ''");
        assert_eq!(message(&Setting::Grid.given("rate=0.1,1")), "--grid rate=0.1,1");
    }

    #[test]
    fn lists_of_values_keep_clear_of_commas() {
        let fill = Message::new("pass ").one_of(Setting::Missing, &["zero", "mean", "indicator"]);
        assert_eq!(message(&fill), "pass --missing zero, mean or indicator");
        let or_drop = fill.text(", or ").set(Setting::Drop, "my col");
        assert_eq!(message(&or_drop), "pass --missing zero|mean|indicator, or --drop 'my col'");
    }

    #[test]
    fn advice_is_worded_with_flags() {
        let none = Message::new("no: ").leave_out(&[Setting::Learner, Setting::Schedule, Setting::Init]);
        assert_eq!(message(&none), "no: leave out --learner, --schedule and --init");
        let bias = Message::new("Fewer mistakes. ").leave_out(&[Setting::NoBias]);
        assert_eq!(message(&bias), "Fewer mistakes. Leave out --no-bias");
        let draw = Message::new("draw with ").open(Setting::Random);
        assert_eq!(message(&draw), "draw with --random N");
    }

    #[test]
    fn an_error_keeps_its_place_and_a_context_replaces_it() {
        let own = rosenblatt::Error::setting(Setting::Label, "z", "no column has this name").in_file("a.csv");
        assert_eq!(error(&own), "a.csv: --label z: no column has this name");
        let any = anyhow::Error::new(own);
        assert_eq!(any_error(&any), "a.csv: --label z: no column has this name");
        assert_eq!(any_error(&any.context("--order x: no such file")), "--order x: no such file");
        let others = anyhow::anyhow!("inner").context("outer");
        assert_eq!(any_error(&others), "outer: inner");
    }
}
