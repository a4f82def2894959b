//! Polynomial features: all products of up to D features, powers too.
//!
//! A hyperplane in these is a surface of degree D in the features as they were: x1, x2, x1·x1, x1·x2, x2·x2 for two
//! features and D = 2. A product is kept if it is not zero in some training row, so sparse rows give only the
//! products that occur: any other would have the weight zero.
//!
//! A product of several features is the product of all but the last, times the last. Products come by degree, then in
//! the order of their features.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Step;
use super::entries::Entries;
use super::kind::Kind;
use crate::error::{Error, Result};
use crate::learn::{Array, State};
use crate::limits;
use crate::message::Setting;
use crate::rows::{AnyRows, MAX_FEATURES, Row, Rows};

/// The product of no feature.
const EMPTY: u32 = u32::MAX;
/// Products held in memory at most.
const MOST: u128 = 1 << 28;
/// Bytes that a product takes while it is collected and looked up, about.
const PER_PRODUCT: u128 = 80;
/// The greatest degree.
pub(crate) const MAX_DEGREE: u32 = 10;

/// The products that occur.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polynomial {
    degree: u32,
    /// Each product without its last feature.
    #[serde(skip)]
    before: Vec<u32>,
    /// The last feature of each.
    #[serde(skip)]
    last: Vec<u32>,
    /// The product of these two.
    #[serde(skip)]
    place: HashMap<(u32, u32), u32>,
}

impl Polynomial {
    /// Collects the products of training rows. `None`: degree 1 leaves rows as they are.
    pub fn fit(degree: u32, rows: AnyRows<'_>) -> Result<Option<Polynomial>> {
        if degree == 1 {
            return Ok(None);
        }
        if !(1..=MAX_DEGREE).contains(&degree) {
            return Err(Error::setting(Setting::Degree, degree, format!("expected 1 to {MAX_DEGREE}")));
        }
        count_products(degree, rows)?;
        let mut found = Found::default();
        let mut row = Entries::default();
        for i in 0..rows.len() {
            row.fill(rows.row(i));
            found.reserve(products(row.indices.len() as u128, u128::from(degree)))?;
            found.collect(&row.indices, EMPTY, degree)?;
        }
        let (before, last) = found.sorted();
        Ok(Some(Polynomial::new(degree, before, last)))
    }

    fn new(degree: u32, before: Vec<u32>, last: Vec<u32>) -> Polynomial {
        let place = before.iter().copied().zip(last.iter().copied()).zip(0..).collect();
        Polynomial { degree, before, last, place }
    }

    /// Multiplies `product` by each entry from `from` on, recursively.
    fn extend(&self, row: &Entries, from: usize, (before, product): (u32, f64), left: u32, out: &mut Vec<(u32, f64)>) {
        for at in from..row.indices.len() {
            if let Some(&place) = self.place.get(&(before, row.indices[at])) {
                let value = if before == EMPTY { row.values[at] } else { product * row.values[at] };
                out.push((place, value));
                if left > 1 {
                    self.extend(row, at, (place, value), left - 1, out);
                }
            }
        }
    }

    /// The features of a product, in order.
    fn factors(&self, product: usize) -> Vec<u32> {
        let (mut at, mut factors) = (product as u32, Vec::new());
        while at != EMPTY {
            factors.push(self.last[at as usize]);
            at = self.before[at as usize];
        }
        factors.reverse();
        factors
    }
}

/// C(n + d, d) − 1: how many products of up to d of n numbers there are.
fn products(n: u128, d: u128) -> u128 {
    (1..=d).fold(1u128, |c, k| (c.saturating_mul(n + k) / k).min(MOST * MOST)) - 1
}

/// Counts the products of all rows, and of the longest, before any is made: refuses more than fit in memory.
fn count_products(degree: u32, rows: AnyRows<'_>) -> Result<()> {
    let (mut all, mut longest) = (0, 0);
    for i in 0..rows.len() {
        let mut entries = 0u128;
        rows.row(i).each(|_, v| entries += u128::from(v != 0.0));
        let own = products(entries, u128::from(degree));
        (all, longest) = (all + own, own.max(longest));
        if all > MOST {
            let why = format!(
                "more than {MOST} products of the features of {} rows; leave some features out, or lower the degree",
                i + 1
            );
            return Err(Error::setting(Setting::Degree, degree, why));
        }
    }
    // Prepared rows are made in parts and then joined.
    let bytes = 2 * 12 * all + PER_PRODUCT * longest;
    limits::room_for::<u8>(bytes, || format!("{all} products of up to {degree} features").into())
}

/// Products in order of appearance, each with its number.
#[derive(Default)]
struct Found {
    numbers: HashMap<(u32, u32), u32>,
    /// Whether there is memory for so many products.
    reserved: u128,
    /// Products met since the limits were checked.
    met: u32,
}

impl Found {
    /// Makes sure that `more` products fit in memory.
    fn reserve(&mut self, more: u128) -> Result<()> {
        let wanted = self.numbers.len() as u128 + more;
        if wanted > self.reserved {
            if self.numbers.len() > MAX_FEATURES {
                return Err(Error::bad_data(format!("more than {MAX_FEATURES} products of features")));
            }
            // Twice as many, so that this is seldom asked.
            self.reserved = 2 * wanted;
            let bytes = PER_PRODUCT * wanted;
            limits::room_for::<u8>(bytes, || format!("{wanted} different products of features").into())?;
        }
        Ok(())
    }

    fn collect(&mut self, indices: &[u32], before: u32, left: u32) -> Result<()> {
        for (at, &j) in indices.iter().enumerate() {
            self.met += 1;
            if self.met == 1 << 16 {
                limits::check()?;
                self.met = 0;
            }
            let next = self.numbers.len() as u32;
            let id = *self.numbers.entry((before, j)).or_insert(next);
            if left > 1 {
                self.collect(&indices[at..], id, left - 1)?;
            }
        }
        Ok(())
    }

    /// All products, by degree and then in the order of their features: each without its last feature, and that feature.
    fn sorted(self) -> (Vec<u32>, Vec<u32>) {
        let mut parts = vec![(EMPTY, 0); self.numbers.len()];
        self.numbers.into_iter().for_each(|(part, id)| parts[id as usize] = part);
        // The first part of a product precedes it.
        let mut degrees: Vec<u32> = Vec::with_capacity(parts.len());
        for &(before, _) in &parts {
            degrees.push(if before == EMPTY { 1 } else { degrees[before as usize] + 1 });
        }
        let mut order: Vec<u32> = (0..parts.len() as u32).collect();
        order.sort_by_key(|&id| degrees[id as usize]);
        // Within a degree by the place of the first part, which is in the degree below, and then by the last feature.
        let mut places = vec![EMPTY; parts.len()];
        let place_of = |places: &[u32], before: u32| if before == EMPTY { EMPTY } else { places[before as usize] };
        let (mut before, mut last) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
        for same in order.chunk_by_mut(|&a, &b| degrees[a as usize] == degrees[b as usize]) {
            same.sort_unstable_by_key(|&id| {
                let (before, last) = parts[id as usize];
                (place_of(&places, before), last)
            });
            for &mut id in same {
                let (first, end) = parts[id as usize];
                before.push(place_of(&places, first));
                last.push(end);
                places[id as usize] = last.len() as u32 - 1;
            }
        }
        (before, last)
    }
}

impl Step for Polynomial {
    fn outputs(&self, _: usize) -> usize {
        self.last.len()
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        let mut all = std::mem::take(&mut spare.pairs);
        all.clear();
        self.extend(row, 0, (EMPTY, 1.0), self.degree, &mut all);
        all.sort_unstable_by_key(|&(place, _)| place);
        spare.clear();
        all.iter().for_each(|&(place, value)| spare.push(place, value));
        std::mem::swap(row, spare);
        spare.pairs = all;
    }

    fn kinds(&self, inputs: Vec<Kind>) -> Vec<Kind> {
        let kind = |product: usize| {
            let mut kinds = self.factors(product).into_iter().map(|j| inputs[j as usize]);
            let first = kinds.next().unwrap_or(Kind::Count);
            if kinds.all(|kind| kind == first) { first } else { Kind::Count }
        };
        (0..self.last.len()).map(kind).collect()
    }

    fn names(&self, inputs: Vec<String>) -> Vec<String> {
        let name = |product: usize| {
            let factors = self.factors(product);
            let power = |same: &[u32]| match same.len() {
                1 => inputs[same[0] as usize].clone(),
                n => format!("{}^{n}", inputs[same[0] as usize]),
            };
            factors.chunk_by(|a, b| a == b).map(power).collect::<Vec<_>>().join("*")
        };
        (0..self.last.len()).map(name).collect()
    }

    fn describe(&self) -> String {
        format!("{} products of up to {} features", self.last.len(), self.degree)
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("before", Array::U32(self.before.clone()));
        arrays.put("last", Array::U32(self.last.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let (before, last) = (arrays.u32s("before")?.to_vec(), arrays.u32s("last")?.to_vec());
        let refuse = || Err(Error::bad_model("products of features that contradict each other"));
        if before.len() != last.len() || !(2..=MAX_DEGREE).contains(&self.degree) {
            return refuse();
        }
        let mut degrees: Vec<u32> = Vec::with_capacity(before.len());
        for (at, (&b, &l)) in before.iter().zip(&last).enumerate() {
            // The first part of a product precedes it, and contains no later feature.
            let degree = match b {
                EMPTY => 1,
                b if (b as usize) < at && last[b as usize] <= l => degrees[b as usize] + 1,
                _ => return refuse(),
            };
            if l as usize >= inputs || degree > self.degree || degrees.last().is_some_and(|&d| d > degree) {
                return refuse();
            }
            degrees.push(degree);
        }
        let made = Polynomial::new(self.degree, before, last);
        if made.place.len() != made.last.len() {
            return refuse();
        }
        *self = made;
        Ok(())
    }
}
