//! Linear systems over the rationals, exactly, by p-adic lifting (Dixon 1982).
//!
//! C z = b with C regular mod P: let C⁻¹ be the inverse mod P, b₀ = b, and for k = 0, 1, …
//!
//! ```text
//! zₖ = C⁻¹ bₖ mod P,      bₖ₊₁ = (bₖ − C zₖ) / P   (no remainder),      z ≡ Σ zₖ Pᵏ mod Pᵏ⁺¹.
//! ```
//!
//! z is a vector of fractions with a common denominator; once Pᵏ exceeds twice their product, it is found by the
//! extended Euclidean algorithm, and checked: C·numerators = denominator·b.

use dashu_int::IBig;
use dashu_int::ops::{Gcd, SquareRoot, UnsignedAbs};

use super::modular::{P, Profile, invert, profile, residue};
use crate::certify::Deadline;
use crate::error::Result;
use crate::limits;
use crate::message::Message;

/// z = numerators / denominator, the denominator positive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// One for each unknown.
    pub numerators: Vec<IBig>,
    /// Common to all.
    pub denominator: IBig,
}

/// A square matrix whose inverse mod P is known.
#[derive(Debug)]
pub struct Regular {
    matrix: Vec<Vec<IBig>>,
    inverse: Vec<Vec<u64>>,
}

impl Regular {
    /// `None` if the matrix is singular mod P.
    pub fn new(matrix: Vec<Vec<IBig>>) -> Result<Option<Self>> {
        let residues: Vec<Vec<u64>> = matrix.iter().map(|r| r.iter().map(residue).collect()).collect();
        Ok(invert(&residues)?.map(|inverse| Regular { inverse, matrix }))
    }

    /// The z with C z = b; an error if the limits end the work.
    pub fn solve(&self, b: &[IBig]) -> Result<Solution> {
        let n = self.matrix.len();
        let p = IBig::from(P);
        let mut left = b.to_vec();
        let mut z = vec![IBig::ZERO; n];
        let mut power = IBig::ONE;
        for step in 1.. {
            let residues: Vec<u64> = left.iter().map(residue).collect();
            let digits: Vec<IBig> = self.inverse.iter().map(|row| IBig::from(combine(row, &residues))).collect();
            limits::check()?;
            for (l, row) in left.iter_mut().zip(&self.matrix) {
                for (c, d) in row.iter().zip(&digits) {
                    if !c.is_zero() {
                        *l -= c * d;
                    }
                }
                *l = &*l / &p;
            }
            z.iter_mut().zip(&digits).for_each(|(z, d)| *z += d * &power);
            power *= &p;
            let done = left.iter().all(IBig::is_zero);
            // Reconstruct at growing intervals, so that it costs no more than lifting.
            if (done || is_time(step))
                && let Some(found) = reconstruct(&z, &power)
                && self.holds(&found, b)
            {
                return Ok(found);
            }
        }
        unreachable!("lifting ends")
    }

    fn holds(&self, z: &Solution, b: &[IBig]) -> bool {
        self.matrix.iter().zip(b).all(|(row, b)| {
            let sum = row.iter().zip(&z.numerators).fold(IBig::ZERO, |sum, (c, z)| sum + c * z);
            sum == &z.denominator * b
        })
    }
}

/// 1, 2, 3, 4, 6, 8, 12, 16, 24, …
fn is_time(step: u32) -> bool {
    step.is_power_of_two() || (step.is_multiple_of(3) && (step / 3).is_power_of_two())
}

/// Σ aᵢ bᵢ mod P.
fn combine(a: &[u64], b: &[u64]) -> u64 {
    let mut sum = 0u128;
    for (a, b) in a.iter().zip(b) {
        let product = u128::from(*a) * u128::from(*b);
        // Below 2⁶² + …: 2⁶⁰ terms fit.
        sum += (product & u128::from(P)) + (product >> 61);
    }
    (sum % u128::from(P)) as u64
}

/// Fractions n/d ≡ z mod `power` with |n|, d ≤ √(power/2), if there are any.
fn reconstruct(z: &[IBig], power: &IBig) -> Option<Solution> {
    let bound = IBig::from((power >> 1).unsigned_abs().sqrt());
    let mut denominator = IBig::ONE;
    for value in z {
        // With the denominator so far it is mostly an integer already.
        let scaled = centred(&(value * &denominator), power);
        if in_bound(&scaled, &bound) {
            continue;
        }
        let (mut a, mut b) = (power.clone(), euclid(&scaled, power));
        let (mut s, mut t) = (IBig::ZERO, IBig::ONE);
        while b > bound {
            let q = &a / &b;
            (a, b) = (b.clone(), a - &q * &b);
            (s, t) = (t.clone(), s - q * &t);
        }
        denominator *= IBig::from(t.unsigned_abs());
        if denominator > bound {
            return None;
        }
    }
    let numerators: Vec<IBig> = z.iter().map(|v| centred(&(v * &denominator), power)).collect();
    Some(Solution { numerators, denominator })
}

fn in_bound(x: &IBig, bound: &IBig) -> bool {
    IBig::from(x.unsigned_abs()) <= *bound
}

/// x mod m in 0..m.
fn euclid(x: &IBig, m: &IBig) -> IBig {
    let r = x % m;
    if r < IBig::ZERO { r + m } else { r }
}

/// x mod m in (−m/2, m/2].
fn centred(x: &IBig, m: &IBig) -> IBig {
    let r = euclid(x, m);
    if &r << 1 > *m { r - m } else { r }
}

/// The integers divided by their greatest common divisor.
pub fn primitive(mut vector: Vec<IBig>) -> Vec<IBig> {
    let mut common = None;
    for v in vector.iter().filter(|v| !v.is_zero()) {
        common = Some(match common {
            None => v.unsigned_abs(),
            Some(g) => v.unsigned_abs().gcd(g),
        });
    }
    if let Some(common) = common.filter(|g| !g.is_one()) {
        let common = IBig::from(common);
        vector.iter_mut().for_each(|v| *v = &*v / &common);
    }
    vector
}

/// What [`System::null_space`] finds.
#[derive(Debug, PartialEq, Eq)]
pub enum NullSpace {
    /// A basis.
    Basis(Vec<Vec<IBig>>),
    /// P divides a determinant.
    Unlucky,
    /// The deadline came first.
    Late,
}

/// Rows of integers, all as long, with the largest regular submatrix mod P.
#[derive(Debug)]
pub struct System {
    /// The rows.
    pub rows: Vec<Vec<IBig>>,
    /// Independent rows and columns.
    pub profile: Profile,
    width: usize,
}

impl System {
    /// Finds independent rows; an error if the limits end the work.
    pub fn new(rows: Vec<Vec<IBig>>, width: usize) -> Result<Self> {
        limits::room_for::<u64>(rows.len() as u128 * width as u128, || {
            Message::new(format!("the elimination of {} × {width} numbers", rows.len()))
        })?;
        let residues: Vec<Vec<u64>> = rows.iter().map(|r| r.iter().map(residue).collect()).collect();
        Ok(System { profile: profile(&residues)?, rows, width })
    }

    /// The rank mod P: at most the rank.
    pub fn rank(&self) -> usize {
        self.profile.rows.len()
    }

    /// A basis of { w : row·w = 0 for every row }, each vector primitive.
    ///
    /// An error if it does not fit in memory: with few rows it has nearly `width` vectors of that length.
    pub fn null_space(&self, deadline: &Deadline) -> Result<NullSpace> {
        let Profile { rows, columns } = &self.profile;
        let mut is_free = vec![true; self.width];
        columns.iter().for_each(|&j| is_free[j] = false);
        let free: Vec<usize> = (0..self.width).filter(|&j| is_free[j]).collect();
        if free.is_empty() {
            return Ok(NullSpace::Basis(Vec::new()));
        }
        let what = || Message::new(format!("a null space of {} × {} numbers", free.len(), self.width));
        limits::room_for::<IBig>(free.len() as u128 * self.width as u128, what)?;
        let pick = |i: &usize| columns.iter().map(|&j| self.rows[*i][j].clone()).collect();
        let Some(regular) = Regular::new(rows.iter().map(pick).collect())? else { return Ok(NullSpace::Unlucky) };
        let zero =
            |row: &Vec<IBig>, w: &Vec<IBig>| row.iter().zip(w).fold(IBig::ZERO, |sum, (a, b)| sum + a * b).is_zero();
        let mut basis = Vec::new();
        for &j in &free {
            if deadline.has_passed() || limits::has_passed() {
                return Ok(NullSpace::Late);
            }
            let b: Vec<IBig> = rows.iter().map(|&i| -&self.rows[i][j]).collect();
            let z = regular.solve(&b)?;
            let mut w = vec![IBig::ZERO; self.width];
            columns.iter().zip(z.numerators).for_each(|(&c, n)| w[c] = n);
            w[j] = z.denominator;
            let w = primitive(w);
            if !self.rows.iter().all(|row| zero(row, &w)) {
                return Ok(NullSpace::Unlucky);
            }
            basis.push(w);
        }
        Ok(NullSpace::Basis(basis))
    }

    /// The z on the independent rows with Σ zᵢ·rowᵢ = target; `None` if the target is not in their span.
    pub fn combine(&self, target: &[IBig]) -> Result<Option<Solution>> {
        let Profile { rows, columns } = &self.profile;
        let transposed = columns.iter().map(|&j| rows.iter().map(|&i| self.rows[i][j].clone()).collect()).collect();
        let b: Vec<IBig> = columns.iter().map(|&j| target[j].clone()).collect();
        let Some(regular) = Regular::new(transposed)? else { return Ok(None) };
        let z = regular.solve(&b)?;
        let reached = (0..self.width).all(|j| {
            let sum = rows.iter().zip(&z.numerators).fold(IBig::ZERO, |sum, (&i, n)| sum + &self.rows[i][j] * n);
            sum == &z.denominator * &target[j]
        });
        Ok(reached.then_some(z))
    }

    /// If the rows have exactly one dependence Σ pᵢ·rowᵢ = 0 up to a factor: that p, primitive.
    pub fn only_dependence(&self) -> Result<Option<Vec<IBig>>> {
        if self.rank() + 1 != self.rows.len() {
            return Ok(None);
        }
        // The independent rows are in order: the other one is the first that is not where it would be.
        let odd = self.profile.rows.iter().zip(0..).find(|(row, at)| *row != at).map_or(self.rank(), |(_, at)| at);
        let target: Vec<IBig> = self.rows[odd].iter().map(|v| -v).collect();
        let Some(z) = self.combine(&target)? else { return Ok(None) };
        let mut p = vec![IBig::ZERO; self.rows.len()];
        self.profile.rows.iter().zip(z.numerators).for_each(|(&i, n)| p[i] = n);
        p[odd] = z.denominator;
        Ok(Some(primitive(p)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn big(rows: &[Vec<i64>]) -> Vec<Vec<IBig>> {
        rows.iter().map(|r| r.iter().map(|&v| IBig::from(v)).collect()).collect()
    }

    #[test]
    fn a_plane_and_its_normal() {
        let system = System::new(big(&[vec![1, 2, 3], vec![2, 4, 6], vec![1, 0, 1]]), 3).unwrap();
        assert_eq!(system.rank(), 2);
        assert_eq!(system.null_space(&Deadline::NEVER).unwrap(), NullSpace::Basis(big(&[vec![-1, -1, 1]])));
        assert_eq!(system.only_dependence().unwrap().unwrap(), big(&[vec![-2, 1, 0]])[0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn null_spaces_are_orthogonal_and_as_large_as_they_must_be(
            rows in prop::collection::vec(prop::collection::vec(-3i64..=3, 5), 1..7),
            factor in prop::sample::select(vec![1i64, 1 << 40, -999_999_937]),
        ) {
            let scaled: Vec<Vec<i64>> = rows.iter().map(|r| r.iter().map(|v| v * factor).collect()).collect();
            let system = System::new(big(&scaled), 5).unwrap();
            let NullSpace::Basis(basis) = system.null_space(&Deadline::NEVER).unwrap() else { panic!("no basis") };
            prop_assert_eq!(basis.len() + system.rank(), 5);
        }

        #[test]
        fn combinations_are_found(
            rows in prop::collection::vec(prop::collection::vec(-50i64..=50, 6), 6),
            mix in prop::collection::vec(-9i64..=9, 6),
        ) {
            let target: Vec<i64> = (0..6).map(|j| rows.iter().zip(&mix).map(|(r, m)| r[j] * m).sum()).collect();
            let system = System::new(big(&rows), 6).unwrap();
            prop_assert!(system.combine(&big(&[target])[0]).unwrap().is_some());
        }
    }

    /// Four rows of 20,000 features took 59 s and 9.2 GB under a time limit of 1 s.
    #[test]
    fn a_wide_null_space_holds_time_and_memory_limits() {
        let width = 20_000;
        let mut row = vec![0; width];
        row[width - 1] = 1;
        let system = System::new(big(&[row]), width).unwrap();
        let late = Deadline::NEVER.or_when(std::sync::Arc::new(true.into()));
        assert_eq!(system.null_space(&late).unwrap(), NullSpace::Late);
        let small = limits::Limits { memory: 1 << 30, ..limits::Limits::NONE };
        let error = limits::within(&small, || system.null_space(&Deadline::NEVER)).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Memory);
    }

    /// 100 × 100 with entries of 20 bits.
    #[test]
    fn a_hundred_unknowns_take_no_second() {
        let mut random = crate::random::Stream::new(7, &[]);
        let mut entry = || random.below(1 << 21) as i64 - (1 << 20);
        let rows: Vec<Vec<i64>> = (0..101).map(|_| (0..100).map(|_| entry()).collect()).collect();
        let begin = std::time::Instant::now();
        let system = System::new(big(&rows), 100).unwrap();
        assert!(system.only_dependence().unwrap().is_some());
        let seconds = begin.elapsed().as_secs_f64();
        assert!(seconds < 5.0, "{seconds}");
    }
}
