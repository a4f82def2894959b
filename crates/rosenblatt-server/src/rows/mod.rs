//! Bodies of requests to rows. Every row becomes one line of Vowpal Wabbit text, whatever it was sent as: the line is
//! what the log keeps, what `rosenblatt train` reads, and what is parsed here, so that all three are the same example.

mod csv;
mod json;
mod json_row;
mod lines;
mod names;
mod texts;

pub use json::ndjson_line;
use names::BYTE_ORDER_MARK;
pub use names::{readable, write_label, write_name};
pub use texts::Texts;

use rosenblatt::read::VwExample;

use crate::http::Problem;

/// The most that a row may hold.
#[derive(Debug, Clone, Copy)]
pub struct RowLimits {
    /// Bytes of a line.
    pub line: usize,
    /// Features of a row.
    pub features: usize,
    /// Rows of a request.
    pub rows: usize,
}

impl Default for RowLimits {
    fn default() -> Self {
        RowLimits { line: 1 << 20, features: 100_000, rows: 100_000 }
    }
}

/// A row: its text, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Vowpal Wabbit text without a line end.
    pub line: String,
    /// The example.
    pub example: VwExample,
}

/// The largest and the least size of a number that is not zero: products and sums of such numbers stay finite.
const LARGEST: f64 = 1e100;
const LEAST: f64 = 1e-100;
/// The largest weight of an example.
const HEAVIEST: f64 = 1e9;

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq)]
pub struct BadRow {
    /// The field, where it is known.
    pub field: Option<String>,
    /// What was found, and what was expected.
    pub message: String,
}

impl BadRow {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        BadRow { field: None, message: message.into() }
    }

    pub(crate) fn field(name: &str, message: impl Into<String>) -> Self {
        BadRow { field: Some(name.to_string()), message: message.into() }
    }

    /// The answer to a request whose row `number`, from 1, it is.
    pub fn at(self, number: usize) -> Problem {
        let BadRow { field, message } = self;
        Problem { row: Some(number), field, ..Problem::new(422, "bad-row", message) }
    }
}

impl Row {
    /// Checks a line.
    pub fn new(mut line: String, limits: &RowLimits, labelled: bool) -> Result<Row, BadRow> {
        if line.len() > limits.line {
            return Err(BadRow::new(format!("a row of {} bytes: at most {} are allowed", line.len(), limits.line)));
        }
        // With any of them the log is no text for `train`; the fuzzer found it.
        if line.bytes().any(|byte| byte < b' ' && byte != b'\t') {
            return Err(BadRow::new("a control character within a row"));
        }
        let parsed = VwExample::parse(line.as_bytes(), 1, "row").map_err(|error| unreadable(&line, &error))?;
        let Some(mut example) = parsed else { return Err(BadRow::new("an empty row")) };
        if let Some(label) = example.label.as_mut().filter(|label| label.contains(['%', BYTE_ORDER_MARK])) {
            // One label, one text: 100% and 100%25 are the same.
            let mut written = String::new();
            write_label(&readable(label), &mut written);
            line = format!("{written}{}", &line.trim_ascii_start()[label.len()..]);
            *label = written;
        }
        if example.entries().len() > limits.features {
            let found = example.entries().len();
            return Err(BadRow::new(format!("{found} features: at most {} are allowed", limits.features)));
        }
        if let Some((name, value)) = example.entries().find(|(_, v)| *v != 0.0 && !(LEAST..=LARGEST).contains(&v.abs()))
        {
            let message = format!("{value:e}: expected a number between {LEAST:e} and {LARGEST:e} in size, or zero");
            return Err(BadRow::field(&readable(name), message));
        }
        if labelled && example.label.is_none() {
            return Err(BadRow::field("label", "no label: learning needs one"));
        }
        check_weight(example.weight)?;
        Ok(Row { line, example })
    }
}

/// The weight of an example.
fn check_weight(weight: f64) -> Result<(), BadRow> {
    if weight > 0.0 && weight <= HEAVIEST {
        return Ok(());
    }
    Err(BadRow::field("weight", format!("{weight}: expected a number above 0 and up to {HEAVIEST:e}")))
}

/// Why a line is no example. Its place in the text of the log says nothing to a client; the field does.
fn unreadable(line: &str, error: &rosenblatt::Error) -> BadRow {
    let message = error.message().to_string();
    let at = error.place().and_then(|place| place.column).map_or(line.len(), |column| column as usize - 1);
    let (Some(before), Some(rest)) = (line.get(..at), line.get(at..).filter(|rest| !rest.is_empty())) else {
        return BadRow::new(message);
    };
    let token = rest.split([' ', '\t', '|']).next().unwrap_or_default();
    let field = match before.contains('|') {
        true => readable(token.rsplit_once(':').map_or(token, |(name, _)| name)).into_owned(),
        false if message.starts_with("importance") => "weight".into(),
        false => "label".into(),
    };
    BadRow { field: Some(field), message }
}

/// The rows of a body, and whether they came as one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The rows.
    pub rows: Vec<Row>,
    /// One object in, one object out.
    pub single: bool,
}

/// Reads a body of this type.
pub fn parse(kind: &str, body: &[u8], limits: &RowLimits, labelled: bool, texts: &Texts) -> Result<Rows, Problem> {
    let kind = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let lines = match kind.as_str() {
        "" | "application/json" | "application/x-www-form-urlencoded" => json::lines(body, texts)?,
        "application/x-ndjson" | "application/jsonl" | "application/jsonlines" => json::many(body, texts)?,
        "text/csv" => csv::lines(body, labelled, texts)?,
        "text/x-libsvm" | "application/x-libsvm" => lines::libsvm(body, labelled)?,
        "text/plain" | "text/x-vw" | "application/x-vw" | "text/vowpalwabbit" => lines::vw(body)?,
        other => {
            let message = format!(
                "content type {other:?}: expected application/json, application/x-ndjson, text/csv, text/x-libsvm or text/x-vw"
            );
            return Err(Problem::new(415, "content-type", message));
        }
    };
    let Lines { lines, single } = lines;
    if lines.is_empty() {
        return Err(Problem::new(422, "no-rows", "the body has no rows"));
    }
    if lines.len() > limits.rows {
        let message = format!("{} rows: at most {} are allowed in one request", lines.len(), limits.rows);
        return Err(Problem::new(413, "too-many-rows", message));
    }
    let mut rows = Vec::with_capacity(lines.len());
    for (number, line) in (1..).zip(lines) {
        rows.push(Row::new(line, limits, labelled).map_err(|bad| bad.at(number))?);
    }
    Ok(Rows { rows, single })
}

/// The lines of a body.
pub(crate) struct Lines {
    pub(crate) lines: Vec<String>,
    pub(crate) single: bool,
}

impl Lines {
    pub(crate) fn many(lines: Vec<String>) -> Self {
        Lines { lines, single: false }
    }
}

/// The body as text. A NUL is a sign of something else: a table in UTF-16, an array.
pub(crate) fn text(body: &[u8]) -> Result<&str, Problem> {
    if let Some(at) = body.iter().position(|&byte| byte == 0) {
        return Err(Problem::new(400, "not-text", format!("byte {} of the body is a NUL: expected text", at + 1)));
    }
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    std::str::from_utf8(body).map_err(|error| {
        Problem::new(400, "not-utf8", format!("the body is not UTF-8 text: byte {}", error.valid_up_to() + 1))
    })
}

#[cfg(test)]
mod tests;
