//! CSV with a header. A field that is a number is the value of its column, any other text a category, and the words of a
//! column of [`Texts`] are counted. The label is the
//! column called label, class, target or y; if there is none, learning takes the last column.

use super::names::{write_label, write_name};
use super::{BadRow, Lines, Texts, text};
use crate::http::Problem;

const LABELS: [&str; 4] = ["label", "class", "target", "y"];
const MISSING: [&str; 5] = ["", "na", "?", "nan", "null"];

pub(super) fn lines(body: &[u8], labelled: bool, texts: &Texts) -> Result<Lines, Problem> {
    let mut records = Records { text: text(body)?, at: 0 };
    let header = match records.next() {
        Some(Ok(header)) => header,
        Some(Err(bad)) => return Err(bad.at(0)),
        None => return Ok(Lines::many(Vec::new())),
    };
    if let Some(at) = header.iter().position(String::is_empty) {
        return Err(BadRow::new(format!("column {} has no name in the header", at + 1)).at(0));
    }
    if labelled && header.len() == 1 {
        let message = "one column: expected a label and features, with commas between them";
        return Err(BadRow::field(&header[0], message).at(0));
    }
    let mut sorted: Vec<&String> = header.iter().collect();
    sorted.sort();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(BadRow::field(pair[0], "two columns have this name").at(0));
    }
    let named = header.iter().position(|name| LABELS.iter().any(|label| name.eq_ignore_ascii_case(label)));
    let label = named.or_else(|| labelled.then(|| header.len() - 1));
    let mut lines = Vec::new();
    for record in records {
        let number = lines.len() + 1;
        let record = record.map_err(|bad| bad.at(number))?;
        lines.push(line(&header, &record, label, labelled, texts).map_err(|bad| bad.at(number))?);
    }
    Ok(Lines::many(lines))
}

fn line(
    header: &[String],
    record: &[String],
    label: Option<usize>,
    labelled: bool,
    texts: &Texts,
) -> Result<String, BadRow> {
    if record.len() != header.len() {
        return Err(BadRow::new(format!("{} fields: the header has {}", record.len(), header.len())));
    }
    let mut line = String::new();
    if let Some(at) = label.filter(|_| labelled) {
        if record[at].is_empty() {
            return Err(BadRow::field(&header[at], "an empty label"));
        }
        write_label(&record[at], &mut line);
    }
    line.push_str(" |");
    let mut words = String::new();
    for (at, (name, value)) in header.iter().zip(record).enumerate() {
        if label == Some(at) {
            continue;
        }
        if texts.fields.contains(name) {
            let mut token = String::new();
            write_name(name, &mut token);
            texts.write(&token, value, &mut words);
            continue;
        }
        if MISSING.iter().any(|missing| value.eq_ignore_ascii_case(missing)) {
            return Err(BadRow::field(name, "a missing value: leave the field out of a JSON object instead"));
        }
        line.push(' ');
        write_name(name, &mut line);
        match value.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                line.push(':');
                line.push_str(value);
            }
            Ok(_) => {
                let message = format!("{value:?} is no finite number");
                return Err(BadRow::field(name, message));
            }
            Err(_) => {
                line.push('=');
                write_name(value, &mut line);
            }
        }
    }
    line.push_str(&words);
    Ok(line)
}

/// The records of the text (RFC 4180), fields trimmed.
struct Records<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Records<'_> {
    type Item = Result<Vec<String>, BadRow>;

    fn next(&mut self) -> Option<Self::Item> {
        // Blank lines are passed over.
        while self.text[self.at..].starts_with(['\n', '\r']) {
            self.at += 1;
        }
        if self.at == self.text.len() {
            return None;
        }
        let (mut fields, mut field, mut quoted, mut was_quoted) = (Vec::new(), String::new(), false, false);
        let mut chars = self.text[self.at..].char_indices().peekable();
        let mut end = self.text.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' if quoted && chars.peek().is_some_and(|(_, next)| *next == '"') => {
                    field.push('"');
                    chars.next();
                }
                '"' if quoted => quoted = false,
                '"' if field.trim().is_empty() && !was_quoted => {
                    field.clear();
                    (quoted, was_quoted) = (true, true);
                }
                ',' if !quoted => {
                    fields.push(finish(&mut field, &mut was_quoted));
                }
                '\n' if !quoted => {
                    end = self.at + at + 1;
                    break;
                }
                other => field.push(other),
            }
        }
        self.at = end;
        if quoted {
            return Some(Err(BadRow::new("a quoted field does not end")));
        }
        fields.push(finish(&mut field, &mut was_quoted));
        Some(Ok(fields))
    }
}

fn finish(field: &mut String, was_quoted: &mut bool) -> String {
    let text = std::mem::take(field);
    if std::mem::take(was_quoted) { text.trim_end_matches('\r').to_string() } else { text.trim().to_string() }
}
