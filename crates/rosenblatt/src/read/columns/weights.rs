//! The column with the weight of each example.

use crate::error::Result;
use crate::io::{Found, show};
use crate::message::Setting;
use crate::read::ReadOptions;
use crate::read::body::Body;
use crate::read::number::number;
use crate::read::records::Record;

/// The column of weights.
#[derive(Debug)]
pub(in crate::read) struct Weights {
    /// Its position, from 0.
    at: usize,
    name: String,
    values: Vec<f64>,
}

impl Weights {
    /// The position of the weight column, if the options name one.
    pub(super) fn find(body: &Body<'_>, options: &ReadOptions) -> Result<Option<usize>> {
        options.weight.as_ref().map(|wanted| body.find(Setting::Weight, wanted)).transpose()
    }

    /// An empty column of weights at this position.
    pub(in crate::read) fn new(at: usize, body: &Body<'_>) -> Self {
        Weights { at, name: body.names[at].clone(), values: Vec::new() }
    }

    /// Appends the weight of one row: a finite number, not negative.
    pub(in crate::read) fn push(&mut self, record: Record<'_>) -> Found<()> {
        let text = record.text(self.at);
        match number(text) {
            Ok(value) if value >= 0.0 => {
                self.values.push(value);
                Ok(())
            }
            _ => {
                let (name, found) = (&self.name, show(text));
                let message = format!("weight column \"{name}\" holds {found}: expected a finite number, not negative");
                Err(record.fault(self.at, message))
            }
        }
    }

    /// Appends the weights of more rows.
    pub(in crate::read) fn extend(&mut self, more: &[f64]) {
        self.values.extend_from_slice(more);
    }

    /// The weight of each row.
    pub(in crate::read) fn values(self) -> Vec<f64> {
        self.values
    }
}
