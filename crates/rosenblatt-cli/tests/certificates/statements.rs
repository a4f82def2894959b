//! A proof is worth what its reader understands: `verify` states what is proved of what, and does not accept another reading
//! of the data than the one that the user expects.

use serde_json::{Value, json};

use super::support::Bench;

const XOR: &str = "0,5,1\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n";

/// The forgeries of the verifier's corpus, with the bytes of their files.
fn forgeries() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../rosenblatt-verify/tests/forgeries/corpus.jsonl");
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bytes(text: &Value) -> Vec<u8> {
    text.as_str().unwrap().chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

/// XOR as "separable", because its first row counts as a header, was accepted with "a hyperplane has every example strictly
/// on its side"; so was a LIBSVM file of 5,300 rows, read as a table divided by ":" of which two rows were left.
#[test]
fn forgeries_are_refused_or_announced_first() {
    let all = forgeries();
    // One in eight: a process for each takes time, and the verifier's own tests take all of them.
    let some =
        all.iter().filter(|case| case["name"].as_str().unwrap().starts_with("xor: ")).chain(all.iter().step_by(8));
    let mut announced = 0;
    for case in some {
        let bench = Bench::with("data", bytes(&case["data"]));
        bench.file("proof.json", bytes(&case["certificate"]));
        let labels = match case.get("labels") {
            Some(labels) => {
                bench.file("labels", bytes(labels));
                " --labels labels"
            }
            None => "",
        };
        let said = bench.run(&format!("verify proof.json data{labels}"));
        assert_eq!(said.code, Some(1), "{case}\n{}{}", said.out, said.err);
        assert!(said.out.starts_with("departs") || said.out.starts_with("refused"), "{case}\n{}", said.out);
        assert!(!said.out.contains("verified"), "{case}\n{}", said.out);
        announced += usize::from(said.out.starts_with("departs"));
    }
    assert!(announced > 20, "{announced}");
}

#[test]
fn a_reading_is_accepted_if_it_is_repeated_or_taken_as_certified() {
    let bench = Bench::with("xor.csv", XOR);
    for (options, differs) in [
        ("--header yes", "the first row is left out as a header, but it is an example"),
        ("--drop 1", "column 1 is left out"),
        ("--label 1", "the label is column 1, not column 3, which is a feature"),
        ("--category 2", "column 2 is read as categories, not as numbers"),
        ("--no-bias", "only hyperplanes through the origin count"),
        ("--degree 2", "the features are monomials up to degree 2, not 1"),
    ] {
        bench.run(&format!("separable xor.csv {options} --certificate proof.json"));
        let said = bench.run("verify proof.json xor.csv");
        assert_eq!(said.code, Some(1), "{options}: {}", said.out);
        assert!(said.out.starts_with("departs") && said.out.contains(differs), "{options}: {}", said.out);
        let object = bench.run("verify proof.json xor.csv --json").json();
        assert_eq!(object["verified"], false, "{object}");
        assert!(object["departures"].to_string().contains(differs), "{object}");
        let said = bench.run(&format!("verify proof.json xor.csv {options}")).ok();
        assert!(said.out.starts_with("verified"), "{options}: {}", said.out);
        let said = bench.run("verify proof.json xor.csv --reading-as-certified").ok();
        assert!(
            said.out.starts_with("departs") && said.out.contains("of this reading of the data only"),
            "{}",
            said.out
        );
    }
    bench.run("separable xor.csv --certificate proof.json");
    bench.run("verify proof.json xor.csv").ok();
    assert_eq!(bench.run("verify proof.json xor.csv --degree 2").code, Some(1));
    // Which of two classes is called positive does not matter.
    bench.run("verify proof.json xor.csv --positive 0").ok();
}

#[test]
fn the_statement_is_printed_in_full() {
    let bench = Bench::with("iris.csv", "id,length,kind\n7,1.5,setosa\n8,4.5,other\n9,5,third\n");
    bench.run("separable iris.csv --drop id --positive setosa --certificate proof.json").ok();
    let options = "--drop id --positive setosa";
    let said = bench.run(&format!("verify proof.json iris.csv {options}")).ok();
    for part in [
        "verified     separable: a hyperplane has every example strictly on its side",
        "rows         3 of 3: 1 positive, 2 negative, 0 left out",
        "read as      table divided by ',', header \"id,length,kind\"",
        "label        column 3, \"kind\"",
        "columns      2 as numbers, 1 left out",
        "classes      \"setosa\" against \"other\", \"third\"",
        "hyperplanes  with a bias, over 1 feature",
        "numbers      as written, 0.1 is one tenth",
        "sha256       ",
    ] {
        assert!(said.out.contains(part), "no {part} in\n{}", said.out);
    }
    let object = bench.json(&format!("verify proof.json iris.csv {options} --json"));
    assert_eq!(object["statement"]["columns_left_out"], json!([1]));
    assert_eq!(object["statement"]["rows_left_out"], 0);
    let said = bench.run("verify proof.json iris.csv");
    assert!(said.out.contains("no --positive says which stands alone"), "{}", said.out);
}

#[test]
fn audits_state_their_scope() {
    let bench = Bench::with("xor.csv", XOR);
    bench.run("audit xor.csv --certificate audit.json").ok();
    let said = bench.run("verify audit.json xor.csv").ok();
    assert!(
        said.out.starts_with("verified     at least 1 and at most 1: mistakes of the best hyperplane"),
        "{}",
        said.out
    );
    assert!(said.out.contains("rows         5 of 5: 3 positive, 2 negative, 0 left out"), "{}", said.out);
    bench.run("audit xor.csv --header yes --certificate audit.json").ok();
    let said = bench.run("verify audit.json xor.csv");
    assert_eq!(said.code, Some(1));
    assert!(said.out.starts_with("departs      the first row is left out as a header"), "{}", said.out);
    bench.run("verify audit.json xor.csv --header yes").ok();
}

/// For these rows `separable` proves that a line exists; `trace` said that it proves there is none, the Gaussian kernel called
/// two rows the same, `plot proof` referred to a proof that does not exist: they work on floats.
#[test]
fn no_command_proves_of_floats_what_is_false_of_the_file() {
    let bench = Bench::with("data.csv", "1,a\n1.00000000000000000001,b\n0,a\n2,b\n");
    assert_eq!(bench.json("separable data.csv --json")["verdict"], "separable");
    let kernel = bench.run("separable data.csv --kernel rbf:1 --json").ok().json();
    assert_eq!((&kernel["verdict"], &kernel["checked"]), (&json!("separable"), &json!("theorem")));
    let traced = bench.run("trace data.csv --epochs 1000").ok();
    assert!(!traced.out.contains("no line separates these data"), "{}", traced.out);
    let last = bench.run("trace data.csv --epochs 1000 --json").ok().json_lines().pop().unwrap();
    assert!(last.get("separable").is_none(), "{last}");
    let plot = bench.run("plot proof data.csv -o out.svg");
    assert!(!plot.err.contains("proves it") && plot.err.contains("in floating point"), "{}", plot.err);
    let trained = bench.run("train data.csv --model m --epochs 100");
    let told = format!("{}{}", trained.out, trained.err);
    assert!(!told.contains("the same features and different labels"), "{told}");
}

/// What no certificate can be about was refused with an advice that led nowhere; now the floats are decided about.
#[test]
fn what_has_no_certificate_is_decided_as_floats() {
    let bench = Bench::with("v.vw", "1 |a x:1 y\n-1 |a x:2\n");
    bench.file("f.txt", "__label__a good good film\n__label__b bad film\n__label__a fine film\n");
    for data in ["v.vw", "f.txt"] {
        for (command, verdict) in [("separable", "separable"), ("audit", "strictly on their side")] {
            let ran = bench.run(&format!("{command} {data}")).ok();
            for part in [verdict, "checked exactly, as floats", "numbers: as floats", "certificate  a certificate "] {
                assert!(ran.out.contains(part), "{part}: {ran}");
            }
            let json = bench.json(&format!("{command} {data} --json"));
            assert_eq!((&json["checked"], &json["scope"]["numbers"]), (&"float".into(), &"as floats".into()), "{json}");
            let refused = bench.run(&format!("{command} {data} --certificate proof.json"));
            assert!(refused.code == Some(2) && refused.err.contains("a certificate "), "{refused}");
        }
    }
    bench.file("same.vw", "1 |a x:1\n-1 |a x:1.00000000000000000001\n");
    let same = bench.run("separable same.vw");
    assert!(same.out.contains("examples 1 and 2 have the same features, as floats, and different labels"), "{same}");
}
