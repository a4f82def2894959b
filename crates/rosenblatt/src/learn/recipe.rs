//! The user's choice of a learner and its settings, as data: stored in models and checkpoints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bias::Bias;
use super::custom_rule::custom_name;
use super::params::Params;
use super::weights::Weights;
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::learners::{Blueprint, Entry, Multiclass};
use crate::learn::machine::Tie;
use crate::learn::{kernel, learners as learner};
use crate::limits;
use crate::message::{Message, Setting};

/// A learner and its settings; everything has a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// The learner's name in the registry, or `custom:` and the name of a rule that is not in it.
    pub learner: String,
    /// Its own parameters, as text.
    #[serde(deserialize_with = "super::unique::map")]
    pub params: BTreeMap<String, String>,
    /// What is kept of the path; `None`: the learner's default.
    pub keep: Option<KeepKind>,
    /// How more than two classes are told apart.
    pub multiclass: Multiclass,
    /// What a score of zero means while learning.
    pub tie: Tie,
    /// The bias, if one is learned.
    pub bias: Bias,
    /// The space in which it moves; `None`: that of the features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<kernel::Choice>,
}

/// Copies of the weights that a learner holds: the weights, and what is kept of their path or stands beside them.
const LEARNER_COPIES: u128 = 2;
/// Copies of the weights that are in memory at a time: the learner's, as many in a checkpoint, the model's, and the bytes of
/// a file.
const COPIES: u128 = 2 * LEARNER_COPIES + 2;

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            learner: learner::all().next().expect("the registry is not empty").name.to_string(),
            params: BTreeMap::new(),
            keep: None,
            multiclass: Multiclass::default(),
            tie: Tie::default(),
            bias: Bias::ONE,
            kernel: None,
        }
    }
}

impl Recipe {
    /// The registry's entry.
    pub fn entry(&self) -> Result<&'static Entry> {
        learner::find(&self.learner)
    }

    /// Whether the rule is not in the registry: it keeps in every way, has a kernel form, and checks no parameters.
    pub fn is_custom(&self) -> bool {
        custom_name(&self.learner).is_some()
    }

    /// Whether the learner can keep in every way.
    pub fn any_keep(&self) -> Result<bool> {
        Ok(self.is_custom() || self.entry()?.other_keeps)
    }

    /// The way to keep, checked against what the learner can do.
    pub fn keep(&self) -> Result<KeepKind> {
        if self.is_custom() {
            return Ok(self.keep.unwrap_or(KeepKind::Last));
        }
        let entry = self.entry()?;
        match self.keep {
            Some(keep) if keep != entry.keep && !entry.other_keeps => {
                let why = format!("{} always keeps {}: ", entry.name, entry.keep.name());
                Err(Error::settings(Message::new(why).leave_out_given(Setting::Keep, keep.name())))
            }
            Some(keep) => Ok(keep),
            None => Ok(entry.keep),
        }
    }

    /// The kernel, checked against what the learner can do with one.
    pub fn kernel(&self) -> Result<Option<&kernel::Choice>> {
        if let Some(choice) = &self.kernel {
            choice.check(&self.learner, self.any_keep()?, self.keep()?)?;
            if self.bias != Bias::NONE && self.bias != Bias::ONE {
                let beta = self.bias.beta();
                let why = Message::new("a kernel has a bias of 1 or none: ");
                return Err(Error::settings(why.leave_out_given(Setting::Bias, beta)));
            }
        }
        Ok(self.kernel.as_ref())
    }

    /// The learner's parameters, all of them, checked; those of a custom rule as they are.
    pub fn params(&self) -> Result<Params> {
        if self.is_custom() {
            return Ok(Params::unchecked(&self.params));
        }
        let entry = self.entry()?;
        Params::resolve(entry.name, entry.params, &self.params)
    }

    /// An error if the weights of this shape do not fit in memory, with all the copies that are made of them until a model
    /// is written. `held`: so many features have weights already.
    pub(crate) fn room_for_weights(&self, features: usize, classes: usize, held: usize) -> Result<()> {
        // A kernel machine holds rows.
        if self.kernel.is_some() {
            return Ok(());
        }
        let outputs = if classes == 2 { 1 } else { classes };
        let weights = features as u128 * outputs as u128;
        let what = || format!("the weights of {classes} classes × {features} features, {COPIES} copies of them").into();
        limits::room_for::<f64>(COPIES * weights - LEARNER_COPIES * held as u128 * outputs as u128, what)?;
        // The system may refuse what the limits allow.
        let learner = usize::try_from(LEARNER_COPIES * weights).unwrap_or(usize::MAX);
        limits::with_capacity::<f64>(learner, what).map(drop)
    }

    /// The plan for data of this shape, beginning at `start` or at zero.
    ///
    /// The recipe alone decides whether a bias is learned: a start vector without one starts at a bias of zero.
    pub fn blueprint(&self, features: usize, classes: usize, start: Option<Weights>) -> Result<Blueprint> {
        if !self.bias.is_learned() && start.as_ref().is_some_and(|s| s.bias().iter().any(|b| *b != 0.0)) {
            return Err(Error::settings("the start vector has a bias: none is learned here"));
        }
        let start = start.map(|s| Weights::from_parts(s.values().to_vec(), s.bias().to_vec(), self.bias));
        self.room_for_weights(features, classes, 0)?;
        let blueprint = Blueprint {
            features,
            classes,
            bias: self.bias,
            tie: self.tie,
            multiclass: self.multiclass,
            keep: self.keep()?,
            start,
            params: self.params()?,
            kernel: self.kernel()?.cloned(),
        };
        if blueprint.kernel.is_some() && blueprint.start.is_some() {
            return Err(Error::settings("a kernel machine begins at zero: leave out the start vector"));
        }
        if let Some(start) = &blueprint.start
            && (start.features(), start.outputs()) != (features, blueprint.outputs())
        {
            return Err(Error::settings(format!(
                "the start vector has {} features for {} outputs: the data have {features} for {}",
                start.features(),
                start.outputs(),
                blueprint.outputs()
            )));
        }
        Ok(blueprint)
    }
}
