//! Audits: the least cost of mistakes that any hyperplane makes, between two bounds.
//!
//! A **mistake** is a row with y(w·x + b) ≤ 0. It costs c₊ on a positive row and c₋ on a negative one; every cost of a set of
//! mistakes is a multiple of u, the greatest number that both are multiples of.
//!
//! **At most.** The hyperplane is given. Its mistakes are exactly the rows that are listed, and cost `at_most`.
//!
//! **At least.** A witness has p > 0, Σp = 1 and Σ pᵢaᵢ = 0, so every hyperplane errs on one of its rows (Gordan). Rows that are
//! listed as copies have the same features and the same sign, so a hyperplane errs on all of them or on none: they are one
//! item that costs as much as all. Let M be the mistakes of any hyperplane. The cases are a binary tree in preorder: an
//! `example` is a mistake in the first subtree and is not in the second, and M belongs to one leaf. There, with H the items
//! that are mistakes and F those that are not, weights λ > 0 of witnesses without an item of H, which sum to at most the cost
//! of every item outside of F, give
//!
//! ```text
//! c(M) ≥ c(H) + Σ_{i ∈ M∖H} cᵢ ≥ c(H) + Σ_{i ∈ M∖H} Σ_{W ∋ i} λ_W ≥ c(H) + Σ_W λ_W,
//! ```
//!
//! since M holds an item of every witness, and none of F. If that is more than `at_least` − u in every leaf, then c(M) ≥
//! `at_least`, a multiple of u.

use std::collections::{BTreeSet, HashMap};

use dashu_int::IBig;
use dashu_int::ops::Gcd;

use crate::VerifiedAudit;
use crate::certificate::{self, Head, Plane, Share, rational};
use crate::check::Combination;
use crate::fields::Fields;
use crate::json::Value;
use crate::limits;
use crate::monomials::Monomials;
use crate::rational::Rational;
use crate::refusal::{Checked, Refusal};
use crate::rows::{self, Data, Entry, Row, Tally};
use crate::scaled::{Base, Scaled};
use crate::statement::Statement;
use crate::stop;
use crate::sum::{Common, Linear};

/// The certificate of an audit as it is written, its digest checked.
pub(crate) struct Certificate {
    pub(crate) head: Head,
    /// Of a positive and of a negative example.
    costs: [Rational; 2],
    at_least: Rational,
    at_most: Rational,
    copies: Vec<Vec<u64>>,
    plane: Plane,
    mistakes: Vec<u64>,
    witnesses: Vec<Vec<Share>>,
    cases: Vec<Case>,
}

enum Case {
    /// A mistake in the first subtree, and not in the second.
    Example(u64),
    /// Witnesses from 0 and their weights.
    Sum(Vec<(usize, Rational)>),
}

/// Reads the certificate of an audit and checks its form and its digest.
pub(crate) fn read(bytes: &[u8]) -> Checked<Certificate> {
    let (head, mut top) = certificate::head(bytes, ("audit", 1))?;
    let number = |fields: &mut Fields, key: &str| rational(&fields.text(key)?.0, || key.to_string());
    let mut costs = top.object("costs")?;
    let both = [number(&mut costs, "positive")?, number(&mut costs, "negative")?];
    costs.end()?;
    if both.iter().any(|c| c.numerator < IBig::ZERO) || both.iter().all(Rational::is_zero) {
        return Err(Refusal::form("costs are not negative, and one of them is above 0"));
    }
    let (at_least, at_most) = (number(&mut top, "at_least")?, number(&mut top, "at_most")?);
    let copies = top.list("copies")?.into_iter().map(|list| numbers(list, "copies", head.examples));
    let copies: Vec<Vec<u64>> = copies.collect::<Checked<_>>()?;
    if copies.iter().any(|group| group.len() < 2) {
        return Err(Refusal::form("copies are two examples or more"));
    }
    let plane = certificate::plane(top.object("hyperplane")?, head.reading.bias)?;
    let mistakes = numbers(Value::List(top.list("mistakes")?), "mistakes", head.examples)?;
    let witness = |value: Value| match value {
        Value::List(list) if !list.is_empty() => certificate::support(list, head.examples),
        _ => Err(Refusal::form("a witness is a list of examples with weights")),
    };
    let witnesses: Vec<Vec<Share>> = top.list("witnesses")?.into_iter().map(witness).collect::<Checked<_>>()?;
    let count = witnesses.len();
    let cases = top.list("cases")?.into_iter().map(|value| case(value, head.examples, count));
    let cases = cases.collect::<Checked<_>>()?;
    top.end()?;
    Ok(Certificate { head, costs: both, at_least, at_most, copies, plane, mistakes, witnesses, cases })
}

/// A rising list of examples.
fn numbers(list: Value, of: &str, examples: u64) -> Checked<Vec<u64>> {
    let wrong =
        || Refusal::form(format!("{of} are not a list of examples from 1 to {examples}, each once and in order"));
    let Value::List(list) = list else { return Err(wrong()) };
    let mut numbers = Vec::with_capacity(list.len());
    for value in list {
        match value {
            Value::Count(n) if (1..=examples).contains(&n) && numbers.last().is_none_or(|last| *last < n) => {
                numbers.push(n);
            }
            _ => return Err(wrong()),
        }
    }
    Ok(numbers)
}

fn case(value: Value, examples: u64, witnesses: usize) -> Checked<Case> {
    let mut fields = Fields::of(value, "a case")?;
    if fields.has("example") {
        let example = fields.count("example")?;
        fields.end()?;
        if !(1..=examples).contains(&example) {
            return Err(Refusal::form(format!("case example {example} is not among 1 to {examples}")));
        }
        return Ok(Case::Example(example));
    }
    let mut sum: Vec<(usize, Rational)> = Vec::new();
    for value in fields.list("sum")? {
        let mut part = Fields::of(value, "a part of a sum")?;
        let witness = part.count("witness")?;
        let weight = rational(&part.text("weight")?.0, || format!("the weight of witness {witness}"))?;
        part.end()?;
        if witness == 0 || witness > witnesses as u64 {
            return Err(Refusal::form(format!("witness {witness} is not among 1 to {witnesses}")));
        }
        if !weight.is_positive() {
            return Err(Refusal::proof(format!("the weight of witness {witness} is not positive")));
        }
        if sum.last().is_some_and(|(last, _)| *last + 1 >= witness as usize) {
            return Err(Refusal::form("the witnesses of a sum are not in order, each once"));
        }
        sum.push((witness as usize - 1, weight));
    }
    fields.end()?;
    Ok(Case::Sum(sum))
}

/// Checks an audit against the data.
pub(crate) fn check(certificate: Certificate, data: Data<'_>) -> Checked<VerifiedAudit> {
    let reading = &certificate.head.reading;
    let monomials = Monomials::new(reading.base_features(), reading.degree)?;
    let mut pass = Pass::new(&certificate, monomials.features, reading.format.base())?;
    let tally = rows::each(data, reading, &monomials, |row| {
        stop::check()?;
        pass.take(&row)
    })?;
    if tally.examples != certificate.head.examples {
        let (says, found) = (certificate.head.examples, tally.examples);
        return Err(Refusal::data(format!("data.examples is {says}, but there are {found}")));
    }
    pass.end()?;
    for (k, witness) in pass.witnesses.iter().enumerate() {
        witness.vanishes(reading).map_err(|refusal| refusal.within(&format!("witness {}", k + 1)))?;
    }
    let Pass { items, costs, wrong, .. } = pass;
    Bounds::new(&certificate, items, &costs, wrong)?.check()?;
    verified(certificate, tally, monomials.features, data)
}

fn verified(certificate: Certificate, tally: Tally, features: usize, data: Data<'_>) -> Checked<VerifiedAudit> {
    let [positive, negative] = certificate.costs.each_ref().map(Rational::to_string);
    let (at_least, at_most) = (certificate.at_least.to_string(), certificate.at_most.to_string());
    let what = match (&positive[..], &negative[..]) {
        ("1", "1") => "mistakes of the best hyperplane".to_string(),
        _ => {
            let costs = format!("{positive} on a positive example and {negative} on a negative one");
            format!("the cost of the mistakes of the best hyperplane, where a mistake costs {costs}")
        }
    };
    Ok(VerifiedAudit {
        at_least: at_least.clone(),
        at_most: at_most.clone(),
        costs: (positive, negative),
        witnesses: certificate.witnesses.len(),
        examples: tally.examples,
        positive: tally.positive,
        negative: tally.negative,
        features,
        degree: certificate.head.reading.degree,
        bias: certificate.head.reading.bias,
        mistakes: certificate.mistakes,
        statement: Statement::new(
            format!("at least {at_least} and at most {at_most}: {what}"),
            certificate.head,
            tally,
            features,
            data,
        )?,
    })
}

/// One pass over the rows: the mistakes, the copies, the sums of the witnesses.
struct Pass<'c> {
    form: Linear,
    base: Base,
    mistakes: &'c [u64],
    /// Mistakes before this one have been met.
    next: usize,
    /// The item of each example in copies, and whether it has been met.
    group: HashMap<u64, usize>,
    /// Sign and features of the first of each group.
    first: Vec<Option<(bool, Vec<Entry>)>>,
    held: usize,
    witnesses: Vec<Combination>,
    /// The witnesses of each example.
    of: HashMap<u64, Vec<usize>>,
    /// The items of examples that matter: copies, and those in witnesses.
    items: HashMap<u64, usize>,
    /// How many positive and negative examples each item has.
    costs: Vec<[u64; 2]>,
    wrong: [u64; 2],
}

impl<'c> Pass<'c> {
    fn new(certificate: &'c Certificate, features: usize, base: Base) -> Checked<Self> {
        let plane = &certificate.plane;
        let found = plane.weights.len();
        if found != features {
            return Err(Refusal::form(format!("hyperplane.weights has {found} entries for {features} features")));
        }
        let numbers: Vec<&Rational> = plane.weights.iter().chain([&plane.bias]).collect();
        let common = Common::new(numbers.iter().copied(), "hyperplane.weights")?;
        let mut group = HashMap::new();
        for (k, examples) in certificate.copies.iter().enumerate() {
            for &example in examples {
                if group.insert(example, k).is_some() {
                    return Err(Refusal::form(format!("example {example} is twice among the copies")));
                }
            }
        }
        let (mut items, mut count) = (group.clone(), certificate.copies.len());
        let (mut witnesses, mut of) = (Vec::new(), HashMap::<u64, Vec<usize>>::new());
        for (k, support) in certificate.witnesses.iter().enumerate() {
            witnesses.push(Combination::new(support, base)?);
            for share in support {
                of.entry(share.example).or_default().push(k);
                items.entry(share.example).or_insert_with(|| {
                    count += 1;
                    count - 1
                });
            }
        }
        Ok(Pass {
            form: Linear::new(common.numerators, base),
            base,
            mistakes: &certificate.mistakes,
            next: 0,
            group,
            first: certificate.copies.iter().map(|_| None).collect(),
            held: 0,
            witnesses,
            of,
            items,
            costs: vec![[0; 2]; count],
            wrong: [0; 2],
        })
    }

    fn take(&mut self, row: &Row<'_>) -> Checked<()> {
        let side = usize::from(!row.positive);
        let is_wrong = self.form.score(row).0 <= IBig::ZERO;
        let is_listed = self.mistakes.get(self.next) == Some(&row.example);
        match (is_wrong, is_listed) {
            (true, true) => {
                self.wrong[side] += 1;
                self.next += 1;
            }
            (false, false) => {}
            (true, false) => {
                return Err(Refusal::proof(format!("{} is a mistake that is not listed", row.place())));
            }
            (false, true) => {
                return Err(Refusal::proof(format!("{} is listed as a mistake and is none", row.place())));
            }
        }
        if let Some(&item) = self.items.get(&row.example) {
            self.costs[item][side] += 1;
        }
        if let Some(k) = self.group.remove(&row.example) {
            self.compare(k, row)?;
        }
        if let Some(witnesses) = self.of.get(&row.example) {
            for &k in witnesses {
                self.witnesses[k].add(row)?;
            }
        }
        Ok(())
    }

    /// Whether a row is a copy of the first of its group.
    fn compare(&mut self, k: usize, row: &Row<'_>) -> Checked<()> {
        match &self.first[k] {
            None => {
                self.held += row.entries.len() + 1;
                if self.held > limits::HELD {
                    return Err(Refusal::size("the copies hold too many values"));
                }
                self.first[k] = Some((row.positive, row.entries.to_vec()));
                Ok(())
            }
            Some((positive, entries)) => {
                let same = |(a, b): (&Entry, &Entry)| a.feature == b.feature && equal(&a.value, &b.value, self.base);
                let all = entries.len() == row.entries.len() && entries.iter().zip(row.entries).all(same);
                if *positive == row.positive && all {
                    Ok(())
                } else {
                    Err(Refusal::proof(format!("{} is not a copy of the others in its list", row.place())))
                }
            }
        }
    }

    fn end(&self) -> Checked<()> {
        if let Some(example) = self.mistakes.get(self.next) {
            return Err(Refusal::proof(format!("mistake {example} is not among the examples with a listed label")));
        }
        match self.group.keys().min() {
            None => Ok(()),
            Some(example) => {
                Err(Refusal::proof(format!("copy {example} is not among the examples with a listed label")))
            }
        }
    }
}

fn equal(a: &Scaled, b: &Scaled, base: Base) -> bool {
    if a.power == b.power {
        return a.digits == b.digits;
    }
    let (low, high) = if a.power < b.power { (a, b) } else { (b, a) };
    low.digits.big() == high.digits.big() * base.power(high.power.abs_diff(low.power))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Mistake,
    Right,
}

/// The two bounds, all numbers over one denominator.
struct Bounds<'c> {
    certificate: &'c Certificate,
    /// The item of each example that matters.
    items: HashMap<u64, usize>,
    costs: Vec<IBig>,
    /// The items of each witness.
    witnesses: Vec<Vec<usize>>,
    unit: IBig,
    at_least: IBig,
    /// The weights of all sums, in order.
    weights: Vec<IBig>,
}

impl<'c> Bounds<'c> {
    /// `counts`: the positive and negative examples of each item; `wrong`: those of the mistakes.
    fn new(
        certificate: &'c Certificate,
        items: HashMap<u64, usize>,
        counts: &[[u64; 2]],
        wrong: [u64; 2],
    ) -> Checked<Self> {
        let sums = certificate.cases.iter().filter_map(|case| match case {
            Case::Sum(sum) => Some(sum),
            Case::Example(_) => None,
        });
        let all = [&certificate.costs[0], &certificate.costs[1], &certificate.at_least, &certificate.at_most];
        let all: Vec<&Rational> = all.into_iter().chain(sums.flatten().map(|(_, weight)| weight)).collect();
        let mut whole = Common::new(all.iter().copied(), "costs and weights")?.numerators;
        let weights = whole.split_off(4);
        let [positive, negative, at_least, at_most] = &whole[..] else {
            return Err(Refusal::form("costs are missing"));
        };
        let cost = |[p, n]: [u64; 2]| positive * IBig::from(p) + negative * IBig::from(n);
        let unit = IBig::from(positive.gcd(negative));
        let costs = counts.iter().map(|count| cost(*count)).collect();
        let item = |share: &Share| items[&share.example];
        let distinct = |w: &Vec<Share>| w.iter().map(item).collect::<BTreeSet<usize>>().into_iter().collect();
        let witnesses = certificate.witnesses.iter().map(distinct).collect();
        if cost(wrong) != *at_most {
            return Err(Refusal::proof("the mistakes do not cost at_most"));
        }
        Ok(Bounds { certificate, items, costs, witnesses, unit, at_least: at_least.clone(), weights })
    }

    fn check(&self) -> Checked<()> {
        if self.at_least == IBig::ZERO && self.certificate.cases.is_empty() {
            return Ok(());
        }
        if self.at_least < IBig::ZERO || &self.at_least % &self.unit != IBig::ZERO {
            return Err(Refusal::proof("at_least is no cost of mistakes"));
        }
        let mut walk = Walk {
            states: vec![State::Open; self.costs.len()],
            spent: IBig::ZERO,
            open: Vec::new(),
            ended: false,
            weights: 0,
        };
        for case in &self.certificate.cases {
            stop::check()?;
            if walk.ended {
                return Err(Refusal::form("there are cases after the last"));
            }
            match case {
                Case::Example(example) => {
                    let unknown = || Refusal::form(format!("case example {example} is in no witness"));
                    let item = *self.items.get(example).ok_or_else(unknown)?;
                    if walk.states[item] != State::Open {
                        return Err(Refusal::form(format!("case example {example} has been decided before")));
                    }
                    walk.states[item] = State::Mistake;
                    walk.spent += &self.costs[item];
                    walk.open.push((item, true));
                }
                Case::Sum(sum) => {
                    self.leaf(sum, &mut walk)?;
                    walk.next(&self.costs);
                }
            }
        }
        if walk.ended { Ok(()) } else { Err(Refusal::proof("there are cases without a sum")) }
    }

    fn leaf(&self, sum: &[(usize, Rational)], walk: &mut Walk) -> Checked<()> {
        let mut load: HashMap<usize, IBig> = HashMap::new();
        let mut total = walk.spent.clone();
        for (k, _) in sum {
            let weight = &self.weights[walk.weights];
            walk.weights += 1;
            total += weight;
            for &item in &self.witnesses[*k] {
                match walk.states[item] {
                    State::Right => {}
                    State::Mistake => {
                        return Err(Refusal::proof(format!("witness {} holds a mistake of its case", k + 1)));
                    }
                    State::Open => *load.entry(item).or_default() += weight,
                }
            }
        }
        if load.iter().any(|(item, load)| *load > self.costs[*item]) {
            return Err(Refusal::proof("witnesses of a sum weigh more on an example than it costs"));
        }
        if total > &self.at_least - &self.unit { Ok(()) } else { Err(Refusal::proof("a sum does not reach at_least")) }
    }
}

/// The way through the tree of cases.
struct Walk {
    states: Vec<State>,
    spent: IBig,
    /// Items above, and whether the case is their first.
    open: Vec<(usize, bool)>,
    ended: bool,
    /// Weights that have been used.
    weights: usize,
}

impl Walk {
    /// After a leaf: the nearest item above that was a mistake is right now.
    fn next(&mut self, costs: &[IBig]) {
        while let Some((item, first)) = self.open.pop() {
            if first {
                self.states[item] = State::Right;
                self.spent -= &costs[item];
                self.open.push((item, false));
                return;
            }
            self.states[item] = State::Open;
        }
        self.ended = true;
    }
}
