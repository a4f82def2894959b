//! JSON Lines and fastText's text, through every command that reads tables.

use std::io::Write as _;

use crate::support::Bench;

const OBJECTS: &str = "{\"n\": 1, \"tags\": [\"c++\", \"two words\"], \"kind\": \"x\", \"label\": \"up\"}\n\
                       {\"label\": \"down\", \"n\": -2, \"kind\": \"y\", \"tags\": []}\n\
                       {\"n\": 3.5, \"kind\": \"x\", \"label\": \"up\", \"tags\": [\"two words\"]}\n\
                       {\"n\": -1, \"kind\": \"x\", \"label\": \"down\", \"tags\": [\"java\"]}\n";
const LINES: &str = "__label__spam buy now\n__label__ham hello you\n__label__spam buy this\n__label__ham see you\n";

/// Plain, compressed and from standard input, on one thread or three: the same model.
#[test]
fn every_source_gives_the_same_model() {
    for (name, text) in [("d.jsonl", OBJECTS.repeat(50)), ("d.fasttext", LINES.repeat(50))] {
        let bench = Bench::with(name, &text);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        bench.file(&format!("{name}.gz"), packed.finish().unwrap());
        bench.run(&format!("train {name} -o plain --threads 1")).ok();
        bench.run(&format!("train {name}.gz -o packed --threads 3")).ok();
        bench.pipe("train - -o piped", &text).ok();
        assert_eq!(bench.read("plain"), bench.read("packed"), "{name}");
        assert_eq!(bench.read("plain"), bench.read("piped"), "{name}");
        let answers = bench.run(&format!("predict plain {name} --scores")).ok().out;
        assert_eq!(answers.lines().count(), 200);
        assert_eq!(bench.run(&format!("predict plain {name}.gz --scores --threads 3")).ok().out, answers);
        assert_eq!(bench.pipe("predict plain - --scores", &text).ok().out, answers);
        assert_eq!(bench.json(&format!("eval plain {name} --json"))["error"], 0.0);
        bench.run(&format!("cv {name} --folds 2 --epochs 2")).ok();
    }
}

#[test]
fn objects_are_explained_and_converted() {
    let bench = Bench::with("d.jsonl", OBJECTS);
    bench.run("train d.jsonl -o m --learner perceptron --scale none").ok();
    let told = bench.run("explain m d.jsonl").ok().out;
    assert!(told.contains("-1  kind=y") && told.matches("in all").count() == 4, "{told}");
    bench.file("plain.jsonl", "{\"label\": \"a\", \"n\": 0.1, \"k\": \"x\"}\n{\"k\": \"y, z\", \"n\": 12345678901234567890, \"label\": \"b\"}\n");
    bench.run("convert plain.jsonl plain.csv").ok();
    assert_eq!(bench.text("plain.csv"), "n,k,label\n0.1,x,a\n12345678901234567890,\"y, z\",b\n");
    let told = bench.run("separable plain.jsonl --certificate proof.json").ok().out;
    assert!(told.contains("read as: JSON Lines, an object on each line; label: field \"label\""), "{told}");
    let told = bench.run("verify proof.json plain.jsonl").ok().out;
    assert!(told.contains("fields       \"k\" as categories, \"n\" as numbers, none left out"), "{told}");
}

/// A line further down is refused at its place by every command, after the answers before it.
#[test]
fn a_fault_is_told_with_line_and_byte() {
    let bench = Bench::with("d.jsonl", OBJECTS);
    bench.run("train d.jsonl -o m").ok();
    bench.file("odd.jsonl", format!("{OBJECTS}{{\"n\": \"x\", \"kind\": \"x\", \"tags\": []}}\n"));
    let message =
        "error: odd.jsonl:5:7: column \"n\" holds \"x\", which is not a number; the model was trained on numbers here";
    for threads in [1, 3] {
        let ran = bench.run(&format!("predict m odd.jsonl --threads {threads}"));
        assert_eq!(ran.out, "up\ndown\nup\ndown\n");
        assert!(ran.err.contains(message), "{ran}");
    }
}
