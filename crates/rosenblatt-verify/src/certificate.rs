//! The certificate: strict reading, canonical rationals, its own digest.
//!
//! Every value in a certificate is used by some check, and nothing else is allowed: no unknown keys, no second way to
//! write the same number. So nothing in a certificate can mislead.

use std::ops::RangeInclusive;

use dashu_int::IBig;
use sha2::{Digest, Sha256};

use crate::fields::Fields;
use crate::json::{self, Value};
use crate::rational::Rational;
use crate::reading::{self, Reading};
use crate::refusal::{Checked, Refusal, show};

/// A certificate as it is written, its digest checked.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(crate) head: Head,
    pub(crate) claim: Claim,
}

/// What is claimed, with the numbers that prove it.
#[derive(Debug)]
pub(crate) enum Claim {
    Separable {
        plane: Plane,
        margin: Margin,
        support: Vec<Share>,
    },
    Inseparable {
        support: Vec<Share>,
    },
    /// Version 2.
    NotSeparable {
        support: Vec<Share>,
    },
    Weakly {
        plane: Plane,
        support: Vec<Share>,
    },
}

#[derive(Debug)]
pub(crate) struct Plane {
    pub(crate) weights: Vec<Rational>,
    pub(crate) bias: Rational,
}

#[derive(Debug)]
pub(crate) struct Margin {
    pub(crate) lower: Rational,
    pub(crate) upper: Rational,
}

/// An example's part in a convex combination.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) example: u64,
    pub(crate) weight: Rational,
}

/// SHA-256 in lowercase hexadecimal digits.
pub(crate) fn sha256(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What every certificate begins with: the data, and how they are read.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) sha256: String,
    /// The SHA-256 of the labels, where they are in a file of their own.
    pub(crate) labels: Option<String>,
    pub(crate) examples: u64,
    pub(crate) reading: Reading,
}

/// Reads the beginning of a certificate of this kind, and checks its digest. The other fields are left.
pub(crate) fn head(bytes: &[u8], wanted: (&str, u64)) -> Checked<(Head, Fields)> {
    let (head, _, top) = versioned(bytes, (wanted.0, wanted.1..=wanted.1))?;
    Ok((head, top))
}

/// The same for one of several versions, which is returned.
fn versioned(bytes: &[u8], (wanted, versions): (&str, RangeInclusive<u64>)) -> Checked<(Head, u64, Fields)> {
    let mut top = Fields::of(json::parse(bytes)?, "the certificate")?;
    let (kind, _) = top.text("rosenblatt")?;
    let version = top.count("version")?;
    if kind != wanted || !versions.contains(&version) {
        let (first, last) = versions.into_inner();
        let which = if first == last { first.to_string() } else { format!("{first} or {last}") };
        return Err(Refusal::form(format!("it is not a rosenblatt {wanted} of version {which}")));
    }
    let (digest, at) = top.text("digest")?;
    check_digest(bytes, &digest, at)?;

    let reading = reading::read(top.object("reading")?)?;
    let mut data = top.object("data")?;
    let mut hash = |key: &str| {
        let (hash, _) = data.text(key)?;
        if is_hash(&hash) {
            Ok(hash)
        } else {
            Err(Refusal::form(format!("data.{key} is not 64 hexadecimal digits in lower case")))
        }
    };
    let sha256 = hash("sha256")?;
    let labels = if reading.format.has_labels_beside() { Some(hash("labels")?) } else { None };
    let examples = data.count("examples")?;
    data.end()?;
    Ok((Head { sha256, labels, examples, reading }, version, top))
}

/// Reads a certificate and checks its form and its digest.
pub(crate) fn read(bytes: &[u8]) -> Checked<Certificate> {
    let (head, version, mut top) = versioned(bytes, ("certificate", 1..=2))?;
    let Head { ref reading, examples, .. } = head;
    let (verdict, _) = top.text("verdict")?;
    // A verdict belongs to one version: each certificate has one form.
    let claim = match (version, verdict.as_str()) {
        (2, "not-separable") => Claim::NotSeparable { support: support(top.list("support")?, examples)? },
        (2, _) => return Err(Refusal::form("version 2 is for the verdict \"not-separable\" alone")),
        (_, "separable") => {
            let plane = plane(top.object("hyperplane")?, reading.bias)?;
            let margin = margin(top.object("margin")?, reading.bias)?;
            Claim::Separable { plane, margin, support: support(top.list("support")?, examples)? }
        }
        (_, "inseparable") => Claim::Inseparable { support: support(top.list("support")?, examples)? },
        (_, "weakly-separable") => {
            let plane = plane(top.object("hyperplane")?, reading.bias)?;
            Claim::Weakly { plane, support: support(top.list("support")?, examples)? }
        }
        (_, other) => return Err(Refusal::form(format!("unknown verdict {}", show(other.as_bytes())))),
    };
    top.end()?;
    Ok(Certificate { head, claim })
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The digest is the SHA-256 of all the bytes, with 64 zeros in place of the digest itself.
fn check_digest(bytes: &[u8], digest: &str, at: usize) -> Checked<()> {
    // Without escapes, so that the text equals its bytes.
    if !is_hash(digest) || bytes.get(at..at + 64) != Some(digest.as_bytes()) {
        return Err(Refusal::form("the digest is not 64 hexadecimal digits in lower case"));
    }
    let found = sha256(&[&bytes[..at], &[b'0'; 64], &bytes[at + 64..]]);
    if found == digest {
        Ok(())
    } else {
        Err(Refusal::digest(format!("its digest says {digest}, but its bytes give {found}")))
    }
}

pub(crate) fn plane(mut fields: Fields, with_bias: bool) -> Checked<Plane> {
    let mut weights = Vec::new();
    for (i, weight) in fields.texts("weights")?.iter().enumerate() {
        weights.push(rational(weight, || format!("hyperplane.weights, number {}", i + 1))?);
    }
    let bias = rational(&fields.text("bias")?.0, || "hyperplane.bias".to_string())?;
    fields.end()?;
    if !with_bias && !bias.is_zero() {
        return Err(Refusal::form("hyperplane.bias is not 0, though reading.bias is false"));
    }
    Ok(Plane { weights, bias })
}

fn margin(mut fields: Fields, with_bias: bool) -> Checked<Margin> {
    let wanted = if with_bias { "hull" } else { "origin" };
    if fields.text("kind")?.0 != wanted {
        return Err(Refusal::form(format!("margin.kind is not {wanted:?}, though reading.bias is {with_bias}")));
    }
    let lower = rational(&fields.text("lower")?.0, || "margin.lower".to_string())?;
    let upper = rational(&fields.text("upper")?.0, || "margin.upper".to_string())?;
    fields.end()?;
    if lower.numerator < IBig::ZERO {
        return Err(Refusal::proof("margin.lower is negative"));
    }
    if &lower.numerator * &upper.denominator > &upper.numerator * &lower.denominator {
        return Err(Refusal::proof("margin.lower is above margin.upper"));
    }
    Ok(Margin { lower, upper })
}

/// The support, in order of examples.
pub(crate) fn support(list: Vec<Value>, examples: u64) -> Checked<Vec<Share>> {
    let mut support = Vec::with_capacity(list.len());
    for share in list {
        let mut fields = Fields::of(share, "support")?;
        let example = fields.count("example")?;
        let weight = rational(&fields.text("weight")?.0, || format!("the weight of support example {example}"))?;
        fields.end()?;
        if example == 0 || example > examples {
            return Err(Refusal::form(format!("support example {example} is not among 1 to {examples}")));
        }
        if !weight.is_positive() {
            return Err(Refusal::proof(format!("the weight of support example {example} is not positive")));
        }
        support.push(Share { example, weight });
    }
    support.sort_by_key(|share| share.example);
    if let Some(pair) = support.windows(2).find(|pair| pair[0].example == pair[1].example) {
        return Err(Refusal::proof(format!("example {} is twice in the support", pair[0].example)));
    }
    Ok(support)
}

pub(crate) fn rational(text: &str, of: impl Fn() -> String) -> Checked<Rational> {
    Rational::parse(text).map_err(|why| Refusal::form(format!("{}: {} {why}", of(), show(text.as_bytes()))))
}
