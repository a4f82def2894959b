//! The numbers that this crate reads, for comparison with other readers: two readers that disagree about a byte disagree about
//! what a certificate says.

use dashu_int::IBig;
use dashu_int::ops::{Gcd, UnsignedAbs};

use crate::certificate::Head;
use crate::fields::Fields;
use crate::json;
use crate::monomials::Monomials;
use crate::rational::Rational;
use crate::reading;
use crate::refusal::{Checked, Refusal};
use crate::rows::{self, Data};
use crate::scaled::{Base, Scaled};
use crate::statement::Statement;

/// An example with a listed label, as this crate reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadExample {
    /// Its number among all examples, from 1.
    pub example: u64,
    /// Whether its label is positive.
    pub positive: bool,
    /// The features that are not zero, from 0, as rationals in lowest terms: `-3`, `2/5`.
    pub features: Vec<(usize, String)>,
}

/// Reads data as `reading` says (the JSON that certificates have), and where that departs from the plain reading.
///
/// # Errors
///
/// If the data cannot be read so.
pub fn read_examples(
    reading: &[u8],
    data: &[u8],
    labels: Option<&[u8]>,
) -> Result<(Vec<ReadExample>, Vec<String>), Refusal> {
    let reading = reading::read(Fields::of(json::parse(reading)?, "the reading")?)?;
    let data = Data { bytes: data, labels: labels.unwrap_or_default() };
    let monomials = Monomials::new(reading.base_features(), reading.degree)?;
    let base = reading.format.base();
    let mut examples = Vec::new();
    let tally = rows::each(data, &reading, &monomials, |row| {
        let features = row.entries.iter().map(|entry| (entry.feature, rational(&entry.value, base))).collect();
        examples.push(ReadExample { example: row.example, positive: row.positive, features });
        Ok(())
    })?;
    let head = Head { sha256: String::new(), labels: None, examples: tally.examples, reading };
    let statement: Checked<Statement> = Statement::new(String::new(), head, tally, monomials.features, data);
    Ok((examples, statement?.departures().to_vec()))
}

fn rational(value: &Scaled, base: Base) -> String {
    let power = base.power(value.power.unsigned_abs());
    let digits = value.digits.big();
    let (numerator, denominator) = if value.power < 0 { (digits, power) } else { (digits * power, IBig::ONE) };
    let common = IBig::from((&numerator).unsigned_abs().gcd((&denominator).unsigned_abs()));
    Rational { numerator: numerator / &common, denominator: denominator / &common }.to_string()
}
