//! Version 2: the witness is checked, and nothing else is claimed.

use rosenblatt_verify::{Check, Verdict};

use crate::cases::{self, Case};
use crate::{check, one_digit_changed, refused};

/// XOR, of which nothing more is said than that no line separates it strictly.
fn not_separable() -> Case {
    let case = cases::xor().forge("\"version\": 1", "\"version\": 2");
    Case { name: "not separable", ..case.forge("\"inseparable\"", "\"not-separable\"") }
}

#[test]
fn what_is_not_separable_is_proved_by_its_witness() {
    let case = not_separable();
    let got = check(&case).unwrap();
    assert_eq!((got.verdict, got.support, got.margin), (Verdict::NotSeparable, 4, None));
    // A row outside of the span of the witness: nothing was said of it.
    let more = case.with_data("0,0,0\n0,1,1\n1,0,1\n1,1,0\n0,9,?\n").forge("\"examples\": 4", "\"examples\": 5");
    assert_eq!(check(&more).unwrap().verdict, Verdict::NotSeparable);
    let touching = cases::weakly().forge("\"version\": 1", "\"version\": 2");
    let plane = "\"weakly-separable\", \"hyperplane\": { \"weights\": [\"5\"], \"bias\": \"-1\" }";
    assert_eq!(check(&touching.forge(plane, "\"not-separable\"")).unwrap().verdict, Verdict::NotSeparable);
}

#[test]
fn a_verdict_belongs_to_its_version() {
    let case = not_separable();
    refused(&case.forge("\"version\": 2", "\"version\": 1"), Check::Form, "unknown verdict");
    for other in ["inseparable", "separable", "weakly-separable", "undecided", ""] {
        let told = "version 2 is for the verdict";
        refused(&case.forge("not-separable", other), Check::Form, told);
    }
    refused(&case.forge("\"version\": 2", "\"version\": 3"), Check::Form, "of version 1 or 2");
    refused(&case.forge("\"version\": 2", "\"version\": 0"), Check::Form, "of version 1 or 2");
    refused(&case.forge("\"certificate\"", "\"audit\""), Check::Form, "it is not a rosenblatt certificate");
}

#[test]
fn every_digit_and_every_field_matters() {
    let case = not_separable();
    for (at, forged) in one_digit_changed(&case.certificate) {
        let forged = Case { certificate: forged, ..case.clone() };
        assert!(check(&forged).is_err(), "digit at {at}");
        // Signed again: only what is true is accepted, and a changed number here is not.
        let signed = Case { certificate: cases::sign(&forged.certificate), ..case.clone() };
        let digest = case.certificate.find("digest").unwrap();
        assert!(at > digest || check(&signed).is_err(), "digit at {at}: {}", signed.certificate);
    }
    for weight in ["1/3", "0", "-1/4", "1/4000"] {
        assert!(check(&case.forge("\"1/4\"", &format!("\"{weight}\""))).is_err(), "{weight}");
    }
    let fields =
        ["rosenblatt", "version", "data", "sha256", "examples", "reading", "verdict", "support", "example", "weight"];
    for field in fields {
        let renamed = case.forge(&format!("\"{field}\":"), &format!("\"{field}_\":"));
        refused(&renamed, Check::Form, "");
    }
    refused(&case.forge("\"verdict\":", "\"margin\": {}, \"verdict\":"), Check::Form, "margin");
    let plane = "\"hyperplane\": { \"weights\": [\"0\", \"0\"], \"bias\": \"0\" }, \"verdict\":";
    refused(&case.forge("\"verdict\":", plane), Check::Form, "hyperplane");
    let none = case.forge("{ \"example\": 4, \"weight\": \"1/4\" }", "").forge(",  ]", " ]");
    assert!(check(&none).is_err());
    assert!(check(&case.with_data("0,0,0\n0,1,1\n1,0,1\n1,1,1\n")).is_err(), "the other function");
}
