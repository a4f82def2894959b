//! The decision: floating point proposes, integers decide, fractions bound the margin.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use dashu_int::IBig;
use dashu_ratio::RBig;
use serde::Serialize;

use crate::certify::exact::{
    Bound, ExactRows, Filter, MappedRows, Memory, Monomials, Outcome, contradict, lower, rounded, stages, upper, whole,
};
use crate::certify::float::{Problem, Proposal, propose};
use crate::error::{Error, Result};
use crate::limits::Deadline;
use crate::named::named;
use crate::rows::{AnyRows, Examples, Row, Rows, each_kind};

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
    /// The time was up.
    Undecided,
}

named!(Verdict: Separable = "separable", WeaklySeparable = "weakly-separable", Inseparable = "inseparable", Undecided = "undecided");

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
    /// If separable or weakly separable.
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
    check(question, options)?;
    if options.degree == 1 {
        return Decider::new(question.rows, &*question.exact, question, Vec::new(), options).decide();
    }
    let map = Monomials::new(question.rows.features(), options.degree)?;
    let (matrix, wild) = map.floats(question.rows)?;
    let exact = MappedRows { map: &map, of: &*question.exact };
    Decider::new(matrix.rows()?, &exact, question, wild, options).decide()
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
    Ok(())
}

struct Decider<'a> {
    rows: AnyRows<'a>,
    signs: &'a [i8],
    filter: Filter<'a>,
    options: &'a Options,
}

/// A hyperplane that was found to separate: integers, the bias last; and min a·w.
struct Separating {
    w: Vec<IBig>,
    least: RBig,
    lower: RBig,
}

type Weights = Vec<(usize, RBig)>;

/// The smaller of two upper bounds, if there are any.
fn lesser(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl<'a> Decider<'a> {
    fn new(
        rows: AnyRows<'a>,
        exact: &'a dyn ExactRows,
        question: &'a Question<'_>,
        wild: Vec<bool>,
        options: &'a Options,
    ) -> Self {
        let filter = Filter::new(rows, exact, &question.signs, (options.bias, options.degree), wild);
        Decider { rows, signs: &question.signs, filter, options }
    }

    fn decide(&self) -> Result<Decision> {
        let problem = Problem { rows: self.rows, signs: self.signs, bias: self.options.bias };
        let proposal = propose(problem, self.options.gap / 4.0, &self.options.deadline);
        let (mut pool, mut candidates) = (Vec::new(), Vec::new());
        let mut bound = self.plain_bound()?;
        match proposal {
            Proposal::Separable { weights, bias, support, .. } => {
                bound = lesser(bound, self.bound_of(&support)?);
                pool.extend(support.iter().map(|s| s.0));
                let (found, nearly) = self.round(&weights, bias, bound.as_ref())?;
                if let Some(found) = found {
                    return self.separable(found, bound);
                }
                pool.extend(nearly);
            }
            Proposal::Inseparable { support } => candidates.extend(support.iter().map(|s| s.0)),
            Proposal::Unclear { pool: matter, support, .. } => {
                bound = lesser(bound, self.bound_of(&support)?);
                pool.extend(matter);
            }
        }
        pool.extend(&candidates);
        match stages::decide(&self.filter, &pool, &candidates, &self.options.deadline)? {
            Outcome::Late => Ok(self.undecided(bound)),
            Outcome::Inseparable(p) => self.refuted(Verdict::Inseparable, None, p),
            Outcome::Weakly(w, p) => self.refuted(Verdict::WeaklySeparable, Some(w), p),
            Outcome::Separable(w, p) => {
                bound = lesser(bound, upper(&self.filter, &whole(&p))?);
                let least = self.filter.least(&w)?;
                let lower = lower(&self.filter, &w, &least);
                self.separable(Separating { w, least, lower }, bound)
            }
        }
    }

    /// The upper bound of one example from each side, or of one alone without a bias.
    fn plain_bound(&self) -> Result<Option<Bound>> {
        let first = |sign: i8| self.signs.iter().position(|s| *s == sign).map(|i| (i, IBig::ONE));
        let pair: Vec<_> = [1, -1].into_iter().filter_map(first).collect();
        upper(&self.filter, &pair[..if self.options.bias { 2 } else { 1 }])
    }

    /// The upper bound of float weights: rounded to few bits if that costs little.
    fn bound_of(&self, support: &[(usize, f64)]) -> Result<Option<Bound>> {
        let sound: Vec<(usize, f64)> = support.iter().filter(|s| s.1 > 0.0 && self.signs[s.0] != 0).copied().collect();
        let values: Vec<f64> = sound.iter().map(|s| s.1).collect();
        let at = |bits: i32| -> Result<Option<Bound>> {
            let Some(whole) = rounded(&values, None, bits) else { return Ok(None) };
            upper(&self.filter, &sound.iter().map(|s| s.0).zip(whole).collect::<Vec<_>>())
        };
        let Some(fine) = at(60)? else { return Ok(None) };
        let slack = RBig::try_from(1.0 + self.options.gap / 8.0).unwrap_or(RBig::ONE);
        for bits in [12, 20, 30, 40] {
            if let Some(coarse) = at(bits)?.filter(|coarse| coarse.0 <= &fine.0 * &slack) {
                return Ok(Some(coarse));
            }
        }
        Ok(Some(fine))
    }

    /// Rounds weights to the fewest bits with which they separate and come close to the bound. If none separates, returns
    /// some violated rows.
    fn round(&self, weights: &[f64], bias: f64, bound: Option<&Bound>) -> Result<(Option<Separating>, Vec<usize>)> {
        let slack = RBig::try_from(1.0 - self.options.gap).unwrap_or(RBig::ZERO);
        let bias = self.options.bias.then_some(bias);
        let mut best: Option<Separating> = None;
        let mut last = None;
        for bits in [8, 16, 24, 32, 42, 52, 80] {
            let Some(w) = rounded(weights, bias, bits) else { continue };
            let least = self.filter.least(&w)?;
            if least > RBig::ZERO {
                let lower = lower(&self.filter, &w, &least);
                let close = bound.is_some_and(|(upper, _)| lower >= upper * &slack);
                if best.as_ref().is_none_or(|b| lower > b.lower) {
                    best = Some(Separating { w, least, lower });
                }
                if close {
                    break;
                }
            } else {
                last = Some(w);
            }
        }
        let wrong = match (&best, last) {
            (None, Some(w)) => self.filter.violations(&w, &[])?,
            _ => Vec::new(),
        };
        let most = 2 * self.filter.coordinates() + 8;
        Ok((best, wrong.into_iter().take(most).map(|v| v.0).collect()))
    }

    fn blank(&self, verdict: Verdict) -> Decision {
        Decision {
            verdict,
            examples: self.filter.members().count(),
            features: self.rows.features(),
            radius: self.filter.radius(),
            bound: None,
            margin: None,
            hyperplane: None,
            support: Vec::new(),
            contradiction: None,
            bias: self.options.bias,
            degree: self.options.degree,
        }
    }

    fn margin(&self, lower: RBig, upper: RBig) -> Option<Margin> {
        let kind = if self.options.bias { MarginKind::Hull } else { MarginKind::Origin };
        Some(Margin { kind, lower, upper })
    }

    fn hyperplane(&self, w: Vec<IBig>) -> Hyperplane {
        let mut weights: Vec<RBig> = w.into_iter().map(RBig::from).collect();
        let bias = if self.options.bias { weights.pop() } else { None };
        Hyperplane { weights, bias: bias.unwrap_or_default() }
    }

    fn separable(&self, found: Separating, bound: Option<Bound>) -> Result<Decision> {
        let Separating { w, least, lower } = found;
        // In the space with the bias as a coordinate: (R‖w‖ / min a·w)².
        let square = w.iter().fold(IBig::ZERO, |sum, v| sum + v * v);
        let ratio = (RBig::from(square) / (&least * &least)).to_f64().value();
        let mut decision = self.blank(Verdict::Separable);
        decision.bound = Some(ratio * decision.radius * decision.radius * (1.0 + 1e-12));
        if let Some((upper, support)) = bound {
            decision.margin = self.margin(lower, upper);
            decision.support = support;
        }
        decision.hyperplane = Some(self.hyperplane(crate::certify::exact::primitive(w)));
        Ok(decision)
    }

    fn refuted(&self, verdict: Verdict, w: Option<Vec<IBig>>, support: Weights) -> Result<Decision> {
        let mut decision = self.blank(verdict);
        decision.hyperplane = w.map(|w| self.hyperplane(w));
        decision.contradiction = match &support[..] {
            [(a, _), (b, _)] if contradict(&self.filter, *a, *b)? => Some((*a, *b)),
            _ => self.find_contradiction()?,
        };
        decision.support = support;
        Ok(decision)
    }

    fn undecided(&self, bound: Option<Bound>) -> Decision {
        let mut decision = self.blank(Verdict::Undecided);
        if let Some((upper, support)) = bound {
            decision.margin = self.margin(RBig::ZERO, upper);
            decision.support = support;
        }
        decision
    }

    /// The first two examples with the same features and different labels.
    fn find_contradiction(&self) -> Result<Option<(usize, usize)>> {
        let mut met: HashMap<u64, [Option<usize>; 2]> = HashMap::new();
        for i in self.filter.members() {
            let mut hasher = DefaultHasher::new();
            each_kind!(self.rows, rows => rows.row(i).each(|j, v| if v != 0.0 { (j, v.to_bits()).hash(&mut hasher) }));
            let side = usize::from(self.signs[i] > 0);
            let seen = met.entry(hasher.finish()).or_default();
            if let Some(other) = seen[1 - side]
                && contradict(&self.filter, other, i)?
            {
                return Ok(Some((other, i)));
            }
            seen[side].get_or_insert(i);
        }
        Ok(None)
    }
}
