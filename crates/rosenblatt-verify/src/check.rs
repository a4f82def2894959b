//! The verdicts. y = ±1 is a row's sign, x its exact features, a = (y·x, y) with a bias and a = y·x without.
//!
//! **Separable.** y(w·x + b) > 0 for every row is the claim itself. The margin γ = max over hyperplanes of
//! minᵢ yᵢ(w·xᵢ + b)/‖w‖ is at least `lower` because this hyperplane reaches it: (y(w·x + b))² ≥ lower²·‖w‖² for every
//! row. It is at most `upper` by weak duality. With a bias let p sum to 1 over each class and z = Σ pᵢyᵢxᵢ, the
//! difference of a point in the one hull and a point in the other. For any w of norm 1 and any b, the terms with b
//! cancel and 2·minᵢ yᵢ(w·xᵢ + b) ≤ Σ pᵢyᵢ(w·xᵢ + b) = w·z ≤ ‖z‖, so γ ≤ ‖z‖/2. Without a bias let p sum to 1 over
//! all: minᵢ yᵢ w·xᵢ ≤ w·z ≤ ‖z‖.
//!
//! **Not strictly separable** (Gordan). p > 0, Σp = 1 and Σ pᵢaᵢ = 0: if a·w > 0 held for every row,
//! 0 = w·Σ pᵢaᵢ = Σ pᵢ(aᵢ·w) > 0.
//!
//! **Weakly separable.** As before, and some w has a·w ≥ 0 for every row and > 0 for one.
//!
//! **Inseparable** (Stiemke). As before, and every row lies in the span of the support's rows. If a·w ≥ 0 for every
//! row, then Σ pᵢ(aᵢ·w) = 0 makes aᵢ·w = 0 on the support, hence on its span, hence for every row: nothing is
//! separated, not even weakly.

use std::collections::{BTreeMap, HashMap};

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use crate::certificate::{Certificate, Claim, Margin, Plane, Share};
use crate::limits;
use crate::monomials::Monomials;
use crate::rational::Rational;
use crate::reading::Reading;
use crate::refusal::{Checked, Refusal};
use crate::rows::{self, Data, Row, Tally};
use crate::scaled::Base;
use crate::span::{Span, SupportRows};
use crate::stop;
use crate::sum::{Common, Linear, above};

/// Checks a certificate's claim against the data. Returns the counts and the number of features.
pub(crate) fn claim(certificate: &Certificate, data: Data<'_>) -> Checked<(Tally, usize)> {
    let reading = &certificate.head.reading;
    let monomials = Monomials::new(reading.base_features(), reading.degree)?;
    let (features, base) = (monomials.features, reading.format.base());
    let pass = |visit: &mut dyn FnMut(Row<'_>) -> Checked<()>| {
        let tally = rows::each(data, reading, &monomials, |row| {
            stop::check()?;
            visit(row)
        })?;
        if tally.examples != certificate.head.examples {
            let (says, found) = (certificate.head.examples, tally.examples);
            return Err(Refusal::data(format!("data.examples is {says}, but there are {found}")));
        }
        Ok(tally)
    };
    let tally = match &certificate.claim {
        Claim::Separable { plane, margin, support } => {
            let mut scores = Scores::new(plane, features, base)?;
            let mut combination = Combination::new(support, base)?;
            let tally = pass(&mut |row| {
                scores.positive(&row)?;
                combination.add(&row)
            })?;
            scores.reach(&margin.lower)?;
            combination.bounds(margin, reading)?;
            tally
        }
        Claim::Weakly { plane, support } => {
            let mut scores = Scores::new(plane, features, base)?;
            let mut combination = Combination::new(support, base)?;
            let tally = pass(&mut |row| {
                scores.not_negative(&row)?;
                combination.add(&row)
            })?;
            if !scores.any_positive {
                return Err(Refusal::proof("no example lies strictly on its side of the hyperplane"));
            }
            combination.vanishes(reading)?;
            tally
        }
        Claim::NotSeparable { support } => {
            let mut combination = Combination::new(support, base)?;
            let tally = pass(&mut |row| combination.add(&row))?;
            combination.vanishes(reading)?;
            tally
        }
        Claim::Inseparable { support } => {
            let mut combination = Combination::new(support, base)?;
            let mut held = SupportRows::default();
            let tally = pass(&mut |row| {
                if combination.takes(row.example) {
                    held.add(&row)?;
                }
                combination.add(&row)
            })?;
            combination.vanishes(reading)?;
            let mut span = Span::new(&held, reading.bias, base)?;
            drop(held);
            pass(&mut |row| span.contains(&row))?;
            tally
        }
    };
    Ok((tally, features))
}

/// On which side of a hyperplane the rows lie, and how near the nearest one is.
struct Scores {
    form: Linear,
    base: Base,
    any_positive: bool,
    /// For each power of the base the smallest score, and whose it is.
    least: BTreeMap<i32, (IBig, String)>,
}

impl Scores {
    fn new(plane: &Plane, features: usize, base: Base) -> Checked<Self> {
        let found = plane.weights.len();
        if found != features {
            return Err(Refusal::form(format!("hyperplane.weights has {found} entries for {features} features")));
        }
        let numbers: Vec<&Rational> = plane.weights.iter().chain([&plane.bias]).collect();
        let common = Common::new(numbers.iter().copied(), "hyperplane.weights")?;
        Ok(Scores { form: Linear::new(common.numerators, base), base, any_positive: false, least: BTreeMap::new() })
    }

    fn positive(&mut self, row: &Row<'_>) -> Checked<()> {
        let (score, scale) = self.form.score(row);
        if score <= IBig::ZERO {
            let side = if score == IBig::ZERO { "on the hyperplane" } else { "on the wrong side of the hyperplane" };
            return Err(Refusal::proof(format!("{} lies {side}", row.place())));
        }
        if self.least.get(&scale).is_none_or(|(least, _)| score < *least) {
            self.least.insert(scale, (score, row.place()));
        }
        Ok(())
    }

    fn not_negative(&mut self, row: &Row<'_>) -> Checked<()> {
        let (score, _) = self.form.score(row);
        if score < IBig::ZERO {
            return Err(Refusal::proof(format!("{} lies on the wrong side of the hyperplane", row.place())));
        }
        self.any_positive |= score > IBig::ZERO;
        Ok(())
    }

    /// score²·base^(2·scale) ≥ lower²·‖w‖² for the least scores, hence for all. Both sides carry the weights'
    /// common denominator, which cancels.
    fn reach(&self, lower: &Rational) -> Checked<()> {
        let least = square(&lower.numerator) * self.form.norm_squared();
        for (scale, (score, place)) in &self.least {
            let found = square(&(score * &lower.denominator));
            if found < &least * self.base.power(2 * scale.unsigned_abs()) {
                return Err(Refusal::proof(format!("{place} lies nearer to the hyperplane than margin.lower")));
            }
        }
        Ok(())
    }
}

fn square(value: &IBig) -> IBig {
    value * value
}

/// Σ pᵢyᵢxᵢ over the support, and Σ pᵢ for each class.
pub(crate) struct Combination {
    /// Examples and P·pᵢ, in order of examples; those before `next` are in the sums.
    shares: Vec<(u64, IBig)>,
    next: usize,
    base: Base,
    /// P, the common denominator of all pᵢ.
    denominator: IBig,
    /// P·Σ pᵢ over the positive and over the negative examples.
    positive: IBig,
    negative: IBig,
    /// P·Σ pᵢyᵢxᵢ, each feature with its power of the base.
    features: HashMap<usize, (IBig, i32)>,
    /// How many bits these have together.
    bits: u64,
}

impl Combination {
    pub(crate) fn new(support: &[Share], base: Base) -> Checked<Self> {
        let common = Common::new(support.iter().map(|s| &s.weight), "the weights of the support")?;
        let shares = support.iter().map(|s| s.example).zip(common.numerators).collect();
        Ok(Combination {
            shares,
            next: 0,
            base,
            denominator: common.denominator,
            positive: IBig::ZERO,
            negative: IBig::ZERO,
            features: HashMap::new(),
            bits: 0,
        })
    }

    /// Whether this example belongs to the support.
    fn takes(&self, example: u64) -> bool {
        self.shares.get(self.next).is_some_and(|(next, _)| *next == example)
    }

    pub(crate) fn add(&mut self, row: &Row<'_>) -> Checked<()> {
        if !self.takes(row.example) {
            return Ok(());
        }
        let share = &self.shares[self.next].1;
        self.next += 1;
        let signed = if row.positive { share.clone() } else { -share };
        *(if row.positive { &mut self.positive } else { &mut self.negative }) += share;
        for entry in row.entries {
            let (sum, power) = self.features.entry(entry.feature).or_insert((IBig::ZERO, entry.value.power));
            self.bits -= sum.bit_len() as u64;
            if entry.value.power < *power {
                *sum *= self.base.power(above(&entry.value, *power));
                *power = entry.value.power;
            }
            *sum += &signed * entry.value.digits.big() * self.base.power(above(&entry.value, *power));
            self.bits += sum.bit_len() as u64;
            if self.bits > limits::BITS {
                return Err(Refusal::size("the sums over the support would fill more than 1 GiB"));
            }
        }
        Ok(())
    }

    /// Refuses if an example of the support did not occur.
    fn complete(&self) -> Checked<()> {
        match self.shares.get(self.next) {
            None => Ok(()),
            Some((example, _)) => {
                Err(Refusal::proof(format!("support example {example} is not among the examples with a listed label")))
            }
        }
    }

    /// Σ pᵢ = 1, and Σ pᵢaᵢ = 0.
    pub(crate) fn vanishes(&self, reading: &Reading) -> Checked<()> {
        self.complete()?;
        self.sums_to_one()?;
        if reading.bias && self.positive != self.negative {
            return Err(Refusal::proof("the support's weights are not 1/2 over each of the two classes"));
        }
        let first = self.features.iter().filter(|(_, (sum, _))| *sum != IBig::ZERO).map(|(feature, _)| feature).min();
        match first {
            None => Ok(()),
            Some(feature) => {
                Err(Refusal::proof(format!("the support's combination is not zero in feature {}", feature + 1)))
            }
        }
    }

    fn sums_to_one(&self) -> Checked<()> {
        if &self.positive + &self.negative == self.denominator {
            Ok(())
        } else {
            Err(Refusal::proof("the support's weights do not sum to 1"))
        }
    }

    /// ‖z‖ ≤ 2·upper with a bias, ‖z‖ ≤ upper without.
    fn bounds(&self, margin: &Margin, reading: &Reading) -> Checked<()> {
        self.complete()?;
        if !reading.bias {
            self.sums_to_one()?;
        } else if self.positive != self.denominator || self.negative != self.denominator {
            return Err(Refusal::proof("the support's weights do not sum to 1 over each of the two classes"));
        }
        let low = self.features.values().map(|(_, power)| *power).min().unwrap_or(0).min(0);
        let whole = |(sum, power): &(IBig, i32)| sum * self.base.power(power.abs_diff(low));
        let norm: IBig = self.features.values().map(|value| square(&whole(value))).sum();
        let found = norm * square(&margin.upper.denominator);
        let double = IBig::from(if reading.bias { 2 } else { 1 });
        let most = square(&(double * &margin.upper.numerator * &self.denominator));
        if found > most * self.base.power(2 * low.unsigned_abs()) {
            return Err(Refusal::proof("the support's combination is longer than margin.upper allows"));
        }
        Ok(())
    }
}
