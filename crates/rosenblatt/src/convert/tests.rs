//! Round trips.

use proptest::prelude::*;

use super::convert;
use crate::io::Input;
use crate::read::{Dataset, Format, ReadOptions, read};

fn read_text(name: &str, text: &str) -> (Input, Dataset) {
    let input = Input::memory(name, text);
    let dataset = read(&input, &ReadOptions::default()).unwrap();
    (input, dataset)
}

fn converted(name: &str, text: &str, to: Format) -> crate::error::Result<String> {
    let (input, dataset) = read_text(name, text);
    Ok(String::from_utf8(convert(&input, &dataset, to)?.bytes).unwrap())
}

#[test]
fn every_format_into_every_other() {
    let csv = "length,colour,label\n1.50,red,\"a, b\"\n0,blue,c\n-2e-7,red,c\n";
    let tsv = "length\tcolour\tlabel\n1.5\tred\ta, b\n0\tblue\tc\n-0.0000002\tred\tc\n";
    assert_eq!(converted("a.csv", csv, Format::Tsv).unwrap(), tsv);
    let back = "length,colour,label\n1.5,red,\"a, b\"\n0,blue,c\n-0.0000002,red,c\n";
    assert_eq!(converted("a.tsv", tsv, Format::Csv).unwrap(), back);
    let refused = converted("a.csv", csv, Format::Libsvm).unwrap_err().to_string();
    assert!(refused.contains("the label \"a, b\" cannot be written in libsvm"), "{refused}");
    let words = csv.replace("\"a, b\"", "ab");
    assert_eq!(converted("a.csv", &words, Format::Libsvm).unwrap(), "ab 1:1.5 3:1\nc 2:1\nc 1:-0.0000002 3:1\n");
    let svm = "+1 1:0.5 3:2\n-1 2:1e300\n";
    assert_eq!(converted("a.svm", svm, Format::Csv).unwrap(), "x1,x2,x3,label\n0.5,0,2,+1\n0,1e300,0,-1\n");
    assert_eq!(converted("a.svm", svm, Format::Libsvm).unwrap(), svm);
}

/// A float holds about 17 digits. A file may hold more, and a certificate is about all of them.
#[test]
fn no_digit_is_lost() {
    let long = "0.1000000000000000055511151231257827021181583404541015625";
    let csv = format!("x,y,label\n{long},1,a\n123456789012345678901.5,2,b\n");
    let svm = converted("a.csv", &csv, Format::Libsvm).unwrap();
    assert_eq!(svm, format!("a 1:{long} 2:1\nb 1:123456789012345678901.5 2:2\n"));
    assert_eq!(converted("a.svm", &svm, Format::Csv).unwrap(), csv.replace("x,y,", "x1,x2,"));
}

fn npy(descr: &str, rows: usize, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, 1), }}");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// Integers beyond 2⁵³ were written as the floats nearest to them.
#[test]
fn integers_of_an_array_keep_their_digits() {
    let signed = [9_007_199_254_740_993i64, -9_223_372_036_854_775_807, 0, 7].map(i64::to_le_bytes).concat();
    let unsigned = [u64::MAX, 1, 0, 9_007_199_254_740_993].map(u64::to_le_bytes).concat();
    for (descr, data, digits) in [
        ("<i8", signed, ["9007199254740993", "-9223372036854775807", "0", "7"]),
        ("<u8", unsigned, ["18446744073709551615", "1", "0", "9007199254740993"]),
    ] {
        let input = Input::memory("x.npy", npy(descr, 4, &data));
        let labels = Some(Input::memory("y", "a\nb\na\nb\n"));
        let dataset = read(&input, &ReadOptions { labels, ..ReadOptions::default() }).unwrap();
        let csv = String::from_utf8(convert(&input, &dataset, Format::Csv).unwrap().bytes).unwrap();
        let column: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
        assert_eq!(column, digits);
        let refused = convert(&input, &dataset, Format::Npy).unwrap_err().to_string();
        assert!(refused.contains("which cannot hold") && refused.starts_with("row "), "{refused}");
    }
}

/// Labels of 64 bits are exact too.
#[test]
fn integer_labels_keep_their_digits() {
    let labels = [9_007_199_254_740_993i64, 9_007_199_254_740_992].map(i64::to_le_bytes).concat();
    let labels = npy("<i8", 2, &labels);
    let input = Input::memory("x.npy", npy("<f8", 2, &[1f64, 2.0].map(f64::to_le_bytes).concat()));
    let options = ReadOptions { labels: Some(Input::memory("y.npy", labels)), ..ReadOptions::default() };
    let dataset = read(&input, &options).unwrap();
    assert_eq!(dataset.table.labels.names(), ["9007199254740992", "9007199254740993"]);
    let csv = String::from_utf8(convert(&input, &dataset, Format::Csv).unwrap().bytes).unwrap();
    assert_eq!(csv, "x1,label\n1,9007199254740993\n2,9007199254740992\n");
}

/// Digits of Vowpal Wabbit text were rounded to floats. What is no written number, a sum or a product, is a float.
#[test]
fn digits_of_vowpal_wabbit_text_are_kept() {
    let vw = "1 |a x:0.1000000000000000055511151231257827 y\n2 |a x:9007199254740993 |b:0.1 z:0.1 z:0.1\n";
    let csv =
        "a^x,a^y,b^z,label\n0.1000000000000000055511151231257827,1,0,1\n9007199254740993,0,0.020000000000000004,2\n";
    assert_eq!(converted("a.vw", vw, Format::Csv).unwrap(), csv);
    let refused = converted("a.vw", vw, Format::Npy).unwrap_err().to_string();
    assert!(refused.contains("cannot hold 9007199254740993"), "{refused}");
}

#[test]
fn what_would_not_read_back_is_said() {
    // A label column of another name beside a feature that is called y.
    let (input, dataset) = read_text("a.csv", "species,y,x\ncat,1,2\ndog,3,4\n");
    let options = ReadOptions { label: Some("species".into()), ..ReadOptions::default() };
    let again = read(&input, &options).unwrap();
    assert_ne!(dataset.table.labels, again.table.labels, "y is taken for the label unless message otherwise");
    let out = convert(&input, &again, Format::Csv).unwrap();
    assert_eq!(out.notes, ["read it with header yes label species"]);
    assert_eq!(String::from_utf8(out.bytes).unwrap(), "y,x,species\n1,2,cat\n3,4,dog\n");
}

proptest! {
    #[test]
    fn any_numbers_come_back(rows in proptest::collection::vec(
        (proptest::collection::vec(prop_oneof![any::<f64>().prop_filter("finite", |v| v.is_finite()), (-99i32..99).prop_map(|v| f64::from(v) / 10.0)], 3), 0..3usize), 2..12)) {
        let labels = ["yes", "no", "per haps"];
        let line = |(values, label): &(Vec<f64>, usize)| format!("{},{},{},{}\n", values[0], values[1], values[2], labels[*label]);
        let csv = format!("a,b,c,label\n{}", rows.iter().map(line).collect::<String>());
        let tsv = converted("a.csv", &csv, Format::Tsv).unwrap();
        let (_, again) = read_text("b.tsv", &tsv);
        let bits = |values: &[f64]| values.iter().map(|v| (v + 0.0).to_bits()).collect::<Vec<_>>();
        let crate::rows::Matrix::Dense(matrix) = &again.table.matrix else { panic!("dense") };
        prop_assert_eq!(bits(&matrix.values), rows.iter().flat_map(|r| bits(&r.0)).collect::<Vec<_>>());
        for (row, class) in rows.iter().zip(&again.table.classes) {
            prop_assert_eq!(again.table.labels.name(*class), labels[row.1]);
        }
    }
}
