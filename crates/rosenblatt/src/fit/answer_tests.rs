//! Answers while reading are those of a table that is read whole; its errors are the same, however the text is cut.

use proptest::prelude::*;

use crate::fit::Trainer;
use crate::io::{Input, Pace};
use crate::learn::kernel::Function as Kernel;
use crate::map::{Preparation, Scaling};
use crate::model::Model;
use crate::read::{NeedLabels, ReadOptions, read, read_for};
use crate::rows::Fill;

const PACES: [(usize, usize); 5] = [(1, 1), (1, 3), (40, 2), (300, 3), (1 << 18, 2)];

/// Scores and notes, or the error.
type Said = Result<(String, Vec<String>), String>;

fn say(scores: &[f64], text: &mut String) {
    *text += &format!("{:?}\n", scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>());
}

/// The naive twin: the whole table in memory.
fn whole(model: &Model, input: &Input) -> Said {
    let read = read_for(input, &ReadOptions::default(), &model.schema, &model.labels, NeedLabels::No);
    let dataset = read.map_err(|error| error.to_string())?;
    let mut text = String::new();
    let rows = dataset.table.matrix.rows().unwrap();
    let outputs = model.hypothesis.outputs();
    model
        .score_blocks(rows, &mut |_, scores| {
            scores.chunks(outputs).for_each(|scores| say(scores, &mut text));
            Ok(())
        })
        .unwrap();
    Ok((text, dataset.notes.iter().map(ToString::to_string).collect()))
}

/// The answers at a pace.
fn streamed(model: &Model, input: &Input, (chunk, threads): (usize, usize)) -> Said {
    let mut text = String::new();
    let answered = model.answer_at(input, &ReadOptions::default(), Pace { chunk, threads }, say, |part| {
        text.push_str(part);
        Ok(())
    });
    let answered = answered.map_err(|error| error.to_string())?;
    Ok((text, answered.notes.iter().map(ToString::to_string).collect()))
}

fn trained(name: &str, text: &str, options: &ReadOptions, preparation: Preparation) -> Model {
    let table = read(&Input::memory(name, text), options).unwrap().table;
    Trainer::new("averaged").preparation(preparation).epochs(3).fit(&table).unwrap().model
}

fn agree(model: &Model, name: &str, text: &str) {
    let input = Input::memory(name, text);
    let expected = whole(model, &input);
    for pace in PACES {
        assert_eq!(streamed(model, &input, pace), expected, "{pace:?}\n{text}");
    }
}

/// Numbers, categories, a text and gaps.
fn mixed(preparation: Preparation) -> Model {
    let text = "n,colour,body,label\n1,red,\"a good, \"\"good\"\" day\",up\n,blue,bad,down\n-3,,\"two\nlines\",up\n\
                4,red,day bad,down\n";
    let options =
        ReadOptions { text: vec!["body".into()], ngrams: 2, missing: Some(Fill::Indicator), ..ReadOptions::default() };
    trained("t.csv", text, &options, preparation)
}

fn dense(preparation: Preparation) -> Model {
    trained("t.csv", "a,b,c,label\n1,2,3,x\n-1,0.1,9,y\n4,0.3,-2,z\n", &ReadOptions::default(), preparation)
}

fn scaled() -> Preparation {
    Preparation { scale: Scaling::Standard, ..Preparation::default() }
}

fn hashed() -> Preparation {
    Preparation { hash_bits: Some(4), scale: Scaling::Unit, ..Preparation::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn tables_with_quotes_words_and_gaps(
        rows in prop::collection::vec((
            "-?[0-9]{1,3}|[0-9]\\.[0-9]{4}|",
            "red|blue|green|\"red\"||\\?",
            "[a-z ]{0,9}|\"[a-z\n, ]{0,30}(\"\")?[a-z\n]{0,9}\"|good day|5\" x",
        ), 1..30),
        ends in "\n|\r\n",
        odd in prop::option::of((0..30usize, prop::sample::select(vec!["1,2", "x,red,a,b", "1,red,\"a\" b,c", "1,red,\"a,b"]))),
    ) {
        let mut lines: Vec<String> = rows.iter().map(|(n, colour, body)| format!("{n},{colour},{body},up")).collect();
        if let Some((at, odd)) = odd {
            lines.insert(at.min(lines.len()), odd.to_string());
        }
        let text = format!("n,colour,body,label{ends}{}{ends}", lines.join(&ends));
        for preparation in [Preparation::default(), hashed()] {
            agree(&mixed(preparation), "a.csv", &text);
        }
        // Between tabs a quote is mostly text.
        let tabbed = text.replace(',', "\t");
        agree(&mixed(Preparation::default()), "a.tsv", &tabbed);
    }

    #[test]
    fn tables_of_numbers(
        rows in prop::collection::vec("-?[0-9]{1,3},[0-9]\\.[0-9]{5},( 7 |0|1e3|\"8\")", 1..30),
        header in any::<bool>(),
    ) {
        let text = format!("{}{}\n", if header { "c,b,a\n" } else { "" }, rows.join("\n"));
        for preparation in [Preparation::default(), scaled(), hashed()] {
            agree(&dense(preparation), "a.csv", &text);
        }
    }

    #[test]
    fn objects(
        rows in prop::collection::vec(prop::sample::select(vec![
            "{\"n\": 1, \"colour\": \"red\", \"body\": \"a good day\"}",
            "{\"body\": \"bad\\nday\", \"n\": -2.5, \"colour\": null}",
            "{\"colour\": \"new\", \"more\": [{}], \"body\": \"\"}",
            "{}",
            "",
            "{\"n\": \"7\", \"label\": 3}",
        ]), 1..30),
        odd in prop::option::of((0..30usize, prop::sample::select(vec!["{\"n\": x}", "{\"n\": \"x\"}", "[]", "{\"n\": 1, \"n\": 2}"]))),
    ) {
        let mut lines: Vec<&str> = rows;
        if let Some((at, odd)) = odd {
            lines.insert(at.min(lines.len()), odd);
        }
        agree(&mixed(Preparation::default()), "a.jsonl", &lines.join("\n"));
    }
}

/// What is left open at the end of the file is refused at its quote, and so is a file without rows.
#[test]
fn what_is_not_complete_is_refused_alike() {
    let model = mixed(Preparation::default());
    let rest = "1,red,x,up\n".repeat(100);
    agree(&model, "a.csv", &format!("n,colour,body,label\n1,red,\"never closed,up\n{rest}"));
    agree(&model, "a.csv", &format!("n,colour,body,label\n1,red,\"closed late,up\n{rest}\",up\n{rest}"));
    agree(&model, "a.csv", "n,colour,body,label\n");
    agree(&model, "a.jsonl", "{}");
    let message = streamed(&model, &Input::memory("a.jsonl", "{\n"), (1, 1)).unwrap_err();
    assert_eq!(message, "a.jsonl:1:2: expected a name in quotes: the line ends");
}

/// A binary array of more than one block is answered as one that is read whole, and so are its faults.
#[test]
fn arrays_are_answered_alike() {
    let table = read(&Input::memory("t.svm", "1 1:1 2:2 3:3\n-1 1:-1 3:9\n2 2:0.3 3:-2\n"), &ReadOptions::default());
    let table = table.unwrap().table;
    let models = [Preparation::default(), scaled(), hashed()]
        .map(|preparation| Trainer::new("averaged").preparation(preparation).epochs(3).fit(&table).unwrap().model);
    let rows = 200_000usize;
    let header = |descr: &str, order: bool| {
        let text = format!(
            "{{'descr': '{descr}', 'fortran_order': {}, 'shape': ({rows}, 3), }}",
            ["False", "True"][usize::from(order)]
        );
        let text = format!("{text:<117}\n");
        [&b"\x93NUMPY\x01\0"[..], &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
    };
    let value = |i: usize| (i * 37 % 101) as f64 / 4.0 - 9.0;
    let doubles: Vec<u8> = (0..3 * rows).flat_map(|i| value(i).to_le_bytes()).collect();
    let singles: Vec<u8> = (0..3 * rows).flat_map(|i| (value(i) as f32).to_be_bytes()).collect();
    let idx = [&[0, 0, 0x0d, 2][..], &(rows as u32).to_be_bytes(), &3u32.to_be_bytes(), &singles].concat();
    let npy = [header("<f8", false), doubles.clone()].concat();
    let mut odd = npy.clone();
    let at = odd.len() - 24 * 1000;
    odd[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    let files = [
        ("a.npy", npy.clone()),
        ("turned.npy", [header("<f8", true), doubles].concat()),
        ("a.idx", idx),
        ("odd.npy", odd),
        ("short.npy", npy[..npy.len() - 1].to_vec()),
        ("long.npy", [&npy[..], &[0]].concat()),
    ];
    for (name, bytes) in files {
        let input = Input::memory(name, bytes);
        for model in &models {
            let (expected, found) = (whole(model, &input), streamed(model, &input, (1, 1)));
            assert!(found == expected, "{name}: {:?} {:?}", found.err(), expected.err());
        }
    }
}

/// Rows of a kernel machine are compared in blocks, after all are read.
#[test]
fn a_kernel_machine_answers_alike() {
    let table = read(&Input::memory("t.csv", "a,b,label\n1,2,x\n-1,0,y\n"), &ReadOptions::default()).unwrap().table;
    let model = Trainer::new("perceptron").kernel(Kernel::Rbf { gamma: 1.0 }).fit(&table).unwrap().model;
    agree(&model, "a.csv", "a,b\n1,2\n-3,0.5\n");
    agree(&model, "a.csv", "a,b\n1,2\nx,0.5\n");
}
