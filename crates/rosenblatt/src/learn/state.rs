//! Named arrays: a learner's part of a checkpoint, and the numbers of a model file.

use std::collections::BTreeMap;

use super::weights::Weights;
use crate::error::{Error, Result};

/// The greatest count: up to here every whole number is exact as a floating-point number, which averages need.
pub const MOST: u64 = 1 << 53;

/// One array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Floating-point numbers.
    F64(Vec<f64>),
    /// Counts and times.
    U64(Vec<u64>),
    /// Indices.
    U32(Vec<u32>),
    /// Bytes of text.
    U8(Vec<u8>),
}

/// Arrays by name. Each part writes under its own prefix, so names cannot collide.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    prefix: String,
    arrays: BTreeMap<String, Array>,
}

impl State {
    /// All arrays with their full names, in order of name.
    pub fn arrays(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.arrays.iter().map(|(name, array)| (name.as_str(), array))
    }

    /// All arrays with their full names, in order of name.
    pub(crate) fn into_arrays(self) -> impl Iterator<Item = (String, Array)> {
        self.arrays.into_iter()
    }

    /// Bytes of all arrays, each filled up to a multiple of 8.
    pub(crate) fn bytes(&self) -> usize {
        let size = |array: &Array| match array {
            Array::F64(v) => 8 * v.len(),
            Array::U64(v) => 8 * v.len(),
            Array::U32(v) => 4 * v.len(),
            Array::U8(v) => v.len(),
        };
        self.arrays.values().map(|array| size(array).next_multiple_of(8)).sum()
    }

    /// The same arrays with every −0 written as 0, so that equal numbers are equal bytes.
    pub(crate) fn canonical(mut self) -> Self {
        for array in self.arrays.values_mut() {
            if let Array::F64(values) = array {
                values.iter_mut().for_each(|v| *v += 0.0);
            }
        }
        self
    }

    /// Stores an array under its full name.
    pub fn insert(&mut self, name: impl Into<String>, array: Array) {
        self.arrays.insert(name.into(), array);
    }

    /// Runs `f` with every name below `prefix`.
    pub fn within<T>(&mut self, prefix: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.prefix.clone();
        self.prefix = format!("{outer}{prefix}.");
        let result = f(self);
        self.prefix = outer;
        result
    }

    /// A view of the names below `prefix`, for reading.
    pub fn below(&self, prefix: &str) -> State {
        let start = format!("{prefix}.");
        let from = self.arrays.range::<String, _>(&start..);
        let inner = |(name, array): (&String, &Array)| Some((name.strip_prefix(&start)?.to_string(), array.clone()));
        State { prefix: String::new(), arrays: from.map_while(inner).collect() }
    }

    /// Stores an array.
    pub fn put(&mut self, name: &str, array: Array) {
        self.arrays.insert(format!("{}{name}", self.prefix), array);
    }

    /// Stores one count.
    pub fn put_count(&mut self, name: &str, count: u64) {
        self.put(name, Array::U64(vec![count]));
    }

    /// Stores weights: `name` and `name.bias`.
    pub fn put_weights(&mut self, name: &str, weights: &Weights) {
        self.put(name, Array::F64(weights.values().to_vec()));
        self.put(&format!("{name}.bias"), Array::F64(weights.bias().to_vec()));
    }

    /// An array of floating-point numbers.
    pub fn f64s(&self, name: &str) -> Result<&[f64]> {
        match self.arrays.get(name) {
            Some(Array::F64(v)) => Ok(v),
            _ => Err(missing(name, "floating-point numbers")),
        }
    }

    /// An array of counts.
    pub fn u64s(&self, name: &str) -> Result<&[u64]> {
        match self.arrays.get(name) {
            Some(Array::U64(v)) => Ok(v),
            _ => Err(missing(name, "counts")),
        }
    }

    /// An array of indices.
    pub fn u32s(&self, name: &str) -> Result<&[u32]> {
        match self.arrays.get(name) {
            Some(Array::U32(v)) => Ok(v),
            _ => Err(missing(name, "indices")),
        }
    }

    /// An array of bytes.
    pub fn u8s(&self, name: &str) -> Result<&[u8]> {
        match self.arrays.get(name) {
            Some(Array::U8(v)) => Ok(v),
            _ => Err(missing(name, "bytes")),
        }
    }

    /// Yes or no, stored as a count of 1 or 0.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.count(name)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Error::bad_model(format!("\"{name}\" is {other}: it must be 0 or 1"))),
        }
    }

    /// One count of at most [`MOST`].
    pub fn count(&self, name: &str) -> Result<u64> {
        match self.u64s(name)? {
            [one] if *one <= MOST => Ok(*one),
            [one] => Err(Error::bad_model(format!("\"{name}\" counts {one}: nothing is counted beyond 2^53"))),
            many => Err(Error::bad_model(format!("\"{name}\" holds {} counts where one belongs", many.len()))),
        }
    }

    /// Weights of the same shape as `like`.
    pub fn weights_like(&self, name: &str, like: &Weights) -> Result<Weights> {
        let values = self.f64s(name)?;
        let bias = self.f64s(&format!("{name}.bias"))?;
        if values.len() != like.values().len() || bias.len() != like.bias().len() {
            return Err(Error::bad_model(format!(
                "\"{name}\" holds {} weights for {} outputs where {} for {} belong",
                values.len(),
                bias.len(),
                like.values().len(),
                like.bias().len()
            )));
        }
        if !values.iter().chain(bias).all(|v| v.is_finite()) {
            return Err(Error::bad_model(format!("\"{name}\" holds a number that is not finite")));
        }
        if !like.biased() && bias.iter().any(|b| *b != 0.0) {
            return Err(Error::bad_model(format!("\"{name}\" holds a bias, where none is learned")));
        }
        Ok(Weights::from_parts(values.to_vec(), bias.to_vec(), like.constant()))
    }
}

fn missing(name: &str, what: &str) -> Error {
    Error::bad_model(format!("no array \"{name}\" of {what}"))
}
