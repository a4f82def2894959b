//! A claim with its scope: what is proved, of which rows, columns and numbers of which data.
//!
//! "Separable" alone means little: of which rows, with which column as the label, of the decimals in the file or of floats?
//! A statement is printed in full, and lists where its reading departs from the [`plain`] one.

use std::fmt;

use crate::certificate::Head;
use crate::fields::Fields;
use crate::json;
use crate::plain::plain;
use crate::reading::{self, Format, Reading};
use crate::refusal::{Checked, Refusal, show};
use crate::rows::{Data, Tally};
use crate::scope::{classes, columns_left_out, described, differences, left_out_in_words, same_form, sides_differ};
use crate::table::Table;

/// What a certificate proves, and of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    claim: String,
    sha256: String,
    labels: Option<String>,
    reading: Reading,
    tally: Tally,
    features: usize,
    /// The first record of a table, where it is a header.
    header: Vec<String>,
    departures: Vec<String>,
}

impl Statement {
    /// The statement of a claim that has been checked against these data.
    pub(crate) fn new(claim: String, head: Head, tally: Tally, features: usize, data: Data<'_>) -> Checked<Self> {
        let Head { sha256, labels, reading, .. } = head;
        let header = match reading.format {
            Format::Table { delimiter, header: true, .. } => {
                let mut table = Table::new(data.bytes, delimiter);
                table.next()?;
                table.fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
            }
            _ => Vec::new(),
        };
        let mut statement =
            Statement { claim, sha256, labels, reading, tally, features, header, departures: Vec::new() };
        let mut departures = statement.rows_left_out_in_words();
        match plain(data.bytes)? {
            Ok(format) => departures.extend(statement.form_differs(&format)),
            Err(why) => departures.push(format!("the data have no plain reading: {why}")),
        }
        let Reading { positive, negative, bias, degree, .. } = &statement.reading;
        if (positive.len(), negative.len()) != (1, 1) {
            departures.push(format!("several labels count as one class: {}", statement.classes()));
        }
        departures.extend(hyperplanes_differ((*bias, *degree), (true, 1)));
        statement.departures = departures;
        Ok(statement)
    }

    /// Where the certificate reads the data otherwise than by the plain reading, which FORMAT.md specifies: rows and
    /// columns that are left out first. If there is nothing, the statement is what anyone takes it for.
    pub fn departures(&self) -> &[String] {
        &self.departures
    }

    /// The same beside another reading: the JSON of `reading` as certificates have it.
    ///
    /// # Errors
    ///
    /// If it is not written as FORMAT.md says.
    pub fn departures_from(&self, reading: &[u8]) -> Result<Vec<String>, Refusal> {
        let other = reading::read(Fields::of(json::parse(reading)?, "the reading")?)?;
        let mut departures = self.rows_left_out_in_words();
        departures.extend(self.form_differs(&other.format));
        if sides_differ(&self.reading, &other) {
            departures.push(format!("the classes are {}", self.classes()));
        }
        departures.extend(hyperplanes_differ((self.reading.bias, self.reading.degree), (other.bias, other.degree)));
        Ok(departures)
    }

    /// How many examples of the file the statement is not about: their labels are not listed.
    pub fn rows_left_out(&self) -> u64 {
        self.tally.examples - self.tally.positive - self.tally.negative
    }

    /// The columns of a table, from 1, that are neither features nor the label.
    pub fn columns_left_out(&self) -> Vec<usize> {
        columns_left_out(&self.reading.format, self.tally.fields).into_iter().map(|at| at + 1).collect()
    }

    /// What is claimed, without its scope.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// The scope, part by part: a name, and a text without line ends.
    pub fn scope(&self) -> Vec<(&'static str, String)> {
        let mut parts = vec![("rows", self.rows())];
        parts.extend(described(
            &self.reading,
            (self.tally.fields, self.features),
            &self.header,
            Some(&self.tally.other_fields),
        ));
        parts.push((
            "sha256",
            match &self.labels {
                Some(labels) => format!("{} and, of the labels, {labels}", self.sha256),
                None => self.sha256.clone(),
            },
        ));
        parts
    }

    fn form_differs(&self, other: &Format) -> Vec<String> {
        let found = &self.reading.format;
        let hidden = if same_form(found, other) { None } else { left_out_in_words(found, self.tally.fields) };
        hidden.into_iter().chain(differences(found, other)).collect()
    }

    fn rows(&self) -> String {
        let Tally { examples, positive, negative, .. } = self.tally;
        let covered = positive + negative;
        format!("{covered} of {examples}: {positive} positive, {negative} negative, {} left out", examples - covered)
    }

    fn rows_left_out_in_words(&self) -> Vec<String> {
        match self.rows_left_out() {
            0 => Vec::new(),
            left => {
                let labels: Vec<String> = self.tally.others.iter().map(|label| show(label)).collect();
                let rows = self.tally.examples;
                vec![format!(
                    "{left} of {rows} rows are left out: their labels, such as {}, are not listed",
                    labels.join(", ")
                )]
            }
        }
    }

    fn classes(&self) -> String {
        classes(&self.reading)
    }
}

impl fmt::Display for Statement {
    /// The claim, its scope, and where the reading departs from the plain one; a line for each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for departure in &self.departures {
            writeln!(f, "departs: {departure}")?;
        }
        write!(f, "{}", self.claim)?;
        self.scope().iter().try_for_each(|(name, text)| write!(f, "\n{name}: {text}"))
    }
}

/// The scope of a claim about a table of so many columns (0 for other formats), or about other data, read as `reading` says
/// (the JSON that certificates have); `features` are those of the hyperplanes.
///
/// # Errors
///
/// If the reading is not written as FORMAT.md says.
pub fn scope_of(reading: &[u8], columns: usize, features: usize) -> Result<Vec<(&'static str, String)>, Refusal> {
    let reading = reading::read(Fields::of(json::parse(reading)?, "the reading")?)?;
    Ok(described(&reading, (columns, features), &[], None))
}

fn hyperplanes_differ(found: (bool, usize), other: (bool, usize)) -> Vec<String> {
    let mut all = Vec::new();
    match (found.0, other.0) {
        (false, true) => all.push("only hyperplanes through the origin count".to_string()),
        (true, false) => all.push("hyperplanes may have a bias".to_string()),
        _ => {}
    }
    if found.1 != other.1 {
        all.push(format!("the features are monomials up to degree {}, not {}", found.1, other.1));
    }
    all
}
