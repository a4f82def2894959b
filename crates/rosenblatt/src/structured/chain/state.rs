//! The weights of a chain in training, as named arrays: what a checkpoint stores.

use super::{Reach, Weights, sizes, width};
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::structured::rows::{Entry, Rows};
use crate::structured::structure::Dense;

/// The arrays of [`Weights::save`].
pub(crate) const ARRAYS: [&str; 12] = [
    "emissions.ends",
    "emissions.tags",
    "emissions.weights",
    "emissions.sums",
    "edges.ends",
    "edges.tags",
    "edges.weights",
    "edges.sums",
    "transitions",
    "transitions.sums",
    "transitions.second",
    "transitions.second.sums",
];

impl Weights {
    /// Stores weights and sums.
    pub(crate) fn save(&self, arrays: &mut State) {
        save_rows(arrays, "emissions", &self.emissions);
        save_rows(arrays, "edges", &self.edges);
        for (name, dense) in [("transitions", &self.first), ("transitions.second", &self.second)] {
            arrays.put(name, Array::F64(self.unpadded(dense.weights())));
            arrays.put(&format!("{name}.sums"), Array::F64(self.unpadded(dense.sums())));
        }
    }

    /// Restores what [`save`](Self::save) stored. Nothing in the arrays is trusted.
    pub(crate) fn restore(tags: usize, reach: Reach, arrays: &State) -> Result<Weights> {
        let pairs = (tags as u64 + 1) * tags as u64;
        let [first, second] = sizes(tags, reach);
        Ok(Weights {
            tags,
            emissions: restore_rows(arrays, "emissions", tags as u64)?,
            edges: restore_rows(arrays, "edges", if reach >= Reach::First { pairs } else { 0 })?,
            first: restore_dense(arrays, "transitions", tags, first)?,
            second: restore_dense(arrays, "transitions.second", tags, second)?,
        })
    }
}

fn save_rows(arrays: &mut State, name: &str, rows: &Rows) {
    let (mut ends, mut tags, mut weights, mut sums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for feature in 0..rows.len() as u32 {
        tags.extend(rows.row(feature).iter().map(|entry| entry.slot));
        weights.extend(rows.row(feature).iter().map(|entry| entry.weight));
        sums.extend_from_slice(rows.sums(feature));
        ends.push(tags.len() as u64);
    }
    arrays.put(&format!("{name}.ends"), Array::U64(ends));
    arrays.put(&format!("{name}.tags"), Array::U32(tags));
    arrays.put(&format!("{name}.weights"), Array::F64(weights));
    arrays.put(&format!("{name}.sums"), Array::F64(sums));
}

fn restore_rows(arrays: &State, name: &str, slots: u64) -> Result<Rows> {
    let (ends, tags) = (arrays.u64s(&format!("{name}.ends"))?, arrays.u32s(&format!("{name}.tags"))?);
    let (weights, sums) = (arrays.f64s(&format!("{name}.weights"))?, arrays.f64s(&format!("{name}.sums"))?);
    if tags.len() != weights.len() || tags.len() != sums.len() {
        let counts = format!("{} tags, {} weights and {} sums", tags.len(), weights.len(), sums.len());
        return refuse(format!("{counts} of \"{name}\""));
    }
    finite(name, weights)?;
    finite(name, sums)?;
    let (mut rows, mut start, mut sorted) = (Rows::default(), 0, Vec::new());
    for (i, &end) in ends.iter().enumerate() {
        let range = usize::try_from(end).ok().filter(|&end| end >= start && end <= tags.len()).map(|end| start..end);
        let Some(range) = range else { return refuse(format!("feature {} of \"{name}\" has no such end", i + 1)) };
        start = range.end;
        sorted.clear();
        sorted.extend_from_slice(&tags[range.clone()]);
        sorted.sort_unstable();
        if !sorted.is_sorted_by(|a, b| a < b) || sorted.last().is_some_and(|&tag| u64::from(tag) >= slots) {
            return refuse(format!("feature {} of \"{name}\": its tags must exist, each once", i + 1));
        }
        let entries = tags[range.clone()].iter().zip(&weights[range.clone()]);
        rows.push_with_sums(entries.map(|(&slot, &weight)| Entry { slot, weight }), &sums[range]);
    }
    if start != tags.len() {
        return refuse(format!("\"{name}\" holds more than its features"));
    }
    Ok(rows)
}

/// `padded`: how many weights there are with padding.
fn restore_dense(arrays: &State, name: &str, tags: usize, padded: usize) -> Result<Dense> {
    let (weights, sums) = (arrays.f64s(name)?, arrays.f64s(&format!("{name}.sums"))?);
    let wanted = padded / width(tags) * tags;
    if weights.len() != wanted || sums.len() != wanted {
        let found = format!("{} weights and {} sums of \"{name}\"", weights.len(), sums.len());
        return refuse(format!("{found}, where there must be {wanted}"));
    }
    finite(name, weights)?;
    finite(name, sums)?;
    Ok(Dense::resumed(super::pad(tags, weights), super::pad(tags, sums)))
}

fn finite(name: &str, values: &[f64]) -> Result<()> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { refuse(format!("\"{name}\" is not finite")) }
}

fn refuse<T>(why: String) -> Result<T> {
    Err(Error::bad_model(why))
}
