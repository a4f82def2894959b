//! `convert`, `export --to onnx` and `polyfit`, through the binary.

use crate::support::{Bench, POINTS, SVM, keys};

#[test]
fn there_and_back_by_the_names_of_the_files() {
    let bench = Bench::with("a.csv", POINTS);
    bench.run("convert a.csv b.svm").ok().shows("b.svm [libsvm]: 6 examples, 2 features");
    assert_eq!(bench.text("b.svm").lines().next(), Some("up 1:2 2:1"));
    bench.run("convert b.svm c.tsv").ok();
    bench.run("convert c.tsv d.csv").ok();
    assert_eq!(bench.text("d.csv"), POINTS.replace("x,y,", "x1,x2,"));
    assert_eq!(bench.run("convert a.csv - --to tsv").ok().out, POINTS.replace(',', "\t"));
    assert_eq!(bench.pipe("convert - - --to csv", SVM).ok().out.lines().next(), Some("x1,x2,x3,label"));
    let told = bench.json("convert a.csv e.svm --json");
    assert_eq!(keys(&told), ["bytes", "data", "examples", "features", "file", "format", "labels"]);
    let (one, two) = (bench.json("train a.csv --json"), bench.json("train b.svm --json"));
    assert_eq!(one["mistakes_by_epoch"], two["mistakes_by_epoch"], "the same data");
}

#[test]
fn to_numpy_and_back() {
    let bench = Bench::with("a.csv", POINTS);
    bench.run("convert a.csv b.npy").ok().shows("b.npy [npy]").shows("b.labels.npy");
    let options = "--labels b.labels.npy";
    assert_eq!(
        bench.run(&format!("convert b.npy - --to tsv {options}")).ok().out,
        POINTS.replace("x,y,", "x1,x2,").replace(',', "\t")
    );
    let npy = bench.read("b.npy");
    assert!(npy.starts_with(b"\x93NUMPY\x01\x00") && npy.len() == 128 + 8 * 12, "{}", npy.len());
    assert!(bench.run("convert a.csv - --to npy").refused_after_notes().contains("needs two files"));
    bench.file("n.csv", "x,label\n1,3\n2,-4\n");
    bench.run("convert n.csv n.npy").ok();
    assert!(bench.read("n.labels.npy").windows(5).any(|w| w == b"'<i8'"), "whole numbers stay numbers");
}

/// Standard output took control characters away, and made of one label another.
#[test]
fn standard_output_has_the_bytes_of_a_file() {
    // What holds such characters in its beginning is taken to be no text.
    let rows = "1.5,2,a\n".repeat(200);
    let bench = Bench::with("a.csv", rows + "1,2.5,\u{2}\n3,4,7.\u{1}5\n5,6,\u{1b}[1mbold\n");
    bench.run("convert a.csv b.tsv").ok();
    let piped = bench.run("convert a.csv - --to tsv").ok();
    assert_eq!(piped.out, bench.text("b.tsv"));
    assert!(piped.out.contains("7.\u{1}5") && piped.out.contains("\u{1b}[1mbold"), "{piped}");
    bench.run("train a.csv -o m").ok();
    let piped = bench.run("predict m a.csv").ok();
    bench.run("predict m a.csv -o answers").ok();
    assert_eq!(piped.out, bench.text("answers"));
}

#[test]
fn what_cannot_be_converted() {
    let bench = Bench::with("a.csv", POINTS);
    bench.file("spaced.csv", "x,label\n1,very good\n2,bad\n");
    bench.file("w.csv", "x,w,label\n1,2,a\n2,1,b\n");
    let before = bench.names();
    for (line, told) in [
        ("a.csv b", "b: the name does not give the format: choose --to libsvm, csv, tsv or npy"),
        ("a.csv b.csv.gz", "leave out .gz"),
        ("a.csv b.csv --to xml", "unknown format \"xml\""),
        ("a.csv a.csv", "would be overwritten"),
        ("a.csv no/b.csv", "no such file or folder to write in"),
        ("spaced.csv b.svm", "the label \"very good\" cannot be written in libsvm"),
        ("w.csv b.csv --weight w", "--weight: the weights of examples cannot be converted"),
        ("nowhere.csv b.csv", "nowhere.csv: no such file"),
    ] {
        let said = bench.run(&format!("convert {line}")).refused_after_notes();
        assert!(said.contains(told), "{line}: {said}");
    }
    assert_eq!(bench.names(), before);
}

#[test]
fn a_model_as_onnx_or_the_reason_why_not() {
    let bench = Bench::with("a.csv", POINTS);
    bench.run("train a.csv -o m").ok();
    let told = bench.json("export m --to onnx m.onnx --json");
    assert_eq!(
        (told["written"].as_str(), told["bytes"].as_u64()),
        (Some("m.onnx"), Some(bench.read("m.onnx").len() as u64))
    );
    let bytes = bench.read("m.onnx");
    for text in ["LinearClassifier", "ai.onnx.ml", "classlabels_strings", "up", "down", "[\"x\",\"y\"]"] {
        assert!(bytes.windows(text.len()).any(|w| w == text.as_bytes()), "{text}");
    }
    bench.run("train a.csv --learner voted -o v").ok();
    let said = bench.run("export v --to onnx v.onnx").refused();
    assert!(said.contains("v: the model votes among many hyperplanes"), "{said}");
    assert!(!bench.names().contains(&"v.onnx".to_string()));
}

#[test]
fn polynomials_in_words_and_in_json() {
    let bench = Bench::with("xy.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n4,9\n");
    bench.run("polyfit").ok().shows("sin(πx) with noise: 10 points, 100 points for testing").shows("least test error");
    bench.run("polyfit xy.csv --degree 1").ok().shows("1 + 2 x").shows("train error");
    let told = bench.json("polyfit xy.csv --degrees 0..2 --holdout 0.4 --json");
    assert_eq!(keys(&told), ["best_degree", "data", "fits"]);
    assert_eq!(keys(&told["fits"][0]), ["coefficients", "degree", "ridge", "test", "train"]);
    assert_eq!(keys(&told["fits"][0]["train"]), ["points", "rms", "sum_of_squares"]);
    assert_eq!(told["fits"][1]["test"]["points"], 2);
    assert!(told["fits"][1]["test"]["rms"].as_f64().unwrap() < 1e-12, "{told}");
    let ridged = bench.json("polyfit xy.csv --degree 1 --ridge 1 --json");
    // (AᵀA + 1) w = Aᵀy with AᵀA = (5 10; 10 30), Aᵀy = (25, 70): w = (75, 170)/86.
    let w = &ridged["fits"][0]["coefficients"];
    assert!(
        (w[0].as_f64().unwrap() - 75.0 / 86.0).abs() < 1e-12 && (w[1].as_f64().unwrap() - 170.0 / 86.0).abs() < 1e-12
    );
    assert_eq!(bench.run("polyfit --seed 5").ok().out, bench.run("polyfit --seed 5 --threads 2").ok().out);
    for (line, told) in [
        ("xy.csv --degree 5", "degree 5 needs at least 6 points with different x, and there are 5"),
        ("xy.csv --ridge -1", "ridge -1: expected a number that is not negative"),
        ("xy.csv --degree 99 --ridge 1", "at most 64"),
        ("xy.csv --holdout 1.5", "--holdout 1.5: expected a share"),
        ("--test xy.csv", "need a file of points: name one"),
    ] {
        let said = bench.run(&format!("polyfit {line}")).refused_after_notes();
        assert!(said.contains(told), "{line}: {said}");
    }
}
