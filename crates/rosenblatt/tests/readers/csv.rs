//! Delimited text.

use rosenblatt::read::{Header, ReadOptions};
use rosenblatt::rows::{ColumnKind, Fill, Schema};

use crate::{dense, is_dense, labels, parse, parse_with, refused, refused_with};

fn names(data: &rosenblatt::read::Dataset) -> Vec<String> {
    data.table.schema.feature_names()
}

fn options() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn numbers_alone_are_dense() {
    let data = parse("a.csv", "1, 2 ,a\n3,.4,b");
    assert!(is_dense(&data));
    assert_eq!(dense(&data), [[1.0, 2.0], [3.0, 0.4]]);
    assert_eq!(labels(&data), ["a", "b"]);
    assert_eq!(names(&data), ["x1", "x2"]);
    let Schema::Columns { label, label_at, width, header, .. } = &data.table.schema else { panic!() };
    assert_eq!((label, *label_at, *width, *header), (&None, 2, 3, false));
}

#[test]
fn categories_become_one_feature_each_in_order() {
    let data = parse("a.csv", "colour,size,class\nred,1,a\nblue,0,b\nred,3,b\n");
    assert!(!is_dense(&data));
    assert_eq!(names(&data), ["colour=blue", "colour=red", "size"]);
    assert_eq!(dense(&data), [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 3.0]]);
    let Schema::Columns { columns, label, .. } = &data.table.schema else { panic!() };
    assert_eq!(columns[0].kind, ColumnKind::Category { values: vec!["blue".into(), "red".into()] });
    assert_eq!(label.as_deref(), Some("class"));
}

#[test]
fn the_label_column() {
    let text = "y,Class,c\n1,2,3\n4,5,6\n";
    assert_eq!(labels(&parse("a.csv", text)), ["2", "5"]);
    let with = |label: &str| ReadOptions { label: Some(label.into()), ..options() };
    assert_eq!(labels(&parse_with("a.csv", text, &with("c")).unwrap()), ["3", "6"]);
    assert_eq!(labels(&parse_with("a.csv", text, &with("1")).unwrap()), ["1", "4"]);
    // A name wins over a number.
    assert_eq!(
        labels(&parse_with("a.csv", "2,1\na,b\n", &ReadOptions { header: Header::Yes, ..with("1") }).unwrap()),
        ["b"]
    );
    let message = "a.csv: label z: no column has this name; the file has \"y\", \"Class\", \"c\"";
    assert_eq!(refused_with("a.csv", text, &with("z")), message);
    assert_eq!(refused_with("a.csv", text, &with("9")), "a.csv: label 9: the file has 3 columns");
    let message = "a.csv: label z: the file has no header, so name a column by its number, 1 to 2 (or pass header yes)";
    assert_eq!(refused_with("a.csv", "1,2\n", &with("z")), message);
    // The number of a column is not a name, though a row of data may hold it.
    assert_eq!(labels(&parse_with("a.csv", "1,2\n3,4\n", &with("2")).unwrap()), ["2", "4"]);
}

#[test]
fn the_header() {
    assert_eq!(parse("a.csv", "a,b\n1,2\n").table.matrix.len(), 1);
    assert_eq!(parse("a.csv", "a,b\nx,y\nx,z\n").table.matrix.len(), 3, "no number anywhere");
    // The second row has no number, the third has.
    let data = parse("a.csv", "a,b,c\nx,y,z\nx,y,1\n");
    assert_eq!((data.table.matrix.len(), labels(&data)), (2, vec!["z", "1"]));
    let data = parse_with("a.csv", "a,b\nu,v\n", &ReadOptions { label: Some("a".into()), ..options() }).unwrap();
    assert_eq!((names(&data), labels(&data)), (vec!["b=v".to_string()], vec!["u"]));
    let yes = ReadOptions { header: Header::Yes, ..options() };
    assert_eq!(names(&parse_with("a.csv", "1,2\n3,4\n", &yes).unwrap()), ["1"]);
    let no = ReadOptions { header: Header::No, ..options() };
    assert_eq!(parse_with("a.csv", "a,b\nc,d\n", &no).unwrap().table.matrix.len(), 2);
    let note = "no field is a number, so the first row was read as data: pass header yes if it is a header";
    assert_eq!(parse("a.csv", "a,b\nc,d\n").notes[0], note);
    let message = "a.csv:1:5: two columns are called \"a\", number 1 and number 3: give each its own name";
    assert_eq!(refused("a.csv", "a,b,a\n1,2,3\n"), message);
    assert_eq!(names(&parse("a.csv", ",a,b\n1,2,3\n")), ["x1", "a"]);
}

#[test]
fn columns_left_out_forced_and_weighted() {
    let text = "id,n,w,class\n7,1,0.5,a\n8,2,2,b\n";
    let with =
        ReadOptions { drop: vec!["id".into()], category: vec!["2".into()], weight: Some("w".into()), ..options() };
    let data = parse_with("a.csv", text, &with).unwrap();
    assert_eq!(names(&data), ["n=1", "n=2"]);
    assert_eq!(data.table.weights, Some(vec![0.5, 2.0]));
    let bad = text.replace("0.5", "-1");
    let message = "a.csv:2:5: weight column \"w\" holds \"-1\": expected a finite number, not negative";
    assert_eq!(refused_with("a.csv", &bad, &with), message);
    let message = "a.csv: drop class: this is the label column (name another with `label`)";
    let both = ReadOptions { drop: vec!["4".into()], label: Some("class".into()), ..options() };
    assert_eq!(refused_with("a.csv", text, &both), message);
    let all = ReadOptions { drop: vec!["1".into(), "2".into(), "3".into()], ..options() };
    assert_eq!(refused_with("a.csv", text, &all), "a.csv: no feature columns: the label \"class\" is all that is left");
    // Without a header the names x1, x2, … work too.
    let data = parse_with("a.csv", "1,2,a\n3,4,b\n", &ReadOptions { drop: vec!["x1".into()], ..options() }).unwrap();
    assert_eq!(names(&data), ["x2"]);
    // The default label is the last column that is still there.
    let data = parse_with("a.csv", "1,2,a\n3,4,b\n", &ReadOptions { drop: vec!["3".into()], ..options() }).unwrap();
    assert_eq!(labels(&data), ["2", "4"]);
}

#[test]
fn values_that_are_refused() {
    let cases = [
        (
            "n,class\n1,a\n2,b\nx,c\n",
            "a.csv:4:1: column \"n\" holds \"x\", but the 2 values before are numbers: correct it, or pass category n",
        ),
        (
            "n,my col,class\n1,2,a\n1, x,b\n",
            "a.csv:3:4: column \"my col\" holds \"x\", but the value before is a number: correct it, or pass category my col",
        ),
        (
            "x,1,a\n2,1,a\n3,1,b\n",
            "a.csv:1:1: column \"x1\" holds \"x\" here, but 2 of its 3 values are numbers: correct it, pass header yes if this row is a header, or category x1",
        ),
        (
            "n,class\n1,a\n?,b\n",
            "a.csv:3:1: column \"n\" holds \"?\", a missing value: fill it in, pass missing zero, mean or indicator, or drop n",
        ),
        (
            "n,class\n1,a\nNaN,b\n",
            "a.csv:3:1: column \"n\" holds \"NaN\", a missing value: fill it in, pass missing zero, mean or indicator, or drop n",
        ),
        (
            "n,c,class\n1,u,a\n1,,b\n",
            "a.csv:3:3: column \"c\" has no value here: fill it in, pass missing zero, mean or indicator, or drop c",
        ),
        (
            "n,c,class\n1,na,a\n",
            "a.csv:2:3: column \"c\" holds \"na\", a missing value: fill it in, pass missing zero, mean or indicator, or drop c",
        ),
        ("n,class\n1,a\n1,\n", "a.csv:3:3: label column \"class\" has no value here: fill it in, or leave the row out"),
        ("n,class\ninf,a\n", "a.csv:2:1: column \"n\" holds \"inf\", which is infinite: values must be finite"),
        (
            "n,class\n-1e999,a\n",
            "a.csv:2:1: column \"n\" holds \"-1e999\", which is too large for a 64-bit number: values must be finite",
        ),
        ("n,class\n1,a\n1\n", "a.csv:3: 1 field, where line 1 has 2: correct the row"),
        ("1,a\n\n1,a,b\n", "a.csv:3: 3 fields, where line 1 has 2: correct the row"),
        (
            "n,class\n1,\"a\nb\n",
            "a.csv:2:3: the quote that opens here is never closed: close it, or double a quote that is meant",
        ),
        ("n,class\n", "a.csv: no examples: the file has a header and nothing else"),
        ("\n \n", "a.csv: no examples: the file is empty"),
        (
            "a\nb\n",
            "a.csv: no feature columns: each row is one field; if something else stands between the fields, name the format with `format`",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(refused("a.csv", text), message, "{text:?}");
    }
    let message = "a.csv: no examples: the file has a header and nothing else";
    assert_eq!(refused_with("a.csv", "1,2\n", &ReadOptions { header: Header::Yes, ..options() }), message);
}

#[test]
fn a_forced_category_may_hold_numbers() {
    let with = ReadOptions { category: vec!["1".into()], ..options() };
    assert_eq!(
        names(&parse_with("a.csv", "x,a\n2,a\n3,b\n", &ReadOptions { header: Header::No, ..with }).unwrap()),
        ["x1=2", "x1=3", "x1=x"]
    );
}

#[test]
fn quotes_line_ends_and_other_delimiters() {
    let want = parse("a.csv", "p q,n,class\n\"say \"\"hi\"\",\nthen go\",1,a\nno,2,b\n");
    assert_eq!(names(&want), ["p q=no", "p q=say \"hi\",\nthen go", "n"]);
    let windows =
        parse("a.csv", "\u{feff}\"p q\", n ,class\r\n\"say \"\"hi\"\",\r\nthen go\",\"1\",a\r\n\r\nno,2,\"b\"");
    assert_eq!(dense(&windows), dense(&want));
    assert_eq!(windows.table.schema, want.table.schema);
    let other = parse("a.csv", "p q;n;class\n\"say \"\"hi\"\",\nthen go\";1;a\nno;2;b\n");
    assert_eq!(other.table.schema, want.table.schema);
    let tabs = parse("a.tsv", "p q\tn\tclass\n\"say \"\"hi\"\",\nthen go\"\t1\ta\nno\t2\tb\n");
    assert_eq!(tabs.table.schema, want.table.schema);
    assert_eq!(tabs.format.to_string(), "tsv");
}

/// A TSV whose first record is quoted over lines was refused, while the same CSV was read.
#[test]
fn a_first_record_over_several_lines() {
    let csv = "\"p\nq\",n,class\nno,2,b\nyes,1,a\n";
    let want = parse("a.csv", csv);
    let tabs = parse("a.tsv", &csv.replace(',', "\t"));
    assert_eq!((dense(&tabs), &tabs.table.schema), (dense(&want), &want.table.schema));
    assert_eq!(names(&want), ["p\nq=no", "p\nq=yes", "n"]);
}

#[test]
fn text_that_is_no_utf8() {
    let input = rosenblatt::io::Input::memory("a.csv", b"1,caf\xe9\n2,b\n".as_slice());
    let message = rosenblatt::read::read(&input, &options()).unwrap_err().to_string();
    assert_eq!(message, "a.csv:1:3: \"caf\u{fffd}\" is not UTF-8 text: save the file as UTF-8");
}

#[test]
fn a_column_of_names_is_advised_against() {
    let text: String = (0..30).map(|i| format!("name{i},{i},{}\n", i % 2)).collect();
    let note =
        "column \"x1\" has a different category in each row, which is useless for learning: leave it out with drop x1";
    assert_eq!(parse("a.csv", &text).notes[0], note);
}

/// One of thousands of messages was a number: the first became a header, and was not learned from.
#[test]
fn a_message_that_is_a_number_makes_no_header() {
    let talk: String = (0..30).map(|i| format!("{}\tsee you at {i}x\n", ["ham", "spam"][i % 3 / 2])).collect();
    for text in [format!("{talk}ham\t645\n"), format!("{talk}ham\t645\n{talk}")] {
        let data = parse("a.tsv", &text);
        assert_eq!(data.table.matrix.len(), text.lines().count());
        let told: Vec<String> = data.notes.iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|note| note.contains("with label 1")), "the column with two values: {told:?}");
    }
    // A column of numbers beside the texts tells a header, also where its first values are missing.
    let text = format!("label\tbody\tn\n{}", talk.replace('\n', "\t?\n").replacen("?\nspam", "7\nspam", 9));
    let options = ReadOptions { text: vec!["body".into()], missing: Some(Fill::Zero), ..ReadOptions::default() };
    let data = parse_with("a.tsv", &text, &options).unwrap();
    assert_eq!(data.table.matrix.len(), text.lines().count() - 1);
}
