//! Help, completions, the manual page and the demos.

use crate::support::{Bench, Ran};

const COMMANDS: [&str; 16] = [
    "train",
    "predict",
    "eval",
    "cv",
    "tune",
    "explain",
    "trace",
    "plot",
    "polyfit",
    "lab",
    "serve",
    "convert",
    "inspect",
    "export",
    "demo",
    "completions",
];

fn run(line: &str) -> Ran {
    Bench::new().run(line).ok()
}

#[test]
fn alone_it_shows_a_short_help_with_an_example_for_each_command() {
    let alone = run("");
    assert_eq!(alone.out, run("help").out);
    for command in COMMANDS {
        assert!(alone.out.contains(&format!("rosenblatt {command} ")), "{command}\n{alone}");
    }
    let commands: Vec<&str> = alone.out.lines().filter(|line| line.contains("rosenblatt ")).collect();
    assert!(commands[..COMMANDS.len()].iter().all(|line| line.starts_with("  rosenblatt ")), "aligned\n{alone}");
    assert!(alone.out.lines().count() < 25 && alone.out.lines().all(|l| l.chars().count() <= 100), "{alone}");
    assert_eq!(alone.err, "");
}

#[test]
fn every_command_has_help_with_examples() {
    for command in COMMANDS.iter().chain(&["help"]) {
        let help = run(&format!("help {command}"));
        assert!(help.out.contains("Examples:\n") && help.out.contains(&format!("rosenblatt {command}")), "{help}");
        assert!(help.out.contains("Usage: "), "{help}");
        assert_eq!(run(&format!("{command} --help")).out, help.out);
        assert!(help.out.contains("--json") && help.out.contains("--threads"), "{help}");
    }
    run("--help").shows("train");
    run("--version").shows("rosenblatt 0.");
    let line = Bench::new().run("help flying").refused();
    assert!(line.contains("there is no command \"flying\": choose one of train, predict"), "{line}");
}

#[test]
fn help_lists_the_learners_with_their_parameters() {
    let list = run("help learners").shows("guarantee:").shows("--set c=…").shows("default 1");
    for name in ["averaged", "perceptron", "voted", "pocket", "margin", "pa", "pa1", "pa2", "arow", "batch"] {
        assert!(list.out.lines().any(|line| line == name), "{name}\n{list}");
    }
    let learners = run("help learners --json").json();
    for learner in learners.as_array().unwrap() {
        assert_eq!(
            crate::support::keys(learner),
            ["guarantee", "keeps", "name", "other_keeps", "parameters", "summary"]
        );
    }
}

#[test]
fn completions_for_five_shells() {
    for (shell, sign) in [
        ("bash", "complete -F _rosenblatt"),
        ("zsh", "#compdef rosenblatt"),
        ("fish", "complete -c rosenblatt"),
        ("elvish", "edit:completion:arg-completer[rosenblatt]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = run(&format!("completions {shell}")).shows(sign).shows("train").shows("learner");
        // The scripts of the other two shells complete options, and no values of them.
        for known in ["averaged", "pa1", "conllu", "learners", "templates"] {
            assert!(["elvish", "powershell"].contains(&shell) || script.out.contains(known), "{shell}: {known}");
        }
    }
    assert!(Bench::new().run("completions tcsh").misused().contains("tcsh"));
}

#[test]
fn the_manual_page_is_one() {
    let page = run("man").shows(".TH rosenblatt");
    for command in COMMANDS {
        assert!(page.out.contains(command), "{command}");
        run(&format!("man {command}")).shows(&format!(".TH rosenblatt-{command}")).shows("Examples:");
    }
    assert!(Bench::new().run("man flying").refused().contains("there is no command \"flying\""));
}

#[test]
fn each_demo_tells_its_story() {
    for (name, story) in [
        ("and", "separated"),
        ("or", "separated"),
        ("xor", "so no line separates these data"),
        ("iris", "training error"),
        ("margin", "by theorem"),
        ("spam", "for spam"),
    ] {
        run(&format!("demo {name}")).shows(story);
        let json = run(&format!("demo {name} --json"));
        assert!(!json.json_lines().is_empty());
    }
    let all = run("demo");
    for name in ["AND", "XOR", "iris", "margin", "spam"] {
        assert!(all.out.contains(&format!("== {name}:")), "{name}\n{all}");
    }
    let told = Bench::new().run("demo spin").misused();
    assert!(told.contains("'spin'") && told.contains("xor"), "{told}");
}

/// After `--learner` a shell offered the names of files.
#[test]
fn completions_know_learners_formats_and_topics() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&format!("completions {shell}")).out;
        for name in ["arow", "pocket", "parquet", "conllu", "templates"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
}
