//! Learning, one example at a time.
//!
//! A [`Rule`] says how far to move, a [`Keep`](keep::Keep) what to remember of the path, a
//! [`Machine`](machine::Machine) what a mistake is and which weights it moves. [`learners`] is the registry.

mod add_classes;
mod any_data;
mod bias;
mod custom_rule;
mod geometry;
mod hypothesis;
pub mod keep;
pub mod kernel;
mod learner;
pub mod learners;
pub mod machine;
#[doc(hidden)]
pub mod naive;
mod online;
mod param_value;
mod params;
mod products;
mod progress;
mod rate;
mod recipe;
mod rule;
mod scoring;
mod scratch;
mod state;
mod unique;
mod updates;
mod voted;
mod weights;

pub use add_classes::{AddedClasses, Outputs, Route};
pub use any_data::{AnyDataBound, any_data_bound};
pub use bias::Bias;
pub use custom_rule::{CUSTOM, CustomRule, custom_name};
pub use geometry::Geometry;
pub use hypothesis::{Hypothesis, count_wrong, decide, margin};
pub use learner::{AnyLearner, Learner, PassEnd, Step, Tally, View};
pub(crate) use learner::{LearnsFrom, Presentable, run};
pub use online::build;
pub use param_value::ParamValue;
pub use params::{Domain, Param, Params};
pub use progress::{OrderKind, Progress, Stop};
pub use rate::{RATE, Rate, SCHEDULE};
pub use recipe::Recipe;
pub use rule::{AnyRule, Rule};
pub(crate) use scoring::rows_in_block;
pub use scoring::{Measurement, Measurer};
pub use scratch::Scratch;
pub use state::{Array, MOST, State};
pub(crate) use unique::map;
pub(crate) use updates::UPDATE_NAMES;
pub use updates::{Update, Updates};
pub use voted::Voted;
pub use weights::Weights;
