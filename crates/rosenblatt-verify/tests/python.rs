//! The Python example checks the same certificates, and agrees.

mod cases;

use std::process::Command;

use cases::{Arrays, Case};
use rosenblatt_verify::verify;

/// Whether the script accepts a certificate beside these files; what it said.
fn run_files(certificate: &str, files: &[&[u8]]) -> (bool, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/verify_certificate.py");
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new("python3");
    command.arg(script);
    for (i, bytes) in [certificate.as_bytes()].iter().chain(files).enumerate() {
        let path = dir.path().join(i.to_string());
        std::fs::write(&path, bytes).unwrap();
        command.arg(path);
    }
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

fn run(case: &Case) -> (bool, String) {
    run_files(&case.certificate, &[case.data.as_bytes()])
}

fn python_is_here() -> bool {
    let here = Command::new("python3").arg("--version").output().is_ok();
    if !here {
        eprintln!("SKIPPED: there is no python3 here, so examples/verify_certificate.py was not run");
    }
    here
}

#[test]
fn the_python_script_agrees_on_arrays() {
    if !python_is_here() {
        return;
    }
    let run = |case: &Arrays| run_files(&case.certificate, &[&case.data, &case.labels]);
    let case = cases::arrays();
    let with = |labels: Vec<u8>| case.with(case.data.clone(), labels);
    let wide: Vec<u8> = "1\0-1+1".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    for good in [case.clone(), with(b"1\n-1\n1\n".to_vec()), with(cases::npy("<U2", "(3,)", &wide))] {
        let (accepted, said) = run(&good);
        assert!(accepted && said.starts_with("proved: separable\n"), "{said}");
    }
    let singles = cases::npy("<f4", "(3, 2)", &[0.1f32, 0.3, 0.2, 0.6, 0.3, 0.9].map(f32::to_le_bytes).concat());
    let turned = cases::npy("|i1", "(3,)", &[255, 1, 255]);
    for (forged, told) in [
        (case.forge("\"3/72", "\"5/72"), "an example is on the wrong side"),
        (case.with(singles, case.labels.clone()), "an example is on the wrong side"),
        (with(turned.clone()), "an example is on the wrong side"),
        (Arrays { labels: turned, ..case.clone() }, "these are other labels"),
        (with(b"1\n-1\n".to_vec()), "there are not as many labels as rows"),
    ] {
        assert_eq!(run(&forged), (false, format!("refused: {told}\n")));
    }
    let (accepted, said) = run_files(&case.certificate, &[&case.data]);
    assert!(!accepted && said == "refused: these are other labels\n", "{said}");
}

#[test]
fn the_python_script_agrees() {
    if !python_is_here() {
        return;
    }
    let known = cases::all();
    for case in &known {
        let (accepted, said) = run(case);
        let statement = verify(case.certificate.as_bytes(), case.data.as_bytes()).unwrap().statement;
        assert_eq!(accepted, statement.departures().is_empty(), "{}: {said} {statement}", case.name);
        assert_eq!(said.contains("departs: "), !accepted, "{}: {said}", case.name);
        assert!(said.contains("proved: "), "{}: {said}", case.name);
    }
    let xor = cases::xor().forge("\"version\": 1", "\"version\": 2").forge("\"inseparable\"", "\"not-separable\"");
    let (accepted, said) = run(&xor);
    assert!(accepted && said.starts_with("proved: not-separable\n"), "{said}");
    let (accepted, said) = run(&xor.forge("\"version\": 2", "\"version\": 1"));
    assert!(!accepted && said.trim() == "refused: the verdict is unknown", "{said}");
    for case in &known[..2] {
        let changed =
            Case { certificate: case.certificate.replacen("\"version\": 1", "\"version\": 3", 1), ..case.clone() };
        assert_eq!(run(&changed).1.trim(), "refused: it is no certificate of version 1 or 2", "{}", case.name);
        let changed = case.forge("\"version\": 1", "\"version\": 2");
        assert_eq!(run(&changed).1.trim(), "refused: the verdict is unknown", "{}", case.name);
        let changed = Case { certificate: case.certificate.replacen("1/", "2/", 1), ..case.clone() };
        assert_eq!(run(&changed).1.trim(), "refused: the digest is wrong", "{}", case.name);
        let changed = Case { data: case.data.clone() + "\n", ..case.clone() };
        assert_eq!(run(&changed).1.trim(), "refused: these are other data", "{}", case.name);
    }
    let weakly = cases::weakly();
    let from = &weakly.certificate
        [weakly.certificate.find("\"weakly").unwrap()..weakly.certificate.find("\"support").unwrap()];
    for (forged, told) in [
        (cases::and().forge("8839/25000", "7071/20000"), "the upper bound is wrong"),
        (cases::and().forge("7071/20000", "8839/25000"), "the lower bound is wrong"),
        (cases::and().forge("\"-3/2\"", "\"-1\""), "an example is on the wrong side"),
        (cases::and().forge("\"weight\": \"1/2\"", "\"weight\": \"1/3\""), "the weights are not convex"),
        (cases::origin().forge("\"3/2\"", "\"141/100\""), "the upper bound is wrong"),
        (cases::xor().with_data("0,0,0\n0,1,1\n1,0,1\n1,2,0\n"), "the support does not cancel"),
        (cases::xor().forge("\"example\": 2", "\"example\": 3"), "the support is malformed"),
        (cases::xor().forge("\"version\": 1", "\"version\": 1, \"version\": 1"), "a key occurs twice"),
        (cases::touching().forge("\"-2/3\"", "\"2/3\""), "an example is on the wrong side"),
        (weakly.forge(from, "\"inseparable\", "), "an example is not in the support's span"),
        (cases::one_hot().forge("\"green\"", "\"brown\""), "a value or a word is not listed"),
        (cases::missing().forge(", \"missing\": \"zero\"", ""), "a value or a word is not listed"),
        (cases::missing().forge("\"indicator\"", "\"zero\""), "the hyperplane is malformed"),
        (cases::missing().forge("[\"1\", \"1\"", "[\"1\", \"-1\""), "an example is on the wrong side"),
        (cases::words().forge("\"good_\"", "\"good-\""), "a value or a word is not listed"),
        (cases::words().forge("\"1/2\"", "\"3/5\""), "the lower bound is wrong"),
        (cases::xor_squared().forge("\"-2\"", "\"2\""), "an example is on the wrong side"),
    ] {
        let (accepted, said) = run(&forged);
        assert!(!accepted, "{} accepted", forged.name);
        assert_eq!(said.trim(), format!("refused: {told}"), "{}", forged.name);
    }
}
