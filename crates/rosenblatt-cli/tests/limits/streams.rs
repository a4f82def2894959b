//! `predict` takes no memory for rows: as much for seven times the file, in every text format, also with `-o`.
//!
//! The library's tests count every byte of the same for arrays and Parquet (`answers_for_ten_times_the_rows_…`).

use std::io::Write as _;

use super::memory::run;
use crate::support::Bench;

const MB: u64 = 1 << 20;
/// Bytes of the short file and of the long one; answers alone are several times what peaks may differ by.
const SIZES: [u64; 2] = [2 * MB, 14 * MB];
/// By how much two peaks may differ: chunks under way.
const CHANCE: u64 = 5 * MB;

/// Repeats a part up to so many bytes.
fn repeat(bench: &Bench, file: &str, header: &str, part: &str, bytes: u64) {
    let block = part.repeat((MB / part.len() as u64) as usize);
    let mut out = std::fs::File::create(bench.path(file)).unwrap();
    out.write_all(header.as_bytes()).unwrap();
    (0..bytes / MB).for_each(|_| out.write_all(block.as_bytes()).unwrap());
}

#[test]
fn answers_to_a_file_take_no_memory() {
    let conllu = "1\tgo\t_\tVERB\t_\t_\t_\t_\t_\t_\n2\thome\t_\tADV\t_\t_\t_\t_\t_\t_\n\n";
    for (name, header, part, options, more) in [
        ("d.svm", "", "+1 1:1 3:2\n-1 2:1\n", "", "--scores"),
        ("d.csv", "a,b,label\n", "1,2,x\n-3,1,y\n", "", "--json"),
        ("d.tsv", "", "ham\tsee you\nspam\tbuy \"now\"\n", "--label 1 --text 2", "--top 2"),
        ("h.tsv", "", "ham\tsee you\nspam\tbuy \"now\"\n", "--label 1 --text 2 --ngrams 2 --hash-bits 12", ""),
        ("d.jsonl", "", "{\"a\": 1, \"label\": \"x\"}\n{\"a\": -1, \"label\": \"y\"}\n", "", ""),
        ("d.fasttext", "", "__label__ham see you\n__label__spam buy now\n", "", "--scores"),
        ("d.vw", "", "1 |a x:2 y\n-1 |b z\n", "", "--scores"),
        ("d.conll", "", "the D\ndog N\n\n", "--templates pos", ""),
        ("d.conllu", "", conllu, "", ""),
        ("d.crfsuite", "", "D\tw=the\nN\tw=dog\n\n", "", "--json"),
    ] {
        let bench = Bench::with(name, format!("{header}{part}{part}"));
        bench.run(&format!("train {name} -o m {options}")).ok();
        let peaks = SIZES.map(|bytes| {
            let file = format!("long.{name}");
            repeat(&bench, &file, header, part, bytes);
            let (ran, peak) = run(&bench, &format!("predict m {file} -q --threads 2 -o answers {more}"));
            ran.ok();
            peak
        });
        assert!(peaks[1] < peaks[0] + CHANCE, "{name}: {peaks:?} bytes");
        if name == "d.conll" {
            let peaks = SIZES.map(|bytes| {
                repeat(&bench, "long.txt", "", "the dog\n", bytes / 2);
                let (ran, peak) = run(&bench, "predict m long.txt --format text -q --threads 2 -o answers");
                ran.ok();
                peak
            });
            assert!(peaks[1] < peaks[0] + CHANCE, "text: {peaks:?} bytes");
        }
    }
}

/// Words that are hashed take the memory of their buckets, and of blocks under way, in one pass as in more through a cache: the
/// rows of the long file would take four times what peaks may differ by.
#[test]
fn learning_from_hashed_words_takes_no_memory() {
    for (name, options) in [
        ("h.tsv", "--header no --label 1 --text 2 --epochs 1"),
        ("h.fasttext", "--epochs 1"),
        ("h.fasttext", "--epochs 2 --cache h.cache"),
    ] {
        let part =
            if name == "h.tsv" { "ham\tsee you\nspam\tbuy now\n" } else { "__label__ham see you\n__label__spam buy\n" };
        let bench = Bench::new();
        let peaks = SIZES.map(|bytes| {
            repeat(&bench, name, "", part, bytes);
            let (ran, peak) =
                run(&bench, &format!("train {name} -o m -q --threads 2 --ngrams 2 --hash-bits 12 {options}"));
            ran.ok();
            peak
        });
        assert!(peaks[1] < peaks[0] + 16 * MB, "{name} {options}: {peaks:?} bytes");
    }
}
