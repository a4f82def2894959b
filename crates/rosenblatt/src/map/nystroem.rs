//! Nyström's features: a kernel by its values at some training rows, the landmarks.
//!
//! With the landmarks' Gram matrix K = LLᵀ (Cholesky) and k(x) the kernel values of x with them,
//!
//! > z(x) = L⁻¹ k(x),   z(x)·z(y) = k(x)ᵀ K⁻¹ k(y):
//!
//! the kernel itself on the span of the landmarks, and its projection on that span elsewhere. (K^(−1/2) in place of L⁻¹
//! would turn the features, and change no product.) A landmark that depends on those before it is skipped.

use serde::{Deserialize, Serialize};

use super::Step;
use super::entries::Entries;
use super::fourier::check_size;
use super::kind::Kind;
use crate::error::{Error, Result};
use crate::learn::kernel::{Function, Kernel, Support};
use crate::learn::{Array, State};
use crate::limits;
use crate::random::Stream;
use crate::rows::{AnyRows, Row, Rows};

/// A landmark whose squared distance from the span of the others is a smaller share of its squared length adds noise.
const CLOSEST: f64 = 1e-10;

/// The landmarks and their factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nystroem {
    kernel: Function,
    features: u32,
    /// By `[input][landmark]`.
    #[serde(skip)]
    landmarks: Vec<f64>,
    /// ‖y‖² of each landmark.
    #[serde(skip)]
    sq: Vec<f64>,
    /// L, its lower triangle row by row.
    #[serde(skip)]
    factor: Vec<f64>,
}

impl Nystroem {
    /// Draws up to `features` landmarks from training rows.
    pub fn fit(kernel: Function, features: u32, rows: AnyRows<'_>, seed: u64) -> Result<Nystroem> {
        check_size(rows.features(), features)?;
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        Stream::new(seed, &[2]).shuffle(&mut order);
        let mut chosen = Support::new(rows.features());
        let (mut factor, mut values): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for &i in &order {
            if chosen.len() == features as usize {
                break;
            }
            limits::check()?;
            limits::room_for::<f64>((factor.len() + chosen.len() + 1) as u128, || {
                format!("the factor of {} landmarks", chosen.len() + 1).into()
            })?;
            let mut candidate = Support::new(rows.features());
            candidate.slot(rows.row(i as usize));
            values.clear();
            values.extend((0..chosen.len()).map(|s| {
                let dot = product(&chosen, s, &candidate);
                kernel.value(dot, chosen.sq(s), candidate.sq(0))
            }));
            solve(&factor, &mut values);
            let own = kernel.value(candidate.sq(0), candidate.sq(0), candidate.sq(0));
            let rest = own - values.iter().map(|v| v * v).sum::<f64>();
            if rest > CLOSEST * own {
                chosen.slot(candidate.row(0));
                factor.append(&mut values);
                factor.push(rest.sqrt());
            }
        }
        let m = chosen.len();
        if m == 0 {
            return Err(Error::bad_data("no training row has a length in the kernel's space: there are no landmarks"));
        }
        let what = || format!("{m} landmarks of {} features", rows.features()).into();
        let mut landmarks = limits::zeros(rows.features() * m, what)?;
        for slot in 0..m {
            chosen.row(slot).each(|j, v| landmarks[j * m + slot] = v);
        }
        let sq = (0..m).map(|slot| chosen.sq(slot)).collect();
        Ok(Nystroem { kernel, features: m as u32, landmarks, sq, factor })
    }
}

/// The product of two support vectors, in the order of the features.
fn product(a: &Support, slot: usize, b: &Support) -> f64 {
    let (x, y) = (a.row(slot), b.row(0));
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < x.indices.len() && j < y.indices.len() {
        match x.indices[i].cmp(&y.indices[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += x.values[i] * y.values[j];
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    sum
}

/// L⁻¹k in place, from the first number on.
fn solve(factor: &[f64], k: &mut [f64]) {
    let mut start = 0;
    for i in 0..k.len() {
        let row = &factor[start..][..=i];
        let known: f64 = row[..i].iter().zip(&k[..i]).map(|(l, z)| l * z).sum();
        k[i] = (k[i] - known) / row[i];
        start += i + 1;
    }
}

impl Step for Nystroem {
    fn outputs(&self, _: usize) -> usize {
        self.features as usize
    }

    fn apply(&self, row: &mut Entries, spare: &mut Entries) {
        let m = self.features as usize;
        spare.clear();
        spare.values.resize(m, 0.0);
        let mut sq = 0.0;
        for (&j, &v) in row.indices.iter().zip(&row.values) {
            sq += v * v;
            let each = &self.landmarks[j as usize * m..][..m];
            spare.values.iter_mut().zip(each).for_each(|(sum, y)| *sum += v * y);
        }
        spare.values.iter_mut().zip(&self.sq).for_each(|(k, &sq_y)| *k = self.kernel.value(*k, sq, sq_y));
        solve(&self.factor, &mut spare.values);
        row.clear();
        for (i, z) in (0..).zip(&spare.values) {
            row.push(i, *z);
        }
    }

    fn kinds(&self, _: Vec<Kind>) -> Vec<Kind> {
        vec![Kind::Number; self.features as usize]
    }

    fn names(&self, _: Vec<String>) -> Vec<String> {
        (1..=self.features).map(|i| format!("landmark {i}")).collect()
    }

    fn describe(&self) -> String {
        format!("{} Nyström features of the kernel {}", self.features, self.kernel)
    }

    fn save(&self, arrays: &mut State) {
        arrays.put("landmarks", Array::F64(self.landmarks.clone()));
        arrays.put("squares", Array::F64(self.sq.clone()));
        arrays.put("factor", Array::F64(self.factor.clone()));
    }

    fn restore(&mut self, arrays: &State, inputs: usize) -> Result<()> {
        let (landmarks, sq, factor) = (arrays.f64s("landmarks")?, arrays.f64s("squares")?, arrays.f64s("factor")?);
        let m = self.features as usize;
        let fits = inputs.checked_mul(m) == Some(landmarks.len())
            && sq.len() == m
            && m.checked_add(1).and_then(|n| n.checked_mul(m)).map(|n| n / 2) == Some(factor.len());
        // Solving divides by the diagonal.
        let diagonal = || (0..m).all(|i| factor[(i + 1) * (i + 2) / 2 - 1] > 0.0);
        if m == 0 || !fits || !diagonal() {
            return Err(Error::bad_model("the landmarks of a map do not fit its features"));
        }
        (self.landmarks, self.sq, self.factor) = (landmarks.to_vec(), sq.to_vec(), factor.to_vec());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Dense, DenseRows};

    #[test]
    fn among_landmarks_products_are_the_kernel() {
        let mut random = Stream::new(7, &[]);
        let values: Vec<f64> = (0..40).map(|_| 2.0 * random.unit() - 1.0).collect();
        let rows = AnyRows::DenseF64(DenseRows::new(&values, 2).unwrap());
        for kernel in ["poly:2", "rbf:0.7"] {
            let kernel: Function = kernel.parse().unwrap();
            let map = Nystroem::fit(kernel, 100, rows, 3).unwrap();
            let mapped = |x: &[f64]| {
                let (mut row, mut spare) = (Entries::default(), Entries::default());
                row.fill(Dense(x));
                map.apply(&mut row, &mut spare);
                let mut out = vec![0.0; map.features as usize];
                row.row().each(|j, v| out[j] = v);
                out
            };
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            for x in values.chunks(2) {
                for y in values.chunks(2) {
                    let product = dot(&mapped(x), &mapped(y));
                    let right = kernel.value(dot(x, y), dot(x, x), dot(y, y));
                    assert!((product - right).abs() < 1e-6, "{kernel}: {product}, {right}");
                }
            }
        }
        // Six monomials span all polynomials of degree 2 in two variables: more landmarks are of no use.
        assert_eq!(Nystroem::fit("poly:2".parse().unwrap(), 100, rows, 3).unwrap().features, 6);
    }
}
