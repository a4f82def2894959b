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

/// What divides fields and what stands for nothing, for every command; the model remembers both.
#[test]
fn other_delimiters_and_missing_values() {
    let rows = "1^-999^red^a\n-2^4^blue^b\n3^1^unknown^a\n-1^2^red^b\n".repeat(5);
    let bench = Bench::with("d.txt", format!("x^y^c^label\n{rows}"));
    let options = "--delimiter ^ --na -999 --na unknown --missing indicator";
    let usual = bench.text("d.txt").replace('^', ",").replace("-999", "NA").replace("unknown", "NA");
    bench.file("usual.csv", usual);
    bench.run(&format!("train d.txt -o m {options} --cache off")).ok();
    bench.run("train usual.csv -o usual --missing indicator").ok();
    let answers = bench.run("predict usual usual.csv --scores").ok().out;
    assert_eq!(bench.run("predict m d.txt --scores").ok().out, answers);
    assert_eq!(bench.run("predict m usual.csv --scores").ok().out, answers);
    assert_eq!(bench.json("eval m d.txt --json")["error"], bench.json("eval usual usual.csv --json")["error"]);
    bench.run("explain m d.txt").ok();
    bench.run(&format!("cv d.txt {options} --folds 2 --epochs 2")).ok();
    // The options of reading are remembered with a cache and in the JSON form.
    bench.run(&format!("train d.txt -o m.json {options}")).ok();
    assert!(bench.text("m.json").contains(r#""dialect":{"delimiter":"^","na":["-999","unknown"]}"#));
    assert_eq!(bench.run("predict m.json d.txt --scores").ok().out, answers);
    let line = bench.run("train d.txt --delimiter xy").misused();
    assert!(line.contains("one character that divides fields"), "{line}");
    bench.file("n.txt", "x^label\n1^a\n-2^b\n");
    bench.run("separable n.txt --delimiter ^ --certificate c.json").ok();
    bench.run("verify c.json n.txt --reading-as-certified").ok();
    bench.run("convert n.txt n.csv --delimiter ^").ok();
    assert_eq!(bench.text("n.csv"), "x,label\n1,a\n-2,b\n");
}

/// Several files give the bytes of one, by every way of training.
#[test]
fn several_training_files() {
    let row = |i: usize| format!("{},{}.5,{}\n", i % 7, i * 13 % 29, ["a", "b"][(i * 13 % 29) / 15]);
    let (first, second): (String, String) = ((0..300).map(row).collect(), (300..900).map(row).collect());
    let bench = Bench::with("all.csv", format!("x,y,label\n{first}{second}"));
    bench.file("a.csv", format!("x,y,label\n{first}"));
    bench.file("b.csv", format!("x,y,label\n{second}"));
    for options in ["--epochs 1", "--epochs 3", "--epochs 3 --cache kept", "--epochs 3 --shards 2", "--holdout 0.2"] {
        bench.run(&format!("train all.csv -o one {options}")).ok();
        let _ = std::fs::remove_file(bench.path("kept"));
        bench.run(&format!("train a.csv b.csv -o several {options}")).ok();
        let _ = std::fs::remove_file(bench.path("kept"));
        assert_eq!(bench.read("one"), bench.read("several"), "{options}");
    }
    let cv = |files: &str| bench.json(&format!("cv {files} --folds 3 --epochs 2 --json"))["error"].clone();
    assert_eq!(cv("all.csv"), cv("a.csv b.csv"));
    bench.file("odd.csv", "x,y,label\n1,2,a\n1,2\n");
    let line = bench.run("train a.csv odd.csv").refused();
    assert!(line.contains("odd.csv:3: 2 fields, where line 1 has 3"), "{line}");
    bench.file("other.csv", "x,z,label\n1,2,a\n");
    let line = bench.run("train a.csv other.csv").refused();
    assert!(line.contains("other.csv: its columns are \"x,z,label\", where a.csv has \"x,y,label\""), "{line}");
    let line = bench.run("train a.csv - -o m").refused();
    assert!(line.contains("standard input"), "{line}");
    let line = bench.run("train a.csv b.csv -o b.csv").refused();
    assert!(line.contains("b.csv"), "{line}");
}

/// `5more` in row 20,000 of a column of numbers: no second run with `--category`, also where one pass streams.
#[test]
fn a_column_that_becomes_categories_late() {
    let row = |i: usize| format!("{},{},{}\n", 2 + i % 3, i % 11, ["a", "b"][i % 2]);
    let rows: Vec<String> = (0..30_000).map(row).collect();
    let text = format!("doors,n,label\n{}5more,3,a\n{}", rows[..20_000].concat(), rows[20_000..].concat());
    let bench = Bench::with("d.csv", text);
    for epochs in [1, 2] {
        let ran = bench.run(&format!("train d.csv -o m --epochs {epochs} --learner averaged --scale none")).ok();
        assert!(ran.err.contains("holds \"5more\" on line 20002, after numbers"), "{ran}");
        let options = format!("--epochs {epochs} --learner averaged --scale none --category doors");
        bench.run(&format!("train d.csv -o forced {options}")).ok();
        assert_eq!(bench.read("m"), bench.read("forced"));
    }
    assert_eq!(bench.run("predict m d.csv").ok().out.lines().count(), 30_001);
}

/// Runs of characters, with hashing, in every command and through the model file.
#[test]
fn parts_of_words_in_every_command() {
    let text = "__label__spam buying nowadays\n__label__ham hello younger\n__label__spam buyer this\n\
                __label__ham seeing younger\n"
        .repeat(30);
    let bench = Bench::with("d.fasttext", text);
    for (name, options) in [("plain", "--char-ngrams 3..5"), ("hashed", "--char-ngrams 3..5 --ngrams 2 --hash-bits 12")]
    {
        bench.run(&format!("train d.fasttext -o {name} {options} --threads 1")).ok();
        bench.run(&format!("train d.fasttext -o again {options} --threads 3")).ok();
        assert_eq!(bench.read(name), bench.read("again"), "{options}");
        bench.file("new.fasttext", "buyers\nyoung\n");
        assert_eq!(bench.run(&format!("predict {name} new.fasttext")).ok().out, "spam\nham\n", "parts are known");
        assert_eq!(bench.json(&format!("eval {name} d.fasttext --json"))["error"], 0.0);
        bench.run(&format!("explain {name} new.fasttext")).ok();
        bench.run(&format!("cv d.fasttext {options} --folds 2 --epochs 2")).ok();
        assert_eq!(&bench.read(name)[8..12], &[3, 0, 0, 0], "the third version of the file");
    }
    let line = bench.run("train d.fasttext --char-ngrams 6..3").misused();
    assert!(line.contains("the smaller first"), "{line}");
}

/// Words that are hashed while rows are read: every command, the same bytes from a file, a pipe and a compressed file.
#[test]
fn hashed_words_in_every_command() {
    let text = "spam\tbuy now, good offer\nham\thello, not good\nspam\tgood \"offer\"\nham\tsee you\n".repeat(40);
    let bench = Bench::with("d.tsv", &text);
    let options = "--header no --label 1 --text 2 --ngrams 2 --hash-bits 14";
    for epochs in [1, 3] {
        let line = |data: &str, more: &str| format!("train {data} -o {more} {options} --epochs {epochs}");
        let shown = bench.run(&line("d.tsv", "m")).ok();
        assert!(shown.out.contains("words hashed into 16384 buckets, by the logarithm of how often"), "{shown}");
        bench.run(&line("d.tsv", "threads --threads 3")).ok();
        bench.pipe(&line("- --format tsv", "piped"), &text).ok();
        bench.run(&line("d.tsv", "cached --cache c")).ok();
        for other in ["threads", "piped", "cached"] {
            assert_eq!(bench.read("m"), bench.read(other), "{epochs} {other}");
        }
    }
    assert_eq!(bench.json("eval m d.tsv --json")["error"], 0.0);
    let answers = bench.run("predict m d.tsv").ok().out;
    assert!(answers.starts_with("spam\nham\nspam\nham\n"), "{answers}");
    bench.file("new.tsv", "spam\tnot a good offer\n");
    let why = bench.run("explain m new.tsv").ok();
    assert!(why.out.contains("good offer") && !why.out.contains('#'), "{why}");
    assert_eq!(bench.pipe("explain m - --format tsv", "spam\tnot a good offer\n").ok().out, why.out);
    let buckets = bench.run("explain m").ok();
    assert!(buckets.out.contains('#') && !buckets.out.contains("good"), "{buckets}");
    bench.run("inspect m").ok().shows("each row to length 1");
    assert!(!String::from_utf8_lossy(&bench.read("m")).contains("offer"), "no name is kept");
    bench.run("export m --to json m.json").ok();
    assert_eq!(bench.run("predict m.json d.tsv").ok().out, answers);
    assert!(bench.run("export m --to onnx m.onnx").refused().contains("hashed"));
    // What needs all rows first keeps the names.
    bench.run(&format!("train d.tsv -o named {options} --tf-idf")).ok();
    assert!(String::from_utf8_lossy(&bench.read("named")).contains("offer"));
}
