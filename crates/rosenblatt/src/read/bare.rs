//! Bare text for a model of text: a message on each line, without label, quotes or header, as it is typed into a pipe.
//!
//! Such a line may hold commas, and a comma in the first one made it two columns: a label, and a text without its first
//! words. Where a model reads a single column of text, and neither a name nor an option says otherwise, lines that are no
//! rows of its table are read as fastText's text without labels.

use super::columns::TrainedTable;
use super::sniff;
use crate::rows::{ColumnKind, Delimiter, Labels, Schema};

/// Whether a text that no name and no option describes is bare text for this model. `whole`: `head` is all of it.
pub(super) fn is_bare(head: &[u8], whole: bool, schema: &Schema, labels: &Labels) -> bool {
    let Some(table) = TrainedTable::of(schema) else { return false };
    let [column] = table.columns else { return false };
    if !matches!(column.kind, ColumnKind::Text { .. }) {
        return false;
    }
    let sample = sniff::sample(head, whole);
    let candidates: Vec<u8> = table.dialect.delimiter.map(Delimiter::byte).into_iter().chain(*b"\t,;").collect();
    let delimiter = sniff::best_delimiter(&sample, &candidates, b"|").unwrap_or(b',');
    let lines: Vec<Vec<&[u8]>> = sample.into_iter().map(|line| fields(line, delimiter)).collect();
    let Some(first) = lines.first() else { return false };
    let names = [Some(column.name.as_str()), table.label];
    let header = table.header && names.into_iter().flatten().any(|name| first.contains(&name.as_bytes()));
    if header || first.iter().any(|field| field.starts_with(b"\"")) {
        return false;
    }
    let all = |width: usize| lines.iter().all(|fields| fields.len() == width);
    if table.width > 2 && (all(table.width) || all(table.width - 1)) {
        return false;
    }
    // A label before or after the text: one that the model knows, or whatever stands behind a tab.
    let known = |fields: &Vec<&[u8]>| labels.names().iter().any(|name| fields[table.label_at()] == name.as_bytes());
    !(table.width == 2 && all(2) && (delimiter == b'\t' || lines.iter().all(known)))
}

/// The fields of a line, without spaces around them.
fn fields(line: &[u8], delimiter: u8) -> Vec<&[u8]> {
    let mut quoted = false;
    line.split(|&b| {
        quoted ^= b == b'"';
        b == delimiter && !quoted
    })
    .map(<[u8]>::trim_ascii)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::is_bare;
    use crate::io::Input;
    use crate::read::{ReadOptions, read};

    fn bare(name: &str, training: &str, text: &str) -> bool {
        // Words alone show no header, unless one of them is named.
        let columns: &[&str] = match name {
            "a.txt" => &[],
            "a.tsv" => &["2"],
            _ => &["text"],
        };
        let options = ReadOptions {
            text: columns.iter().map(ToString::to_string).collect(),
            label: if name == "a.tsv" { Some("1".into()) } else { None },
            ..ReadOptions::default()
        };
        let table = read(&Input::memory(name, training), &options).unwrap().table;
        is_bare(text.as_bytes(), true, &table.schema, &table.labels)
    }

    #[test]
    fn lines_without_a_place_for_a_label_are_bare() {
        const LINES: &str = "__label__spam free money\n__label__ham hi there\n";
        const NAMED: &str = "label,text\nspam,free money\nham,hi there\n";
        const PLACED: &str = "spam\tfree money\nham\thi there\n";
        for (name, training) in [("a.txt", LINES), ("a.csv", NAMED), ("a.tsv", PLACED)] {
            for text in
                ["free, you\nwin\n", "win\nfree, you\n", "hi, you, there\n", "free you\n", "a |b c\n", "1 2:3\n"]
            {
                assert!(bare(name, training, text), "{name}: {text}");
            }
            for text in ["spam,free you\nham,win\n", "ham\twin\n", "?\twin, now\n", "\"free, you\"\n\"win\"\n"] {
                assert!(!bare(name, training, text), "{name}: {text}");
            }
        }
        assert!(!bare("a.csv", NAMED, "text\nfree you\n") && !bare("a.csv", NAMED, "id,text\n1,win\n"));
        let three = "label,text,id\nspam,free money,1\nham,hi there,2\n";
        assert!(!bare("a.csv", three, "spam,free,1\n"), "a column of numbers beside it");
    }
}
