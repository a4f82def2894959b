//! One array of a report or a state: dense, or only the entries that differ from a base, whichever takes fewer bytes.

use crate::error::{Error, Result};
use crate::learn::Array;
use crate::limits;

/// Numbers, most of which may be the base.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Dense(Vec<f64>),
    Sparse { length: usize, indices: Vec<u32>, values: Vec<f64> },
}

/// Bytes of a stored entry, and of a dense number.
const ENTRY: usize = 12;
const NUMBER: usize = 8;

impl Part {
    /// The entries for which `differs`, if that takes fewer bytes than all.
    pub(super) fn new(values: Vec<f64>, differs: impl Fn(usize, f64) -> bool) -> Part {
        let stored = (0..).zip(&values).filter(|&(j, &v)| differs(j, v)).count();
        if stored * ENTRY >= values.len() * NUMBER || u32::try_from(values.len()).is_err() {
            return Part::Dense(values);
        }
        let (mut indices, mut kept) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        for (j, &v) in values.iter().enumerate().filter(|&(j, &v)| differs(j, v)) {
            indices.push(j as u32);
            kept.push(v);
        }
        Part::Sparse { length: values.len(), indices, values: kept }
    }

    /// The numbers that are not zero, each made when it is needed: where few are not, nothing dense is allocated.
    pub(super) fn made(length: usize, number: impl Fn(usize) -> f64) -> Part {
        let stored = (0..length).filter(|&j| number(j) != 0.0).count();
        if stored * ENTRY >= length * NUMBER || u32::try_from(length).is_err() {
            return Part::Dense((0..length).map(number).collect());
        }
        let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        for (j, v) in (0..length).map(|j| (j, number(j))).filter(|&(_, v)| v != 0.0) {
            indices.push(j as u32);
            values.push(v);
        }
        Part::Sparse { length, indices, values }
    }

    /// The numbers that are not zero.
    pub(super) fn of_sum(values: Vec<f64>) -> Part {
        Part::new(values, |_, v| v != 0.0)
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Part::Dense(values) => values.len(),
            Part::Sparse { length, .. } => *length,
        }
    }

    /// Calls `each` with all stored entries, in order.
    pub(super) fn each(&self, mut each: impl FnMut(usize, f64)) {
        match self {
            Part::Dense(values) => values.iter().enumerate().for_each(|(j, &v)| each(j, v)),
            Part::Sparse { indices, values, .. } => {
                indices.iter().zip(values).for_each(|(&j, &v)| each(j as usize, v));
            }
        }
    }

    /// All numbers, where those that are not stored are `base`.
    pub(super) fn into_dense(self, base: f64) -> Result<Vec<f64>> {
        match self {
            Part::Dense(values) => Ok(values),
            Part::Sparse { length, .. } => {
                let mut all = limits::filled(base, length, || format!("an array of {length} numbers").into())?;
                self.each(|j, v| all[j] = v);
                Ok(all)
            }
        }
    }

    /// The part of these arrays; `length`: there are indices, of an array of this length.
    pub(super) fn read(values: &[f64], sparse: Option<(u64, &[u32])>) -> Result<Part> {
        let Some((length, indices)) = sparse else { return Ok(Part::Dense(values.to_vec())) };
        let within = indices.last().is_none_or(|&last| u64::from(last) < length);
        let length = usize::try_from(length).ok().filter(|&n| u32::try_from(n).is_ok());
        match length {
            Some(length) if within && indices.len() == values.len() && indices.is_sorted_by(|a, b| a < b) => {
                Ok(Part::Sparse { length, indices: indices.to_vec(), values: values.to_vec() })
            }
            _ => Err(Error::bad_model("the entries of a sparse array contradict each other")),
        }
    }

    /// Its arrays: values, and indices if it is sparse.
    pub(super) fn arrays(&self) -> (Array, Option<Array>) {
        match self {
            Part::Dense(values) => (Array::F64(values.clone()), None),
            Part::Sparse { indices, values, .. } => (Array::F64(values.clone()), Some(Array::U32(indices.clone()))),
        }
    }
}
