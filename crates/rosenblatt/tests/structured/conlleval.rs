//! Chunk evaluation against conlleval.

use proptest::prelude::*;
use rosenblatt::structured::{Chunk, Scheme, chunks};

use crate::common::cases;

/// The published program's loop: one pass over both columns, with the open chunk of each.
#[derive(Default, Debug, PartialEq)]
struct Counts {
    right: u64,
    truth: u64,
    answer: u64,
}

fn letters(tag: &str) -> (char, String) {
    match tag.split_once('-') {
        Some((mark, kind)) => (mark.chars().next().unwrap(), kind.to_string()),
        None => (tag.chars().next().unwrap(), String::new()),
    }
}

fn ends((before, kind_before): &(char, String), (tag, kind): &(char, String)) -> bool {
    let pair = (*before, *tag);
    [('B', 'B'), ('B', 'O'), ('I', 'B'), ('I', 'O'), ('E', 'E'), ('E', 'I'), ('E', 'O')].contains(&pair)
        || (*before != 'O' && kind_before != kind)
}

fn begins((before, kind_before): &(char, String), (tag, kind): &(char, String)) -> bool {
    let pair = (*before, *tag);
    [('B', 'B'), ('I', 'B'), ('O', 'B'), ('O', 'I'), ('E', 'E'), ('E', 'I'), ('O', 'E')].contains(&pair)
        || (*tag != 'O' && kind_before != kind)
}

fn conlleval(truth: &[&str], answer: &[&str]) -> Counts {
    let outside = ('O', String::new());
    let (mut before_truth, mut before_answer, mut both_open) = (outside.clone(), outside.clone(), false);
    let mut counts = Counts::default();
    let rows = truth.iter().zip(answer).map(|(t, a)| (letters(t), letters(a)));
    for (t, a) in rows.chain([(outside.clone(), outside.clone())]) {
        if both_open {
            let (end_truth, end_answer) = (ends(&before_truth, &t), ends(&before_answer, &a));
            if end_truth && end_answer && before_truth.1 == before_answer.1 {
                both_open = false;
                counts.right += 1;
            } else if end_truth != end_answer || t.1 != a.1 {
                both_open = false;
            }
        }
        let (begin_truth, begin_answer) = (begins(&before_truth, &t), begins(&before_answer, &a));
        both_open |= begin_truth && begin_answer && t.1 == a.1;
        counts.truth += u64::from(begin_truth);
        counts.answer += u64::from(begin_answer);
        (before_truth, before_answer) = (t, a);
    }
    counts
}

fn count(truth: &[&str], answer: &[&str]) -> Counts {
    let (truth, answer) = (chunks(truth), chunks(answer));
    let right = truth.iter().filter(|chunk| answer.contains(chunk)).count() as u64;
    Counts { right, truth: truth.len() as u64, answer: answer.len() as u64 }
}

/// Computed by hand and by the published program.
#[test]
fn cases_with_a_known_count() {
    let cases: [(&str, &str, [u64; 3]); 9] = [
        ("B-NP I-NP O B-VP", "B-NP I-NP O B-VP", [2, 2, 2]),
        ("B-NP I-NP O B-VP", "B-NP O O B-VP", [1, 2, 2]),
        ("B-NP I-NP I-NP", "B-NP B-NP I-NP", [0, 1, 2]),
        // An I after O begins a chunk, and a change of type does.
        ("B-NP I-NP O", "I-NP I-NP O", [1, 1, 1]),
        ("B-NP I-NP B-VP", "I-NP I-NP I-VP", [2, 2, 2]),
        // The right tokens with the wrong type.
        ("B-NP I-NP", "B-VP I-VP", [0, 1, 1]),
        ("O O", "B-NP I-NP", [0, 0, 1]),
        ("I-NP E-NP I-NP", "I-NP E-NP E-NP", [2, 2, 2]),
        ("B-A I-A I-A O B-A", "B-A I-A O O B-A", [1, 2, 2]),
    ];
    for (truth, answer, [right, of, found]) in cases {
        let split = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let wanted = Counts { right, truth: of, answer: found };
        assert_eq!(count(&split(truth), &split(answer)), wanted, "{truth} / {answer}");
        assert_eq!(conlleval(&split(truth), &split(answer)), wanted, "{truth} / {answer}");
    }
}

#[test]
fn iobes_has_single_tokens() {
    let found = chunks(&["S-A", "S-A", "B-A", "E-A", "B-B", "I-B", "E-B", "O", "U-A", "L-A"]);
    let spans: Vec<_> = found.iter().map(|c| (c.start, c.end, c.kind)).collect();
    assert_eq!(spans, [(0, 1, "A"), (1, 2, "A"), (2, 4, "A"), (4, 7, "B"), (8, 9, "A"), (9, 10, "A")]);
}

/// Chunks that do not overlap.
fn spans() -> impl Strategy<Value = (usize, Vec<(usize, usize, &'static str)>)> {
    prop::collection::vec((0usize..3, 1usize..4, prop_oneof![Just("A"), Just("B-C")]), 0..5).prop_map(|parts| {
        let (mut at, mut list) = (0, Vec::new());
        for (gap, length, kind) in parts {
            list.push((at + gap, at + gap + length, kind));
            at += gap + length;
        }
        (at + 1, list)
    })
}

fn tags() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["O", "B-A", "I-A", "E-A", "B-B", "I-B", "E-B"]), 0..9)
}

proptest! {
    #![proptest_config(cases(2000))]

    /// The published program ends no chunk between E and B. Elsewhere both agree.
    #[test]
    fn agrees_with_conlleval(truth in tags(), answer in tags()) {
        let n = truth.len().min(answer.len());
        let (truth, answer) = (&truth[..n], &answer[..n]);
        let e_then_b = |tags: &[&str]| tags.windows(2).any(|pair| pair[0].starts_with('E') && pair[1].starts_with('B'));
        prop_assume!(!e_then_b(truth) && !e_then_b(answer));
        prop_assert_eq!(count(truth, answer), conlleval(truth, answer));
    }

    /// Chunks round-trip through every scheme, and the scheme allows its own output.
    #[test]
    fn every_scheme_keeps_the_chunks((length, spans) in spans()) {
        let list: Vec<Chunk<'_>> = spans.iter().map(|&(start, end, kind)| Chunk { start, end, kind }).collect();
        for &scheme in Scheme::ALL {
            let written = scheme.write(&list, length);
            let written: Vec<&str> = written.iter().map(String::as_str).collect();
            prop_assert_eq!(&chunks(&written), &list, "{:?}", scheme);
            prop_assert!(scheme.holds(&written), "{:?} {:?}", scheme, written);
            for &other in Scheme::ALL {
                prop_assert_eq!(other.convert(&written), other.write(&list, length));
            }
        }
    }

    /// A scheme allows exactly its own output.
    #[test]
    fn a_scheme_allows_its_own_writing_only(tags in tags()) {
        for &scheme in Scheme::ALL {
            let again = scheme.convert(&tags);
            if scheme.holds(&tags) {
                prop_assert_eq!(again, tags.clone(), "{:?}", scheme);
            } else {
                prop_assert_ne!(again, tags.clone(), "{:?}", scheme);
            }
        }
    }
}
