//! Odd files: quotes, byte order marks, line ends, tabs, signed zeros, long and tiny numbers, Unicode, gzip of two members,
//! headers. On each the finder and the verifier read the same numbers, the plain reading is the one without options, and no
//! command claims of the file what `separable` disproves. `ROSENBLATT_ODD_FILES=2000` makes more of them.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use rosenblatt::certify::{contradiction, exact_rows};
use rosenblatt::io::Input;
use rosenblatt::read::{Format, ReadOptions, read};

use super::same::{Outcome, compare};
use super::support::Bench;

/// A generator with a state of 64 bits (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

const NUMBERS: [&str; 30] = [
    "0",
    "-0",
    "0.0",
    "-0.0",
    "+0",
    "1",
    "1.0",
    "+1",
    "1e0",
    "1E+0",
    "1.",
    "01",
    ".5",
    "0.5",
    "5e-1",
    "-1",
    "2",
    "3",
    "1.00000000000000000001",
    "0.99999999999999999999",
    "0.1",
    "0.10",
    "0.1000000000000000055511151231257827",
    "9007199254740993",
    "9007199254740992",
    "9007199254740992.0",
    "123456789012345678901234567890",
    "1e-320",
    "1e-400",
    "-2.5e3",
];
const CATEGORIES: [&str; 7] = ["red", "Red", "é", "日本", "a b", "x\u{301}", "none so"];
const LABELS: [(&str, &str); 7] =
    [("a", "b"), ("+1", "-1"), ("1", "0"), ("yes", "no"), ("é", "e\u{301}"), ("1.0", "2"), ("日", "😀")];

fn number(dice: &mut Dice) -> String {
    if dice.one_in(4) { dice.roll(4).to_string() } else { dice.of(&NUMBERS).to_string() }
}

/// A field, perhaps quoted, perhaps with spaces around it.
fn field(dice: &mut Dice, text: &str, delimiter: char) -> String {
    let must = text.contains(delimiter);
    let quoted = if must || dice.one_in(6) { format!("\"{text}\"") } else { text.to_string() };
    let space = |dice: &mut Dice| match dice.roll(10) {
        0 => " ",
        1 if delimiter != '\t' => "\t",
        2 => "  ",
        _ => "",
    };
    format!("{}{quoted}{}", space(dice), space(dice))
}

fn table(dice: &mut Dice) -> String {
    let delimiter = [',', ',', ';', '\t'][dice.roll(4)];
    let (columns, rows) = (1 + dice.roll(3), 3 + dice.roll(7));
    let labels = LABELS[dice.roll(LABELS.len())];
    let end = if dice.one_in(3) { "\r\n" } else { "\n" };
    let wordy: Vec<bool> = (0..columns).map(|_| dice.one_in(5)).collect();
    let at = if dice.one_in(4) { dice.roll(columns + 1) } else { columns };
    let mut text = String::new();
    let mut line = |dice: &mut Dice, mut fields: Vec<String>, label: &str| {
        fields.insert(at, label.to_string());
        let fields: Vec<String> = fields.iter().map(|text| field(dice, text, delimiter)).collect();
        text.push_str(&fields.join(&delimiter.to_string()));
        text.push_str(end);
        if dice.one_in(12) {
            text.push_str(end);
        }
    };
    // A label that is not in the last column has a name.
    if at < columns || dice.one_in(2) {
        let names = (0..columns).map(|i| format!("x{i}{}", if dice.one_in(4) { ", é" } else { "" })).collect();
        let label = dice.of(&["label", "class", "Target"]);
        line(dice, names, label);
    }
    for _ in 0..rows {
        let value = |dice: &mut Dice, wordy: bool| if wordy { dice.of(&CATEGORIES).into() } else { number(dice) };
        let fields = wordy.iter().map(|&wordy| value(dice, wordy)).collect();
        let label = if dice.one_in(2) { labels.0 } else { labels.1 };
        line(dice, fields, label);
    }
    text
}

fn libsvm(dice: &mut Dice) -> String {
    let labels = LABELS[dice.roll(4)];
    let (first, end) = (dice.roll(2), if dice.one_in(3) { "\r\n" } else { "\n" });
    let mut text = String::new();
    for _ in 0..3 + dice.roll(7) {
        text.push_str(if dice.one_in(2) { labels.0 } else { labels.1 });
        if dice.one_in(6) {
            text.push_str(" qid:3");
        }
        for j in first..first + 4 {
            if dice.one_in(2) {
                let gap = [" ", "  ", "\t"][dice.roll(3)];
                text.push_str(&format!("{gap}{}{j}:{}", if dice.one_in(9) { "0" } else { "" }, number(dice)));
            }
        }
        text.push_str(if dice.one_in(6) { " # 9:9" } else { "" });
        text.push_str(end);
    }
    text
}

/// A string of JSON, now and then with escapes.
fn quoted(dice: &mut Dice, text: &str) -> String {
    let escaped: String = match dice.roll(4) {
        0 => text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect(),
        _ => text.to_string(),
    };
    format!("\"{escaped}\"")
}

fn jsonl(dice: &mut Dice) -> String {
    let labels = LABELS[dice.roll(LABELS.len())];
    let kinds: Vec<usize> = (0..1 + dice.roll(4)).map(|_| dice.roll(6)).collect();
    let name = dice.of(&["label", "class", "Target", "y"]);
    let mut text = String::new();
    for _ in 0..3 + dice.roll(7) {
        let mut fields: Vec<String> = Vec::new();
        // Numbers of JSON have no sign + and a digit before their point.
        let number = |dice: &mut Dice| match number(dice) {
            text if text.starts_with(['+', '.']) || text.starts_with("-.") || text.ends_with('.') => "7".to_string(),
            text if text.contains(".e") || text.starts_with("00") => "1e2".to_string(),
            text => text,
        };
        for (i, kind) in kinds.iter().enumerate() {
            let value = match kind {
                0 | 1 => number(dice),
                2 => quoted(dice, CATEGORIES[i % 7]),
                3 => format!("[{}, {}]", number(dice), number(dice)),
                4 => format!("{{\"in\": {}, \"é\": {}}}", number(dice), ["true", "false"][dice.roll(2)]),
                _ => {
                    let words: Vec<String> =
                        (0..dice.roll(3)).map(|_| format!("\"{}\"", dice.of(&CATEGORIES))).collect();
                    format!("[{}]", words.join(" ,"))
                }
            };
            fields.push(format!("{}: {value}", quoted(dice, &format!("x{i}"))));
        }
        let label = if dice.one_in(2) { labels.0 } else { labels.1 };
        fields.insert(dice.roll(fields.len() + 1), format!("\"{name}\":{}", quoted(dice, label)));
        text.push_str(&format!("{{{}}}{}", fields.join(", "), ["\n", "\n", "\r\n", " \n\n"][dice.roll(4)]));
    }
    text
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(bytes).unwrap();
    member.finish().unwrap()
}

/// The bytes of a file, and the same compressed now and then.
fn odd_file(seed: u64) -> Vec<u8> {
    let dice = &mut Dice(seed);
    let mut text = match dice.roll(4) {
        0 => libsvm(dice),
        1 => jsonl(dice),
        _ => table(dice),
    };
    if dice.one_in(6) {
        text.insert(0, '\u{feff}');
    }
    if dice.one_in(5) {
        text.truncate(text.trim_end().len());
    }
    match dice.roll(8) {
        0 => {
            let half = dice.roll(text.len());
            [gzip(&text.as_bytes()[..half]), gzip(&text.as_bytes()[half..])].concat()
        }
        _ => text.into_bytes(),
    }
}

fn how_many(least: u64) -> u64 {
    std::env::var("ROSENBLATT_ODD_FILES").ok().and_then(|n| n.parse().ok()).unwrap_or(least)
}

#[test]
fn odd_files_are_read_alike_by_finder_and_verifier() {
    let (mut same, files) = (0, 10 * how_many(100));
    for seed in 0..files {
        let bytes = odd_file(seed);
        let formats = [None, Some(Format::Csv), Some(Format::Tsv), Some(Format::Libsvm), Some(Format::Jsonl)];
        same += formats.iter().filter(|&&format| matches!(compare(&bytes, format, None), Outcome::Same(1..))).count()
            as u64;
    }
    assert!(same > files / 2, "{same} of {files}");
}

/// Bytes changed at random, mostly no files at all: what the finder reads the verifier reads alike.
#[test]
fn damaged_files_are_read_alike_by_finder_and_verifier() {
    const PIECES: [&str; 26] = [
        "\"", "\"\"", ",", ";", "\t", " ", "\n", "\r\n", "\r", "#", ":", "1:", "qid:", "e", ".", "-", "0", "\u{feff}",
        "nan", "|", "{", "}", "[", "]", "\\", "null",
    ];
    for seed in 0..30 * how_many(100) {
        let (mut bytes, dice) = (odd_file(seed), &mut Dice(!seed));
        for _ in 0..1 + dice.roll(3) {
            let at = dice.roll(bytes.len());
            match dice.roll(3) {
                0 => bytes[at] = b" ,\t\n\"0a:;"[dice.roll(9)],
                1 => drop(bytes.splice(at..at, dice.of(&PIECES).bytes())),
                _ => drop(bytes.drain(at..(at + 1 + dice.roll(3)).min(bytes.len()))),
            }
            if bytes.is_empty() {
                break;
            }
        }
        for format in [None, Some(Format::Csv), Some(Format::Tsv), Some(Format::Libsvm), Some(Format::Jsonl)] {
            compare(&bytes, format, None);
        }
    }
}

#[test]
fn on_odd_files_no_command_claims_what_separable_disproves() {
    let (mut decided, mut seed) = (0, 0);
    let wanted = how_many(24);
    while decided < wanted {
        seed += 1;
        let bytes = odd_file(seed);
        let input = Input::memory("data", bytes.clone());
        let Ok(dataset) = read(&input, &ReadOptions::default()) else { continue };
        if dataset.table.labels.len() != 2 || dataset.table.check_learnable().is_err() {
            continue;
        }
        let Ok(exact) = exact_rows(&input, &dataset) else { continue };
        let table = &dataset.table;
        let twice = contradiction(table.matrix.rows().unwrap(), &*exact, &table.classes).unwrap();
        decided += 1;
        let bench = Bench::with("data", &bytes);
        let shown = || format!("file {seed}: {:?}", String::from_utf8_lossy(&bytes));
        let said = bench.run("separable data --certificate proof.json --json");
        let verdict = said.json()["verdict"].as_str().unwrap().to_string();
        let checked = bench.run("verify proof.json data");
        assert_eq!(checked.code, Some(0), "{}\n{}{}", shown(), checked.out, checked.err);
        assert!(checked.out.starts_with(&format!("verified     {verdict}: ")), "{}\n{}", shown(), checked.out);
        let kernel = bench.run("separable data --kernel rbf:1 --json").json();
        assert_eq!(kernel["verdict"] == "inseparable", twice.is_some(), "{}: {kernel}", shown());
        assert!(verdict != "separable" || twice.is_none(), "{}", shown());
        let traced = bench.run("trace data --epochs 200 --json");
        if traced.code == Some(0) {
            let last = traced.json_lines().pop().unwrap();
            assert!(last["separable"] != false || verdict != "separable", "{}: {last}", shown());
        }
        let trained = bench.run("train data --model m --epochs 20");
        let told = format!("{}{}", trained.out, trained.err);
        assert!(!told.contains("the same features and different labels"), "{}: {told}", shown());
        let plotted = bench.run("plot proof data -o out.svg --epochs 50");
        assert!(!plotted.err.contains("proves"), "{}: {}", shown(), plotted.err);
        if plotted.code == Some(0) && bench.text("out.svg").contains("no line separates the classes") {
            assert_ne!(verdict, "separable", "{}", shown());
        }
    }
}
