//! The finder and the checker agree on which labels are one, though they share no code.

use std::collections::HashSet;

use rosenblatt::io::Input;
use rosenblatt::read::{Format, Header, ReadOptions, read};
use rosenblatt::rows::canonical_label;
use rosenblatt_verify::verify;

use crate::proved;

const SIGNS: [&str; 3] = ["", "+", "-"];
const MANTISSAS: [&str; 12] =
    ["0", "0.00", "1", "1.0", "01", "10", ".5", "0.50", "9007199254740992", "9007199254740993", "one", "1_0"];
const EXPONENTS: [&str; 6] = ["", "e0", "e-400", "E+1", "e-1", "e1000000000000000"];

fn texts() -> Vec<String> {
    let with = |sign: &str| {
        let sign = sign.to_string();
        MANTISSAS.iter().flat_map(move |m| {
            let sign = sign.clone();
            EXPONENTS.iter().map(move |e| format!("{sign}{m}{e}"))
        })
    };
    SIGNS.iter().flat_map(|sign| with(sign)).collect()
}

#[test]
fn labels_are_one_for_both_or_for_neither() {
    let texts = texts();
    let options = ReadOptions { format: Some(Format::Csv), header: Header::No, ..ReadOptions::default() };
    let (mut one, mut two) = (0, 0);
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        &texts[(state >> 33) as usize % texts.len()]
    };
    for _ in 0..600 {
        // The third label is none of the others, so that there are always two classes.
        let (a, b) = (draw(), draw());
        let input = Input::memory("labels.csv", format!("1,0,{a}\n1,1,{b}\n-1,0,other\n"));
        let dataset = read(&input, &options).unwrap();
        let same = canonical_label(a) == canonical_label(b);
        assert_eq!(dataset.table.labels.len(), if same { 2 } else { 3 }, "{a} {b}");
        let (_, text) = proved(&input, &options, Some(a));
        let data = format!("1,0,{a}\n1,1,{b}\n-1,0,other\n");
        let checked = verify(text.as_bytes(), data.as_bytes()).unwrap();
        assert_eq!(checked.positive, if same { 2 } else { 1 }, "{a} {b}");
        *(if same { &mut one } else { &mut two }) += 1;
    }
    assert!(one > 20 && two > 20, "{one} and {two}");
    let distinct: HashSet<_> = texts.iter().map(|text| canonical_label(text)).collect();
    assert!(distinct.len() > 20 && distinct.len() < texts.len());
}

/// Labels were merged as floats, and a certificate spoke of one class where the file has two.
#[test]
fn labels_beyond_the_precision_of_floats_are_kept_apart() {
    let options = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    for (a, b) in [("9007199254740992", "9007199254740993"), ("0", "1e-400")] {
        let input = Input::memory("labels.svm", format!("{a} 1:1\n{b} 1:2\n{b} 1:3\n"));
        let (_, text) = proved(&input, &options, Some(b));
        assert!(text.contains(&format!("\"{a}\"")) && text.contains(&format!("\"{b}\"")), "{text}");
    }
}
