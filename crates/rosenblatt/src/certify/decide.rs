//! Questions and decisions.

use dashu_ratio::RBig;
use serde::Serialize;

use super::decider::{Decider, in_time, is_late};
use super::wide::{self, Narrow, WIDE};
use crate::certify::exact::{ExactRows, MappedRows, Memory, Monomials};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Deadline};
use crate::named::named;
use crate::rows::{AnyRows, Examples};

/// Labelled examples, as floats and exactly.
pub struct Question<'a> {
    /// The features; each is the float nearest to the exact value.
    pub rows: AnyRows<'a>,
    /// The same features, exactly.
    pub exact: Box<dyn ExactRows + 'a>,
    /// +1, −1, or 0 for an example that is left out.
    pub signs: Vec<i8>,
}

/// The signs of the examples, as `side` maps their classes.
pub fn signs(classes: &[u32], side: impl Fn(u32) -> i8) -> Vec<i8> {
    classes.iter().map(|&c| side(c)).collect()
}

impl<'a> Question<'a> {
    /// Examples of two classes in memory; a float counts as the exact dyadic rational.
    pub fn from_memory(examples: Examples<'a>) -> Result<Self> {
        let signs = signs(examples.classes, |c| if c == 1 { 1 } else { -1 });
        Ok(Question { rows: examples.rows, exact: Box::new(Memory(examples.rows)), signs })
    }
}

/// How to decide.
#[derive(Debug, Clone)]
pub struct Options {
    /// The largest relative distance of the bounds of the margin: (upper − lower) / upper.
    pub gap: f64,
    /// When to give up.
    pub deadline: Deadline,
    /// Whether there is a bias.
    pub bias: bool,
    /// Monomials up to this degree are the features.
    pub degree: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { gap: 1e-6, deadline: Deadline::NEVER, bias: true, degree: 1 }
    }
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A hyperplane has every example strictly on its side.
    Separable,
    /// No hyperplane does, but one has no example on the wrong side and at least one strictly on its side.
    WeaklySeparable,
    /// No hyperplane does even that.
    Inseparable,
    /// No hyperplane has every example strictly on its side; whether one has none on the wrong side was not decided within
    /// the limits.
    NotSeparable,
    /// The time was up.
    Undecided,
}

named!(Verdict: Separable = "separable", WeaklySeparable = "weakly-separable", Inseparable = "inseparable", NotSeparable = "not-separable", Undecided = "undecided");

impl Verdict {
    /// Whether it is proved that no hyperplane has every example strictly on its side.
    pub fn is_refuted(self) -> bool {
        matches!(self, Verdict::WeaklySeparable | Verdict::Inseparable | Verdict::NotSeparable)
    }
}

/// The kind of margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarginKind {
    /// The distance of the closest example to the hyperplane, which may lie anywhere: half the distance of the hulls.
    Hull,
    /// The same for hyperplanes through the origin.
    Origin,
}

/// Bounds of the best margin that any hyperplane has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margin {
    /// Which margin.
    pub kind: MarginKind,
    /// The hyperplane found has at least this margin.
    #[doc(hidden)]
    pub lower: RBig,
    /// No hyperplane has a larger margin.
    #[doc(hidden)]
    pub upper: RBig,
}

impl Margin {
    /// The bounds as floats, rounded outwards: the lower one down, the upper one up.
    pub fn floats(&self) -> (f64, f64) {
        let as_float = |q: &RBig| q.to_f64().value();
        let exact = |v: f64| RBig::try_from(v).ok();
        let (low, high) = (as_float(&self.lower), as_float(&self.upper));
        let low = if exact(low).is_some_and(|v| v <= self.lower) { low } else { low.next_down() };
        let high = if exact(high).is_some_and(|v| v >= self.upper) { high } else { high.next_up() };
        (low, high)
    }
}

/// w·x + b.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hyperplane {
    /// One weight for each feature.
    #[doc(hidden)]
    pub weights: Vec<RBig>,
    /// The bias; 0 where there is none.
    #[doc(hidden)]
    pub bias: RBig,
}

/// A verdict with its proof.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// How many examples took part.
    pub examples: usize,
    /// How many features there are, the monomials counted.
    pub features: usize,
    /// R: no example is longer, the bias's coordinate counted.
    pub radius: f64,
    /// At most this many mistakes of the perceptron, by its theorem, if the data are separable.
    pub bound: Option<f64>,
    /// If separable, or undecided.
    pub margin: Option<Margin>,
    /// If separable or weakly separable, unless the limits have no room for its weights.
    pub hyperplane: Option<Hyperplane>,
    /// Weights of examples (from 0): those that bound the margin, or those that cancel.
    #[doc(hidden)]
    pub support: Vec<(usize, RBig)>,
    /// Two examples (from 0) with the same features and different labels, if there are any: the simplest reason.
    pub contradiction: Option<(usize, usize)>,
    /// Whether there was a bias.
    pub bias: bool,
    /// The degree of the features.
    pub degree: u32,
}

impl Decision {
    /// The examples (from 0) that bound the margin, or that cancel, each with its weight as a fraction: `3/4`.
    pub fn support(&self) -> impl Iterator<Item = (usize, String)> {
        self.support.iter().map(|(example, weight)| (*example, weight.to_string()))
    }
}

/// Decides whether the examples are linearly separable.
pub fn decide(question: &Question<'_>, options: &Options) -> Result<Decision> {
    decide_telling(question, options, &mut |_| Ok(()))
}

/// The same. `tell` is called with the verdict [`Verdict::NotSeparable`] as soon as it is proved: whether the examples are weakly
/// separable may take much longer. An error that it returns ends the work.
pub fn decide_telling(
    question: &Question<'_>,
    options: &Options,
    tell: &mut dyn FnMut(&Decision) -> Result<()>,
) -> Result<Decision> {
    check(question, options)?;
    if options.degree == 1 {
        let members: Vec<usize> = (0..question.signs.len()).filter(|&i| question.signs[i] != 0).collect();
        if question.rows.features() > WIDE && question.rows.is_sparse() {
            let columns = wide::used(question.rows, &members)?;
            if 2 * columns.len() < question.rows.features() {
                return decide_narrow(question, &Narrow::new(question.rows, members, columns)?, options, tell);
            }
        }
        return Decider::new(question.rows, &*question.exact, &question.signs, Vec::new(), options).decide(tell);
    }
    let map = Monomials::new(question.rows.features(), options.degree)?;
    let (matrix, wild) = match in_time(options, || map.floats(question.rows)) {
        Err(error) if is_late(&error) => {
            let examples = question.signs.iter().filter(|s| **s != 0).count();
            return Ok(unmeasured(examples, map.count(), options));
        }
        mapped => mapped?,
    };
    let exact = MappedRows { map: &map, of: &*question.exact };
    Decider::new(matrix.rows()?, &exact, &question.signs, wild, options).decide(tell)
}

/// Decides about the columns that have values, and puts the others back.
fn decide_narrow(
    question: &Question<'_>,
    narrow: &Narrow,
    options: &Options,
    tell: &mut dyn FnMut(&Decision) -> Result<()>,
) -> Result<Decision> {
    let features = question.rows.features();
    let widened = |mut decision: Decision| -> Result<Decision> {
        decision.features = features;
        decision.support = narrow.weights(decision.support);
        decision.contradiction = decision.contradiction.map(|(a, b)| (narrow.rows[a], narrow.rows[b]));
        if let Some(Hyperplane { weights, bias }) = decision.hyperplane.take() {
            match in_time(options, || narrow.widen(weights, RBig::ZERO, features, false)) {
                Ok(weights) => decision.hyperplane = Some(Hyperplane { weights, bias }),
                // Millions of zeros that no limit allows are no reason to forget what is proved.
                Err(error) if is_late(&error) || error.kind() == ErrorKind::Memory => {}
                Err(error) => return Err(error),
            }
        }
        Ok(decision)
    };
    let (exact, signs) = (narrow.exact(&*question.exact), narrow.signs(&question.signs));
    let mut open = None;
    let decision =
        Decider::new(narrow.matrix.rows()?, &exact, &signs, Vec::new(), options).decide(&mut |decision| {
            let decision = widened(decision.clone())?;
            tell(&decision)?;
            open = Some(decision);
            Ok(())
        })?;
    let decision = widened(decision)?;
    Ok(match open {
        // The hyperplane does not fit: what was proved without it stays proved.
        Some(open) if decision.verdict == Verdict::WeaklySeparable && decision.hyperplane.is_none() => open,
        _ => decision,
    })
}

/// Undecided, with nothing known.
pub(super) fn unmeasured(examples: usize, features: usize, options: &Options) -> Decision {
    Decision {
        verdict: Verdict::Undecided,
        examples,
        features,
        radius: f64::INFINITY,
        bound: None,
        margin: None,
        hyperplane: None,
        support: Vec::new(),
        contradiction: None,
        bias: options.bias,
        degree: options.degree,
    }
}

fn check(question: &Question<'_>, options: &Options) -> Result<()> {
    if options.degree == 0 {
        return Err(Error::settings("degree 0: expected 1 or more"));
    }
    if !(options.gap > 0.0 && options.gap < 1.0) {
        return Err(Error::settings(format!("gap {}: expected a number between 0 and 1, both excluded", options.gap)));
    }
    if question.rows.len() != question.signs.len() {
        return Err(Error::bad_data(format!("{} rows beside {} signs", question.rows.len(), question.signs.len())));
    }
    for (sign, name) in [(1, "positive"), (-1, "negative")] {
        if !question.signs.contains(&sign) {
            return Err(Error::bad_data(format!("no {name} example: with one class there is nothing to separate")));
        }
    }
    // Numbers of members, scores, norms and weights, all for each example.
    let count = question.rows.len();
    limits::room_for::<[u64; 6]>(count as u128, || format!("the scores of {count} examples").into())
}
