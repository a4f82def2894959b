//! How good could any hyperplane be? The least cost of training mistakes, between two proved bounds.
//!
//! A **mistake** of a hyperplane is an example with y(w·x + b) ≤ 0: one on the wrong side, or on the hyperplane itself. (So a
//! hyperplane without mistakes separates strictly, and w = 0 is a hyperplane far away.)
//!
//! * **From below.** A witness is a set of examples with weights p > 0 and Σ p·y·(x, 1) = 0: every hyperplane errs on one
//!   of them (Gordan). Witnesses without a common example prove as many mistakes; weights of overlapping witnesses, at most 1 in
//!   all on each example, prove ⌈Σ weights⌉ (Parker and Ryan 1996). On small sets a tree of cases, which examples are
//!   mistakes and which are not, ends in such packings and proves the least number itself.
//! * **From above.** A hyperplane with the list of its mistakes.
//!
//! Floats propose both; whole numbers count, for the data as written. Examples that are equal count as one that costs as
//! much as all of them; two equal examples of different classes are the smallest witness.
//!
//! ```text
//!  problem ─► plane, planar: hyperplanes ─────────────► engine: exact mistakes ─┐
//!     └─────► witness ⇄ packing: columns and their weights ─► lower: exact proofs ─┴─► certificate
//!             cases: few examples
//! ```

mod cases;
mod certificate;
mod clock;
mod engine;
mod lower;
mod lp;
mod packing;
mod planar;
mod plane;
mod problem;
mod witness;

use std::time::Duration;

use dashu_int::IBig;
use dashu_int::ops::Gcd;
use dashu_ratio::RBig;

pub use certificate::audit_certificate;

use super::decide::{Hyperplane, Options, Question};
use super::decider::is_late;
use super::kesler::Kesler;
use super::wide;
use crate::certify::exact::{Decimal, ExactRows, Filter, MappedRows, Monomials};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{self, Deadline, Limits};
use crate::rows::AnyRows;
use cases::Case;
use clock::Clock;
use engine::{Engine, Proved};
use problem::{Grouped, Problem, copies};

/// What a mistake costs, by class; fractions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    positive: RBig,
    negative: RBig,
}

impl Costs {
    /// Every mistake costs 1.
    pub fn equal() -> Self {
        Costs { positive: RBig::ONE, negative: RBig::ONE }
    }

    /// As decimals: `2`, `0.5`.
    pub fn parse(positive: &str, negative: &str) -> Result<Self> {
        let number = |text: &str| {
            let refused = || Error::settings(format!("class weight {text}: expected a number, 0 or more"));
            let Decimal { digits, exponent } = Decimal::parse(text.trim().as_bytes()).ok_or_else(refused)?;
            let power = RBig::from(IBig::from(10).pow(exponent.unsigned_abs().min(400) as usize));
            let value = if exponent < 0 { RBig::from(digits) / power } else { RBig::from(digits) * power };
            if value < RBig::ZERO { Err(refused()) } else { Ok(value) }
        };
        Costs::checked(number(positive)?, number(negative)?)
    }

    /// n / (2·count) for each class: both cost as much in all.
    pub fn balanced(positive: usize, negative: usize) -> Result<Self> {
        let all = RBig::from(positive + negative);
        let share = |count: usize| &all / RBig::from(2 * count.max(1));
        Costs::checked(share(positive), share(negative))
    }

    fn checked(positive: RBig, negative: RBig) -> Result<Self> {
        let costs = Costs { positive, negative };
        if costs.whole(1).is_none() || costs.whole(-1).is_none() || costs.unit() == RBig::ZERO {
            let message = "class weights: one must be above 0, and neither more than a million times the other's steps";
            return Err(Error::settings(message));
        }
        Ok(costs)
    }

    /// The greatest number that both are multiples of.
    fn unit(&self) -> RBig {
        let (p, n) = (&self.positive, &self.negative);
        if *p == RBig::ZERO || *n == RBig::ZERO {
            return p + n;
        }
        let common = p.denominator() * n.denominator();
        let whole = |q: &RBig| q.numerator() * IBig::from(&common / q.denominator());
        RBig::from_parts(IBig::from(whole(p).gcd(whole(n))), common)
    }

    /// The cost in units.
    fn whole(&self, sign: i8) -> Option<u64> {
        let cost = if sign > 0 { &self.positive } else { &self.negative };
        let unit = self.unit();
        if unit == RBig::ZERO {
            return Some(0);
        }
        u64::try_from((cost / unit).numerator().clone()).ok().filter(|n| *n <= 1 << 20)
    }

    /// Whether every mistake costs 1.
    pub fn is_equal(&self) -> bool {
        *self == Costs::equal()
    }
}

/// How to audit.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Whether there is a bias.
    pub bias: bool,
    /// Monomials up to this degree are the features.
    pub degree: u32,
    /// What mistakes cost.
    pub costs: Costs,
    /// How long it may take; `None`: until all steps are made.
    pub time: Option<Duration>,
    /// When to stop, whatever time is left.
    pub deadline: Deadline,
}

impl Default for AuditOptions {
    fn default() -> Self {
        AuditOptions {
            bias: true,
            degree: 1,
            costs: Costs::equal(),
            time: Some(Duration::from_secs(10)),
            deadline: Deadline::NEVER,
        }
    }
}

/// Examples (from 0) that no hyperplane has on their sides all at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// Examples and weights that cancel, Σ weight·y·(x, 1) = 0.
    #[doc(hidden)]
    pub weights: Vec<(usize, RBig)>,
}

impl Witness {
    /// The examples (from 0).
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.weights.iter().map(|(row, _)| *row)
    }
}

/// An example that stands in the way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect {
    /// The example (from 0).
    pub row: usize,
    /// The share of its cost that witnesses use, from 0 to 1; 1 more if the best hyperplane errs on it.
    pub score: f64,
}

/// The bracket with its proofs.
#[derive(Debug, Clone)]
pub struct Audit {
    /// How many examples took part.
    pub examples: usize,
    /// How many features there are, the monomials counted.
    pub features: usize,
    /// Mistakes of any hyperplane cost at least this.
    #[doc(hidden)]
    pub at_least: RBig,
    /// Those of the best hyperplane that was found cost this.
    #[doc(hidden)]
    pub at_most: RBig,
    /// What all examples cost.
    #[doc(hidden)]
    pub total: RBig,
    /// The best hyperplane that was found, for two classes.
    pub hyperplane: Option<Hyperplane>,
    /// Its mistakes (from 0).
    pub mistakes: Vec<usize>,
    /// The witnesses that prove the lower bound.
    pub witnesses: Vec<Witness>,
    /// The examples that stand in the way, the most suspicious first.
    pub suspects: Vec<Suspect>,
    /// Equal examples of one class, if more than one.
    pub copies: Vec<Vec<usize>>,
    /// The time it took.
    pub seconds: f64,
    /// How it was asked.
    pub options: AuditOptions,
    parts: Vec<Case>,
}

impl Audit {
    /// Whether both bounds are the same.
    pub fn is_exact(&self) -> bool {
        self.at_least == self.at_most
    }

    /// The bounds as floats.
    pub fn bounds(&self) -> (f64, f64) {
        (self.at_least.to_f64().value(), self.at_most.to_f64().value())
    }

    /// The bounds as shares of what all examples cost.
    pub fn error(&self) -> (f64, f64) {
        let share = |q: &RBig| if self.total == RBig::ZERO { 0.0 } else { (q / &self.total).to_f64().value() };
        (share(&self.at_least), share(&self.at_most))
    }

    /// The bounds as fractions: `41`, `3/2`.
    pub fn fractions(&self) -> (String, String) {
        (self.at_least.to_string(), self.at_most.to_string())
    }
}

/// The least cost of the mistakes of any hyperplane, between two proved bounds. `report` is called with both whenever one
/// gets better.
pub fn audit(question: &Question<'_>, options: &AuditOptions, report: &mut dyn FnMut(f64, f64)) -> Result<Audit> {
    let clock = Clock::new(options.time, options.deadline.clone());
    check(question, options)?;
    if options.degree == 1
        && let Some(narrow) = wide::narrowed(question.rows)?
    {
        let exact = Box::new(narrow.exact(&*question.exact));
        let inner = Question { rows: narrow.matrix.rows()?, exact, signs: question.signs.clone() };
        let mut audit = audit_rows(&inner, options, report)?;
        audit.features = question.rows.features();
        if let Some(Hyperplane { weights, bias }) = audit.hyperplane.take() {
            let own = limits::current();
            let within = Limits { deadline: own.deadline.sooner(&clock.deadline(1.0)), ..own };
            match limits::within(&within, || narrow.widen(weights, RBig::ZERO, audit.features, false)) {
                Ok(weights) => audit.hyperplane = Some(Hyperplane { weights, bias }),
                // Both bounds are proved without these zeros.
                Err(error) if is_late(&error) || error.kind() == ErrorKind::Memory => {}
                Err(error) => return Err(error),
            }
        }
        return Ok(audit);
    }
    audit_rows(question, options, report)
}

fn audit_rows(question: &Question<'_>, options: &AuditOptions, report: &mut dyn FnMut(f64, f64)) -> Result<Audit> {
    let clock = Clock::new(options.time, options.deadline.clone());
    let cost = |sign: i8| options.costs.whole(sign).unwrap_or(0);
    let grouped = copies(question.rows, &*question.exact, &question.signs, cost)?;
    let way = (options.bias, options.degree);
    if options.degree == 1 {
        let filter = Filter::new(question.rows, &*question.exact, &question.signs, way, Vec::new());
        return run(question, options, &filter, &grouped, &clock, report);
    }
    let map = Monomials::new(question.rows.features(), options.degree)?;
    let (matrix, wild) = map.floats(question.rows)?;
    let exact = MappedRows { map: &map, of: &*question.exact };
    let filter = Filter::new(matrix.rows()?, &exact, &question.signs, way, wild);
    run(question, options, &filter, &grouped, &clock, report)
}

fn check(question: &Question<'_>, options: &AuditOptions) -> Result<()> {
    if options.degree == 0 {
        return Err(Error::settings("degree 0: expected 1 or more"));
    }
    if question.rows.len() != question.signs.len() {
        return Err(Error::bad_data(format!("{} rows beside {} signs", question.rows.len(), question.signs.len())));
    }
    for (sign, name) in [(1, "positive"), (-1, "negative")] {
        if !question.signs.contains(&sign) {
            return Err(Error::bad_data(format!("no {name} example: with one class there is nothing to separate")));
        }
    }
    // Items with their members, costs, scores and loads.
    let count = question.rows.len();
    limits::room_for::<[u64; 16]>(count as u128, || format!("the items of {count} examples").into())
}

/// The same for one machine of many classes: an example is a mistake unless its own class has the highest score alone. All
/// mistakes cost 1.
pub fn audit_jointly(
    rows: AnyRows<'_>,
    exact: &dyn ExactRows,
    (classes, count): (&[u32], usize),
    options: &AuditOptions,
    report: &mut dyn FnMut(f64, f64),
) -> Result<Audit> {
    if count < 2 || options.degree != 1 || !options.costs.is_equal() {
        return Err(Error::settings("a joint audit is for two classes or more, degree 1 and equal costs"));
    }
    if let Some(narrow) = wide::narrowed(rows)? {
        let exact = narrow.exact(exact);
        let audit = audit_blocks(narrow.matrix.rows()?, &exact, (classes, count), options, report)?;
        return Ok(Audit { features: rows.features(), ..audit });
    }
    audit_blocks(rows, exact, (classes, count), options, report)
}

fn audit_blocks(
    rows: AnyRows<'_>,
    exact: &dyn ExactRows,
    (classes, count): (&[u32], usize),
    options: &AuditOptions,
    report: &mut dyn FnMut(f64, f64),
) -> Result<Audit> {
    let clock = Clock::new(options.time, options.deadline.clone());
    let kesler = Kesler::new(exact, classes, count, options.bias);
    let many = rows.len() * (count - 1) > SOON;
    let own = limits::current();
    let soon = if many { own.deadline.sooner(&clock.deadline(ROWS)) } else { own.deadline.clone() };
    let (matrix, signs) = match limits::within(&Limits { deadline: soon, ..own }, || kesler.floats(rows)) {
        Err(error) if is_late(&error) => return Ok(constant(rows, classes, count, options, &clock)),
        made => made?,
    };
    let others = count - 1;
    let items = (0..rows.len()).map(|i| ((i * others..(i + 1) * others).collect(), 1)).collect();
    let question = Question { rows: matrix.rows()?, exact: Box::new(&kesler), signs };
    let filter = Filter::new(question.rows, &*question.exact, &question.signs, (false, 1), Vec::new());
    let inner = AuditOptions { bias: false, ..options.clone() };
    let grouped = Grouped { items, copies: false };
    let mut audit = run(&question, &inner, &filter, &grouped, &clock, report)?;
    let example = |row: usize| row / others;
    for witness in &mut audit.witnesses {
        witness.weights.iter_mut().for_each(|(row, _)| *row = example(*row));
        witness.weights.dedup_by_key(|(row, _)| *row);
    }
    audit.mistakes.iter_mut().for_each(|row| *row = example(*row));
    audit.mistakes.dedup();
    (audit.examples, audit.features) = (rows.len(), rows.features());
    Ok(Audit { hyperplane: None, options: options.clone(), ..audit })
}

/// The part of the time in which the rows of a joint audit have to be made: what follows goes over them about ten times.
const ROWS: f64 = 0.1;

/// So many rows are soon made, whatever the time.
const SOON: usize = 1 << 16;

/// What is known of all classes at once where there is no time for more: the machine that always answers the most frequent
/// class, or errs on every row if it has no bias.
fn constant(rows: AnyRows<'_>, classes: &[u32], count: usize, options: &AuditOptions, clock: &Clock) -> Audit {
    let mut often = vec![0usize; count];
    classes.iter().for_each(|&class| often[class as usize] += 1);
    let best = (0..count as u32).max_by_key(|&class| (often[class as usize], std::cmp::Reverse(class)));
    let right = |class: u32| options.bias && Some(class) == best;
    let mistakes: Vec<usize> = (0..classes.len()).filter(|&i| !right(classes[i])).collect();
    Audit {
        examples: rows.len(),
        features: rows.features(),
        at_least: RBig::ZERO,
        at_most: RBig::from(mistakes.len()),
        total: RBig::from(classes.len()),
        hyperplane: None,
        mistakes,
        witnesses: Vec::new(),
        suspects: Vec::new(),
        copies: Vec::new(),
        seconds: clock.seconds(),
        options: options.clone(),
        parts: Vec::new(),
    }
}

fn run<'a>(
    question: &'a Question<'a>,
    options: &AuditOptions,
    filter: &'a Filter<'a>,
    grouped: &Grouped,
    clock: &'a Clock,
    report: &mut dyn FnMut(f64, f64),
) -> Result<Audit> {
    let problem = Problem::new(filter.rows(), &question.signs, options.bias, grouped)?;
    let unit = options.costs.unit();
    let size = unit.to_f64().value();
    let mut tell = |low: u64, high: u64| report(low as f64 * size, high as f64 * size);
    let inner = Options { bias: options.bias, degree: options.degree, ..Options::default() };
    let mut engine = Engine::new((question, inner), filter, (&problem, grouped.copies), clock, &mut tell);
    engine.run()?;
    let Some(best) = engine.best.take() else { return Err(Error::interrupted()) };
    let lower = std::mem::take(&mut engine.lower);
    let suspects = suspects(&problem, &lower, &best.items, &problem.rescaled(&best.w), grouped.copies);
    let features = filter.rows().features();
    let hyperplane = Hyperplane {
        weights: best.w[..features].iter().map(|w| RBig::from(w.clone())).collect(),
        bias: if options.bias { RBig::from(best.w[features].clone()) } else { RBig::ZERO },
    };
    let groups = problem.items.iter().filter(|item| grouped.copies && item.members.len() > 1);
    Ok(Audit {
        examples: filter.members().count(),
        features,
        at_least: RBig::from(lower.bound) * &unit,
        at_most: RBig::from(best.cost) * &unit,
        total: RBig::from(problem.total()) * &unit,
        hyperplane: Some(hyperplane),
        mistakes: best.rows,
        witnesses: lower.witnesses.into_iter().map(|weights| Witness { weights }).collect(),
        suspects,
        copies: groups.map(|item| item.members.clone()).collect(),
        seconds: clock.seconds(),
        options: options.clone(),
        parts: named(&problem, lower.cases),
    })
}

/// Cases by rows instead of items.
fn named(problem: &Problem, cases: Vec<Case>) -> Vec<Case> {
    let row = |case| match case {
        Case::Item(item) => Case::Item(problem.items[item].members[0]),
        sum => sum,
    };
    cases.into_iter().map(row).collect()
}

/// The items in witnesses and in the best removal set, as examples.
fn suspects(problem: &Problem, lower: &Proved, removed: &[usize], w: &[f64], copies: bool) -> Vec<Suspect> {
    let n = problem.items.len();
    let (mut load, mut often) = (vec![0.0; n], vec![0usize; n]);
    if let [Case::Sum(sum)] = &lower.cases[..] {
        for (k, share) in &sum.shares {
            lower.items[*k].iter().for_each(|&i| load[i] += *share as f64 / sum.denominator as f64);
        }
    }
    lower.items.iter().flatten().for_each(|&i| often[i] += 1);
    if lower.cases.len() > 1 {
        // A tree of cases: the share of the witnesses.
        (0..n).for_each(|i| load[i] = often[i] as f64 / lower.items.len().max(1) as f64 * problem.items[i].cost as f64);
    }
    let plane = plane::Plane::new(problem, w.to_vec());
    let mut wrong = vec![false; n];
    removed.iter().for_each(|&i| wrong[i] = true);
    let score = |i: usize| (load[i] / problem.items[i].cost.max(1) as f64).min(1.0) + f64::from(u8::from(wrong[i]));
    let mut order: Vec<(f64, f64, usize)> =
        (0..n).map(|i| (score(i), plane.depth(problem, i), i)).filter(|(score, ..)| *score > 0.0).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let rows = |(score, _, i): (f64, f64, usize)| {
        let members = if copies { problem.items[i].members.clone() } else { vec![i] };
        members.into_iter().map(move |row| Suspect { row, score })
    };
    order.into_iter().flat_map(rows).collect()
}
