//! Bodies in every form, and what is refused.

use super::*;

fn lines_of(kind: &str, body: &str) -> Vec<String> {
    let rows = parse(kind, body.as_bytes(), &RowLimits::default(), true, &Texts::default())
        .unwrap_or_else(|p| panic!("{body}: {p:?}"));
    rows.rows.into_iter().map(|row| row.line).collect()
}

fn refusal(kind: &str, body: &str) -> (u16, Option<usize>, Option<String>) {
    let problem = parse(kind, body.as_bytes(), &RowLimits::default(), true, &Texts::default()).expect_err(body);
    (problem.status, problem.row, problem.field)
}

#[test]
fn one_example_in_every_form() {
    let json = r#"{"features": {"word": 1, "colour": "dark red", "age": 41.5, "old": true, "tags": ["a", "b"], "in": {"x": -2}}, "label": "not spam"}"#;
    let expected = "not%20spam | word:1 colour=dark%20red age:41.5 old:1 tags=a tags=b in.x:-2";
    assert_eq!(lines_of("application/json", json), [expected]);
    assert_eq!(lines_of("", &format!("[{json}, {json}]")), [expected, expected]);
    assert_eq!(lines_of("application/x-ndjson", &format!("{json}\n\n{json}\r\n")), [expected, expected]);
    let csv = "word,colour,label\n1,\"dark, red\",spam\n 2.5 ,blue,ham\n";
    assert_eq!(
        lines_of("text/csv; charset=utf-8", csv),
        ["spam | word:1 colour=dark,%20red", "ham | word:2.5 colour=blue"]
    );
    assert_eq!(lines_of("text/x-libsvm", "+1 3:0.5 9:2 # why\n"), ["+1 | 3:0.5 9:2"]);
    assert_eq!(lines_of("text/x-vw", "1 2 'tag|a b:3\n\n"), ["1 2 'tag|a b:3"]);
    // A label has one text in the log, whatever way it was sent.
    assert_eq!(lines_of("text/x-vw", "100% 2 | a\n%61b | x\n"), ["100%25 2 | a", "ab | x"]);
    assert_eq!(lines_of("text/x-vw", "\u{feff}1 | a\n\u{feff}1 | b\n"), ["1 | a", "%EF%BB%BF1 | b"]);
    let odd =
        r#"{"label": 2.50, "features": {"a": 12345678901234567890, "b": -0.0, "c": 1e-7, "d": [], "e": {}, "f": 0.1}}"#;
    assert_eq!(lines_of("", odd), ["2.5 | a:1.2345678901234567e19 b:-0 c:1e-7 f:0.1"]);
    assert_eq!(lines_of("", r#"{"features": [1, -0.5], "label": 3, "weight": 2}"#), ["3 2 | x1:1 x2:-0.5"]);
    // A list is a set.
    let set = r#"{"features": {"a": ["x", "y", "x", "x"], "b": 1}, "label": "s"}"#;
    assert_eq!(lines_of("", set), ["s | a=x a=y b:1"]);
    let dense =
        parse("application/json", b"[[1, 2], [3, 4]]", &RowLimits::default(), false, &Texts::default()).unwrap();
    assert_eq!(dense.rows[1].line, " | x1:3 x2:4");
    assert!(parse("application/json", b"[1, 2]", &RowLimits::default(), false, &Texts::default()).unwrap().single);
}

#[test]
fn one_bad_row_refuses_the_request_with_its_place() {
    let good = r#"{"features": {"a": 1}, "label": "x"}"#;
    let row = |bad: &str| refusal("application/json", &format!("[{good}, {bad}]"));
    let field = |name: &str| (422, Some(2), Some(name.to_string()));
    assert_eq!(row(r#"{"features": {"a": null}, "label": "x"}"#), field("a"));
    assert_eq!(row(r#"{"features": {"a": 1}}"#), field("label"));
    assert_eq!(row(r#"{"features": {"a": {"b": null}}, "label": "x"}"#), field("a.b"));
    assert_eq!(row(r#"{"features": {"a": ["x", 1]}, "label": "x"}"#), field("a"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": "x", "wait": 1}"#), field("wait"));
    let seventeen: Vec<String> = (0..17).map(|n| format!("\"f{}\": 1", n % 16)).collect();
    assert_eq!(row(&format!("{{\"features\": {{{}}}, \"label\": \"x\"}}", seventeen.join(","))), field("f0"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": ""}"#), field("label"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": ["x"]}"#), field("label"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": 1e400}"#), field("label"));
    assert_eq!(row(r#"{"features": {"a b": 1e200}, "label": "x"}"#), field("a b"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": "x", "weight": 0}"#), field("weight"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": "x", "weight": null}"#), field("weight"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": "x", "weight": "2"}"#), field("weight"));
    assert_eq!(row(r#"{"features": {"a": 1}, "label": "x", "weight": -1}"#), field("weight"));
    assert_eq!(row(r#"{"features": {"": 1}, "label": "x"}"#), field(""));
    assert_eq!(row(r#"{"features": [1, "2"], "label": "x"}"#), field("x2"));
    assert_eq!(row(r#"{"features": [1e999], "label": "x"}"#), field("x1"));
    assert_eq!(row(r#"{"features": {"a": {"b c": -1e400}}, "label": "x"}"#), field("a.b c"));
    // A name that comes twice, whatever its values are.
    assert_eq!(row(r#"{"features": {"a": ["x"], "a": ["y"]}, "label": "x"}"#), field("a"));
    assert_eq!(row(r#"{"features": {"a": {"b": 1}, "a": {"c": 1}}, "label": "x"}"#), field("a"));
    assert_eq!(row(r#"{"features": {"a": 1, "a": {"c": 1}}, "label": "x"}"#), field("a"));
    assert_eq!(row(r#"{"features": {"a": "x", "a=x": 2}, "label": "x"}"#), field("a=x"));
    let nested: Vec<String> = (0..17).map(|n| format!("\"f{}\": {{\"a\": {n}}}", n % 16)).collect();
    assert_eq!(row(&format!("{{\"features\": {{{}}}, \"label\": \"x\"}}", nested.join(","))), field("f0"));
    for bad in [
        r#"{"features": {"a": 1, "a": 2}, "label": "x"}"#,
        r#"{"features": {"a": 1}, "label": "x", "extra": 1}"#,
        r#"{"features": "a", "label": "x"}"#,
        r#"{"features": {"a": {"b": 1}, "a.b": 2}, "label": "x"}"#,
        r#"{"features": {"a": 1}, "label": "x", "label": "y"}"#,
        r#"{"features": [1, "a"], "label": "x"}"#,
        r#"{"features": [], "label": "x"}"#,
        r#"{"label": "x"}"#,
        r#""x""#,
        "null",
    ] {
        assert_eq!((row(bad).0, row(bad).1), (422, Some(2)), "{bad}");
    }
    assert_eq!(refusal("application/x-ndjson", r#"{"features": {"a": 1}, "label": "x"} {}"#).0, 422);
    assert_eq!(refusal("application/json", "{").0, 422);
    assert_eq!(refusal("application/json", "").0, 400);
    assert_eq!(refusal("application/json", "[]").0, 422);
    assert_eq!(refusal("image/png", "x").0, 415);
    assert_eq!(refusal("text/csv", "a,label\n1,x\n,y\n"), (422, Some(2), Some("a".into())));
    assert_eq!(refusal("text/csv", "a,label\n1,x\n1\n").1, Some(2));
    assert_eq!(refusal("text/csv", "a,a,label\n1,1,x\n").0, 422);
    assert_eq!(refusal("text/csv", "a,label\n\"1,x\n").0, 422);
    // Semicolons between the columns: each row would be a label without a feature.
    assert_eq!(refusal("text/csv", "a;label\n1;x\n"), (422, Some(0), Some("a;label".into())));
    assert_eq!(refusal("text/csv", ",a,label\n0,1,x\n"), (422, Some(0), None));
    for value in ["inf", "-Infinity", "1e400"] {
        assert_eq!(refusal("text/csv", &format!("a,label\n1,x\n{value},x\n")), (422, Some(2), Some("a".into())));
    }
    assert_eq!(refusal("text/x-libsvm", "1 3:1\n1 3:1 2:1\n"), (422, Some(2), Some("2".into())));
    assert_eq!(refusal("text/x-libsvm", "1 a:1\n").0, 422);
    assert_eq!(refusal("text/x-vw", "1 | a\nno bar\n").1, Some(2));
    assert_eq!(refusal("text/x-libsvm", "1 3:1\n1 3:nan\n"), (422, Some(2), Some("3".into())));
    assert_eq!(refusal("text/x-vw", "1 | a\n1 |n b c%20d:x\n"), (422, Some(2), Some("c d".into())));
    assert_eq!(refusal("text/x-vw", "1 -2 | a\n"), (422, Some(1), Some("weight".into())));
    assert_eq!(refusal("text/x-vw", "1:2,3 | a\n"), (422, Some(1), Some("label".into())));
    // The row is told beside the message, which names no line of the log.
    let problem = parse("text/x-vw", b"1 | a\n1 | b:x\n", &RowLimits::default(), true, &Texts::default()).unwrap_err();
    assert_eq!(problem.message, "feature \"b:x\": \"x\" is not a number");
    // A control character made the log a binary file for `train`: nothing could be compared any more.
    assert_eq!(refusal("text/x-vw", "1 | a\n\u{1} | a\n"), (422, Some(2), None));
    assert_eq!(refusal("text/x-libsvm", "\u{1b} 1:1\n").0, 422);
    for kind in ["application/json", "application/x-ndjson", "text/csv", "text/x-libsvm", "text/x-vw"] {
        assert_eq!(refusal(kind, "a,label\n1,\0x\n").0, 400, "{kind}");
    }
    assert_eq!(parse("text/csv", b"\xff", &RowLimits::default(), true, &Texts::default()).unwrap_err().status, 400);
}

#[test]
fn names_are_read_back() {
    for name in ["plain", "a b", "100%", "a:b|c", "\t\u{1b}\u{7f}", "%41", "\u{feff}a", "é\u{202e}", "it's, so", "a\nb"]
    {
        let mut token = String::new();
        write_name(name, &mut token);
        assert!(!token.contains([' ', ':', '|', '\n', '\t']), "{token}");
        assert_eq!(readable(&token), name);
        token.clear();
        write_label(name, &mut token);
        assert_eq!(readable(&token), name);
        let line = format!("{token} | x");
        let row = Row::new(line, &RowLimits::default(), true).unwrap();
        assert_eq!(readable(row.example.label.as_deref().unwrap()), name);
    }
    assert_eq!(readable("50%"), "50%");
    assert_eq!(readable("%zz%4"), "%zz%4");
}

#[test]
fn limits_of_a_row_are_kept() {
    let limits = RowLimits { line: 40, features: 2, rows: 2 };
    let texts = Texts::default();
    let status = |body: &str| parse("text/x-vw", body.as_bytes(), &limits, true, &texts).map_err(|p| p.status).err();
    assert_eq!(status("1 | a b\n1 | a b"), None);
    assert_eq!(status("1 | a b c"), Some(422));
    assert_eq!(status(&format!("1 | {}", "a".repeat(40))), Some(422));
    assert_eq!(status("1 | a\n1 | a\n1 | a"), Some(413));
}

#[test]
fn texts_are_counted_words() {
    let texts = Texts { fields: vec!["mail.subject".into(), "a b".into()], ngrams: 2, chars: None };
    let line = |kind: &str, body: &str| {
        let rows = parse(kind, body.as_bytes(), &RowLimits::default(), true, &texts);
        rows.map(|rows| rows.rows[0].line.clone()).map_err(|problem| problem.field)
    };
    // A text needs no setting; features stand before it.
    assert_eq!(lines_of("", r#"{"text": "Free! Free\noffer", "label": "spam"}"#), ["spam |text free:2 offer"]);
    let both = r#"{"text": "Hi", "features": {"from": "bob"}, "label": "ham", "weight": 2}"#;
    assert_eq!(lines_of("", both), ["ham 2 | from=bob |text hi"]);
    assert_eq!(lines_of("", r#"{"text": "?!", "label": "ham"}"#), ["ham |"]);
    let nested = r#"{"features": {"mail": {"subject": "Not good, not"}, "a b": ["x", "Y z"]}, "label": 1}"#;
    let expected = "1 |mail.subject good good%20not not:2 not%20good |a%20b x |a%20b y y%20z z";
    assert_eq!(line("", nested), Ok(expected.into()));
    assert_eq!(line("text/csv", "n,a b,label\n1,So SO,x\n"), Ok("x | n:1 |a%20b so:2 so%20so".into()));
    assert_eq!(line("text/csv", "a b,label\n,x\n"), Ok("x |".into()));
    for (bad, field) in [
        (r#"{"text": 3, "label": "x"}"#, Some("text")),
        (r#"{"text": null, "label": "x"}"#, Some("text")),
        (r#"{"text": "a", "text": "b", "label": "x"}"#, Some("text")),
        (r#"{"features": {"a b": 3}, "label": "x"}"#, Some("a b")),
        (r#"{"features": {"a b": "x", "a b": "y"}, "label": "x"}"#, Some("a b")),
        (r#"{"features": {"a b": ["x", 1]}, "label": "x"}"#, Some("a b")),
        (r#"{"label": "x"}"#, None),
    ] {
        assert_eq!(line("", bad), Err(field.map(String::from)), "{bad}");
    }
}
