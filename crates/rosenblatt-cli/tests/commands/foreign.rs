//! Labels, names, tags and paths come from files: a terminal shows them and does not obey them.

use crate::support::{Bench, Ran};

/// What clears a screen, ends a line, turns the writing, in three classes.
const HOSTILE: [&str; 3] = ["a\u{1b}]0;title\u{7}\u{1b}[2J", "b\u{9b}31m\u{202e}gnp.exe", "c"];

/// Whether a text can do more than be read.
fn moves(text: &str) -> bool {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t') || turns(c))
}

#[track_caller]
fn harmless(ran: &Ran) {
    assert!(!moves(&ran.out) && !moves(&ran.err), "{ran:?}");
}

/// A table with hostile labels, one of them with a line break, and a hostile column. A file that begins with control
/// characters is taken for a binary one: plain rows come first.
fn table(bench: &Bench, name: &str) {
    let mut text = "first\u{202e},second,label\n".to_string() + &"8,3,c\n".repeat(300);
    for i in 0..30 {
        let label = HOSTILE[i % 3];
        let label = if i % 3 == 0 { format!("\"{label}\nx\"") } else { label.to_string() };
        text += &format!("{},{},{label}\n", i % 3 * 4 + i % 2, 7 - i % 3 * 2);
    }
    bench.file(name, text);
}

#[test]
fn tables() {
    let bench = Bench::new();
    table(&bench, "hostile.csv");
    for line in [
        "train hostile.csv -o m",
        "train hostile.csv -o m.json",
        "train hostile.csv --holdout 0.3 --progressive --calibrate",
        "eval m hostile.csv",
        "inspect m",
        "explain m",
        "explain m hostile.csv",
        "predict m hostile.csv",
        "predict m hostile.csv --scores",
        "cv hostile.csv --folds 2",
        "tune hostile.csv --grid epochs=1,2",
        "separable hostile.csv",
        "export m --to text -",
        "plot confusion m hostile.csv -o a.svg",
        "plot boundary hostile.csv -o a.svg",
        "train hostile.csv --positive nobody",
        "train hostile.csv --label nothing",
        "plot boundary hostile.csv --x zero --y one -o a.svg",
    ] {
        for json in ["", " --json"] {
            harmless(&bench.run(&format!("{line}{json}")));
        }
    }
    harmless(&bench.run("trace hostile.csv --epochs 1"));
    assert!(roxmltree::Document::parse(&bench.text("a.svg")).is_ok());
}

#[test]
fn predictions_are_lines() {
    let bench = Bench::new();
    table(&bench, "hostile.csv");
    bench.run("train hostile.csv --learner averaged --scale none -o m").ok();
    let ran = bench.run("predict m hostile.csv").ok();
    assert_eq!(ran.out.lines().count(), 330, "{ran:?}");
    assert!(ran.out.contains("a\\u{1b}]0;title\\u{7}\\u{1b}[2J\\nx\n"), "{ran:?}");
    bench.run("predict m hostile.csv -o p").ok();
    assert_eq!(bench.text("p"), ran.out);
    let scores = bench.run("predict m hostile.csv --scores").ok();
    assert!(scores.out.lines().all(|line| line.split('\t').count() == 4), "{scores:?}");
    let objects = bench.run("predict m hostile.csv --json").ok().json_lines();
    let labels: Vec<&str> = objects.iter().map(|object| object["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"a\u{1b}]0;title\u{7}\u{1b}[2J\nx") && labels.contains(&HOSTILE[1]), "{labels:?}");
    bench.run("predict --help").ok().shows("a backslash as");
}

#[test]
fn sentences() {
    let bench = Bench::new();
    let mut text = String::new();
    for i in 0..20 {
        let (tag, word) = (HOSTILE[i % 2], ["w\u{1b}[7m", "v"][i % 2]);
        text += &format!("{word} {tag}\nx B-{tag}\ny I-{tag}\n\n");
    }
    bench.file("hostile.conll", &text);
    bench.file("other.conll", text.replace("c\n", "d\u{1b}c\n").replace(HOSTILE[1], "new\u{1b}[5m"));
    for line in [
        "train hostile.conll -o m",
        "train hostile.conll --tag-dictionary=2 -o n",
        "eval m hostile.conll",
        "eval m other.conll",
        "inspect m",
        "explain m",
        "export m --to text -",
    ] {
        harmless(&bench.run(line).ok());
        harmless(&bench.run(&format!("{line} --json")).ok());
    }
    harmless(&bench.run("predict m hostile.conll --json").ok());
}

/// A model is a file like any other: what it says of labels, tags and templates is shown, not obeyed.
#[test]
fn models() {
    let bench = Bench::with("a.csv", "x,y,label\n1,2,one\n3,4,two\n5,1,one\n0,4,two\n");
    bench.run("train a.csv -o m.json").ok();
    let hostile =
        bench.text("m.json").replace("\"one\"", "\"\\u001b[2Jone\\u202e\"").replace("\"x\"", "\"x\\u009b5m\"");
    bench.file("h.json", hostile);
    for line in ["inspect h.json", "explain h.json", "eval h.json a.csv", "predict h.json a.csv"] {
        harmless(&bench.run(line));
    }
    bench.file("s.conll", "w A\nv B\n\nw A\nv B\n\n");
    bench.run("train s.conll --templates pos -o t.json").ok();
    let hostile = bench.text("t.json").replace("\"A\"", "\"A\\u001b[2J\"");
    bench.file("u.json", hostile);
    for line in ["inspect u.json", "explain u.json", "eval u.json s.conll", "predict u.json s.conll"] {
        harmless(&bench.run(line));
    }
}

#[cfg(unix)]
#[test]
fn paths() {
    let bench = Bench::new();
    let name = "d\u{1b}[2J\u{202e}\n.csv";
    bench.file(name, "x,y,label\n1,2,one\n3,4,two\n5,1,one\n0,4,two\n");
    for words in [
        vec!["train", name],
        vec!["train", name, "-o", "m\u{1b}[1m"],
        vec!["train", name, "--checkpoint", "k\u{1b}", "--cache", "k\u{1b}"],
        vec!["train", name, "--label", "z\u{1b}"],
        vec!["train", "no\u{1b}[1m"],
        vec!["train", name, "surplus\u{1b}[1m"],
        vec!["train", name, "--scale", "x\u{1b}[1m"],
        vec!["separable", name, "--certificate", "c\u{1b}"],
        vec!["verify", "c\u{1b}", name],
        vec!["convert", name, "e\u{1b}.svm"],
        vec!["plot", "boundary", name, "-o", "p\u{1b}.svg"],
        vec!["inspect", "m\u{1b}[1m"],
        vec!["eval", "m\u{1b}[1m", name],
        vec!["help", "x\u{1b}"],
    ] {
        harmless(&bench.run_args(&words));
    }
}

/// A width beyond 65,535 made Rust's own padding panic.
#[test]
fn names_of_any_length() {
    let bench = Bench::new();
    let long = |c: &str| c.repeat(70_000);
    let (a, b) = (long("a"), long("b"));
    bench.file("long.csv", format!("{},{},label\n1,2,{a}\n3,4,{b}\n5,1,{a}\n0,4,{b}\n", long("x"), long("y")));
    bench.file("long.conll", format!("w B-{a}\nv I-{b}\n\nw B-{a}\nv B-{b}\n\n"));
    for line in [
        "train long.csv -o m",
        "eval m long.csv",
        "explain m",
        "explain m long.csv",
        "inspect m",
        "trace long.csv --epochs 2",
        "separable long.csv",
        "train long.conll -o t",
        "eval t long.conll",
        "explain t",
        "inspect t",
    ] {
        let ran = bench.run(line);
        assert!(
            matches!(ran.code, Some(0 | 1)) && ran.out.lines().all(|line| line.chars().count() < 400),
            "{line}: {}",
            ran.err
        );
    }
    let json = bench.run("eval m long.csv --json").ok().json();
    assert_eq!(json["classes"][0].as_str().unwrap().len(), 70_000, "JSON is complete");
}

/// Text is padded by [`show`], whose widths are those of a terminal and have no limit, and written by `Output`, which
/// escapes it.
#[test]
fn the_front_end_has_one_way_to_show_text() {
    fn each(folder: &std::path::Path, see: &mut dyn FnMut(&std::path::Path, &str)) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                each(&path, see);
            } else if path.extension().is_some_and(|e| e == "rs") {
                see(&path, &std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut found = Vec::new();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    each(&source, &mut |path, text| {
        let name = path.strip_prefix(&source).unwrap().display().to_string();
        for (number, line) in (1..).zip(text.lines()) {
            let code = line.split("//").next().unwrap();
            let padded = code
                .split('{')
                .skip(1)
                .filter_map(|part| part.split('}').next())
                .any(|hole| hole.split_once(':').is_some_and(|(_, how)| how.contains('$') && !how.contains('.')));
            let printed = ["print!(", "println!(", "stdout()", "stderr()"].iter().any(|way| code.contains(way));
            let output = matches!(&name[..], "output.rs" | "progress.rs" | "commands/tune/mod.rs");
            if padded || printed && !output {
                found.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    });
    assert!(found.is_empty(), "pad with show::left or show::right, write with Output:\n{}", found.join("\n"));
}
