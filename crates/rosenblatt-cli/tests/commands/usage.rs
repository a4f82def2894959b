//! Wrong options, negative numbers, colours: what every command has in common.

use crate::support::{Bench, POINTS};

fn bench() -> Bench {
    Bench::with("points.csv", POINTS)
}

#[test]
fn a_wrong_option_is_named_and_the_right_one_proposed() {
    let bench = bench();
    for (line, told) in [
        ("train points.csv --epoch 3", "--epochs"),
        ("train points.csv --learnr averaged", "--learner"),
        ("train", "<DATA>"),
        ("predict points.csv", "<DATA>"),
        ("fly", "'fly'"),
        ("separable points.csv more.csv", "'more.csv'"),
        ("train points.csv --keep best", "best"),
        ("train points.csv --tie maybe", "maybe"),
        ("train points.csv --multiclass many", "many"),
        ("export points.csv --to pdf x", "pdf"),
        ("train points.csv --color mauve", "mauve"),
        ("train points.csv --threads 0", "--threads"),
        ("train points.csv --epochs 0", "--epochs"),
        ("train points.csv --epochs 99999999999", "--epochs"),
        ("train points.csv --seed 1.5", "--seed"),
        ("train points.csv --resume c --learner pa", "--learner"),
    ] {
        let err = bench.run(line).misused();
        assert!(err.contains(told), "{line}: {err}");
    }
    assert_eq!(bench.names(), ["points.csv"]);
}

#[test]
fn negative_numbers_are_values_not_options() {
    let bench = bench();
    for option in ["--rate", "--epochs", "--seed", "--threads", "--label", "--drop", "--weight", "--category"] {
        let ran = bench.run(&format!("train points.csv {option} -1"));
        assert_eq!(ran.code, Some(2), "{ran}");
        assert!(!ran.err.contains("unexpected argument"), "{option} -1 is a value out of range, no option\n{ran}");
        assert!(ran.err.contains("-1"), "{ran}");
    }
    for line in [
        "train points.csv --bias -1",
        "train points.csv --memory -1",
        "separable points.csv --gap -1",
        "separable points.csv --time-limit -1",
        "explain points.csv --top -1",
        "polyfit points.csv --x -1",
        "tune points.csv --grid epochs=1 --holdout -1",
    ] {
        let ran = bench.run(line);
        assert_eq!(ran.code, Some(2), "{ran}");
        assert!(!ran.err.contains("unexpected argument"), "{ran}");
    }
}

#[test]
fn a_format_that_is_not_known() {
    let bench = bench();
    assert_eq!(
        bench.run("train points.csv --format xml").refused(),
        "error: unknown format \"xml\": use libsvm, csv, tsv, jsonl, fasttext, vw, idx, npy or parquet"
    );
    assert!(bench.run("train points.csv --format idx").refused().contains("no idx file: it does not begin as one"));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let bench = bench();
    let coloured = |line: &str, variables: &[(&str, &str)]| {
        let mut command = bench.command(line);
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        output.stdout.contains(&0x1b) || output.stderr.contains(&0x1b)
    };
    assert!(!coloured("train points.csv", &[]), "not into a pipe");
    assert!(coloured("train points.csv --color always", &[]));
    assert!(!coloured("train points.csv --color never", &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured("train points.csv", &[("NO_COLOR", "1")]));
    assert!(!coloured("help train", &[("NO_COLOR", "1")]));
    assert!(!coloured("train nowhere --color never", &[]));
    assert!(coloured("train nowhere --color always", &[]));
    let json = bench.command("train points.csv --json --color always").output().unwrap();
    assert!(!json.stdout.contains(&0x1b), "JSON is for programs");
    assert!(!coloured("train points.csv --json --epoch 1 --color never", &[]), "errors of usage, too");
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let bench = bench();
    bench.run("train points.csv -o m").ok();
    for line in ["train points.csv --json", "eval m points.csv --json", "inspect m --json", "--json inspect m"] {
        assert!(bench.run(line).ok().json().is_object(), "{line}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_answers() {
    let bench = bench();
    bench.run("train points.csv -o m").ok();
    let one = bench.run("predict m points.csv --scores --threads 1").ok().out;
    assert_eq!(bench.run("predict m points.csv --scores --threads 2").ok().out, one);
    assert_eq!(bench.run("--threads 7 predict m points.csv --scores").ok().out, one);
}

/// Reading or training may take hours: what is wrong with the command is said at once.
#[test]
fn bad_settings_are_refused_before_the_data_are_read() {
    let bench = bench();
    for (options, told) in [
        ("--learner oracle", "error: there is no learner \"oracle\""),
        ("--learner pa1 --set C=1", "error: pa1 has no parameter \"C\": it has c"),
        ("--rate 0", "error: rate=0: "),
        ("--class-weight up", "error: --class-weight up: "),
        ("--learner arow --keep vote", "error: arow always keeps last"),
        ("--order sorted", "error: --order sorted: "),
        ("-o no/folder/model", "error: no/folder/model: no such file or folder to write in"),
        ("--checkpoint no/folder/c", "error: no/folder/c: no such file or folder to write in"),
        ("-o -", "error: -o names a file: the report goes to standard output"),
        ("--checkpoint -", "error: --checkpoint names a file: the report goes to standard output"),
    ] {
        let line = bench.run(&format!("train nowhere.csv {options}")).refused();
        assert!(line.starts_with(told), "{options}: {line}");
    }
    assert_eq!(bench.names(), ["points.csv"]);
}
