//! The same command writes the same bytes: twice, on any number of threads, and paused and resumed.

mod support;

use std::fmt::Write;
use std::process::Child;
use std::time::{Duration, Instant};

use support::{Bench, POINTS, Ran, THREE, XOR, finish};

/// Rows that no line separates, so that training lasts as long as it is told to.
fn noisy(rows: usize) -> String {
    let mut state = 1u64;
    let mut random = || {
        // Knuth's MMIX generator: any will do, as long as it is ours.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % 1000
    };
    let mut text = String::new();
    for _ in 0..rows {
        let (a, b, c) = (random(), random(), random());
        let label = if a + random() > b + 500 { "+1" } else { "-1" };
        writeln!(text, "{label} 1:{} 2:{} 3:{}", a as f64 / 1e3, b as f64 / 1e3, c as f64 / 1e3).unwrap();
    }
    text
}

const LEARNERS: [&str; 10] =
    ["averaged", "perceptron", "voted", "pocket", "margin", "pa", "pa1", "pa2", "arow", "batch"];

#[test]
fn two_runs_and_any_threads_write_the_same_bytes() {
    let bench = Bench::with("d.svm", noisy(300));
    bench.file("three.csv", THREE);
    for learner in LEARNERS {
        for data in ["d.svm", "three.csv"] {
            for (name, threads) in [("a", 1), ("b", 1), ("c", 2), ("d", 5)] {
                let line = format!("train {data} --learner {learner} --epochs 4 -o {name} --threads {threads}");
                bench.run(&format!("{line} --checkpoint {name}.checkpoint")).ok();
            }
            for other in ["b", "c", "d"] {
                assert_eq!(bench.read("a"), bench.read(other), "{learner} on {data}");
                let paused = |name: &str| bench.read(&format!("{name}.checkpoint"));
                assert_eq!(paused("a"), paused(other), "{learner} on {data}");
            }
        }
    }
}

#[test]
fn another_seed_is_another_model() {
    let bench = Bench::with("d.svm", noisy(300));
    bench.run("train d.svm --seed 1 -o a").ok();
    bench.run("train d.svm --seed 2 -o b").ok();
    assert_ne!(bench.read("a"), bench.read("b"));
    assert_eq!(bench.json("train d.svm --seed 2 --json")["seed"], 2);
}

#[test]
fn a_paused_training_goes_on_as_if_it_had_never_stopped() {
    let bench = Bench::with("d.svm", noisy(300));
    bench.file("three.csv", THREE);
    bench.file("xor.csv", XOR);
    bench.file("order.txt", "4 3 2 1 1 2");
    bench.file("start.txt", "1 -1 0.5");
    let mut settings: Vec<String> = LEARNERS.iter().map(|name| format!("d.svm --learner {name}")).collect();
    settings.extend(
        [
            "three.csv --learner perceptron --keep vote --multiclass one-vs-rest --label class",
            "three.csv --learner arow --multiclass uniform",
            "xor.csv --order cyclic --tie positive --no-bias",
            "xor.csv --order order.txt --learner pocket",
            "xor.csv --init start.txt --learner perceptron --schedule inverse-sqrt --rate 0.5",
            "d.svm --class-weight +1=3 --seed 9 --positive -1",
            "d.svm --class-weight balanced --learner voted",
        ]
        .map(String::from),
    );
    for setting in settings {
        // What is said of reading has to be said again; what was said of learning stands in the checkpoint.
        let mut words = setting.split(' ');
        let data = words.next().unwrap();
        let said: Vec<&str> = words.collect();
        let reading: Vec<&str> =
            said.chunks(1).map(|w| w[0]).skip_while(|w| *w != "--positive" && *w != "--label").collect();
        let reading = reading.join(" ");
        bench.run(&format!("train {setting} --epochs 7 -o whole --checkpoint whole.checkpoint")).ok();
        bench.run(&format!("train {setting} --epochs 3 --checkpoint paused")).ok();
        bench.run(&format!("train {data} --resume paused --epochs 7 -o resumed --checkpoint end {reading}")).ok();
        assert_eq!(bench.read("whole"), bench.read("resumed"), "{setting}");
        assert_eq!(bench.read("whole.checkpoint"), bench.read("end"), "{setting}");
    }
}

#[test]
fn the_report_of_a_resumed_training_covers_all_of_it() {
    let bench = Bench::with("d.svm", noisy(300));
    let mut whole = bench.json("train d.svm --epochs 7 --learner pa1 --set c=0.1 --json");
    bench.run("train d.svm --epochs 3 --learner pa1 --set c=0.1 --checkpoint c").ok();
    let mut resumed = bench.json("train d.svm --resume c --epochs 7 --json");
    for report in [&mut whole, &mut resumed] {
        report["seconds"] = serde_json::Value::Null;
    }
    assert_eq!(whole, resumed);
}

#[test]
fn other_data_are_refused() {
    let bench = Bench::with("d.svm", noisy(300));
    bench.run("train d.svm --epochs 2 --checkpoint c").ok();
    bench.file("other.svm", noisy(301));
    let line = bench.run("train other.svm --resume c -o m").refused();
    assert_eq!(line, "error: other.svm: not the file that the checkpoint was made on; resume with the same data");
    // One digit is enough.
    bench.file("d.svm", noisy(300).replacen("1:0.", "1:1.", 1));
    bench.run("train d.svm --resume c -o m").refused();
    assert!(!bench.names().contains(&"m".to_string()));
    // The same data read in another way are other data.
    bench.file("points.csv", POINTS);
    bench.run("train points.csv --epochs 1 --checkpoint p").ok();
    let line = bench.run("train points.csv --resume p --label x --drop label").refused();
    assert!(line.starts_with("error: p: the checkpoint was made on other data"), "{line}");
}

/// The labels of an array are in another file, and weights may be left out: resuming went on with other labels, and without
/// the weights.
#[test]
fn other_labels_and_weights_are_refused() {
    let bench = Bench::with("d.csv", "x,w,y\n1,5,a\n2,1,b\n3,1,a\n4,1,b\n5,2,a\n");
    bench.run("train d.csv --weight w --epochs 2 --checkpoint c").ok();
    let other = "the examples have other labels or weights than when the checkpoint was made; resume with the same";
    let line = bench.run("train d.csv --drop w --resume c -o m").refused();
    assert_eq!(line, format!("error: d.csv: {other}"));
    bench.run("train d.csv --weight w --resume c -o m").ok();
    bench.run("train d.csv --drop w --epochs 2 --checkpoint c").ok();
    assert_eq!(bench.run("train d.csv --weight w --resume c -o m").refused(), format!("error: d.csv: {other}"));

    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 1), }\n";
    let values = [1.0f64, 2.0, 3.0, 4.0].map(f64::to_le_bytes).concat();
    let npy = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &values].concat();
    bench.file("X.npy", npy);
    bench.file("y.txt", "a\nb\na\nb\n");
    bench.file("z.txt", "b\na\nb\na\n");
    bench.run("train X.npy --labels y.txt --epochs 2 --checkpoint c").ok();
    assert_eq!(bench.run("train X.npy --labels z.txt --resume c -o m").refused(), format!("error: X.npy: {other}"));
    bench.run("train X.npy --labels y.txt --resume c -o m").ok();
    bench.run("train X.npy --labels y.txt -o whole").ok();
    assert_eq!(bench.read("m"), bench.read("whole"));
}

#[test]
fn a_checkpoint_is_no_model_and_a_model_no_checkpoint() {
    let bench = Bench::with("d.svm", noisy(300));
    bench.run("train d.svm --epochs 2 --checkpoint c -o m").ok();
    let line = bench.run("predict c d.svm").refused();
    assert_eq!(line, "error: c: a checkpoint, not a model: finish it with `rosenblatt train DATA --resume`");
    let line = bench.run("train d.svm --resume m").refused();
    assert!(line.starts_with("error: m: a finished model: --resume needs the checkpoint"), "{line}");
}

#[test]
fn passes_that_are_done_cannot_be_undone() {
    let bench = Bench::with("d.svm", noisy(300));
    bench.run("train d.svm --epochs 12 --checkpoint c -o whole").ok();
    // The default of 10 would be a surprise, too.
    for epochs in ["--epochs 5", ""] {
        let line = bench.run(&format!("train d.svm --resume c {epochs} -o m")).refused();
        assert!(line.starts_with("error: c: the checkpoint is in pass 12, beyond --epochs"), "{line}");
    }
    bench.run("train d.svm --resume c --epochs 12 -o m").ok();
    assert_eq!(bench.read("whole"), bench.read("m"), "a checkpoint can be made a model");
}

/// Waits until a file is there, or the program has ended, or a minute is over.
fn wait_for(bench: &Bench, name: &str, child: &mut Child) {
    let begin = Instant::now();
    while !bench.path(name).exists() && child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{name} never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    // The program may have ended already: then there is nobody to tell, and the caller sees it.
    let _ = std::process::Command::new("kill").args([format!("-{name}"), child.id().to_string()]).output();
}

/// Starts training, interrupts it once the first checkpoint is there, and says with how many passes it was caught.
#[cfg(unix)]
fn interrupted(bench: &Bench, data: &str, options: &str, name: &str) -> (Ran, u32) {
    for epochs in [20, 200, 2000, 20000] {
        let _ = std::fs::remove_file(bench.path("paused"));
        let line = format!("train {data} {options} --epochs {epochs} --checkpoint paused -o never");
        let mut child = bench.command(&line).spawn().unwrap();
        wait_for(bench, "paused", &mut child);
        signal(&child, name);
        let ran = finish(&line, child, b"");
        if ran.code != Some(0) {
            return (ran, epochs);
        }
    }
    panic!("training was always faster than the signal");
}

#[cfg(unix)]
#[test]
fn an_interrupted_training_is_resumed_to_the_same_bytes() {
    let bench = Bench::with("d.svm", noisy(200_000));
    for (options, name) in [("--seed 4", "INT"), ("--learner arow --order cyclic", "TERM")] {
        let (ran, epochs) = interrupted(&bench, "d.svm", options, name);
        assert_eq!(ran.code, Some(130), "{ran}");
        assert_eq!(ran.out, "", "{ran}");
        let advice = format!("rosenblatt train d.svm --resume paused --epochs {epochs} -o never");
        assert_eq!(ran.err, format!("warning: interrupted; resume with `{advice}`\n"));
        assert_eq!(bench.names(), ["d.svm", "paused"], "a checkpoint, no model, nothing half-written");
        // What the program advises is what works.
        bench.run(advice.strip_prefix("rosenblatt ").unwrap()).ok();
        bench.run(&format!("train d.svm {options} --epochs {epochs} -o whole")).ok();
        assert_eq!(bench.read("never"), bench.read("whole"), "{options}");
        for file in ["never", "whole"] {
            std::fs::remove_file(bench.path(file)).unwrap();
        }
    }
}

/// What was learned in minutes or hours was lost without a checkpoint.
#[cfg(unix)]
#[test]
fn an_interrupted_training_saves_its_model_on_request() {
    let bench = Bench::with("d.svm", noisy(200_000));
    // The same word with two tags: no pass is without a mistake.
    bench.file("d.conll", "a X\n\na Y\n\n".repeat(20_000));
    for data in ["d.svm", "d.conll"] {
        let (ran, _) = interrupted(&bench, data, "--save-interrupted", "INT");
        assert_eq!(ran.code, Some(130), "{ran}");
        assert!(
            ran.err.contains("warning: interrupted; the model as it was learned until then is in never\n"),
            "{ran}"
        );
        assert!(ran.err.contains("resume with `"), "{ran}");
        bench.run(&format!("eval never {data}")).ok();
        bench.run("inspect never").ok().shows("interrupted");
        std::fs::remove_file(bench.path("never")).unwrap();
    }
    let (ran, _) = interrupted(&bench, "d.svm", "--save-interrupted --json", "TERM");
    assert_eq!(ran.json()["model"], "never");
    assert!(bench.run("train d.svm --save-interrupted").misused().contains("--output"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_training_reports_how_far_it_came() {
    let bench = Bench::with("d.svm", noisy(200_000));
    let (ran, _) = interrupted(&bench, "d.svm", "--json", "INT");
    assert_eq!(ran.code, Some(130), "{ran}");
    let told = ran.json();
    assert_eq!((told["stopped"].as_str(), &told["model"]), (Some("interrupted"), &serde_json::Value::Null));
    assert!(told["presented"].as_u64().unwrap() >= 200_000, "{told}");
    // Through a cache, which is there from the first pass on and stays.
    let line = "train d.svm --epochs 4000000000 --cache kept --json";
    let mut child = bench.command(line).spawn().unwrap();
    wait_for(&bench, "kept", &mut child);
    signal(&child, "INT");
    let ran = finish(line, child, b"");
    assert_eq!(ran.code, Some(130), "{ran}");
    assert_eq!(ran.json()["stopped"], "interrupted");
    assert_eq!(bench.names(), ["d.svm", "kept", "paused"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_without_a_checkpoint_says_what_would_have_helped() {
    let bench = Bench::with("d.svm", noisy(20_000));
    let child = bench.command("train d.svm --epochs 4000000000 -o never").spawn().unwrap();
    // There is no file to wait for. Whenever the signal comes, the program must end, and alike.
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "INT");
    let ran = finish("train", child, b"");
    assert_eq!(ran.code, Some(130), "{ran}");
    assert!(!bench.names().contains(&"never".to_string()));
    let told = "warning: interrupted; nothing was saved (use --checkpoint FILE to be able to resume, --save-interrupted to keep the model)\n";
    // Before training has begun there is nothing to save, and nothing is said.
    assert!(ran.err == told || ran.err.is_empty(), "{ran}");
}

/// Sentences whose tags are noise, so that training lasts as long as it is told to.
fn sentences(count: usize) -> String {
    let mut state = 7u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut text = String::new();
    for _ in 0..count {
        for _ in 0..1 + random(12) {
            writeln!(text, "w{} p{} {}", random(500), random(5), ["O", "B-X", "B-Y"][random(3) as usize]).unwrap();
        }
        text.push('\n');
    }
    text
}

#[cfg(unix)]
#[test]
fn an_interrupted_tagger_is_resumed_to_the_same_bytes() {
    let bench = Bench::with("d.conll", sentences(3000));
    let settings = [("--seed 4", "INT"), ("--learner perceptron --order cyclic --search beam:2 --tag 2", "TERM")];
    for (options, name) in settings {
        let (ran, epochs) = interrupted(&bench, "d.conll", options, name);
        assert_eq!(ran.code, Some(130), "{ran}");
        let advice = format!("rosenblatt train d.conll --resume paused --epochs {epochs} -o never");
        assert_eq!(ran.err, format!("warning: interrupted; resume with `{advice}`\n"));
        assert_eq!(bench.names(), ["d.conll", "paused"], "a checkpoint, no model, nothing half-written");
        bench.run(&format!("{} --checkpoint end", advice.strip_prefix("rosenblatt ").unwrap())).ok();
        bench.run(&format!("train d.conll {options} --epochs {epochs} -o whole --checkpoint all")).ok();
        assert_eq!(bench.read("never"), bench.read("whole"), "{options}");
        assert_eq!(bench.read("end"), bench.read("all"), "{options}");
        for file in ["never", "whole", "end", "all"] {
            std::fs::remove_file(bench.path(file)).unwrap();
        }
    }
}

#[test]
fn a_tagger_is_resumed_on_the_same_sentences_only() {
    let bench = Bench::with("d.conll", sentences(60));
    bench.file("other.conll", sentences(61));
    bench.file("d.svm", noisy(50));
    bench.run("train d.svm --epochs 2 --checkpoint rows").ok();
    let settings = "--templates chunk --constrain --encode iobes --tag-dictionary=2 --search greedy";
    bench.run(&format!("train d.conll {settings} --epochs 5 -o whole --checkpoint all")).ok();
    bench.run(&format!("train d.conll {settings} --epochs 2 --checkpoint c")).ok();
    bench.run("train d.conll --epochs 2 --checkpoint plain").ok();
    bench.run("train d.conll --resume c --epochs 5 -o m --checkpoint c").ok();
    assert_eq!((bench.read("m"), bench.read("c")), (bench.read("whole"), bench.read("all")));
    for (line, said) in [
        ("train other.conll --resume c", "other.conll: not the file that the checkpoint was made on"),
        ("train d.conll --resume plain --label 2", "plain: the checkpoint was made on other sentences, or their tags"),
        (
            "train d.conll --resume c --format crfsuite",
            "--format crfsuite: c is a checkpoint of a training on conll files",
        ),
        ("train d.conll --resume rows", "rows: a checkpoint of a classifier, and the data are sentences"),
        ("train d.conll --resume whole", "whole: a finished model: --resume needs the checkpoint"),
        ("train d.conll --resume c --epochs 3", "c: the checkpoint is in pass 5, beyond --epochs 3"),
        ("train d.conll --checkpoint x -o x", "-o and --checkpoint name the same file"),
        ("train d.conll --resume c --holdout 0.2", "--holdout and --validation cannot be combined with --resume"),
        ("predict c d.conll", "c: a checkpoint, not a model: finish it with `rosenblatt train DATA --resume`"),
    ] {
        let err = bench.run(line).refused();
        assert!(err.starts_with(&format!("error: {said}")), "{line}: {err}");
    }
    bench.run("train d.conll --resume c --tag 2").misused();
}
