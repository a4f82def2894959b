//! A reading in words, and two beside each other.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::decimal::Parts;
use crate::reading::{Column, Format, Kind, Missing, Reading};
use crate::refusal::show;

/// A reading, part by part: `fields` are the columns of a table, `features` those of the hyperplanes, `header` the first
/// record where it is a header and is known, `other_fields` those of objects that are left out, where they are known.
pub(crate) fn described(
    reading: &Reading,
    (fields, features): (usize, usize),
    header: &[String],
    other_fields: Option<&[String]>,
) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    match &reading.format {
        Format::Table { delimiter, header: has_header, label, columns } => {
            let joined = || header.join(&char::from(*delimiter).to_string());
            let head = match (has_header, header) {
                (false, _) => "no header".to_string(),
                (true, []) => "with a header".to_string(),
                (true, _) => format!("header {}", show(joined().as_bytes())),
            };
            let name = header.get(*label).map(|name| format!(", {}", show(name.as_bytes()))).unwrap_or_default();
            let left: Vec<usize> = columns_left_out(&reading.format, fields).iter().map(|at| at + 1).collect();
            let left = if left.is_empty() { "none".to_string() } else { numbers(&left) };
            parts.push(("read as", format!("table divided by {:?}, {head}", char::from(*delimiter))));
            parts.push(("label", format!("column {}{name}", label + 1)));
            parts.push(("columns", format!("{}, {left} left out", kinds(columns))));
            parts.extend(filled(columns));
        }
        Format::Json { label, columns } => {
            parts.push(("read as", "JSON Lines, an object on each line".into()));
            parts.push(("label", format!("field {}", show(label.as_bytes()))));
            let left = match other_fields {
                None => "others are left out".to_string(),
                Some([]) => "none left out".to_string(),
                Some(others) => format!("{} left out", listed(others)),
            };
            parts.push(("fields", format!("{}, {left}", kinds(columns))));
            parts.extend(filled(columns));
        }
        Format::Idx { .. } => parts.push(("read as", "IDX array, the labels in a file of their own".into())),
        Format::Libsvm { first, .. } => parts.push(("read as", format!("LIBSVM text, features counted from {first}"))),
        Format::Npy { .. } => parts.push(("read as", "NumPy array, the labels in a file of their own".into())),
    }
    let monomials = match reading.degree {
        1 => String::new(),
        degree => format!(", all monomials up to degree {degree}"),
    };
    let bias = if reading.bias { "with a bias" } else { "through the origin" };
    let exactly = match reading.format {
        Format::Npy { .. } | Format::Idx { .. } => "exactly what their bits encode",
        _ => "as written, 0.1 is one tenth",
    };
    parts.push(("classes", classes(reading)));
    parts.push((
        "hyperplanes",
        format!("{bias}, over {features} {}{monomials}", if features == 1 { "feature" } else { "features" }),
    ));
    parts.push(("numbers", exactly.into()));
    parts
}

/// What becomes of missing values.
fn filled(columns: &[Column]) -> impl Iterator<Item = (&'static str, String)> {
    columns.iter().filter_map(|column| {
        let filled = match column.missing? {
            Missing::Zero => "counts as 0",
            Missing::Indicator => "counts as 0, with a feature of its own",
        };
        Some(("missing", format!("a missing value of {} {filled}", column.shown())))
    })
}

/// The labels of both classes.
pub(crate) fn classes(reading: &Reading) -> String {
    format!("{} against {}", listed(&reading.positive), listed(&reading.negative))
}

/// Some labels in quotes.
fn listed(labels: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = labels.iter().take(SHOWN).map(|label| show(label.as_bytes())).collect();
    match labels.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The columns, from 0, that are neither features nor the label.
pub(crate) fn columns_left_out(format: &Format, fields: usize) -> Vec<usize> {
    let Format::Table { label, columns, .. } = format else { return Vec::new() };
    let used = |at: &usize| at == label || columns.binary_search_by_key(at, |column| column.at).is_ok();
    (0..fields).filter(|at| !used(at)).collect()
}

/// Columns by their kind: `1–4, 7 are numbers`.
fn kinds(columns: &[Column]) -> String {
    let mut by_kind: BTreeMap<String, Vec<&Column>> = BTreeMap::new();
    for column in columns {
        by_kind.entry(kind(column)).or_default().push(column);
    }
    if by_kind.is_empty() {
        return "none is a feature".into();
    }
    let names = |columns: &[&Column]| match columns {
        [Column { name, .. }, ..] if name.is_empty() => numbers(&columns.iter().map(|c| c.at + 1).collect::<Vec<_>>()),
        _ => listed(&columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>()),
    };
    let all: Vec<String> = by_kind.iter().map(|(kind, columns)| format!("{} {kind}", names(columns))).collect();
    all.join(", ")
}

fn kind(column: &Column) -> String {
    match &column.kind {
        Kind::Number => "as numbers".into(),
        Kind::Category(_) => "as categories".into(),
        Kind::Text { ngrams, .. } => format!("as text, by runs of at most {ngrams} words"),
        Kind::Set(_) => "as sets of strings".into(),
    }
}

/// Rising numbers, runs of them shortened.
fn numbers(list: &[usize]) -> String {
    let runs = list.chunk_by(|a, b| a + 1 == *b);
    let shown = runs.map(|run| match run {
        [one] => one.to_string(),
        [one, two] => format!("{one}, {two}"),
        [first, .., last] => format!("{first}–{last}"),
        [] => String::new(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn columns_named(list: &[usize]) -> String {
    let from_one: Vec<usize> = list.iter().map(|at| at + 1).collect();
    format!("{} {}", if list.len() == 1 { "column" } else { "columns" }, numbers(&from_one))
}

/// Where a claim is not about all columns, though another form of the data hides that.
pub(crate) fn left_out_in_words(format: &Format, fields: usize) -> Option<String> {
    let left = columns_left_out(format, fields);
    let are = if left.len() == 1 { "is" } else { "are" };
    (!left.is_empty()).then(|| format!("{} {are} left out", columns_named(&left)))
}

/// Whether two readings divide the bytes into the same fields.
pub(crate) fn same_form(one: &Format, other: &Format) -> bool {
    form(one) == form(other)
}

fn form(format: &Format) -> String {
    match format {
        Format::Table { delimiter, .. } => format!("a table divided by {:?}", char::from(*delimiter)),
        Format::Libsvm { .. } => "LIBSVM text".into(),
        Format::Npy { .. } => "a NumPy array".into(),
        Format::Idx { .. } => "an IDX array".into(),
        Format::Json { .. } => "JSON Lines".into(),
    }
}

/// Where one reading departs from another; what is left out comes first. The data fix the rest of both.
pub(crate) fn differences(found: &Format, other: &Format) -> Vec<String> {
    if let (Format::Json { label, columns }, Format::Json { label: other_label, columns: other_columns }) =
        (found, other)
    {
        return objects_differ((label, columns), (other_label, other_columns));
    }
    let (
        Format::Table { delimiter, header, label, columns },
        Format::Table { delimiter: other_delimiter, header: other_header, label: other_label, columns: other_columns },
    ) = (found, other)
    else {
        let same = matches!(
            (found, other),
            (Format::Libsvm { .. }, Format::Libsvm { .. })
                | (Format::Npy { .. }, Format::Npy { .. })
                | (Format::Idx { .. }, Format::Idx { .. })
        );
        return if same { Vec::new() } else { vec![format!("the data are {}, not {}", form(found), form(other))] };
    };
    if delimiter != other_delimiter {
        return vec![format!("the data are {}, not {}", form(found), form(other))];
    }
    let mut all = Vec::new();
    let find = |columns: &[Column], at: usize| columns.binary_search_by_key(&at, |column| column.at).ok();
    let only = |these: &[Column], those: &[Column], but: usize| -> Vec<usize> {
        these.iter().map(|column| column.at).filter(|&at| at != but && find(those, at).is_none()).collect()
    };
    let left = only(other_columns, columns, *label);
    if !left.is_empty() {
        all.push(format!("{} left out", columns_named(&left) + if left.len() == 1 { " is" } else { " are" }));
    }
    match (header, other_header) {
        (true, false) => all.push("the first row is left out as a header, but it is an example".into()),
        (false, true) => all.push("the first row counts as an example, but it is a header".into()),
        _ => {}
    }
    if label != other_label {
        let also = if find(columns, *other_label).is_some() { ", which is a feature" } else { "" };
        all.push(format!("the label is column {}, not column {}{also}", label + 1, other_label + 1));
    }
    let more = only(columns, other_columns, *other_label);
    if !more.is_empty() {
        all.push(format!("{} used", columns_named(&more) + if more.len() == 1 { " is" } else { " are" }));
    }
    for column in columns {
        let Some(other) = find(other_columns, column.at).map(|i| &other_columns[i]) else { continue };
        all.extend(column_differs(column, other));
    }
    all
}

/// Where a column is read otherwise.
fn column_differs(column: &Column, other: &Column) -> Vec<String> {
    let mut all = Vec::new();
    if kind(column) != kind(other) {
        all.push(format!("{} is read {}, not {}", column.shown(), kind(column), kind(other)));
    }
    if column.missing != other.missing {
        let how = match column.missing {
            None => "are refused",
            Some(Missing::Zero) => "count as 0",
            Some(Missing::Indicator) => "count as 0, with a feature of their own",
        };
        all.push(format!("missing values of {} {how}", column.shown()));
    }
    all
}

/// Where the fields of objects are read otherwise.
fn objects_differ(
    (label, columns): (&String, &[Column]),
    (other_label, other_columns): (&String, &[Column]),
) -> Vec<String> {
    let mut all = Vec::new();
    let only = |these: &[Column], those: &[Column], but: &str| -> Vec<String> {
        let known: HashSet<&str> = those.iter().map(|column| column.name.as_str()).collect();
        let names = these.iter().map(|column| &column.name);
        names.filter(|name| *name != but && !known.contains(name.as_str())).cloned().collect()
    };
    let fields = |names: &[String], what: &str| match names {
        [_] => format!("the field {} is {what}", listed(names)),
        _ => format!("the fields {} are {what}", listed(names)),
    };
    let left = only(other_columns, columns, label);
    if !left.is_empty() {
        all.push(fields(&left, "left out"));
    }
    if label != other_label {
        let also = if columns.iter().any(|c| c.name == *other_label) { ", which is a feature" } else { "" };
        let [label, other] = [label, other_label].map(|name| show(name.as_bytes()));
        all.push(format!("the label is the field {label}, not {other}{also}"));
    }
    let more = only(columns, other_columns, other_label);
    if !more.is_empty() {
        all.push(fields(&more, "used"));
    }
    let others: HashMap<&str, &Column> = other_columns.iter().map(|column| (column.name.as_str(), column)).collect();
    let both = columns.iter().filter_map(|column| Some((column, *others.get(column.name.as_str())?)));
    all.extend(both.flat_map(|(column, other)| column_differs(column, other)));
    all
}

/// Whether the two classes are others: labels are compared by their number, if they are one, else by their text. Which of them is called positive does not matter to what is proved.
pub(crate) fn sides_differ(found: &Reading, other: &Reading) -> bool {
    let names = |labels: &[String]| -> HashSet<String> {
        let name = |label: &String| match Parts::of_label(label.as_bytes()) {
            Some(number) => format!("number {number:?}"),
            None => format!("text {label}"),
        };
        labels.iter().map(name).collect()
    };
    let [p, n] = [names(&found.positive), names(&found.negative)];
    let [q, m] = [names(&other.positive), names(&other.negative)];
    !((p == q && n == m) || (p == m && n == q))
}
