//! IDX and NPY with a file of labels.

use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, Format, Guess, NeedLabels, ReadOptions, read, read_for};

use crate::{check, dense, labels};

const IMAGES: &[u8] = &[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255];
const LABELS: &[u8] = &[0, 0, 8, 1, 0, 0, 0, 2, 7, 3];

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn with(labels: &[u8]) -> ReadOptions {
    ReadOptions { labels: Some(Input::memory("labels", labels)), ..ReadOptions::default() }
}

fn message(data: &[u8], options: &ReadOptions) -> String {
    read(&Input::memory("data", data), options).unwrap_err().to_string()
}

fn fine(data: &[u8], options: &ReadOptions) -> Dataset {
    let data = read(&Input::memory("data", data), options).unwrap();
    check(&data);
    data
}

#[test]
fn images_and_labels_in_idx() {
    let data = fine(IMAGES, &with(LABELS));
    assert_eq!((data.format, data.guessed), (Format::Idx, Some(Guess::ByContent)));
    assert_eq!(dense(&data), [[1.0, 2.0, 3.0], [4.0, 5.0, 255.0]]);
    assert_eq!(labels(&data), ["7", "3"]);
    let rows = Input::memory("more", IMAGES);
    let (schema, names) = (&data.table.schema, &data.table.labels);
    let again = read_for(&rows, &ReadOptions::default(), schema, names, NeedLabels::No).unwrap();
    assert_eq!(dense(&again), dense(&data));
    let again = read_for(&rows, &with(b"3\n7\n"), schema, names, NeedLabels::Yes).unwrap();
    assert_eq!(labels(&again), ["3", "7"]);
    let message = read_for(&rows, &with(b"3\n9\n"), schema, names, NeedLabels::Yes).unwrap_err().to_string();
    assert_eq!(message, "labels: the model does not know the label \"9\": it knows \"3\", \"7\"");
}

#[test]
fn matrices_and_labels_in_npy() {
    let floats: Vec<u8> = [0.5f64, -1.0, 2.0, 3.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let data = fine(
        &npy("<f8", "(2, 2)", &floats),
        &with(&npy("<i8", "(2,)", &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])),
    );
    assert_eq!(data.format, Format::Npy);
    assert_eq!(dense(&data), [[0.5, -1.0], [2.0, 3.0]]);
    assert_eq!(labels(&data), ["1", "2"]);
    let texts = npy("|S3", "(2, 1)", b"yesno\0");
    assert_eq!(labels(&fine(&npy("|u1", "(2, 1)", &[4, 5]), &with(&texts))), ["yes", "no"]);
    let singles: Vec<u8> = [0.5f32, 1.5].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(dense(&fine(&npy("<f4", "(2, 1)", &singles), &with(&texts))), [[0.5], [1.5]]);
}

#[test]
fn what_does_not_fit_is_refused_once() {
    let none = ReadOptions::default();
    assert_eq!(message(IMAGES, &none), "data: idx holds no labels: name the file that does with `labels`");
    let short = &[0, 0, 8, 1, 0, 0, 0, 1, 7][..];
    assert_eq!(message(IMAGES, &with(short)), "labels: 1 label for 2 rows: this is not the label file of these data");
    assert_eq!(message(IMAGES, &with(IMAGES)), "labels: labels of the shape 2 × 1 × 3: expected a list");
    assert_eq!(message(IMAGES, &with(b"7\n\n")), "labels:2: no label on this line: expected one on each");
    assert_eq!(message(LABELS, &with(LABELS)), "data: a list of 2 values, where a matrix of rows is expected");
    let cut =
        "data: the IDX file says 2 × 1 × 3 and holds 5 bytes of data, where 6 are needed: it is cut short or damaged";
    assert_eq!(message(&IMAGES[..IMAGES.len() - 1], &with(LABELS)), cut);
    let nan = npy("<f8", "(1, 1)", &f64::NAN.to_le_bytes());
    assert_eq!(message(&nan, &with(b"a\n")), "data: row 1, feature 1: NaN is not a finite number");
    let options = ReadOptions { text: vec!["1".into()], ..with(LABELS) };
    assert_eq!(
        message(IMAGES, &options),
        "data: `text` is for csv, tsv, jsonl and parquet, but the file is idx, which has no columns"
    );
    assert_eq!(message(b"1,2\n", &with(LABELS)), "data: `labels` is for idx and npy, but the file is csv");
    let options = ReadOptions { format: Some(Format::Npy), ..with(LABELS) };
    assert_eq!(message(IMAGES, &options), "data: format npy: but the file is idx");
    assert_eq!(message(b"1,2\n", &options), "data: no npy file: it does not begin as one");
}
