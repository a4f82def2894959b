//! The most memory that a command holds, for small files of hostile shapes: wide, tall, many classes, long names, bombs.
//!
//! Each run ends with an answer or with status 2 and one line, and never takes more than its limit and 64 MB of buffers.
//! `cargo test -p rosenblatt-cli --test limits memory -- --nocapture` prints the table of peaks.

use std::fmt::Write as _;
use std::io::Write as _;

use crate::support::{Bench, Ran};
use crate::usage;

const MB: u64 = 1 << 20;
/// What every command is allowed.
const LIMIT: u64 = 64 * MB;
/// The limit, the buffers beside it, and what is not counted: stacks, and pages that the allocator holds back.
const MOST: u64 = LIMIT + 64 * MB + 16 * MB;
/// Bytes of text in a bomb.
const BOMB: u64 = 192 * MB;

/// Pages of files that a process holds: its code, which is large without optimisation, and input that is mapped.
fn pages_of_files(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssFile:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// Looks until the process has ended: code is loaded as it is called, so the last look sees the most.
fn most_pages_of_files(process: u32) -> u64 {
    let mut most = 0;
    while let Some(now) = pages_of_files(process) {
        most = most.max(now);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    most
}

/// The program's output, and the most memory that it held beside pages of files.
pub fn run(bench: &Bench, line: &str) -> (Ran, u64) {
    let (ran, usage, files) = usage::run(bench, &format!("{line} --memory {LIMIT}"), most_pages_of_files);
    (Ran { what: line.to_string(), ..ran }, usage.memory.saturating_sub(files))
}

/// Checks a run, and adds it to the table.
fn check(table: &mut String, bench: &Bench, name: &str, line: &str) {
    let (ran, peak) = run(bench, line);
    let said = match ran.code {
        Some(2) => {
            assert!(!ran.err.contains("panicked"), "{name}: {ran}");
            assert_eq!(ran.err.lines().filter(|line| line.starts_with("error")).count(), 1, "{name}: {ran}");
            "refused"
        }
        Some(0 | 1 | 3) => "answered",
        _ => panic!("{name}: {ran}"),
    };
    writeln!(table, "| {name} | `{line}` | {said} | {} MB |", peak.div_ceil(MB)).unwrap();
    assert!(peak <= MOST, "{name}: {} MB of at most {}\n{ran}", peak / MB, MOST / MB);
    let left: Vec<String> =
        bench.names().into_iter().filter(|name| name.contains("part") || name.contains("cache")).collect();
    assert!(left.is_empty(), "{name}: {line} left {left:?}");
}

/// A text of `BOMB` bytes that repeats one line, compressed.
fn bomb(line: &str, kind: &str) -> Vec<u8> {
    let block = line.repeat(MB as usize / line.len());
    let blocks = BOMB / MB;
    let mut packed = Vec::new();
    match kind {
        "gz" => {
            let mut encoder = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
            (0..blocks).for_each(|_| encoder.write_all(block.as_bytes()).unwrap());
            encoder.finish().unwrap();
        }
        "zst" => {
            let mut encoder = zstd::Encoder::new(&mut packed, 1).unwrap();
            (0..blocks).for_each(|_| encoder.write_all(block.as_bytes()).unwrap());
            encoder.finish().unwrap();
        }
        _ => {
            let mut encoder = bzip2::write::BzEncoder::new(&mut packed, bzip2::Compression::fast());
            // Slower by far: an eighth of it.
            (0..blocks / 8).for_each(|_| encoder.write_all(block.as_bytes()).unwrap());
            encoder.finish().unwrap();
        }
    }
    packed
}

/// Writes a part again and again: a file that the test itself never holds, since a child's peak counts its parent's memory.
fn repeat(bench: &Bench, file: &str, part: &str, count: usize) {
    let block = part.repeat(1 << 16);
    let mut out = std::fs::File::create(bench.path(file)).unwrap();
    (0..count >> 16).for_each(|_| out.write_all(block.as_bytes()).unwrap());
}

/// `count` lines, made one by one.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        text.push_str(&line(i));
        text.push('\n');
        text
    })
}

/// Commands that read examples.
const READERS: [&str; 9] = [
    "train FILE --epochs 1",
    "cv FILE --folds 2 --epochs 1",
    "trace FILE --epochs 1",
    "train FILE --epochs 1 --learner voted -o model",
    "separable FILE --time-limit 1 --certificate proof.json",
    "audit FILE --time-limit 1",
    "convert FILE out.svm",
    "convert FILE out.csv",
    "convert FILE out.npy",
];

#[test]
fn wide_rows_and_many_classes() {
    let mut table = String::new();
    let far = 200_000_000;
    let classes = |count: usize| lines(2 * count, |i| format!("{} 1:{i} 2:1", i % count));
    let files = [
        ("one far index", "far.svm", format!("+1 1:1\n-1 {far}:1\n")),
        ("the farthest index", "farthest.svm", "+1 1:1\n-1 4294967294:1\n".to_string()),
        ("ten classes and a far index", "ten.svm", lines(10, |i| format!("{i} {}:1", far - i))),
        ("1,000 classes", "classes.svm", classes(1000)),
        ("four rows of 20,000 features", "four.svm", "+1 1:1\n-1 1:1\n+1 2:1\n-1 20000:1\n".to_string()),
        ("6,000 rows of 3,000 classes", "square.svm", lines(6000, |i| format!("{} {}:1", i % 3000, i + 1))),
        ("1,000 far indices", "spread.svm", lines(1000, |i| format!("{} {}:1", i % 2, 1 + i * 100_000))),
    ];
    for (name, file, text) in files {
        let bench = Bench::with(file, text);
        for command in READERS {
            check(&mut table, &bench, name, &command.replace("FILE", file));
        }
    }
    // Names of 200 million features took 11 GB, and the search for a proof 8 GB.
    let far = Bench::with("far.svm", format!("+1 1:1\n-1 {far}:1\n"));
    for command in [
        "plot boundary far.svm -o out.svg",
        "plot boundary far.svm --x 1 --y x200000000 -o out.svg",
        "plot proof far.svm -o out.svg",
        "trace far.svm --proof",
        "polyfit far.svm --x x7 --degree 1",
    ] {
        check(&mut table, &far, "one far index", command);
    }
    // The verdict and the bounds need no hyperplane of 200 million zeros: only a certificate does.
    for (line, proof) in [("separable", "\"verdict\":\"separable\""), ("audit", "\"at_most\":0,")] {
        let ran = far.run(&format!("{line} far.svm --json --memory {LIMIT}")).ok();
        assert!(ran.out.contains(proof), "{ran}");
        let refused = far.run(&format!("{line} far.svm --certificate proof.json --memory {LIMIT}"));
        assert!(refused.code == Some(2) && refused.err.contains("a certificate with 200000000 weights"), "{refused}");
    }
    // 4.5 million pairs of classes: as JSON they took 8 GB, and their list alone can be too long.
    let pairs = Bench::with("pairs.csv", lines(6000, |i| format!("{},{},c{}", i % 7, i % 11, i % 3000)));
    pairs.file("each.csv", lines(20_000, |i| format!("{},c{i}", i % 7)));
    for command in [
        "separable pairs.csv --time-limit 1 --json",
        "separable pairs.csv --time-limit 1 --degree 2",
        "audit pairs.csv --time-limit 1 --degree 2 --json",
        "audit each.csv --time-limit 1",
        "audit each.csv --time-limit 1 --degree 2",
    ] {
        check(&mut table, &pairs, "millions of pairs of classes", command);
    }
    // Two folds at once asked for two matrices of 72 MB, and took both.
    let bench = Bench::with("classes.svm", classes(3000));
    check(&mut table, &bench, "3,000 classes", "cv classes.svm --folds 2 --epochs 1");
    println!("{table}");
}

#[test]
fn products_hashes_and_dictionaries() {
    let mut table = String::new();
    let wide = lines(50, |i| (0..60).map(|j| format!("{},", (i * j) % 7)).collect::<String>() + ["a", "b"][i % 2]);
    let unique = lines(60_000, |i| format!("word{i:x}a word{i:x}b word{i:x}c,{}", i % 2));
    let each = lines(60_000, |i| format!("category{i},{}", i % 2));
    let cases = [
        ("60 columns", "wide.csv", &wide, "train wide.csv --degree 10"),
        ("60 columns", "wide.csv", &wide, "separable wide.csv --degree 8 --time-limit 1"),
        ("60 columns", "wide.csv", &wide, "separable wide.csv --degree 1000 --time-limit 1"),
        ("60 columns", "wide.csv", &wide, "separable wide.csv --degree 3 --time-limit 1"),
        ("60 columns", "wide.csv", &wide, "train wide.csv --lift rff:1:10000000"),
        ("60 columns", "wide.csv", &wide, "train wide.csv --kernel rbf:1 --epochs 2"),
        ("180,000 words", "words.csv", &unique, "train words.csv --text 1 --epochs 1"),
        ("180,000 words", "words.csv", &unique, "train words.csv --text 1 --ngrams 5 --epochs 1"),
        ("180,000 words", "words.csv", &unique, "train words.csv --text 1 --hash-bits 28 --epochs 1"),
        ("180,000 words", "words.csv", &unique, "cv words.csv --text 1 --folds 2 --epochs 1"),
        ("60,000 categories", "each.csv", &each, "train each.csv --epochs 1"),
        ("60,000 categories", "each.csv", &each, "separable each.csv --time-limit 1"),
    ];
    for (name, file, text, line) in cases {
        check(&mut table, &Bench::with(file, text), name, line);
    }
    println!("{table}");
}

#[test]
fn long_lines_and_long_names() {
    let mut table = String::new();
    let long = "n".repeat(100_000);
    let named = format!("{long}1,{long}2,label\n1,2,{long}a\n2,1,{long}b\n");
    for (name, file, part) in [("a line of 48 MB", "line.csv", "7,"), ("one field of 48 MB", "field.csv", "77")] {
        let bench = Bench::new();
        repeat(&bench, file, part, 24 * MB as usize);
        check(&mut table, &bench, name, &format!("train {file}"));
    }
    // A category of 48 MB was kept four times.
    let bench = Bench::new();
    repeat(&bench, "huge.csv", "c", 48 * MB as usize);
    let mut huge = std::fs::File::options().append(true).open(bench.path("huge.csv")).unwrap();
    huge.write_all(b",a\n1,b\n").unwrap();
    for command in ["train huge.csv", "train huge.csv --text 1", "separable huge.csv", "convert huge.csv out.svm"] {
        check(&mut table, &bench, "a category of 48 MB", command);
    }
    let cases = [
        ("names of 100,000 letters", "named.csv", named.clone(), "train named.csv -o m"),
        ("names of 100,000 letters", "named.csv", named.clone(), "trace named.csv"),
        ("names of 100,000 letters", "named.csv", named, "separable named.csv"),
        ("a token of 1 MB", "token.conll", format!("{} N\n\n", "t".repeat(MB as usize)), "train token.conll"),
        ("20,000 tags", "tags.conll", lines(20_000, |i| format!("w{i} T{i}\n")), "train tags.conll --epochs 1"),
        (
            "a sentence of 40,000 tokens",
            "long.conll",
            lines(40_000, |i| format!("w{} T{}", i % 99, i % 9)),
            "train long.conll --epochs 1",
        ),
    ];
    for (name, file, text, line) in cases {
        check(&mut table, &Bench::with(file, text), name, line);
    }
    println!("{table}");
}

#[test]
fn bombs() {
    let mut table = String::new();
    for kind in ["gz", "zst", "bz2"] {
        let name = format!("{} MB of rows", BOMB / MB / if kind == "bz2" { 8 } else { 1 });
        let file = format!("rows.svm.{kind}");
        let bench = Bench::with(&file, bomb("+1 1:1 7:0.25\n-1 2:1 7:0.5\n", kind));
        let commands = [
            "train FILE --epochs 1",
            "train FILE --epochs 2",
            "separable FILE --time-limit 1",
            "audit FILE --time-limit 1",
            "convert FILE out.csv",
        ];
        // Where millions of short rows fit, the scores of all may not: `separable` answered in 71 MB more than allowed.
        for command in commands {
            check(&mut table, &bench, &name, &command.replace("FILE", &file));
        }
    }
    let blank = Bench::with("blank.svm.gz", bomb("\n", "gz"));
    check(&mut table, &blank, "blank lines", "train blank.svm.gz");
    let table_bomb = Bench::with("t.csv.gz", bomb("1,red,2,a\n2,blue,2,b\n", "gz"));
    check(&mut table, &table_bomb, "a table with categories", "train t.csv.gz --epochs 1");
    let tokens = Bench::with("t.conll.gz", bomb("word N\n\n", "gz"));
    check(&mut table, &tokens, "sentences", "train t.conll.gz --epochs 1");
    println!("{table}");
}

/// The reading that a certificate is compared with did not fit, and that was called another reading: status 1.
#[test]
fn what_cannot_be_verified_in_memory_is_no_refusal() {
    let bench = Bench::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"1,a\n2,b\n").unwrap();
    let block = [b' '; 1 << 16];
    (0..640).for_each(|_| packed.write_all(&block).unwrap());
    packed.write_all(b"3,b\n").unwrap();
    bench.file("line.csv.gz", packed.finish().unwrap());
    bench.run("separable line.csv.gz --certificate proof.json").ok();
    bench.run("verify proof.json line.csv.gz").ok();
    let small = bench.run("verify proof.json line.csv.gz --memory 20M");
    assert!(small.code == Some(2) && small.err.contains("allow more by --memory"), "{small}");
    // The certificate may come from standard input.
    let piped = bench.pipe("verify - line.csv.gz", bench.text("proof.json"));
    assert!(piped.ok().out.contains("verified"));
}
