//! A malformed line has one message, whoever reads it: any number of threads, any size of chunk, in memory, while learning,
//! and while answering.

use proptest::prelude::*;

use super::file::{FileData, Storage, fit_at};
use super::{Trainer, With};
use crate::io::{Input, Pace};
use crate::model::Model;
use crate::read::{NeedLabels, ReadOptions, read, read_at, read_for};

const PACES: [(usize, usize); 5] = [(1, 1), (1, 3), (60, 2), (700, 4), (1 << 18, 2)];

/// Lines of a format, and what is wrong in it.
struct Case {
    name: &'static str,
    header: &'static str,
    lines: [&'static str; 3],
    wrong: &'static [&'static [u8]],
    texts: &'static [&'static str],
    label: Option<&'static str>,
}

const CASES: [Case; 8] = [
    Case {
        name: "a.svm",
        header: "",
        lines: ["+1 1:2 7:0.5", "-1 2:-3 # why", "+1 1:1 3:4 9:1e2"],
        wrong: &[b"+1 3:1 2:1", b"-1 1:x", b"+1 1:1 1:2", b"-1 1:\0", b"+1 0x1:1", b"\xff\xfe 1:1", b"-1 1:1e999"],
        texts: &[],
        label: None,
    },
    Case {
        name: "numbers.csv",
        header: "a,b,label\n",
        lines: ["1,2,x", "-0.5,1e3,y", "4,\"5\",x"],
        wrong: &[b"1,2", b"1,2,3,4", b"1,,x", b"1,inf,y", b"1,1e999,y", b"1,\"2\"3,x", b"1,\0,x", b"1,2,"],
        texts: &[],
        label: None,
    },
    Case {
        name: "mixed.csv",
        header: "a,colour,body,label\n",
        lines: ["1,red,a good day,x", "2,blue,\"two\nlines, \"\"quoted\"\"\",y", "3,red,,x"],
        wrong: &[b"1,red,a", b"1,,b,x", b"inf,red,b,x", b"1,red,\"a\"b,x", b"1,red,b,", b"1,\0,b,y", b"1,\xff,b,y"],
        texts: &["body"],
        label: None,
    },
    Case {
        name: "a.tsv",
        header: "",
        lines: ["ham\tsee you", "spam\t5\" screens, \"free", "ham\tok"],
        wrong: &[b"ham", b"ham\ta\tb\tc", b"\ttext", b"spam\t\0", b"\xff\ttext"],
        texts: &["2"],
        label: Some("1"),
    },
    Case {
        name: "a.jsonl",
        header: "",
        lines: [
            r#"{"a": 1, "c": "red", "v": [1, 2], "label": "x"}"#,
            r#"{"label": "y", "v": [0, 1.5], "c": "blue", "a": -2}"#,
            r#"{"a": 3, "c": "red", "v": [4, 4], "label": "x"}"#,
        ],
        wrong: &[
            br#"{"a": 1, "c": "red", "v": [1, 2], "label": "x""#,
            br#"{"a": 1, "a": 2, "c": "red", "v": [1, 2], "label": "x"}"#,
            br#"{"a": x, "c": "red", "v": [1, 2], "label": "x"}"#,
            br#"{"a": 1, "c": "red", "v": [1, "2"], "label": "x"}"#,
            br#"{"a": "one", "c": "red", "v": [1, 2], "label": "x"}"#,
            br#"{"a": 1, "c": "red", "v": [1, 2]}"#,
            br#"{"a": 1, "v": [1, 2], "label": "y"}"#,
            b"[1, 2]",
            b"{\"a\": 1, \"c\": \"\xff\", \"v\": [1, 2], \"label\": \"x\"}",
        ],
        texts: &[],
        label: None,
    },
    Case {
        name: "a.fasttext",
        header: "",
        lines: ["__label__spam free money", "__label__ham see you, then", "__label__ham ok"],
        wrong: &[b"no label", b"__label__ x", b"__label__a __label__b x", b"__label__ham \0", b"__label__\xff x"],
        texts: &[],
        label: None,
    },
    Case {
        name: "a.vw",
        header: "",
        lines: ["1 2.5 'tag|a x:2 y |b z", "-1 |a y", "1 |b:2 z w:0.5"],
        wrong: &[b"1 |a x:y", b"|a x", b"1 x |a y", b"1 |a x:1e999", b"1 -2 |a x", b"1 |a \0", b"1 |a:z y"],
        texts: &[],
        label: None,
    },
    Case {
        name: "semicolons.csv",
        header: "a;b;label\n",
        lines: ["1;2;x", "3;-4;y", "5;6;x"],
        wrong: &[b"1;2", b"1;;y", b"1;nan;x"],
        texts: &[],
        label: None,
    },
];

impl Case {
    fn options(&self) -> ReadOptions {
        let own = |text: &&str| text.to_string();
        ReadOptions {
            text: self.texts.iter().map(own).collect(),
            label: self.label.map(String::from),
            ..ReadOptions::default()
        }
    }

    /// Good lines, with wrong ones before these places.
    fn text(&self, picks: &[usize], wrong: &[(usize, usize)]) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = picks.iter().map(|&pick| self.lines[pick % 3].as_bytes()).collect();
        for &(at, which) in wrong {
            lines.insert(at.min(lines.len()), self.wrong[which % self.wrong.len()]);
        }
        let mut text = self.header.as_bytes().to_vec();
        lines.iter().for_each(|line| text.extend([line, &b"\n"[..]].concat()));
        text
    }

    fn model(&self) -> Model {
        let table = read(&Input::memory(self.name, self.text(&[0, 1, 2], &[])), &self.options()).unwrap().table;
        Trainer::new("averaged").epochs(2).fit(&table).unwrap().model
    }
}

/// The messages of all ways to read a text: to memory, to a model, and to answers.
fn messages(case: &Case, model: &Model, text: &[u8], (chunk, threads): (usize, usize)) -> [Result<(), String>; 3] {
    let (input, options, pace) = (Input::memory(case.name, text), case.options(), Pace { chunk, threads });
    let read = read_at(&input, &options, pace).map(|_| ());
    let storage = Storage::Memory;
    let trainer = Trainer::new("averaged").epochs(1);
    let learned = fit_at(&trainer, FileData::new(&input, &options, &storage), With::default(), pace, true).map(|_| ());
    let answered = model.answer_at(&input, &ReadOptions::default(), pace, |_, _| (), |_| Ok(())).map(|_| ());
    [read, learned, answered].map(|done| done.map_err(|error| error.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_malformed_line_has_one_message(
        picks in prop::collection::vec(0..3usize, 3..60),
        wrong in prop::collection::vec((0..60usize, 0..9usize), 1..3),
    ) {
        for case in &CASES {
            let (model, text) = (case.model(), case.text(&picks, &wrong));
            let shown = String::from_utf8_lossy(&text).into_owned();
            let expected = messages(case, &model, &text, (1 << 20, 1));
            for pace in PACES {
                prop_assert_eq!(&messages(case, &model, &text, pace), &expected, "{} {:?}\n{}", case.name, pace, shown);
            }
            // Learning while reading says what reading alone says.
            prop_assert_eq!(&expected[1], &expected[0], "{}\n{}", case.name, shown);
            // The twin of the answers: all rows in memory.
            let input = Input::memory(case.name, text);
            let whole = read_for(&input, &ReadOptions::default(), &model.schema, &model.labels, NeedLabels::No);
            prop_assert_eq!(&expected[2], &whole.map(|_| ()).map_err(|error| error.to_string()), "{}\n{}", case.name, shown);
        }
    }
}
