//! Columns that are more than their numbers: missing values, and words.

use rosenblatt::certify::{Verdict, exact_rows};
use rosenblatt::io::Input;
use rosenblatt::read::{Format, ReadOptions, read};
use rosenblatt::rows::Fill;
use rosenblatt_verify::verify;

use crate::support::Bench;
use crate::{one_digit_changed, proved};

fn filled(fill: Fill) -> ReadOptions {
    ReadOptions { missing: Some(fill), ..ReadOptions::default() }
}

/// A size that is missing where the label is `yes`, but once; a colour that is missing here and there.
const GAPS: &str = "size,colour,label\n1,red,no\n?,red,yes\n0,NA,no\n-1,blue,no\n,blue,yes\n0.25,,yes\n0.5,red,no\n";

#[test]
fn missing_values_as_zero_and_with_a_sign_of_their_own_are_proved() {
    let input = Input::memory("gaps.csv", GAPS);
    // As zero the two that lack a size lie among the others.
    assert_eq!(proved(&input, &filled(Fill::Zero), None).0, Verdict::Inseparable);
    // The signs tell them apart, and the missing colour the third.
    let (verdict, proof) = proved(&input, &filled(Fill::Indicator), None);
    assert_eq!(verdict, Verdict::Separable);
    assert!(proof.contains("\"missing\":\"indicator\""), "{proof}");
    for forged in one_digit_changed(&proof) {
        assert!(verify(&forged, GAPS.as_bytes()).is_err(), "{}", String::from_utf8_lossy(&forged));
    }
    for changed in one_digit_changed(GAPS) {
        assert!(verify(proof.as_bytes(), &changed).is_err(), "{}", String::from_utf8_lossy(&changed));
    }
    let elsewhere = GAPS.replace("?", "2");
    assert!(verify(proof.as_bytes(), elsewhere.as_bytes()).is_err());
}

#[test]
fn only_where_a_value_is_missing_does_a_certificate_speak_of_it() {
    let input = Input::memory("gaps.csv", "a,b,label\n1,2,y\n?,2,y\n-1,0.1000000000000000055,n\n");
    let (_, proof) = proved(&input, &filled(Fill::Zero), None);
    assert_eq!(proof.matches("missing").count(), 1, "{proof}");
    let (_, proof) = proved(&input, &filled(Fill::Indicator), None);
    assert_eq!(proof.matches("missing").count(), 1, "{proof}");
    let full = Input::memory("full.csv", "a,b,label\n1,2,y\n-1,3,n\n");
    assert!(!proved(&full, &filled(Fill::Zero), None).1.contains("missing"));
}

/// A number with more digits than a float beside a sign of what is missing, a category and words: the row is read
/// again, and must come out whole.
#[test]
fn long_numbers_beside_everything_else_are_read_again() {
    let text = "a,c,t,label\n1.00000000000000000001,red,one two,y\n?,blue,two two,n\n1,red,two one,n\n";
    let input = Input::memory("long.csv", text);
    let options = ReadOptions { text: vec!["t".into()], ngrams: 2, ..filled(Fill::Indicator) };
    assert_eq!(proved(&input, &options, None).0, Verdict::Separable);
    // Without the pairs of words the first and the third differ in the twentieth digit alone.
    let (verdict, proof) = proved(&input, &ReadOptions { ngrams: 1, ..options }, None);
    assert_eq!(verdict, Verdict::Separable);
    let shorter = text.replace("1.00000000000000000001", "1.00000000000000000000");
    assert!(verify(proof.as_bytes(), shorter.as_bytes()).is_err());
    let options = ReadOptions { text: vec!["t".into()], ..filled(Fill::Indicator) };
    assert_eq!(proved(&Input::memory("short.csv", shorter), &options, None).0, Verdict::WeaklySeparable);
}

#[test]
fn words_are_proved_as_counts() {
    let text =
        "kind,message\nham,\"See you at 5, OK?\"\nspam,FREE free Prize £5\nham,ΣΑΣ und Straße\nspam,free prize ok\n";
    let input = Input::memory("sms.csv", text);
    let options = ReadOptions { text: vec!["message".into()], ..ReadOptions::default() };
    let (verdict, proof) = proved(&input, &options, None);
    assert_eq!(verdict, Verdict::Separable);
    assert!(proof.contains("\"σασ\"") && proof.contains("\"straße\""), "{proof}");
    for changed in one_digit_changed(text) {
        assert!(verify(proof.as_bytes(), &changed).is_err());
    }
    // How often counts: one `x` lies between none and two.
    let counted = Input::memory("x.csv", "t,y\nx,a\n.,b\n\"x, X\",b\n");
    let options = ReadOptions { text: vec!["t".into()], ..ReadOptions::default() };
    assert_eq!(proved(&counted, &options, None).0, Verdict::Inseparable);
}

#[test]
fn real_data_with_gaps_are_decided_and_proved() {
    let Some(input) = crate::data("breast_cancer_wisconsin/breast-cancer-wisconsin.data.gz") else { return };
    for fill in [Fill::Zero, Fill::Indicator] {
        let options = ReadOptions { format: Some(Format::Csv), drop: vec!["1".into()], ..filled(fill) };
        let (verdict, proof) = proved(&input, &options, None);
        assert_eq!(verdict, Verdict::Inseparable);
        assert_eq!(proof.matches("missing").count(), 1, "{proof}");
    }
}

#[test]
fn a_mean_is_refused_with_the_reason() {
    let input = Input::memory("gaps.csv", GAPS);
    let dataset = read(&input, &filled(Fill::Mean)).unwrap();
    let told = exact_rows(&input, &dataset).map(|_| ()).unwrap_err().to_string();
    assert!(told.contains("the mean of column \"size\" does not: choose missing zero or indicator"), "{told}");
}

#[test]
fn the_command_line_takes_missing_values_and_words() {
    let bench = Bench::with("gaps.csv", GAPS);
    assert_eq!(bench.run("separable gaps.csv --missing zero --certificate zero.json").code, Some(1));
    assert_eq!(bench.run("verify zero.json gaps.csv --missing zero").code, Some(0));
    assert_eq!(bench.run("separable gaps.csv --missing indicator --certificate sign.json").code, Some(0));
    assert_eq!(bench.run("verify sign.json gaps.csv --missing indicator").code, Some(0));
    let refused = bench.run("separable gaps.csv --missing mean");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("choose --missing zero or indicator"), "{}", refused.err);
    bench.file("sms.csv", "label,text\nham,see you\nspam,free prize\n");
    assert_eq!(bench.run("separable sms.csv --text text --ngrams 2 --certificate words.json").code, Some(0));
    assert_eq!(bench.run("verify words.json sms.csv --text text --ngrams 2").code, Some(0));
}
