//! The Python example checks the same certificates, and agrees.

mod cases;

use std::process::Command;

use cases::Case;

/// Whether the script accepts; what it said.
fn run(case: &Case) -> (bool, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/verify_certificate.py");
    let dir = tempfile::tempdir().unwrap();
    let (certificate, data) = (dir.path().join("certificate.json"), dir.path().join("data"));
    std::fs::write(&certificate, &case.certificate).unwrap();
    std::fs::write(&data, &case.data).unwrap();
    let output = Command::new("python3").arg(script).args([&certificate, &data]).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn the_python_script_agrees() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no python3 here, so examples/verify_certificate.py was not run");
        return;
    }
    let known: Vec<Case> = cases::all().into_iter().filter(|c| c.certificate.contains("\"degree\": 1")).collect();
    assert_eq!(known.len(), 8);
    for case in &known {
        let (accepted, said) = run(case);
        assert!(accepted && said.starts_with("proved: "), "{}: {said}", case.name);
    }
    for case in &known[..2] {
        let changed =
            Case { certificate: case.certificate.replacen("\"version\": 1", "\"version\": 2", 1), ..case.clone() };
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
        (cases::one_hot().forge("\"green\"", "\"brown\""), "the data do not fit"),
        (cases::xor_squared(), "not for this script"),
    ] {
        let (accepted, said) = run(&forged);
        assert!(!accepted, "{} accepted", forged.name);
        assert_eq!(said.trim(), format!("refused: {told}"), "{}", forged.name);
    }
}
