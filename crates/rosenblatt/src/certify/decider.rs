//! One question: floating point proposes, integers decide, fractions bound the margin.

use std::cell::OnceCell;
use std::collections::HashMap;

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::decide::{Decision, Hyperplane, Margin, MarginKind, Options, Verdict};
use super::wide::{self, WIDE};
use crate::certify::exact::{
    Bound, ExactRows, Filter, Strict, Support, Weak, contradict, lower, rounded, stages, upper, whole,
};
use crate::certify::float::{self, Problem, Proposal, propose};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Limits};
use crate::rows::AnyRows;

/// Does `work` within the limits of the options, too.
pub(super) fn in_time<T>(options: &Options, work: impl FnOnce() -> T) -> T {
    let own = limits::current();
    limits::within(&Limits { deadline: own.deadline.sooner(&options.deadline), ..own }, work)
}

/// Whether the limits of the options ended the work, and not those of the thread's caller.
pub(super) fn is_late(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Time => true,
        ErrorKind::Interrupted => !limits::is_interrupted(),
        _ => false,
    }
}

/// Decides about rows as they are.
pub(super) struct Decider<'a> {
    rows: AnyRows<'a>,
    signs: &'a [i8],
    filter: Filter<'a>,
    options: &'a Options,
    /// The first two examples that contradict each other, once they have been looked for.
    contradiction: OnceCell<Option<(usize, usize)>>,
}

/// Numbers of a large support.
const LARGE: usize = 1 << 20;

/// A hyperplane that was found to separate: integers, the bias last; and min a·w.
struct Separating {
    w: Vec<IBig>,
    least: RBig,
    lower: RBig,
}

type Weights = Vec<(usize, RBig)>;

/// What is known of strict separability.
enum Stage {
    Separating(Separating),
    Refuted(Support),
    Late,
}

/// The smaller of two upper bounds, if there are any.
fn lesser(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// (‖w‖ / least)².
fn square_over(w: &[IBig], least: &RBig) -> f64 {
    let square = w.iter().fold(IBig::ZERO, |sum, v| sum + v * v);
    (RBig::from(square) / (least * least)).to_f64().value()
}

impl<'a> Decider<'a> {
    pub(super) fn new(
        rows: AnyRows<'a>,
        exact: &'a dyn ExactRows,
        signs: &'a [i8],
        wild: Vec<bool>,
        options: &'a Options,
    ) -> Self {
        let filter = Filter::new(rows, exact, signs, (options.bias, options.degree), wild);
        Decider { rows, signs, filter, options, contradiction: OnceCell::new() }
    }

    fn is_wide(&self) -> bool {
        self.filter.coordinates() > WIDE
    }

    pub(super) fn decide(&self, tell: &mut dyn FnMut(&Decision) -> Result<()>) -> Result<Decision> {
        if self.is_wide() {
            match in_time(self.options, || wide::refute(&self.filter, self.options)) {
                Ok(Some(found)) => return self.refuted_strictly(found, tell),
                Ok(None) => {}
                // There is no core to be found in the time; the search below may still end early.
                Err(error) if is_late(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let (found, bound) = self.strictly()?;
        match found {
            Stage::Separating(found) => self.separable(found, bound),
            Stage::Refuted(found) => self.refuted_strictly(found, tell),
            Stage::Late => Ok(self.undecided(bound)),
        }
    }

    /// Strict separability alone, without a margin; `None` if the time was up.
    pub(super) fn strict(&self) -> Result<Option<Strict>> {
        Ok(match self.strictly()?.0 {
            Stage::Separating(found) => Some(Strict::Separable(found.w, Vec::new())),
            Stage::Refuted(found) => Some(Strict::Refuted(found)),
            Stage::Late => None,
        })
    }

    /// Weak separability, where rows are known that cancel.
    fn refuted_strictly(&self, found: Support, tell: &mut dyn FnMut(&Decision) -> Result<()>) -> Result<Decision> {
        let first = found.weights();
        let open = self.refuted(Verdict::NotSeparable, None, first.clone())?;
        tell(&open)?;
        let weak = in_time(self.options, || match self.is_wide() {
            true => wide::weak(&self.filter, found, self.options),
            false => stages::weak(&self.filter, found, &self.options.deadline),
        });
        match weak {
            Ok(Weak::Separable(w)) => {
                Ok(Decision { verdict: Verdict::WeaklySeparable, hyperplane: Some(self.hyperplane(w)), ..open })
            }
            Ok(Weak::Refuted(p)) if p == first => Ok(Decision { verdict: Verdict::Inseparable, ..open }),
            Ok(Weak::Refuted(p)) => self.refuted(Verdict::Inseparable, None, p),
            Ok(Weak::Late) => Ok(open),
            Err(error) if is_late(&error) || error.kind() == ErrorKind::Memory => Ok(open),
            Err(error) => Err(error),
        }
    }

    /// A hyperplane or rows that cancel, and the best upper bound of the margin.
    fn strictly(&self) -> Result<(Stage, Option<Bound>)> {
        let problem = Problem { rows: self.rows, signs: self.signs, bias: self.options.bias };
        float::room(problem)?;
        let proposal = propose(problem, self.options.gap / 4.0, &self.options.deadline);
        let (mut pool, mut candidates) = (Vec::new(), Vec::new());
        let mut bound = self.plain_bound()?;
        match proposal {
            Proposal::Separable { weights, bias, support, .. } => {
                bound = lesser(bound, self.bound_of(&support)?);
                pool.extend(support.iter().map(|s| s.0));
                let (found, nearly) = self.round(&weights, bias, bound.as_ref())?;
                if let Some(found) = found {
                    return Ok((Stage::Separating(found), bound));
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
        let exactly: Result<Strict> = in_time(self.options, || {
            Ok(match stages::shortcut(&self.filter, &candidates)? {
                Some(found) => Strict::Refuted(found),
                None if self.is_wide() => wide::strict(&self.filter, &pool, self.options)?,
                None => stages::strict(&self.filter, &pool, &self.options.deadline)?,
            })
        });
        Ok(match exactly {
            Ok(Strict::Late) => (Stage::Late, bound),
            Err(error) if is_late(&error) => (Stage::Late, bound),
            Err(error) => return Err(error),
            Ok(Strict::Refuted(found)) => (Stage::Refuted(found), bound),
            Ok(Strict::Separable(w, p)) => {
                bound = lesser(bound, upper(&self.filter, &whole(&p))?);
                let least = self.filter.least(&w)?;
                let lower = lower(&self.filter, &w, &least);
                (Stage::Separating(Separating { w, least, lower }), bound)
            }
        })
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
        // Each bound of a large support takes a second: one has to do.
        if sound.iter().map(|s| self.rows.stored(s.0)).sum::<usize>() > LARGE {
            return at(30);
        }
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
        let found = square_over(&w, &least);
        let ratio = self.widest_with_bias()?.map_or(found, |widest| widest.min(found));
        let mut decision = self.blank(Verdict::Separable);
        decision.bound = Some(ratio * decision.radius * decision.radius * (1.0 + 1e-12));
        if let Some((upper, support)) = bound {
            decision.margin = self.margin(lower, upper);
            decision.support = support;
        }
        decision.hyperplane = Some(self.hyperplane(crate::certify::exact::primitive(w)));
        Ok(decision)
    }

    /// (‖w‖ / min a·w)² of the hyperplane that is widest with the bias as a coordinate, which is what the perceptron's theorem is
    /// about; its direction is another than that between the hulls. `None` without a bias, or where the limits end the search.
    fn widest_with_bias(&self) -> Result<Option<f64>> {
        // As exact as the search: further bits are the noise of floating point, which is another in a browser.
        const BITS: i32 = 32;
        if !self.options.bias || self.is_wide() {
            return Ok(None);
        }
        let found = in_time(self.options, || -> Result<Option<f64>> {
            let widest = float::widest(self.rows, self.signs, Some(1.0), &self.options.deadline)?;
            let Some((b, weights)) = widest.as_ref().and_then(|widest| widest.weights.split_last()) else {
                return Ok(None);
            };
            let Some(w) = rounded(weights, Some(*b), BITS) else { return Ok(None) };
            let least = self.filter.least(&w)?;
            Ok((least > RBig::ZERO).then(|| square_over(&w, &least)))
        });
        match found {
            Err(error) if is_late(&error) || error.kind() == ErrorKind::Memory => Ok(None),
            found => found,
        }
    }

    fn refuted(&self, verdict: Verdict, w: Option<Vec<IBig>>, support: Weights) -> Result<Decision> {
        let mut decision = self.blank(verdict);
        decision.hyperplane = w.map(|w| self.hyperplane(w));
        decision.contradiction = match &support[..] {
            [(a, _), (b, _)] if contradict(&self.filter, *a, *b)? => Some((*a, *b)),
            _ => self.contradiction_in_time()?,
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

    /// The first two examples that contradict each other, if the limits allow the search.
    fn contradiction_in_time(&self) -> Result<Option<(usize, usize)>> {
        if let Some(found) = self.contradiction.get() {
            return Ok(*found);
        }
        let found = match in_time(self.options, || self.find_contradiction()) {
            Err(error) if is_late(&error) || error.kind() == ErrorKind::Memory => None,
            found => found?,
        };
        Ok(*self.contradiction.get_or_init(|| found))
    }

    /// The first two examples with the same features and different labels.
    fn find_contradiction(&self) -> Result<Option<(usize, usize)>> {
        let mut met: HashMap<u64, [Option<usize>; 2]> = HashMap::new();
        for i in self.filter.members() {
            if i.is_multiple_of(1024) {
                limits::check()?;
                limits::reserve_keys(&mut met, 1024, &|| "the search for examples that contradict each other".into())?;
            }
            let side = usize::from(self.signs[i] > 0);
            let seen = met.entry(self.rows.hash(i)).or_default();
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
