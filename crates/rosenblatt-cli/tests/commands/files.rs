//! Files that cannot be read or written, and what is left behind.

use std::process::Stdio;

use crate::support::{Bench, POINTS};

fn trained() -> Bench {
    let bench = Bench::with("points.csv", POINTS);
    bench.run("train points.csv -o model").ok();
    bench
}

#[test]
fn a_file_that_is_not_there() {
    let bench = trained();
    for line in ["train nowhere.csv", "trace nowhere.csv", "predict model nowhere.csv", "eval model nowhere.csv"] {
        assert_eq!(bench.run(line).refused(), "error: nowhere.csv: no such file");
    }
    for line in
        ["predict nothing points.csv", "eval nothing points.csv", "inspect nothing", "export nothing --to text -"]
    {
        assert_eq!(bench.run(line).refused(), "error: nothing: no such file");
    }
    assert_eq!(bench.run("train points.csv --resume nothing").refused(), "error: nothing: no such file");
}

#[test]
fn a_directory_where_a_file_belongs() {
    let bench = trained();
    std::fs::create_dir(bench.path("folder")).unwrap();
    for line in ["train folder", "predict model folder", "inspect folder", "predict folder points.csv"] {
        let told = bench.run(line).refused();
        assert!(told.starts_with("error: folder: ") && told.to_lowercase().contains("directory"), "{told}");
    }
    for line in [
        "train points.csv -o folder",
        "train points.csv --checkpoint folder",
        "predict model points.csv -o folder",
        "export model --to json folder",
    ] {
        let told = bench.run(line).refused_after_notes();
        assert!(told.starts_with("error: folder: "), "{told}");
    }
    assert_eq!(bench.names(), ["folder", "model", "points.csv"], "nothing half-written is left");
}

#[test]
fn an_output_that_cannot_be_written_leaves_nothing() {
    let bench = trained();
    for line in [
        "train points.csv -o no/such/place",
        "train points.csv --checkpoint no/such/place",
        "predict model points.csv -o no/such/place",
        "export model --to text no/such/place",
    ] {
        assert_eq!(
            bench.run(line).refused_after_notes(),
            "error: no/such/place: no such file or folder to write in",
            "{line}"
        );
    }
    assert_eq!(bench.names(), ["model", "points.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_device_stays_a_device() {
    use std::os::unix::fs::FileTypeExt;
    let bench = trained();
    for line in ["predict model points.csv -o /dev/full", "export model --to json /dev/full"] {
        let told = bench.run(line).refused_after_notes();
        assert!(told.starts_with("error: /dev/full: "), "{told}");
    }
    for line in
        ["train points.csv -o /dev/null", "predict model points.csv -o /dev/null", "export model --to json /dev/null"]
    {
        bench.run(line).ok();
        let kind = std::fs::metadata("/dev/null").unwrap().file_type();
        assert!(kind.is_char_device(), "{line} replaced /dev/null");
    }
}

/// A cache is read back, so it cannot be a device. It replaced `/dev/null` by a file.
#[cfg(target_os = "linux")]
#[test]
fn a_cache_is_a_file() {
    let bench = trained();
    // Not /dev/null itself: it must survive a failure of this test.
    std::os::unix::fs::symlink("/dev/null", bench.path("device")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap();
    assert!(pipe.success());
    for place in ["device", "pipe", "."] {
        let told = bench.run(&format!("train points.csv --cache {place}")).refused_after_notes();
        assert_eq!(
            told,
            match place {
                "." => "error: .: this is a directory: name a file in it".to_string(),
                _ => format!("error: {place}: this is not a file: name one, or a place for a new one, with --cache"),
            }
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_stays_a_link() {
    let bench = trained();
    std::fs::create_dir(bench.path("store")).unwrap();
    std::os::unix::fs::symlink("store/real", bench.path("link")).unwrap();
    bench.run("train points.csv -o link").ok();
    assert!(std::fs::symlink_metadata(bench.path("link")).unwrap().is_symlink());
    assert_eq!(bench.read("store/real"), bench.read("model"));
}

#[test]
fn an_old_file_survives_a_failure() {
    let bench = trained();
    let before = bench.read("model");
    bench.file("bad.csv", "1,x\nzwei,y\n");
    bench.run("train bad.csv -o model").refused();
    assert_eq!(bench.read("model"), before);
    bench.file("answers", "old");
    bench.run("predict model bad.csv -o answers").refused();
    assert_eq!(bench.text("answers"), "old");
}

#[test]
fn what_is_read_is_not_overwritten() {
    let bench = trained();
    bench.file("more.csv", POINTS);
    bench.file("start", "1 1 1");
    bench.file("order", "1\n2\n");
    bench.run("train points.csv --checkpoint stand --epochs 1").ok();
    for line in [
        "train points.csv -o points.csv",
        "train points.csv --checkpoint ./points.csv",
        "predict model points.csv -o points.csv",
        "predict model points.csv -o model",
        "train points.csv --validation more.csv -o more.csv",
        "train points.csv --init start -o start",
        "train points.csv --order order -o order",
        "train points.csv --resume stand --epochs 20 -o stand",
        "separable points.csv --certificate points.csv",
        "export model --to text model",
        "export model --to onnx ./model",
    ] {
        assert!(bench.run(line).refused().contains("read by the same command, and would be overwritten"), "{line}");
    }
    assert_eq!(bench.text("points.csv"), POINTS);
    assert_eq!(bench.text("more.csv"), POINTS);
    let line = bench.run("train points.csv -o m --checkpoint m").refused();
    assert!(line.contains("-o and --checkpoint name the same file"), "{line}");
    // Two outputs in one file: the last that was written won, and the others were lost without a word.
    for (line, options) in [
        ("train points.csv -o m --cache m", "-o and --cache"),
        ("train points.csv -o m --cache ./m", "-o and --cache"),
        ("train points.csv --checkpoint k --cache k", "--checkpoint and --cache"),
    ] {
        let refused = bench.run(line).refused();
        assert!(refused.contains(&format!("{options} name the same file")), "{line}: {refused}");
    }
    for line in [
        "train points.csv --cache points.csv",
        "train points.csv --resume stand --epochs 20 --cache stand",
        "convert points.csv ./points.csv",
        "plot boundary points.csv -o ./linked.svg",
        "tune points.csv --grid epochs=1 --test more.csv -o more.csv",
    ] {
        let _ = std::fs::hard_link(bench.path("points.csv"), bench.path("linked.svg"));
        assert!(bench.run(line).refused().contains("would be overwritten"), "{line}");
    }
    assert!(bench.names().iter().all(|name| !["m", "k"].contains(&&name[..])), "{:?}", bench.names());
    // A checkpoint may replace the one that it resumes.
    bench.run("train points.csv --epochs 1 --checkpoint c").ok();
    bench.run("train points.csv --resume c --checkpoint c -o model").ok();
}

/// A table from a pipe was opened twice, to see whether it holds numbers alone: what the first look had taken was gone, and
/// the rest was learned from. A named pipe had no second time at all.
#[test]
fn a_pipe_gives_what_the_file_gives() {
    let csv = |i: usize| format!("{},{},{}\n", i % 97, i % 89, ["low", "high"][usize::from(i % 97 > i % 89)]);
    let svm = |i: usize| format!("{} 1:{} 2:{}\n", i32::from(i % 97 > i % 89), i % 97, i % 89);
    let texts = |i: usize| format!("{}\tword{} and word{}\n", ["ham", "spam"][i % 2], i % 97, i % 89);
    let bench = Bench::new();
    for (format, options, text) in [
        ("csv", "", (0..20_000).map(csv).collect::<String>()),
        ("libsvm", "", (0..20_000).map(svm).collect()),
        ("tsv", "--label 1 --text 2", (0..5_000).map(texts).collect()),
    ] {
        bench.file("data", &text);
        for more in ["", "--epochs 1", "--memory 1k --scale none", "--cache off", "--scale standard"] {
            let options = format!("--format {format} {options} {more}");
            bench.run(&format!("train data {options} -o whole")).ok();
            bench.pipe(&format!("train - {options} -o piped"), &text).ok();
            assert!(bench.read("piped") == bench.read("whole"), "{options}");
            #[cfg(unix)]
            {
                let path = bench.path("pipe");
                assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
                std::thread::scope(|scope| {
                    scope.spawn(|| std::fs::write(&path, &text).unwrap());
                    bench.run(&format!("train pipe {options} -o piped")).ok();
                });
                std::fs::remove_file(&path).unwrap();
                assert!(bench.read("piped") == bench.read("whole"), "{options}, by a named pipe");
            }
        }
        let options = format!("--format {format} {options}");
        for line in ["cv DATA", "eval whole DATA", "trace DATA --epochs 1"] {
            if line.starts_with("eval") {
                bench.run(&format!("train data {options} -o whole")).ok();
            }
            let line = format!("{line} --json {options}");
            let whole = bench.run(&line.replace("DATA", "data")).ok().out;
            let piped = bench.pipe(&line.replace("DATA", "-"), &text).ok().out;
            let told = |out: &str| out.split("\"seconds\"").next().map(str::to_string);
            assert!(told(&whole) == told(&piped), "{line}");
        }
    }
}

/// How much memory rows take was counted in commas, so that tabs and semicolons took none; and where a file had to be read
/// whole after all, nobody said so.
#[test]
fn little_memory_leads_through_a_cache_or_is_told_of() {
    let bench = Bench::new();
    for (name, mark) in [("m.csv", ','), ("m.tsv", '\t'), ("s.csv", ';')] {
        let line = |i: usize| format!("{}{mark}{}{mark}{}\n", i % 97, i % 89, i32::from(i % 97 > i % 89));
        bench.file(name, (0..20_000).map(line).collect::<String>());
        // Rows that are not kept in memory are not scaled, and the report says so.
        bench.run(&format!("train {name} --memory 100k")).ok().shows("prepared     nothing: columns");
        let whole = bench.run(&format!("train {name} --scale none -o whole")).ok();
        assert!(!whole.out.contains("through a cache"), "{}", whole.out);
        let cached = bench.run(&format!("train {name} --scale none --memory 100k -o cached")).ok();
        assert!(cached.out.contains("through a cache"), "{}", cached.out);
        assert!(bench.read("cached") == bench.read("whole"), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let rows: String = (0..20_000).map(|i| format!("{},{}\n", i % 100, if i % 100 < 50 { "a" } else { "b" })).collect();
    let bench = Bench::with("many.csv", rows);
    bench.run("train many.csv -o m").ok();
    for line in [
        "predict m many.csv",
        "predict m many.csv --json --scores",
        "trace many.csv --epochs 1",
        "trace many.csv --json",
    ] {
        let mut program = bench.command(line).stdout(Stdio::piped()).spawn().unwrap();
        let mut head = std::process::Command::new("head")
            .arg("-1")
            .stdin(program.stdout.take().unwrap())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        head.wait().unwrap();
        drop(program.stdin.take());
        let output = program.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {err}");
        assert!(err.lines().all(|line| line.starts_with("note: ")), "{line}: {err}");
    }
}

/// The labels of an array go to a file that nobody named: it replaced what was there, even labels that were being read.
#[test]
fn labels_beside_an_array_replace_nothing() {
    let bench = Bench::with("points.csv", POINTS);
    bench.file("a.labels.npy", "precious");
    let refused = bench.run("convert points.csv a.npy").refused();
    assert!(refused.contains("a.labels.npy: the labels would replace this file"), "{refused}");
    assert_eq!((bench.text("a.labels.npy"), bench.path("a.npy").exists()), ("precious".to_string(), false));
    bench.run("convert points.csv b.npy").ok();
    bench.run("convert points.csv b.npy").ok();
    let refused = bench.run("convert b.npy b.npy --labels b.labels.npy --to npy").refused();
    assert!(refused.contains("would be overwritten"), "{refused}");
    std::fs::copy(bench.path("b.npy"), bench.path("c.npy")).unwrap();
    let refused = bench.run("convert c.npy b.npy --labels b.labels.npy").refused();
    assert!(refused.contains("b.labels.npy: this is read by the same command"), "{refused}");
}

/// An output that could not be written was found after the training, which was lost. The inputs do not exist: whoever names
/// the output has not even looked at them.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let bench = trained();
    for line in [
        "train nowhere.csv -o /proc/out",
        "train nowhere.csv --checkpoint /proc/out",
        "train nowhere.csv --cache /proc/out",
        "train nowhere.conll -o /proc/out",
        "tune nowhere.csv --grid epochs=1 -o /proc/out",
        "separable nowhere.csv --certificate /proc/out",
        "predict nowhere nowhere.csv -o /proc/out",
        "export nowhere --to json /proc/out",
        "convert nowhere.csv /proc/out.csv",
        "convert nowhere.csv /proc/out.npy",
        "plot curve nowhere -o /proc/out.svg",
        "plot boundary nowhere.csv -o /proc/out.png",
    ] {
        let refused = bench.run(line).refused();
        assert!(refused.starts_with("error: /proc/out"), "{line}: {refused}");
    }
}
