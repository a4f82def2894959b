//! `rosenblatt train --shards`.

use std::fmt::Write as _;

use crate::support::Bench;

const PLAIN: &str = "--learner averaged --scale none";

/// Three overlapping classes on a line.
fn rows() -> String {
    let mut text = String::new();
    for i in 0..90u32 {
        writeln!(text, "{} 1:{} 2:1", i % 3, f64::from(i % 3) * 2.0 + f64::from(i * 7 % 11) / 4.0).unwrap();
    }
    text
}

#[test]
fn one_shard_is_a_training_without_shards() {
    let bench = Bench::with("data.svm", rows());
    bench.run(&format!("train data.svm {PLAIN} --epochs 4 -o plain.json")).ok();
    bench.run(&format!("train data.svm {PLAIN} --epochs 4 --shards 1 -o one.json")).ok();
    // Shards have no file of their own, and so no fingerprint of one.
    let weights = |name: &str| serde_json::from_str::<serde_json::Value>(&bench.text(name)).unwrap()["arrays"].clone();
    assert_eq!(weights("plain.json"), weights("one.json"));
}

#[test]
fn a_summary_shows_both_sides_of_the_inequality() {
    let bench = Bench::with("data.svm", "+1 1:2\n-1 1:-2\n+1 1:1 2:1\n-1 1:-1 2:1\n+1 1:3\n-1 1:-3 2:1\n");
    let line = "train data.svm --learner perceptron --scale none --epochs 50 --shards 3";
    bench.run(line).ok().shows("ΣΣμk").shows("by the theorem of mixing").shows("equal parts");
    let report = bench.json(&format!("{line} --mixing errors --json"));
    let rounds = &report["rounds"];
    assert_eq!((&rounds["shards"], &rounds["mixing"]), (&3.into(), &"errors".into()));
    assert!(rounds["mixed_mistakes_in_all"].as_f64() <= rounds["bound"].as_f64(), "{rounds}");
    assert_eq!(rounds["mistakes"].as_array().unwrap().len() as u64, report["epochs"].as_u64().unwrap());
    let mistakes = rounds["mistakes"].as_array().unwrap().iter().flat_map(|round| round.as_array().unwrap());
    assert_eq!(mistakes.map(|k| k.as_u64().unwrap()).sum::<u64>(), report["mistakes"].as_u64().unwrap());
}

#[test]
fn a_checkpoint_resumes_to_the_same_bytes() {
    let bench = Bench::with("data.svm", rows());
    bench.run(&format!("train data.svm {PLAIN} --shards 4 --epochs 5 -o whole")).ok();
    bench.run(&format!("train data.svm {PLAIN} --shards 4 --epochs 2 --checkpoint c")).ok();
    bench.run("train data.svm --shards 4 --epochs 5 --resume c -o resumed").ok();
    assert_eq!(bench.read("whole"), bench.read("resumed"));
    let other = bench.run("train data.svm --shards 3 --epochs 5 --resume c").refused();
    assert!(other.contains("give --shards 4"), "{other}");
    let fewer = bench.run("train data.svm --shards 4 --epochs 1 --resume c").refused();
    assert!(fewer.contains("give at least 2"), "{fewer}");
    let none = bench.run("train data.svm --epochs 5 --resume c").refused();
    assert!(none.contains("a training on shards"), "{none}");
    let model = bench.run("predict c data.svm").refused();
    assert!(model.contains("not a model"), "{model}");
}

#[test]
fn what_shards_cannot_do_is_refused() {
    let bench = Bench::with("data.svm", rows());
    let said = bench.run("train data.svm --learner voted --scale none --shards 2").refused();
    assert!(said.contains("shards cannot be mixed"), "{said}");
    let said = bench.run("train data.svm --learner averaged --scale none --shards 91").refused();
    assert!(said.contains("91 shards of 90 examples"), "{said}");
    bench.run("train data.svm --shards 0").misused();
    bench.run("train data.svm --mixing errors").misused();
    bench.run("train data.svm --shards 2 --holdout 0.5").misused();
}
