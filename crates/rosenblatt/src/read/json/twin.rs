//! The naive twins: a tree of values from `serde_json`, and the same table as csv.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::walk::{Buffers, Single, Take, walk};
use super::*;
use crate::io::Found;
use crate::read::sniff::Format;
use crate::rows::Fill;

/// A value with the name of its field, or a member of a set with that of the set.
type Held = (String, String);

#[derive(Default)]
struct All {
    held: Vec<Held>,
    set: String,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

impl Take for All {
    fn skips(&mut self, name: &[u8]) -> bool {
        name == b"skip"
    }

    fn single(&mut self, name: &[u8], is: Single, held: &[u8], _: usize) -> Found<()> {
        let held = match is {
            Single::Number => format!("{:?}", text(held).parse::<f64>().unwrap()),
            _ => format!("{is:?} {}", text(held)),
        };
        self.held.push((text(name), held));
        Ok(())
    }

    fn set(&mut self, name: &[u8], _: usize, empty: bool) -> Found<()> {
        self.set = text(name);
        self.held.push((text(name), format!("set {empty}")));
        Ok(())
    }

    fn member(&mut self, held: &[u8]) {
        self.held.push((self.set.clone(), format!("member {}", text(held))));
    }
}

/// The values of an object; `None`: it is refused.
fn fast(line: &str) -> Option<Vec<Held>> {
    let mut all = All::default();
    walk(line.as_bytes(), 1, &mut Buffers::default(), &mut all).ok()?;
    // A tree has no number that is too large; the reader refuses it later.
    if all.held.iter().any(|(_, held)| held.ends_with("inf") && !held.contains(' ')) {
        return None;
    }
    all.held.sort();
    Some(all.held)
}

/// The same from a tree.
fn twin(line: &str) -> Option<Vec<Held>> {
    let Value::Object(object) = serde_json::from_str(line).ok()? else { return None };
    let mut held = Vec::new();
    object_twin("", &object, &mut held)?;
    held.sort();
    Some(held)
}

fn object_twin(above: &str, object: &Map<String, Value>, held: &mut Vec<Held>) -> Option<()> {
    for (key, value) in object {
        let name = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        if name != "skip" || !(value.is_array() || value.is_object()) {
            value_twin(&name, value, held)?;
        }
    }
    Some(())
}

fn value_twin(name: &str, value: &Value, held: &mut Vec<Held>) -> Option<()> {
    let shown = match value {
        Value::Null => "Null null".to_string(),
        Value::Bool(truth) => format!("Truth {truth}"),
        Value::Number(number) => format!("{:?}", number.as_f64()?),
        Value::String(text) if text.contains('\0') => return None,
        Value::String(text) => format!("Text {text}"),
        Value::Object(object) => return object_twin(name, object, held),
        Value::Array(all) => {
            let numbers = all.iter().all(|value| value.is_number() || value.is_null());
            if numbers && !all.is_empty() {
                return (1..).zip(all).try_for_each(|(i, value)| value_twin(&format!("{name}.{i}"), value, held));
            }
            held.push((name.to_string(), format!("set {}", all.is_empty())));
            for member in all {
                held.push((name.to_string(), format!("member {}", member.as_str()?)));
            }
            return Some(());
        }
    };
    held.push((name.to_string(), shown));
    Some(())
}

/// Any value of an object. One changed byte makes no key equal to another: an object with a key twice has no tree.
fn values() -> impl Strategy<Value = Value> {
    let single = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6).prop_map(|v: f64| Value::from(v)),
        (-1e300..1e300).prop_map(|v: f64| Value::from(v)),
        "[a-z\"\\\\é\u{1f600}\n\t ]{0,12}".prop_map(Value::from),
    ];
    let arrays = prop_oneof![
        prop::collection::vec((-9.0..9.0).prop_map(|v: f64| Value::from(v)), 0..4).prop_map(Value::from),
        prop::collection::vec("[a-z,\"]{0,9}".prop_map(Value::from), 0..4).prop_map(Value::from),
    ];
    let leaf = prop_oneof![4 => single, 1 => arrays];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop::sample::select(vec!["aaaa", "bbbb", "cc.c", "d\"\\d", "skip", "ééé"]);
        let object = prop::collection::btree_map(key.prop_map(String::from), inner.clone(), 0..4);
        let array = prop::collection::vec(inner, 0..3);
        prop_oneof![3 => object.prop_map(|all| json!(all)), 1 => array.prop_map(Value::from)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_object_holds_what_its_tree_holds(value in values(), wide in any::<bool>(), change in any::<(usize, u8)>()) {
        let object = json!({ "root": value });
        let line = match wide {
            // JSON allows line ends between values; a line has none.
            true => serde_json::to_string_pretty(&object).unwrap().replace('\n', "\t"),
            false => object.to_string(),
        };
        prop_assert_eq!(fast(&line), twin(&line), "{}", line);
        let mut bytes = line.into_bytes();
        let (at, byte) = (change.0 % bytes.len(), b"{}[]\",:\\0-.eEtn x9"[change.1 as usize % 18]);
        bytes[at] = byte;
        if let Ok(line) = String::from_utf8(bytes) {
            prop_assert_eq!(fast(&line), twin(&line), "{}", line);
        }
    }

    /// Objects in any order, with fields left out, are the same table as the rows of a csv file; also in pieces.
    #[test]
    fn objects_read_like_rows_of_csv(
        mut rows in prop::collection::vec((prop::option::of(-99i32..99), prop::option::of(0..3usize), any::<bool>()), 1..20),
        turns in prop::collection::vec(any::<bool>(), 20),
    ) {
        // The first row shows the kind of each column.
        (rows[0].0, rows[0].1) = (Some(1), Some(0));
        let (mut objects, mut table) = (String::new(), String::from("n,label,word\n"));
        for (&(number, word, label), turned) in rows.iter().zip(&turns) {
            let word = word.map(|word| ["x", "é y", "7"][word]);
            let cell = |value: Option<String>| value.unwrap_or_default();
            table += &format!("{},{label},{}\n", cell(number.map(|n| n.to_string())), cell(word.map(String::from)));
            // The first object shows the order of the columns.
            let mut fields = vec![("n", json!(number)), ("label", json!(label)), ("word", json!(word))];
            if *turned && !objects.is_empty() {
                fields.retain(|(_, value)| !value.is_null());
                fields.reverse();
            }
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name:?}: {value}")).collect();
            objects += &format!("{{{}}}\n\n", fields.join(", "));
        }
        let options = ReadOptions {
            missing: Some(Fill::Indicator),
            category: vec!["word".into()],
            label: Some("label".into()),
            ..ReadOptions::default()
        };
        let expected = crate::read::read(&Input::memory("a.csv", table), &options).unwrap().table;
        let input = Input::memory("a.jsonl", objects);
        for (chunk, threads) in [(1, 1), (30, 2), (1 << 18, 3)] {
            let parts = read(&input, Lines::new(input.open().unwrap()).unwrap(), &options, Pace { chunk, threads });
            let found = parts.unwrap().table;
            prop_assert_eq!(&found.schema, &expected.schema);
            prop_assert_eq!(format!("{:?}", found.matrix), format!("{:?}", &expected.matrix));
            prop_assert_eq!((&found.classes, &found.labels), (&expected.classes, &expected.labels));
        }
    }

    /// A fault in any line is reported alike however the text is cut.
    #[test]
    fn a_fault_is_the_same_in_any_pieces(bad in 0..40usize, odd in prop::sample::select(vec![
        "{\"a\": 1,}", "{\"a\" 1}", "[1]", "{\"a\": [1, \"x\"]}", "{\"a\": 01}", "{\"a\": \"x\\q\"}", "{\"a\": 1} x",
        "{\"a\": [\"x\"]}", "{\"a\": \"\\ud800\"}", "{\"a\": tru}", "{\"a", "{\"a\": 1, \"a\": 2}",
    ])) {
        let lines: Vec<&str> = (0..40).map(|i| if i == bad { odd } else { "{\"a\": 1, \"label\": true}" }).collect();
        let input = Input::memory("a.jsonl", lines.join("\n"));
        let at = |chunk, threads| {
            let lines = Lines::new(input.open().unwrap()).unwrap();
            read(&input, lines, &ReadOptions::default(), Pace { chunk, threads }).unwrap_err().to_string()
        };
        let whole = at(1 << 18, 1);
        prop_assert!(whole.starts_with(&format!("a.jsonl:{}:", bad + 1)) || odd.contains("[\"x\"]"), "{}", whole);
        for (chunk, threads) in [(1, 1), (1, 3), (100, 2), (300, 3)] {
            prop_assert_eq!(&at(chunk, threads), &whole);
        }
    }
}

#[test]
fn the_format_is_told_by_name_and_by_content() {
    assert_eq!(Format::by_name("a/log.NDJSON.gz"), Some(Format::Jsonl));
    assert_eq!(Format::by_content(b"\n { \"a\": 1}\n", true).unwrap(), Some(Format::Jsonl));
}
