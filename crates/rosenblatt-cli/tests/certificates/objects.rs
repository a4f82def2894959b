//! Proofs of JSON Lines and of IDX as they are, by both verifiers.

use std::process::Command;

use crate::support::Bench;

const OBJECTS: &str = concat!(
    "{\"n\": 0.1, \"at\": {\"x\": [1, 2.50]}, \"kind\": \"a b\", \"tags\": [\"p\", \"q\", \"p\"], \"label\": true}\n",
    "\r\n",
    "{\"label\": false, \"kind\": \"7\", \"n\": 12345678901234567890.5, \"at\": {\"x\": [-1, 0]}, \"tags\": [], \"note\": null}\n",
    "{\"tags\": [\"q\"], \"label\": true, \"n\": \"1e-3\", \"at.x.1\": 4, \"at\": {\"x\": []}, \"at.x.2\": 1, \"kind\": \"\\u00e9\"}\n",
);

/// Whether the script accepts a certificate; what it said. `None`: there is no Python here.
fn script(bench: &Bench, files: &[&str]) -> Option<(bool, String)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/verify_certificate.py");
    let ran = Command::new("python3").arg(script).args(files.iter().map(|file| bench.path(file))).output().ok()?;
    Some((ran.status.success(), String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned()))
}

#[test]
fn objects_are_proved_as_they_are_written() {
    let bench = Bench::with("d.jsonl", OBJECTS);
    let told = bench.run("separable d.jsonl --certificate proof.json").ok().out;
    assert!(told.contains("[jsonl]: 3 examples, 8 features"), "{told}");
    let certificate = bench.text("proof.json");
    let parsed: serde_json::Value = serde_json::from_str(&certificate).unwrap();
    let tags = serde_json::json!({ "name": "tags", "kind": "set", "values": ["p", "q"] });
    assert_eq!(parsed["reading"]["columns"][4], tags, "{certificate}");
    let told = bench.run("verify proof.json d.jsonl").ok().out;
    for part in [
        "verified     separable",
        "label        field \"label\"",
        "\"kind\" as categories",
        "\"n\", \"at.x.1\", \"at.x.2\" as numbers",
        "\"tags\" as sets of strings, none left out",
        "numbers      as written",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    if let Some((accepted, said)) = script(&bench, &["proof.json", "d.jsonl"]) {
        assert!(accepted && said.starts_with("proved: separable\nrows: 3 of 3"), "{said}");
    }
    // From standard input the same certificate comes, and goes.
    bench.pipe("separable - --format jsonl --certificate piped.json", OBJECTS).ok();
    assert_eq!(bench.text("piped.json"), certificate);
    bench.pipe("verify proof.json - --format jsonl", OBJECTS).ok();
}

#[test]
fn a_field_that_is_left_out_is_announced() {
    let bench = Bench::with("d.jsonl", OBJECTS);
    bench.run("separable d.jsonl --drop tags --drop at --certificate proof.json").ok();
    let told = bench.run("verify proof.json d.jsonl");
    assert_eq!(told.code, Some(1), "{told}");
    assert!(told.out.contains("departs      the fields \"at.x.1\", \"at.x.2\", \"tags\" are left out"), "{told}");
    assert!(told.out.contains("\"n\" as numbers, \"at\", \"tags\""), "{told}");
    bench.run("verify proof.json d.jsonl --drop tags --drop at").ok();
    if let Some((accepted, said)) = script(&bench, &["proof.json", "d.jsonl"]) {
        assert!(!accepted && said.starts_with("departs: fields "), "{said}");
    }
}

#[test]
fn objects_are_audited() {
    let line = |(x, y): &(u32, u32)| format!("{{\"x\": {x}, \"y\": \"{y}\"}}\n");
    let rows: String = [(0, 0), (1, 1), (2, 0), (3, 1), (4, 1), (4, 0)].iter().map(line).collect();
    let bench = Bench::with("d.jsonl", rows);
    bench.run("audit d.jsonl --certificate proof.json --time-limit 5");
    let told = bench.run("verify proof.json d.jsonl").ok().out;
    assert!(told.contains("JSON Lines"), "{told}");
}

#[test]
fn arrays_in_idx_are_proved_with_their_labels() {
    let images = [&[0u8, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 1][..], &[0, 0, 0, 255, 255, 0, 255, 255]].concat();
    let bench = Bench::with("images", &images);
    bench.file("labels", [0u8, 0, 8, 1, 0, 0, 0, 4, 0, 1, 1, 0]);
    bench.file("text", "0\n1\n1\n1\n");
    let told = bench.run("separable images --labels labels --certificate proof.json");
    assert_eq!(told.code, Some(1), "{told}");
    assert!(told.out.contains("read as: IDX array, the labels in a file of their own"), "{told}");
    let told = bench.run("verify proof.json images --labels labels").ok().out;
    assert!(told.contains("verified     inseparable") && told.contains("exactly what their bits encode"), "{told}");
    if let Some((accepted, said)) = script(&bench, &["proof.json", "images", "labels"]) {
        assert!(accepted && said.starts_with("proved: inseparable\n"), "{said}");
    }
    bench.run("separable images --labels text --certificate or.json").ok();
    bench.run("verify or.json images --labels text").ok();
    let swapped = bench.run("verify or.json images --labels labels");
    assert!(swapped.code == Some(1) && swapped.out.contains("the labels' SHA-256"), "{swapped}");
}

/// Where numbers are, more texts than elsewhere are no value; the verifiers did not know them.
#[test]
fn gaps_of_numbers_are_missing_for_all() {
    let bench = Bench::with("d.csv", "1,n/a,a\n2,1,b\n3,-,a\n4,NULL,b\n5,none,a\n");
    for fill in ["zero", "indicator"] {
        bench.run(&format!("separable d.csv --missing {fill} --certificate proof.json"));
        bench.run(&format!("verify proof.json d.csv --missing {fill}")).ok();
        if let Some((_, said)) = script(&bench, &["proof.json", "d.csv"]) {
            assert!(said.contains("proved: ") && said.contains("missing values of column 2 count as 0"), "{said}");
        }
    }
}
