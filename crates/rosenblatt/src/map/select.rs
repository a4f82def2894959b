//! Rare features are left out: those that fewer than so many training rows have.
//!
//! A word of a single document identifies that document, and says nothing about others. Columns of numbers always stay.

use serde::{Deserialize, Serialize};

use super::Step;
use super::entries::Entries;
use super::kind::Kind;
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::limits;
use crate::message::Setting;
use crate::rows::{AnyRows, Row, Rows};

/// The features that stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// Their numbers, in order.
    #[serde(skip)]
    kept: Vec<u32>,
    /// The new place of each feature; `None`: dropped.
    #[serde(skip)]
    place: Vec<Option<u32>>,
}

impl Select {
    /// Counts in how many rows each feature is not zero. `None`: all stay.
    pub fn fit(least: u32, rows: AnyRows<'_>, kinds: &[Kind]) -> Result<Option<Select>> {
        let mut counts = vec![0u32; rows.features()];
        for i in 0..rows.len() {
            rows.row(i).each(|j, v| counts[j] += u32::from(v != 0.0));
        }
        let stays = |j: &usize| kinds[*j] == Kind::Number || counts[*j] >= least;
        let kept: Vec<u32> = (0..counts.len()).filter(stays).map(|j| j as u32).collect();
        if kept.is_empty() {
            return Err(Error::setting(Setting::MinCount, least, "no feature is in so many rows"));
        }
        Ok((kept.len() < counts.len()).then(|| Select::new(kept, counts.len())))
    }

    /// Keeps these features of `inputs`.
    pub(super) fn new(kept: Vec<u32>, inputs: usize) -> Select {
        let mut place = vec![None; inputs];
        (0..).zip(&kept).for_each(|(to, &from)| place[from as usize] = Some(to));
        Select { kept, place }
    }

    /// The features that stay, in order.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }
}

impl Step for Select {
    fn outputs(&self, _: usize) -> usize {
        self.kept.len()
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        spare.clear();
        for (&j, &v) in row.indices.iter().zip(&row.values) {
            if let Some(to) = self.place[j as usize] {
                spare.push(to, v);
            }
        }
        std::mem::swap(row, spare);
    }

    fn kinds(&self, inputs: Vec<Kind>) -> Vec<Kind> {
        self.kept.iter().map(|&j| inputs[j as usize]).collect()
    }

    fn names(&self, mut inputs: Vec<String>) -> Vec<String> {
        self.kept.iter().map(|&j| std::mem::take(&mut inputs[j as usize])).collect()
    }

    fn describe(&self) -> String {
        format!("{} of {} features kept, the rest are rare", self.kept.len(), self.place.len())
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("kept", Array::U32(self.kept.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let kept = arrays.u32s("kept")?;
        let fits = kept.is_sorted_by(|a, b| a < b) && kept.last().is_some_and(|&j| (j as usize) < inputs);
        if !fits || kept.len() == inputs {
            return Err(Error::bad_model("a selection of features that does not fit them"));
        }
        limits::with_capacity::<Option<u32>>(inputs, || format!("the places of {inputs} features").into())?;
        *self = Select::new(kept.to_vec(), inputs);
        Ok(())
    }
}
