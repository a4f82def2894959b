//! The certificate of an audit: the hyperplane with its mistakes, the witnesses, and how they prove the lower bound.

use dashu_ratio::RBig;
use serde_json::{Value, json};

use super::Audit;
use super::cases::Case;
use crate::certify::certificate::{Bound, Reading, WEIGHT_BYTES, bound, head, no_hyperplane, sealed};
use crate::error::{Error, Result};
use crate::io::Input;
use crate::limits;
use crate::read::Dataset;

/// The version that is written.
const VERSION: u32 = 1;

/// The certificate of an audit of a file, as JSON. Only an audit of two classes has one.
pub fn audit_certificate(audit: &Audit, input: &Input, dataset: &Dataset, sides: &Reading) -> Result<String> {
    let Some(plane) = &audit.hyperplane else {
        return Err(match dataset.table.labels.len() {
            2 => no_hyperplane(audit.features),
            _ => Error::settings("a certificate is for two classes"),
        });
    };
    let what = || format!("a certificate with {} weights", plane.weights.len()).into();
    limits::room_for::<[u8; WEIGHT_BYTES]>(plane.weights.len() as u128, what)?;
    Ok(audit.certify(&bound(input, dataset, sides)?, sides))
}

impl Audit {
    /// The certificate for these data.
    pub(in crate::certify) fn certify(&self, bound: &Bound, sides: &Reading) -> String {
        let options = &self.options;
        let mut parts = head(("audit", VERSION), bound, sides, (options.bias, options.degree));
        let costs = &options.costs;
        parts
            .push(("costs", json!({ "positive": costs.positive.to_string(), "negative": costs.negative.to_string() })));
        parts.push(("at_least", json!(self.at_least.to_string())));
        parts.push(("at_most", json!(self.at_most.to_string())));
        let numbers = |rows: &[usize]| -> Value { rows.iter().map(|row| row + 1).collect() };
        parts.push(("copies", self.copies.iter().map(|rows| numbers(rows)).collect()));
        if let Some(plane) = &self.hyperplane {
            let weights: Vec<String> = plane.weights.iter().map(RBig::to_string).collect();
            parts.push(("hyperplane", json!({ "weights": weights, "bias": plane.bias.to_string() })));
        }
        parts.push(("mistakes", numbers(&self.mistakes)));
        let share = |(row, weight): &(usize, RBig)| json!({ "example": row + 1, "weight": weight.to_string() });
        let witness = |weights: &[(usize, RBig)]| -> Value { weights.iter().map(share).collect() };
        parts.push(("witnesses", self.witnesses.iter().map(|w| witness(&w.weights)).collect()));
        let unit = options.costs.unit();
        parts.push(("cases", self.parts.iter().map(|case| written(case, &unit)).collect()));
        sealed(parts)
    }
}

fn written(case: &Case, unit: &RBig) -> Value {
    let sum = match case {
        Case::Item(row) => return json!({ "example": row + 1 }),
        Case::Sum(sum) => sum,
    };
    let weight = |n: u64| RBig::from(n) * unit / RBig::from(sum.denominator);
    let share = |(k, n): &(usize, u64)| json!({ "witness": k + 1, "weight": weight(*n).to_string() });
    json!({ "sum": sum.shares.iter().map(share).collect::<Value>() })
}
