//! What is accepted, and that nothing else is.

mod arrays;
#[path = "../cases/mod.rs"]
mod cases;
mod version_2;

use proptest::prelude::*;
use rosenblatt_verify::{Check, Refusal, Verdict, Verified, until, verify};

use cases::Case;

fn check(case: &Case) -> Result<Verified, Refusal> {
    verify(case.certificate.as_bytes(), case.data.as_bytes())
}

/// Asserts that a case is refused by this kind of check, with these words.
fn refused(case: &Case, kind: Check, told: &str) {
    match check(case) {
        Ok(_) => panic!("{}: accepted\n{}", case.name, case.certificate),
        Err(refusal) => {
            assert_eq!(refusal.check(), kind, "{}: {refusal}", case.name);
            assert!(refusal.to_string().contains(told), "{}: {refusal}", case.name);
        }
    }
}

/// Every text that differs from this one in one digit, and what it differs by.
fn one_digit_changed(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for (at, old) in text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()) {
        for new in (b'0'..=b'9').filter(|new| *new != old) {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = new;
            out.push((at, String::from_utf8(bytes).unwrap()));
        }
    }
    out
}

#[test]
fn every_case_is_proved() {
    for case in cases::all() {
        if let Err(refusal) = check(&case) {
            panic!("{}: {refusal}", case.name);
        }
    }
}

#[test]
fn what_is_proved_is_told() {
    let got = check(&cases::one_hot()).unwrap();
    assert_eq!((got.verdict, got.examples, got.positive, got.negative), (Verdict::Separable, 4, 2, 1));
    assert_eq!((got.features, got.degree, got.bias, got.support), (4, 1, true, 2));
    assert_eq!(got.margin, Some(("3/5".to_string(), "3/4".to_string())));
    let got = check(&cases::xor_squared()).unwrap();
    assert_eq!((got.verdict, got.features, got.degree), (Verdict::Separable, 5, 2));
    let got = check(&cases::touching()).unwrap();
    assert_eq!((got.verdict, got.margin), (Verdict::WeaklySeparable, None));
    let got = check(&cases::from_zero()).unwrap();
    assert_eq!((got.verdict, got.features, got.bias), (Verdict::Inseparable, 3, false));
}

#[test]
fn with_any_digit_changed_a_certificate_is_refused() {
    for case in cases::all() {
        for (at, certificate) in one_digit_changed(&case.certificate) {
            let got = verify(certificate.as_bytes(), case.data.as_bytes());
            assert!(got.is_err(), "{} accepted with byte {at} changed", case.name);
        }
    }
}

#[test]
fn with_any_bit_changed_a_certificate_is_refused() {
    let case = cases::xor();
    for at in 0..case.certificate.len() {
        for bit in 0..8 {
            let mut bytes = case.certificate.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            assert!(verify(&bytes, case.data.as_bytes()).is_err(), "byte {at}, bit {bit}");
        }
    }
}

/// A changed certificate with a correct digest is accepted only where what it says is still true.
#[test]
fn with_any_digit_changed_and_signed_again_only_truths_are_accepted() {
    // Every digit of these matters: the numbers of a combination that vanishes have no room.
    for case in [cases::xor(), cases::collinear(), cases::from_zero()] {
        for (at, certificate) in one_digit_changed(&case.certificate) {
            let forged = Case { certificate: cases::sign(&certificate), ..case.clone() };
            let digest = case.certificate.find("\"digest\"").unwrap();
            if at > digest {
                continue;
            }
            assert!(check(&forged).is_err(), "{} accepted:\n{}", case.name, forged.certificate);
        }
    }
    // A hyperplane and a bound have room. Whatever is accepted of AND must separate AND, with its margin between them.
    let case = cases::and();
    let mut accepted = 0;
    for (_, certificate) in one_digit_changed(&case.certificate) {
        let forged = Case { certificate: cases::sign(&certificate), ..case.clone() };
        let Ok(got) = check(&forged) else { continue };
        accepted += 1;
        let number = |text: &str| {
            let (a, b) = text.split_once('/').unwrap_or((text, "1"));
            a.parse::<f64>().unwrap() / b.parse::<f64>().unwrap()
        };
        let (lower, upper) = got.margin.unwrap();
        let margin = 2f64.sqrt() / 4.0;
        assert!(number(&lower) <= margin && margin <= number(&upper), "{lower} {upper}");
    }
    assert!(accepted > 0);
}

#[test]
fn a_genuine_certificate_beside_changed_data_is_refused() {
    for case in cases::all() {
        for at in 0..case.data.len() {
            let mut data = case.data.clone().into_bytes();
            data[at] ^= 1;
            let refusal = verify(case.certificate.as_bytes(), &data).unwrap_err();
            assert_eq!(refusal.check(), Check::Data);
            assert!(refusal.to_string().contains("SHA-256"), "{refusal}");
        }
    }
}

/// With hash and digest made right for the changed data, only the mathematics is left to refuse.
#[test]
fn every_value_of_xor_matters() {
    let case = cases::xor();
    for (at, data) in one_digit_changed(&case.data) {
        let label = at % 6 == 4;
        let kind = check(&case.with_data(&data)).expect_err(&data).check();
        assert!(kind == Check::Proof || (label && kind == Check::Data), "{data}");
    }
    let case = cases::from_zero();
    for value in ["a 0:1 2:.5", "b 0:2 2:1"] {
        for (_, changed) in one_digit_changed(value) {
            assert!(check(&case.with_data(&case.data.replace(value, &changed))).is_err(), "{changed}");
        }
    }
}

#[test]
fn a_wrong_side_is_refused_with_its_place() {
    let case = cases::and();
    refused(
        &case.with_data("0,0,0\n\n0,1,0\n1,.5,0\n1,1,1\n"),
        Check::Proof,
        "example 3 (line 4) lies on the hyperplane",
    );
    let told = "example 2 (line 2) lies on the wrong side of the hyperplane";
    refused(&case.with_data("0,0,0\n0,2,0\n1,0,0\n1,1,1\n"), Check::Proof, told);
    let told = "example 3 (line 3) lies nearer to the hyperplane than margin.lower";
    refused(&case.with_data("0,0,0\n0,1,0\n1.01,0,0\n1,1,1\n"), Check::Proof, told);
    let case = cases::weakly();
    refused(
        &case.with_data("0.1,-1\n0.2,-1\n0.2,1\n0.15,1\n"),
        Check::Proof,
        "example 4 (line 4) lies on the wrong side",
    );
    let told = "no example lies strictly on its side";
    refused(&case.with_data("0.2,-1\n0.2,-1\n0.2,1\n0.2,1\n"), Check::Proof, told);
    refused(&case.forge("[\"5\"], \"bias\": \"-1\"", "[\"0\"], \"bias\": \"0\""), Check::Proof, told);
}

#[test]
fn an_inseparable_claim_on_weakly_separable_data_is_refused_by_the_span() {
    let case = cases::weakly();
    let from =
        &case.certificate[case.certificate.find("\"weakly").unwrap()..case.certificate.find("\"support").unwrap()];
    let told = "example 1 (line 1) does not lie in the span of the support";
    refused(&case.forge(from, "\"inseparable\", "), Check::Proof, told);
    // A value in a column where the support has none.
    let case = cases::touching();
    let from =
        &case.certificate[case.certificate.find("\"weakly").unwrap()..case.certificate.find("\"support").unwrap()];
    let told = "example 4 (line 5) does not lie in the span of the support";
    refused(&case.forge(from, "\"inseparable\", "), Check::Proof, told);
    // A column that is the sum of others in the support, but not in the data.
    let case = cases::xor();
    let reading = |c: &Case| {
        c.forge("\"label\": 3", "\"label\": 4").forge("2, \"kind\"", "2, \"kind\": \"number\"}, {\"at\": 3, \"kind\"")
    };
    let tied = reading(&case).with_data("0,0,7.0,0\n0,1,7.3,1\n1,0,7.5,1\n1,1,7.8,0\n");
    assert_eq!(check(&tied).unwrap().features, 3);
    let loose = tied.forge("\"examples\": 4", "\"examples\": 5").with_data(&(tied.data.clone() + "2,2,8.61,0\n"));
    refused(&loose, Check::Proof, "example 5 (line 5) does not lie in the span");
    assert!(check(&loose.with_data(&(tied.data.clone() + "2,2,8.6,0\n"))).is_ok());
}

/// Coefficients too large to guess from one prime: the exact elimination decides.
#[test]
fn the_span_is_exact_beyond_the_guess() {
    let case = cases::collinear()
        .forge("\"label\": 2", "\"label\": 3")
        .forge("1, \"kind\"", "1, \"kind\": \"number\"}, {\"at\": 2, \"kind\"");
    let (a, b, c) = ("1000000000000000000003", "2000000000000000000006", "3000000000000000000009");
    let data = format!("0.1,{a},1\n0.2,{b},-1\n0.3,{c},1\n");
    assert!(check(&case.with_data(&data)).is_ok());
    let more = case.forge("\"examples\": 3", "\"examples\": 4");
    assert!(check(&more.with_data(&format!("{data}0.5,5000000000000000000015,-1\n"))).is_ok());
    let told = "example 4 (line 4) does not lie in the span";
    refused(&more.with_data(&format!("{data}0.5,5000000000000000000014.9,-1\n")), Check::Proof, told);
}

#[test]
fn lies_about_the_margin_are_refused() {
    let and = cases::and();
    // √2/4 = 0.353553…
    refused(&and.forge("7071/20000", "17678/50000").forge("17678/50000", "8839/25000"), Check::Proof, "nearer");
    refused(&and.forge("8839/25000", "7071/20000"), Check::Proof, "longer than margin.upper allows");
    refused(&and.forge("8839/25000", "1/3"), Check::Proof, "margin.lower is above margin.upper");
    refused(&and.forge("\"7071/20000\"", "\"-1/2\""), Check::Proof, "margin.lower is negative");
    refused(&and.forge("\"hull\"", "\"origin\""), Check::Form, "margin.kind");
    let origin = cases::origin();
    refused(&origin.forge("\"7/5\"", "\"71/50\""), Check::Proof, "example 1 (line 1) lies nearer");
    refused(&origin.forge("\"3/2\"", "\"141/100\""), Check::Proof, "longer than margin.upper allows");
    refused(&origin.forge("\"origin\"", "\"hull\""), Check::Form, "margin.kind");
    assert!(check(&origin.forge("\"7/5\"", "\"141/100\"").forge("\"3/2\"", "\"71/50\"")).is_ok());
}

#[test]
fn bad_combinations_are_refused() {
    let xor = cases::xor();
    refused(&xor.forge("\"example\": 2", "\"example\": 3"), Check::Proof, "example 3 is twice in the support");
    refused(&xor.forge("\"weight\": \"1/4\"", "\"weight\": \"0\""), Check::Proof, "example 1 is not positive");
    refused(&xor.forge("\"weight\": \"1/4\"", "\"weight\": \"-1/4\""), Check::Proof, "example 1 is not positive");
    refused(&xor.forge("\"weight\": \"1/4\"", "\"weight\": \"1/3\""), Check::Proof, "do not sum to 1");
    refused(&xor.forge("\"example\": 4", "\"example\": 5"), Check::Form, "support example 5 is not among 1 to 4");
    refused(&xor.forge("\"example\": 4", "\"example\": 0"), Check::Form, "support example 0");
    let (start, end) =
        (xor.certificate.find("[ { \"example").unwrap(), xor.certificate.find(" ],\n  \"digest").unwrap());
    refused(&xor.forge(&xor.certificate[start..end + 2], "[]"), Check::Proof, "do not sum to 1");
    let uneven = xor.forge("\"1/4\"", "\"1/8\"").forge("\"weight\": \"1/4\"", "\"weight\": \"3/8\"");
    refused(&uneven, Check::Proof, "1/2 over each");
    let shifted = xor
        .forge("1, \"weight\": \"1/4\"", "1, \"weight\": \"1/8\"")
        .forge("4, \"weight\": \"1/4\"", "4, \"weight\": \"3/8\"");
    refused(&shifted, Check::Proof, "not zero in feature 1");
    let touching = cases::touching().forge("\"example\": 3", "\"example\": 5");
    refused(&touching, Check::Proof, "support example 5 is not among the examples with a listed label");
    refused(&cases::and().forge("\"weight\": \"1/2\"", "\"weight\": \"1/3\""), Check::Proof, "sum to 1 over each");
    refused(&cases::origin().forge("\"weight\": \"1/2\"", "\"weight\": \"1/3\""), Check::Proof, "do not sum to 1");
    // Without the bias, p = (2/3, 1/3) cancels; with it, the coordinate of the bias does not.
    refused(&cases::from_zero().forge("\"bias\": false", "\"bias\": true"), Check::Proof, "1/2 over each");
}

#[test]
fn keys_must_be_exactly_those_of_the_verdict() {
    let and = cases::and();
    for (from, to, told) in [
        ("\"version\": 1", "\"version\": 2", "version 2 is for the verdict"),
        ("\"version\": 1", "\"version\": 1, \"note\": \"hello\"", "unknown key \"note\""),
        ("\"version\": 1", "\"version\": 1, \"version\": 1", "this key occurs twice"),
        ("\"version\": 1,", "", "no key \"version\""),
        ("\"rosenblatt\": \"certificate\"", "\"rosenblatt\": \"model\"", "not a rosenblatt certificate"),
        ("\"examples\": 4", "\"examples\": 4, \"rows\": 4", "unknown key \"rows\""),
        ("\"examples\": 4", "\"examples\": \"4\"", "not a whole number"),
        ("\"examples\": 4", "\"examples\": 4.0", "whole"),
        ("\"bias\": true", "\"bias\": true, \"scale\": 1", "unknown key \"scale\""),
        ("\"bias\": true", "\"bias\": 1", "not true or false"),
        ("\"degree\": 1", "\"degree\": 0", "reading.degree is 0"),
        ("\"degree\": 1", "\"degree\": 2", "hyperplane.weights has 2 entries for 5 features"),
        ("\"kind\": \"number\"", "\"kind\": \"number\", \"values\": []", "unknown key \"values\""),
        ("\"kind\": \"number\"", "\"kind\": \"category\"", "no key \"values\""),
        ("\"kind\": \"number\"", "\"kind\": \"date\"", "unknown kind of column"),
        ("\"kind\": \"number\"", "\"kind\": \"text\"", "no key \"ngrams\""),
        ("\"kind\": \"number\"", "\"kind\": \"number\", \"missing\": \"mean\"", "unknown word for missing \"mean\""),
        ("\"at\": 1", "\"at\": 0", "counted from 1"),
        ("\"at\": 1", "\"at\": 2", "columns must be in order"),
        ("\"at\": 2", "\"at\": 3", "not the label"),
        ("\"delimiter\": \",\"", "\"delimiter\": \",,\"", "reading.delimiter"),
        ("\"delimiter\": \",\"", "\"delimiter\": \"\\\"\"", "reading.delimiter"),
        ("\"format\": \"table\"", "\"format\": \"libsvm\"", "no key \"first\""),
        ("\"positive\": [\"1\"]", "\"positive\": []", "is empty"),
        ("\"positive\": [\"1\"]", "\"positive\": [\"1\", \"+1\"]", "label \"+1\" is listed twice"),
        ("\"positive\": [\"1\"]", "\"positive\": [\"1\", \"0.0\"]", "listed twice"),
        ("\"separable\"", "\"maybe\"", "unknown verdict"),
        ("\"separable\"", "\"inseparable\"", "unknown key \"hyperplane\""),
        ("\"separable\"", "\"weakly-separable\"", "unknown key \"margin\""),
        ("\"hull\"", "\"hull\", \"value\": \"1\"", "unknown key \"value\""),
        ("[\"1\", \"1\"]", "[\"1\"]", "hyperplane.weights has 1 entries for 2 features"),
        ("[\"1\", \"1\"]", "[\"1\", \"1\", \"0\"]", "hyperplane.weights has 3 entries for 2 features"),
        ("[\"1\", \"1\"]", "[\"1\", 1]", "list of texts"),
        ("[\"1\", \"1\"]", "[\"1\", \"01\"]", "number 2: \"01\" starts with 0"),
        ("\"-3/2\"", "\"-6/4\"", "not in lowest terms"),
        ("\"-3/2\"", "\"-1.5\"", "not a rational number"),
        ("\"weight\": \"1\"", "\"weight\": \"1/1\"", "denominator below 2"),
        ("\"weight\": \"1\"", "\"weight\": \"1\", \"row\": 1", "unknown key \"row\""),
    ] {
        refused(&and.forge(from, to), Check::Form, told);
    }
    refused(&cases::xor().forge("\"inseparable\"", "\"separable\""), Check::Form, "no key \"hyperplane\"");
    refused(&cases::origin().forge("\"bias\": \"0\"", "\"bias\": \"1\""), Check::Form, "hyperplane.bias is not 0");
    refused(&cases::origin().forge("\"first\": 1", "\"first\": 2"), Check::Form, "reading.first");
    let upper = cases::and();
    let digest = &upper.certificate[upper.certificate.find("digest").unwrap() + 10..][..64].to_string();
    let loud =
        Case { certificate: upper.certificate.replace(digest.as_str(), &digest.to_uppercase()), ..upper.clone() };
    refused(&loud, Check::Form, "lower case");
}

#[test]
fn the_reading_must_fit_the_data() {
    let and = cases::and();
    refused(&and.forge("\"examples\": 4", "\"examples\": 5"), Check::Data, "data.examples is 5, but there are 4");
    let wide = cases::from_zero().forge("\"features\": 3", "\"features\": 4");
    refused(&wide, Check::Data, "reading.features is 4, but there are 3");
    let shifted = cases::origin().forge("\"first\": 1", "\"first\": 0");
    refused(&shifted, Check::Data, "feature index 2, but the certificate has 2 features");
    let zero = shifted.forge("\"features\": 2", "\"features\": 3").forge("[\"1\", \"1\"]", "[\"0\", \"1\", \"1\"]");
    refused(&zero, Check::Data, "reading.first is 0, but no feature has the index 0");
    let spare = cases::one_hot().forge("\"green\"", "\"green\", \"grey\"").forge("\"-2\", ", "\"-2\", \"0\", ");
    refused(&spare, Check::Data, "no example has the value \"grey\" in column 1");
    refused(&and.forge("\"label\": 3", "\"label\": 9"), Check::Data, "line 1 has no column 9");
    refused(&and.forge("\"at\": 2", "\"at\": 12"), Check::Data, "line 1 has no column 12");
    refused(&and.forge("[\"1\"]", "[\"1\", \"2\"]"), Check::Data, "no example has the label \"2\"");
    refused(
        &and.with_data("0,0,0\n0,x,0\n1,0,0\n1,1,1\n"),
        Check::Data,
        "line 2, column 2: \"x\" is not a decimal number",
    );
    refused(
        &and.with_data("0,0,0\n0,,0\n1,0,0\n1,1,1\n"),
        Check::Data,
        "line 2, column 2: \"\" is not a decimal number",
    );
    refused(&and.with_data("0,0,0\n0,1,0,0\n1,0,0\n1,1,1\n"), Check::Data, "line 2 has 4 fields");
    refused(&and.forge("\"header\": false", "\"header\": true"), Check::Data, "there are 3");
    refused(&and.with_data("").forge("\"header\": false", "\"header\": true"), Check::Data, "no header");
    let told = "line 3, column 1: \"green\" is not among the values that the certificate lists";
    refused(&cases::one_hot().forge("\"green\"", "\"brown\""), Check::Data, told);
    refused(&cases::one_hot().forge("\"green\"", "\"red\""), Check::Form, "\"red\" of column 1 is listed twice");
    refused(&cases::origin().forge("\"features\": 2", "\"features\": 1"), Check::Form, "2 entries for 1 features");
    refused(&cases::from_zero().forge("\"features\": 3", "\"features\": 2"), Check::Data, "line 1: feature index 2");
    refused(&cases::from_zero().forge("\"first\": 0", "\"first\": 1"), Check::Data, "line 1: feature index 0");
}

#[test]
fn missing_values_are_what_the_certificate_says_they_become() {
    let case = cases::missing();
    let got = check(&case).unwrap();
    assert_eq!((got.verdict, got.features, got.positive, got.negative), (Verdict::Separable, 4, 2, 2));
    // Without a word for it, no value may be missing.
    let strict = case.forge(", \"missing\": \"zero\"", "");
    refused(&strict, Check::Data, "line 4, column 2: \"NA\" is not among the values that the certificate lists");
    let strict = case.forge(", \"missing\": \"indicator\"", "").forge("\"1\", \"1\", ", "\"1\", ");
    refused(&strict, Check::Data, "line 3, column 1: \"?\" is not a decimal number");
    // A word for it where none is missing says nothing, and nothing is in a certificate that is not checked.
    let full = case.with_data(&case.data.replace(" ? ", "5"));
    refused(&full, Check::Data, "no example lacks a value in column 1");
    refused(&case.with_data(&case.data.replace("NA", "blue")), Check::Data, "no example lacks a value in column 2");
    // Zero where there was a sign of its own: another number of features, or an example on the hyperplane.
    let zero = case.forge("\"indicator\"", "\"zero\"");
    refused(&zero, Check::Form, "4 entries for 3 features");
    let zero = zero.forge("\"1\", \"1\", ", "\"1\", ");
    refused(&zero, Check::Proof, "example 2 (line 3) lies on the hyperplane");
    refused(&case.forge("\"zero\"", "\"indicator\""), Check::Form, "4 entries for 5 features");
    let listed = case.forge("[\"blue\", \"red\"]", "[\"Na\", \"blue\", \"red\"]");
    refused(&listed, Check::Form, "\"Na\" of column 2 is a value, and a missing one");
    // The program reads the last five as missing where numbers are, and certificates of such data were refused.
    for other in ["", "nan", "NAN", "na", "?", "-", "n/a", "#N/A", "null", "None"] {
        assert!(check(&case.with_data(&case.data.replace(" ? ", other))).is_ok(), "{other}");
    }
    for other in ["--", "n/b", "??", "inf"] {
        assert!(check(&case.with_data(&case.data.replace(" ? ", other))).is_err(), "{other}");
    }
}

#[test]
fn words_are_counted_and_listed() {
    let case = cases::words();
    let got = check(&case).unwrap();
    assert_eq!((got.verdict, got.features), (Verdict::Separable, 9));
    let told = "holds \"good bad\", which is not among the words";
    refused(&case.with_data(&case.data.replace("Good good", "Good bad")), Check::Data, told);
    refused(&case.forge("\"ngrams\": 2", "\"ngrams\": 1"), Check::Data, "no example holds the words \"bad bad\"");
    refused(&case.forge("\"ngrams\": 2", "\"ngrams\": 6"), Check::Form, "ngrams of column 1 is not 1 to 5");
    refused(&case.forge("\"good_\"", "\"film\""), Check::Form, "run of words \"film\" of column 1 is listed twice");
    let spare = case.forge("\"film\"", "\"film\", \"fim\"").forge("\"-1\"", "\"-1\", \"0\"");
    refused(&spare, Check::Data, "no example holds the words \"fim\" in column 1");
    let gaps = case.forge("\"ngrams\": 2", "\"ngrams\": 2, \"missing\": \"zero\"");
    refused(&gaps, Check::Form, "column 1 is a text, where nothing is missing");
    // A word less in the support's row is another combination.
    let less = case.with_data(&case.data.replace("\"bad, BAD film!\"", "\"bad, BAD, bad film!\""));
    refused(&less, Check::Proof, "longer than margin.upper allows");
}

#[test]
fn no_certificate_makes_the_checker_large() {
    let xor = cases::xor();
    refused(&xor.forge("\"degree\": 1", "\"degree\": 65"), Check::Size, "reading.degree");
    let zero = cases::from_zero();
    let many = zero.forge("\"features\": 3", "\"features\": 4000000000");
    let wide = many.with_data(&(zero.data.clone() + "c 3999999999:1\n")).forge("\"examples\": 4", "\"examples\": 5");
    assert_eq!(check(&wide).unwrap().features, 4_000_000_000);
    refused(&many.forge("\"degree\": 1", "\"degree\": 2"), Check::Size, "more than 2^20 monomials");
    refused(&zero.forge("\"features\": 3", "\"features\": 99999999999"), Check::Size, "reading.features");
    refused(&zero.with_data("a 0:1e999999999\n"), Check::Data, "power of ten");
    assert!(check(&zero.forge("\"degree\": 1", "\"degree\": 2")).is_err());
    // Denominators without a common factor: over a common one, each weight would be as long as all of them.
    let weights: Vec<String> = (0..40_000u64).map(|i| format!("\"1/{}\"", 10u64.pow(17) + 2 * i + 1)).collect();
    let weights = weights.join(", ");
    let plane = format!(
        "\"separable\", \"hyperplane\": {{ \"weights\": [{weights}], \"bias\": \"0\" }}, \"margin\": {{ \"kind\": \"origin\", \"lower\": \"0\", \"upper\": \"9\" }}"
    );
    let long = zero.forge("\"inseparable\"", &plane).forge("\"features\": 3", "\"features\": 40000");
    refused(&long, Check::Size, "common denominator");
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(certificate in prop::collection::vec(any::<u8>(), 0..256), data: Vec<u8>) {
        let _ = verify(&certificate, &data);
    }

    /// Whatever stands in the data, a signed certificate is checked to the end without a panic.
    #[test]
    fn arbitrary_data_never_panic(data in "[01.,e\"\n\r+-]{0,40}", which in 0usize..11) {
        let _ = check(&cases::all()[which].with_data(&data));
    }

    /// Any byte of a certificate replaced, and signed again.
    #[test]
    fn arbitrary_forgeries_never_panic(which in 0usize..11, at: prop::sample::Index, new in "[0-9a-z\"{}\\[\\]:, /-]") {
        let case = &cases::all()[which];
        let body = case.certificate.find("\"digest\"").unwrap();
        let at = at.index(body);
        if case.certificate.is_char_boundary(at) && case.certificate.is_char_boundary(at + 1) {
            let mut certificate = case.certificate.clone();
            certificate.replace_range(at..=at, &new);
            let _ = verify(cases::sign(&certificate).as_bytes(), case.data.as_bytes());
        }
    }
}

/// The check of a large file did not hear Ctrl-C: it is asked at every row and pivot, and a request ends it anywhere.
#[test]
fn a_check_stops_when_it_is_asked_to() {
    for case in cases::all() {
        let asked = std::rc::Rc::new(std::cell::Cell::new(0));
        let count = asked.clone();
        let never = move || {
            count.set(count.get() + 1);
            false
        };
        let whole = until(never, || verify(case.certificate.as_bytes(), case.data.as_bytes()));
        let whole = whole.unwrap();
        assert!(asked.get() >= whole.positive + whole.negative, "{}", asked.get());
        for last in 0..asked.get() {
            let left = std::cell::Cell::new(last);
            let stop = move || left.replace(left.get().saturating_sub(1)) == 0;
            let stopped = until(stop, || verify(case.certificate.as_bytes(), case.data.as_bytes())).unwrap_err();
            assert_eq!(stopped.check(), Check::Stopped, "{stopped}");
        }
    }
}
