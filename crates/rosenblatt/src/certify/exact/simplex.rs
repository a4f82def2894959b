//! Gordan's alternative on a pool of rows, by an exact simplex method.
//!
//! Given rows a₁, a₂, … of integers, exactly one of two things exists: p ≥ 0 with Σ p = 1 and Σ pᵢ aᵢ = 0, or w with
//! aᵢ·w > 0 for all i. Both come from one linear program with an artificial variable for each equation,
//!
//! ```text
//! min Σ art   s.t.   Σ pᵢ = 1 (+ art),   Σ pᵢ aᵢ + S·art = 0,   p, art ≥ 0,   S diagonal, ±1
//! ```
//!
//! whose minimum is 0 in the first case; else its dual solution (t, −w) has aᵢ·w ≥ t > 0.
//!
//! With columns cᵢ = (1, aᵢ) and basis B the method keeps the integers D = |det B| and M = D·B⁻¹. A pivot on row r and
//! column u = M·c keeps them integers (Edmonds 1967):
//!
//! ```text
//! Mᵢ ← (u_r Mᵢ − uᵢ M_r) / D   (i ≠ r; no remainder),      D ← u_r.
//! ```
//!
//! The same method in floats [guesses](crate::certify::exact::float_simplex) the last basis, and it starts there. The most improving row enters; after a while without progress Bland's rule takes over, so that it ends.

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::approx::{mantissas, scaled};
use super::float_simplex::{self, Guess};
use super::margin::rounded;
use super::rows::IntRow;
use crate::certify::Deadline;
use crate::error::Result;
use crate::limits;
use crate::message::Message;

/// Pivots without progress before Bland's rule takes over.
const PATIENCE: usize = 40;
/// Float prices below this cannot be positive: they err by less.
const SURELY_NEGATIVE: f64 = -1e-9;

/// Which of the two exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alternative {
    /// (row of the pool, weight > 0): Σ weight·row = 0; the rows have no other dependence.
    Combination(Vec<(usize, IBig)>),
    /// row·w > 0 for every row of the pool.
    Positive(Vec<IBig>),
    /// The deadline came first.
    Late,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Artificial(usize),
    Row(usize),
}

/// The method with its state: rows may be added after it has stopped, and it continues.
#[derive(Debug)]
pub struct Simplex {
    /// The pool: rows over equations 1…, with the 1 of equation 0 implied.
    rows: Vec<Vec<(usize, IBig)>>,
    /// The same, as floats of length about 1, with their 1 of equation 0.
    floats: Vec<(f64, Vec<(usize, f64)>)>,
    /// The equation of each coordinate; 0 while it has none.
    equations: Vec<usize>,
    /// Whether the artificial variable of an equation has the coefficient −1.
    negative: Vec<bool>,
    basis: Vec<Variable>,
    /// M = D·B⁻¹.
    inverse: Vec<Vec<IBig>>,
    /// D > 0.
    determinant: IBig,
    /// D·(values of the basic variables).
    values: Vec<IBig>,
    /// D·(dual solution): (t, −w).
    dual: Vec<IBig>,
    stalled: usize,
    pivots: usize,
    /// A pivot was not finished: the time was over.
    broken: bool,
}

impl Simplex {
    /// An empty pool in so many coordinates.
    pub fn new(coordinates: usize) -> Self {
        Simplex {
            rows: Vec::new(),
            floats: Vec::new(),
            equations: vec![0; coordinates],
            negative: vec![false],
            basis: vec![Variable::Artificial(0)],
            inverse: vec![vec![IBig::ONE]],
            determinant: IBig::ONE,
            values: vec![IBig::ONE],
            dual: vec![IBig::ONE],
            stalled: 0,
            pivots: 0,
            broken: false,
        }
    }

    /// Pivots so far.
    pub fn pivots(&self) -> usize {
        self.pivots
    }

    /// Adds a row to the pool; an error if the equations do not fit in memory.
    pub fn add(&mut self, row: &IntRow) -> Result<()> {
        let new = row.entries.iter().filter(|(j, _)| self.equations[*j] == 0).count();
        if new > 0 {
            let all = self.basis.len() + new;
            let more = (all as u128).pow(2) - (self.basis.len() as u128).pow(2);
            limits::room_for::<IBig>(more, || Message::new(format!("a linear program of {all} equations")))?;
        }
        for (j, v) in &row.entries {
            if self.equations[*j] == 0 {
                self.equations[*j] = self.basis.len();
                self.add_equation(*v > IBig::ZERO);
            }
        }
        let entries: Vec<(usize, IBig)> = row.entries.iter().map(|(j, v)| (self.equations[*j], v.clone())).collect();
        let all: Vec<&IBig> = entries.iter().map(|(_, v)| v).collect();
        let (floats, top) = mantissas(&all);
        let floats: Vec<(usize, f64)> = entries.iter().map(|(k, _)| *k).zip(floats).collect();
        self.floats.push((scaled(&IBig::ONE, top), floats));
        self.rows.push(entries);
        Ok(())
    }

    /// Adds an equation that no earlier row takes part in. Its artificial variable grows when the current row enters.
    fn add_equation(&mut self, negative: bool) {
        let at = self.basis.len();
        self.negative.push(negative);
        let one = if negative { -&self.determinant } else { self.determinant.clone() };
        self.inverse.iter_mut().for_each(|row| row.push(IBig::ZERO));
        let mut row = vec![IBig::ZERO; at];
        row.push(one.clone());
        self.inverse.push(row);
        self.dual.push(one);
        self.values.push(IBig::ZERO);
        self.basis.push(Variable::Artificial(at));
    }

    /// A power of two about as large as the entries of a row.
    pub fn size(&self, row: usize) -> RBig {
        let all: Vec<&IBig> = self.rows[row].iter().map(|(_, v)| v).collect();
        RBig::from(IBig::ONE << mantissas(&all).1)
    }

    /// The final basis as floating point predicts it.
    pub fn guess(&self, deadline: &Deadline) -> Option<Guess> {
        float_simplex::run(&self.floats, &self.negative, deadline)
    }

    /// w of a guess, rounded to so many bits.
    pub fn guessed(&self, guess: &Guess, bits: i32) -> Option<Vec<IBig>> {
        let value = |&k: &usize| if k == 0 { 0.0 } else { -guess.dual[k] };
        rounded(&self.equations.iter().map(value).collect::<Vec<_>>(), None, bits)
    }

    /// Restarts at the basis of a guess, if its basic solution is feasible; else at the artificial variables.
    pub fn jump(&mut self, guess: &Guess, deadline: &Deadline) {
        self.restart();
        for (row, _) in &guess.rows {
            if deadline.has_passed() || self.broken {
                return self.restart();
            }
            let column = self.column(*row);
            let leaves = |i: &usize| match self.basis[*i] {
                Variable::Artificial(k) => !guess.artificial.contains(&k) && !column[*i].is_zero(),
                Variable::Row(_) => false,
            };
            if let Some(r) = (0..column.len()).find(leaves) {
                self.pivot(*row, r, &column);
            }
        }
        if self.values.iter().any(|v| *v < IBig::ZERO) {
            self.restart();
        }
        self.stalled = 0;
    }

    /// All basic variables are artificial.
    fn restart(&mut self) {
        let n = self.negative.len();
        let one = |k: usize| if self.negative[k] { IBig::NEG_ONE } else { IBig::ONE };
        let unit = |i: usize| (0..n).map(|j| if i == j { one(i) } else { IBig::ZERO }).collect();
        self.inverse = (0..n).map(unit).collect();
        self.dual = (0..n).map(one).collect();
        self.values = (0..n).map(|i| IBig::from(u8::from(i == 0))).collect();
        self.basis = (0..n).map(Variable::Artificial).collect();
        self.determinant = IBig::ONE;
        self.broken = false;
    }

    /// Continues until one of the alternatives is found; an error if the memory ends first.
    pub fn solve(&mut self, deadline: &Deadline) -> Result<Alternative> {
        loop {
            if self.broken {
                return Ok(Alternative::Late);
            }
            if self.dual[0].is_zero() {
                return Ok(Alternative::Combination(self.combination()));
            }
            if deadline.has_passed() {
                return Ok(Alternative::Late);
            }
            limits::check()?;
            let entering = if self.stalled > PATIENCE { self.first_improving() } else { self.most_improving() };
            let Some(entering) = entering else {
                return Ok(Alternative::Positive(self.positive()));
            };
            let column = self.column(entering);
            let leaving = self.leaving(&column);
            self.stalled = if self.values[leaving].is_zero() { self.stalled + 1 } else { 0 };
            self.pivot(entering, leaving, &column);
        }
    }

    /// D·(t + row·(−w)): positive if the row's weight should grow.
    fn price(&self, row: usize) -> IBig {
        let mut sum = self.dual[0].clone();
        for (k, v) in &self.rows[row] {
            if !self.dual[*k].is_zero() {
                sum += v * &self.dual[*k];
            }
        }
        sum
    }

    fn is_improving(&self, row: usize) -> bool {
        self.price(row) > IBig::ZERO
    }

    /// Bland: the first row that improves.
    fn first_improving(&self) -> Option<usize> {
        (0..self.rows.len()).find(|&i| self.is_improving(i))
    }

    /// The row that improves most by the measure of floats, exactly improving.
    fn most_improving(&self) -> Option<usize> {
        let all: Vec<&IBig> = self.dual.iter().collect();
        let (dual, _) = mantissas(&all);
        let mut candidates: Vec<(f64, usize)> = Vec::new();
        for (i, (one, row)) in self.floats.iter().enumerate() {
            let price = one * dual[0] + row.iter().map(|(k, v)| v * dual[*k]).sum::<f64>();
            if price > SURELY_NEGATIVE * (row.len() + 1) as f64 {
                candidates.push((price, i));
            }
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        candidates.into_iter().map(|(_, i)| i).find(|&i| self.is_improving(i))
    }

    /// M·c.
    fn column(&self, row: usize) -> Vec<IBig> {
        let entries = &self.rows[row];
        let product = |m: &Vec<IBig>| {
            let mut sum = m[0].clone();
            for (k, v) in entries {
                if !m[*k].is_zero() {
                    sum += v * &m[*k];
                }
            }
            sum
        };
        self.inverse.iter().map(product).collect()
    }

    /// The basic variable that first falls to 0 as the entering one grows; of several, the first by name.
    fn leaving(&self, column: &[IBig]) -> usize {
        let mut best: Option<usize> = None;
        for i in (0..column.len()).filter(|&i| column[i] > IBig::ZERO) {
            let better = match best {
                None => true,
                Some(b) => {
                    let ratios = (&self.values[i] * &column[b]).cmp(&(&self.values[b] * &column[i]));
                    ratios.then(self.basis[i].cmp(&self.basis[b])).is_lt()
                }
            };
            if better {
                best = Some(i);
            }
        }
        // An improving column has a positive entry in the row of an artificial variable.
        best.expect("the sum of the artificial variables is bounded below")
    }

    fn pivot(&mut self, entering: usize, r: usize, column: &[IBig]) {
        let old = std::mem::replace(&mut self.determinant, column[r].clone());
        let new = &column[r];
        let price = self.price(entering);
        let pivot_row = std::mem::take(&mut self.inverse[r]);
        let step = |v: &mut IBig, by: &IBig, p: &IBig| {
            if by.is_zero() || p.is_zero() {
                if !v.is_zero() {
                    *v = (&*v * new) / &old;
                }
            } else {
                *v = (&*v * new - by * p) / &old;
            }
        };
        let value = self.values[r].clone();
        for (i, by) in column.iter().enumerate().filter(|(i, _)| *i != r) {
            if i.is_multiple_of(64) && limits::has_passed() {
                self.broken = true;
                return;
            }
            self.inverse[i].iter_mut().zip(&pivot_row).for_each(|(v, p)| step(v, by, p));
            step(&mut self.values[i], by, &value);
        }
        self.dual.iter_mut().zip(&pivot_row).for_each(|(v, p)| step(v, &price, p));
        self.inverse[r] = pivot_row;
        self.basis[r] = Variable::Row(entering);
        self.pivots += 1;
        // Only a jump pivots on a negative element.
        if self.determinant < IBig::ZERO {
            let negate = |v: &mut IBig| *v = -std::mem::take(v);
            negate(&mut self.determinant);
            self.inverse.iter_mut().flatten().for_each(negate);
            self.values.iter_mut().chain(&mut self.dual).for_each(negate);
        }
    }

    fn combination(&self) -> Vec<(usize, IBig)> {
        let weight = |(b, v): (&Variable, &IBig)| match b {
            Variable::Row(i) if !v.is_zero() => Some((*i, v.clone())),
            _ => None,
        };
        let mut weights: Vec<(usize, IBig)> = self.basis.iter().zip(&self.values).filter_map(weight).collect();
        weights.sort_by_key(|(i, _)| *i);
        weights
    }

    fn positive(&self) -> Vec<IBig> {
        let value = |&k: &usize| if k == 0 { IBig::ZERO } else { -&self.dual[k] };
        super::linear::primitive(self.equations.iter().map(value).collect())
    }

    /// The weights of the basic rows, whatever the artificial variables are: an upper bound for the margin.
    pub fn weights(&self) -> Vec<(usize, IBig)> {
        self.combination()
    }
}

#[cfg(test)]
mod tests {
    use dashu_int::UBig;

    use super::*;

    fn row(values: &[i64]) -> IntRow {
        let entries = values.iter().enumerate().filter(|(_, v)| **v != 0).map(|(j, v)| (j, IBig::from(*v))).collect();
        IntRow { entries, scale: UBig::ONE, common: UBig::ONE }
    }

    fn solve(rows: &[&[i64]]) -> Alternative {
        let mut simplex = Simplex::new(rows[0].len());
        rows.iter().for_each(|r| simplex.add(&row(r)).unwrap());
        simplex.solve(&Deadline::NEVER).unwrap()
    }

    #[test]
    fn exclusive_or_cancels_with_equal_weights() {
        let got = solve(&[&[0, 0, -1], &[0, 1, 1], &[1, 0, 1], &[-1, -1, -1]]);
        let Alternative::Combination(weights) = got else { panic!("{got:?}") };
        assert_eq!(weights.len(), 4);
        assert!(weights.iter().all(|(_, w)| *w == weights[0].1));
    }

    #[test]
    fn a_zero_row_cancels_by_itself() {
        assert_eq!(solve(&[&[1, 2], &[0, 0]]), Alternative::Combination(vec![(1, IBig::ONE)]));
    }

    #[test]
    fn rows_on_one_side_have_a_normal() {
        let rows: [&[i64]; 3] = [&[5, -1, 2], &[-4, 1, 0], &[1, 1, -7]];
        let Alternative::Positive(w) = solve(&rows) else { panic!() };
        assert!(rows.iter().all(|r| row(r).dot(&w) > IBig::ZERO));
    }

    #[test]
    fn it_continues_with_more_rows() {
        let mut simplex = Simplex::new(3);
        simplex.add(&row(&[1, 0, 0])).unwrap();
        assert!(matches!(simplex.solve(&Deadline::NEVER).unwrap(), Alternative::Positive(_)));
        simplex.add(&row(&[0, 1, -1])).unwrap();
        assert!(matches!(simplex.solve(&Deadline::NEVER).unwrap(), Alternative::Positive(_)));
        simplex.add(&row(&[-2, -3, 3])).unwrap();
        let Alternative::Combination(weights) = simplex.solve(&Deadline::NEVER).unwrap() else { panic!() };
        assert_eq!(weights.len(), 3);
    }
}
