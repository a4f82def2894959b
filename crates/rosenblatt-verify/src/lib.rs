//! Checks certificates of linear separability.
//!
//! A program that says "these data are linearly separable" or "they are not" can be wrong. A certificate is a short
//! list of rational numbers that proves the statement with nothing but addition, multiplication and comparison of whole
//! numbers. This crate checks it. It shares no code with the program that finds certificates: it reads the data itself,
//! as written (in a text 0.1 is one tenth, not the nearest binary fraction; in a binary file a float is an exact
//! fraction), and computes exactly.
//!
//! What is proved, and why the numbers in a certificate suffice, stands above the code that checks it:
//!
//! * `certificate`: that the certificate is complete and unambiguous;
//! * [`verify`]: that it refers to these data (by their SHA-256);
//! * `table`, `columns`, `words`, `libsvm`, `jsonl`, `npy`, `decimal`, `monomials`: what the data's exact features are;
//! * `check`: the verdicts, separable, not separable, weakly separable and inseparable, by the theorems of Gordan and Stiemke;
//! * `audit`: the bounds of the least number of mistakes;
//! * `statement`: what is proved of what, and where the reading departs from the [`plain`](Statement::departures) one;
//! * `span`: the one part that takes more than sums, the null space of the support's rows.
//!
//! ```
//! let refusal = rosenblatt_verify::verify(b"{}", b"").unwrap_err();
//! assert_eq!(refusal.to_string(), "the certificate is malformed: the certificate has no key \"rosenblatt\"");
//! ```

mod audit;
mod beside;
mod certificate;
mod check;
mod columns;
mod decimal;
mod fields;
mod inspect;
mod json;
mod jsonl;
mod libsvm;
mod limits;
mod modular;
mod monomials;
mod npy;
mod plain;
mod rational;
mod reading;
mod refusal;
mod rows;
mod scaled;
mod scope;
mod span;
mod statement;
mod stop;
mod sum;
mod table;
mod words;

pub use inspect::{ReadExample, read_examples};
pub use refusal::{Check, Refusal};
pub use statement::{Statement, scope_of};
pub use stop::until;

use std::fmt;

use certificate::{Claim, Head};
use rows::Data;

/// What a certificate proves of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Some hyperplane has every example strictly on its side.
    Separable,
    /// No hyperplane does, but one has no example on the wrong side and at least one strictly on its side.
    WeaklySeparable,
    /// No hyperplane does even that.
    Inseparable,
    /// No hyperplane has every example strictly on its side. Nothing is proved of one that has none on the wrong side.
    NotSeparable,
}

impl Verdict {
    /// What it says of the examples.
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Separable => "a hyperplane has every example strictly on its side",
            Verdict::WeaklySeparable => "the classes touch: no hyperplane has every example strictly on its side",
            Verdict::Inseparable => "no hyperplane separates the classes",
            Verdict::NotSeparable => {
                "no hyperplane has every example strictly on its side; whether one has none on the wrong side is not claimed"
            }
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Separable => "separable",
            Verdict::WeaklySeparable => "weakly-separable",
            Verdict::Inseparable => "inseparable",
            Verdict::NotSeparable => "not-separable",
        })
    }
}

/// What a certificate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Whether a hyperplane separates the data: [`verify`].
    Separability,
    /// How few mistakes a hyperplane can make: [`verify_audit`].
    Audit,
}

/// What a certificate is about. Nothing of it is checked.
///
/// # Errors
///
/// If it is no certificate at all.
pub fn kind(certificate: &[u8]) -> Result<Kind, Refusal> {
    let (kind, _) = fields::Fields::of(json::parse(certificate)?, "the certificate")?.text("rosenblatt")?;
    Ok(if kind == "audit" { Kind::Audit } else { Kind::Separability })
}

/// An audit that has been checked: its statement is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifiedAudit {
    /// The mistakes of any hyperplane cost at least this; with equal costs it is their number.
    pub at_least: String,
    /// The mistakes of the certificate's hyperplane cost this.
    pub at_most: String,
    /// The cost of a mistake on a positive and on a negative example.
    pub costs: (String, String),
    /// The examples (from 1) that the hyperplane has on the wrong side, or on itself.
    pub mistakes: Vec<u64>,
    /// How many witnesses the lower bound rests on.
    pub witnesses: usize,
    /// How many examples the file holds.
    pub examples: u64,
    /// How many of them have a positive label.
    pub positive: u64,
    /// How many have a negative label. The others have neither and are left out.
    pub negative: u64,
    /// How many features there are, monomials included.
    pub features: usize,
    /// The degree of the largest monomials; 1 for the features as they are.
    pub degree: usize,
    /// Whether hyperplanes have a bias.
    pub bias: bool,
    /// What is proved, with its scope: print this, not the bounds alone.
    pub statement: Statement,
}

/// Checks the certificate of an audit against its data, which must be decompressed, and `labels` where they are in a file
/// of their own.
///
/// # Errors
///
/// A [`Refusal`] names the first check that failed, and where.
pub fn verify_audit(certificate: &[u8], data: &[u8], labels: Option<&[u8]>) -> Result<VerifiedAudit, Refusal> {
    stop::check()?;
    let certificate = audit::read(certificate)?;
    let data = bound(&certificate.head, data, labels)?;
    audit::check(certificate, data)
}

/// A certificate that has been checked: its statement is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// What is proved.
    pub verdict: Verdict,
    /// How many examples the file holds.
    pub examples: u64,
    /// How many of them have a positive label.
    pub positive: u64,
    /// How many have a negative label. The others have neither and are left out.
    pub negative: u64,
    /// How many features there are, monomials included.
    pub features: usize,
    /// The degree of the largest monomials; 1 for the features as they are.
    pub degree: usize,
    /// Whether hyperplanes have a bias.
    pub bias: bool,
    /// How many examples the proof rests on.
    pub support: usize,
    /// For separable data: the largest margin of any hyperplane is at least the first and at most the second.
    pub margin: Option<(String, String)>,
    /// What is proved, with its scope: print this, not the verdict alone.
    pub statement: Statement,
}

/// Checks a certificate against its data, which must be decompressed.
///
/// `Ok` is a proof of what it says; the reason is in the documentation of each check. Memory: what the data and the
/// certificate take already, and a row; for inseparable data also the rows of the support.
///
/// # Errors
///
/// A [`Refusal`] names the first check that failed, and where.
pub fn verify(certificate: &[u8], data: &[u8]) -> Result<Verified, Refusal> {
    check(certificate, data, None)
}

/// The same for data whose labels are in a file of their own: a NumPy array (`numpy.save`) of rows, and an array or a
/// text of labels.
///
/// # Errors
///
/// As [`verify`]; also if the certificate's data hold their labels themselves.
pub fn verify_with_labels(certificate: &[u8], data: &[u8], labels: &[u8]) -> Result<Verified, Refusal> {
    check(certificate, data, Some(labels))
}

/// Whether the data are those of a certificate.
fn bound<'d>(head: &Head, data: &'d [u8], labels: Option<&'d [u8]>) -> Result<Data<'d>, Refusal> {
    let is_of = |what: &str, bytes: &[u8], hash: &str| match certificate::sha256(&[bytes]) {
        found if found == hash => Ok(()),
        found => Err(Refusal::data(format!("{what} SHA-256 is {found}, but the certificate is of {hash}"))),
    };
    is_of("their", data, &head.sha256)?;
    match (&head.labels, labels) {
        (None, None) => {}
        (Some(hash), Some(labels)) => is_of("the labels'", labels, hash)?,
        (Some(_), None) => {
            return Err(Refusal::data("their labels are in a file of their own, which is not given"));
        }
        (None, Some(_)) => {
            return Err(Refusal::data("they hold their labels themselves, but a file of labels is given"));
        }
    }
    Ok(Data { bytes: data, labels: labels.unwrap_or_default() })
}

fn check(certificate: &[u8], data: &[u8], labels: Option<&[u8]>) -> Result<Verified, Refusal> {
    stop::check()?;
    let certificate = certificate::read(certificate)?;
    let data = bound(&certificate.head, data, labels)?;
    let (tally, features) = check::claim(&certificate, data)?;
    let (verdict, support, margin) = match &certificate.claim {
        Claim::Separable { support, margin, .. } => {
            (Verdict::Separable, support, Some((margin.lower.to_string(), margin.upper.to_string())))
        }
        Claim::Weakly { support, .. } => (Verdict::WeaklySeparable, support, None),
        Claim::Inseparable { support } => (Verdict::Inseparable, support, None),
        Claim::NotSeparable { support } => (Verdict::NotSeparable, support, None),
    };
    let support = support.len();
    let claim = format!("{verdict}: {}", verdict.meaning());
    Ok(Verified {
        verdict,
        examples: tally.examples,
        positive: tally.positive,
        negative: tally.negative,
        features,
        degree: certificate.head.reading.degree,
        bias: certificate.head.reading.bias,
        support,
        margin,
        statement: Statement::new(claim, certificate.head, tally, features, data)?,
    })
}
