//! Arbitrary bytes never cause a panic.

use proptest::prelude::*;
use rosenblatt::io::Input;
use rosenblatt::read::{Format, Header, NeedLabels, ReadOptions, read, read_for};

use crate::{check, parse};

fn try_all(bytes: &[u8]) {
    let input = Input::memory("a", bytes);
    for format in [None, Some(Format::Libsvm), Some(Format::Csv), Some(Format::Tsv)] {
        for header in [Header::Auto, Header::Yes, Header::No] {
            let options = ReadOptions { format, header, ..ReadOptions::default() };
            if let Ok(data) = read(&input, &options) {
                check(&data);
                let (schema, labels) = (&data.table.schema, &data.table.labels);
                for need in [NeedLabels::Yes, NeedLabels::No] {
                    let again = read_for(&input, &options, schema, labels, need).unwrap();
                    check(&again);
                    assert_eq!(crate::dense(&again), crate::dense(&data), "a model reads its own training data");
                    if need == NeedLabels::Yes {
                        assert_eq!(again.table.classes, data.table.classes);
                    }
                }
            }
        }
    }
    for model in ["1 1:1\n2 2:1\n", "n,c,class\n1,u,a\n2,v,b\n", "1,2,a\n3,4,b\n"] {
        let table = parse("a", model).table;
        for need in [NeedLabels::Yes, NeedLabels::No] {
            if let Ok(data) = read_for(&input, &ReadOptions::default(), &table.schema, &table.labels, need) {
                check(&data);
            }
        }
    }
}

#[test]
fn odd_files() {
    for text in [
        "\"",
        "\"\"",
        ",",
        ",,\n,",
        "#",
        ":",
        "1 :",
        "\r",
        "\r\n\r\n",
        "\"a\"\"",
        "\u{feff}",
        "\u{feff}\"",
        ";\n,\n\t",
        "1 0:1",
    ] {
        try_all(text.as_bytes());
    }
    try_all(&[0xff; 40]);
    try_all(b"\xef\xbb");
    try_all(b"1 1:1e-400 2:-0\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
    }

    #[test]
    fn bytes_of_tables(text in r#"[-+0-9.eanx,;\t" \r\n]{0,80}"#) {
        try_all(text.as_bytes());
    }

    #[test]
    fn bytes_of_libsvm(text in r"([-+]?[0-9]{1,2}( [0-9]{1,2}:[-+0-9.e]{0,5}){0,4}[ #q]?\r?\n){0,5}") {
        try_all(text.as_bytes());
    }

    #[test]
    fn small_tables(
        rows in prop::collection::vec(("[0-3]", "[ab]", "[0-2]\\.[05]", "[pq]"), 1..6),
        header in any::<bool>(),
    ) {
        let mut text = String::from(if header { "k,l,m,n\n" } else { "" });
        for (a, b, c, d) in &rows {
            text += &format!("{a},{b}, {c} ,{d}\n");
        }
        let data = parse("a.csv", &text);
        prop_assert_eq!(data.table.matrix.len(), rows.len());
        try_all(text.as_bytes());
    }
}
