//! Linear programs in floating point: min Σ cᵢxᵢ with A x = b and x ≥ 0, by the revised simplex method.
//!
//! Nothing here is trusted: witnesses and packings are checked in whole numbers afterwards. The method is for programs of few
//! equations and many columns, whose costs change (the basis stays feasible) or whose columns are added one by one.

use crate::random::Stream;

/// Reduced costs above this do not improve.
const IMPROVES: f64 = -1e-9;
/// Entries below this are no pivots.
const PIVOT: f64 = 1e-9;
/// Pivots without progress before the entering column is drawn at random.
const PATIENCE: usize = 24;

/// The columns of a program.
pub(super) trait Columns {
    /// How many.
    fn count(&self) -> usize;
    /// The cost of one unit.
    fn cost(&self, column: usize) -> f64;
    /// The column's product with a vector.
    fn dot(&self, column: usize, dual: &[f64]) -> f64;
    /// Calls `visit(equation, entry)`.
    fn each(&self, column: usize, visit: &mut dyn FnMut(usize, f64));
}

/// A variable of the basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basic {
    /// The equation's own variable: a slack, or an artificial one, which must become 0.
    Own(usize),
    /// The weight of a column.
    Column(usize),
}

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// The sum of the artificial variables.
    Feasible,
    /// The cost.
    Cost,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// No column improves.
    Optimal,
    /// After so many pivots.
    Limit,
    /// Rounding has made the basis useless.
    Broken,
}

/// The method with its basis.
#[derive(Debug, Clone)]
pub(super) struct Simplex {
    inverse: Vec<Vec<f64>>,
    basis: Vec<Basic>,
    values: Vec<f64>,
    rhs: Vec<f64>,
    artificial: bool,
    since_refresh: usize,
    pub(super) pivots: u64,
}

impl Simplex {
    /// Equations with these right sides, not negative. `artificial`: own variables must become 0.
    pub(super) fn new(rhs: Vec<f64>, artificial: bool) -> Self {
        let n = rhs.len();
        let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
        Simplex {
            inverse: (0..n).map(unit).collect(),
            basis: (0..n).map(Basic::Own).collect(),
            values: rhs.clone(),
            rhs,
            artificial,
            since_refresh: 0,
            pivots: 0,
        }
    }

    /// Adds an equation that no basic column takes part in.
    pub(super) fn add_equation(&mut self, rhs: f64) {
        let n = self.basis.len();
        self.inverse.iter_mut().for_each(|row| row.push(0.0));
        let mut row = vec![0.0; n + 1];
        row[n] = 1.0;
        self.inverse.push(row);
        self.basis.push(Basic::Own(n));
        self.values.push(rhs);
        self.rhs.push(rhs);
    }

    /// How many equations.
    pub(super) fn equations(&self) -> usize {
        self.basis.len()
    }

    /// The basic columns with their values.
    pub(super) fn solution(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.basis.iter().zip(&self.values).filter_map(|(basic, value)| match basic {
            Basic::Column(k) => Some((*k, value.max(0.0))),
            Basic::Own(_) => None,
        })
    }

    /// The sum of the own variables.
    pub(super) fn own(&self) -> f64 {
        let own = self.basis.iter().zip(&self.values).filter(|(basic, _)| matches!(basic, Basic::Own(_)));
        own.map(|(_, value)| value.abs()).sum()
    }

    /// The dual solution.
    pub(super) fn dual(&self, columns: &impl Columns, goal: Goal) -> Vec<f64> {
        let mut dual = vec![0.0; self.basis.len()];
        for (row, basic) in self.inverse.iter().zip(&self.basis) {
            let cost = match (goal, basic) {
                (Goal::Feasible, Basic::Own(_)) => 1.0,
                (Goal::Cost, Basic::Column(k)) => columns.cost(*k),
                _ => 0.0,
            };
            if cost != 0.0 {
                dual.iter_mut().zip(row).for_each(|(d, v)| *d += cost * v);
            }
        }
        dual
    }

    /// Pivots until no column improves, `most` pivots are made, or `visit`, called after each and told whether it changed the
    /// solution, returns false.
    pub(super) fn run(
        &mut self,
        columns: &impl Columns,
        goal: Goal,
        most: usize,
        random: &mut Stream,
        visit: &mut dyn FnMut(&Simplex, bool) -> bool,
    ) -> End {
        let mut stalled = 0;
        for _ in 0..most {
            if goal == Goal::Feasible && self.own() < 1e-10 {
                return End::Optimal;
            }
            if self.since_refresh > 50 + self.basis.len() / 2 && !self.refresh(columns) {
                return End::Broken;
            }
            let dual = self.dual(columns, goal);
            let Some(entering) = self.entering(columns, goal, &dual, stalled > PATIENCE, random) else {
                return End::Optimal;
            };
            let column = self.column(columns, entering);
            let Some(leaving) = self.leaving(&column, goal) else { return End::Broken };
            let step = self.values[leaving].max(0.0) / column[leaving];
            self.pivot(entering, leaving, &column);
            let changed = step.abs() > 1e-11;
            stalled = if changed { 0 } else { stalled + 1 };
            if !visit(self, changed) {
                return End::Limit;
            }
        }
        End::Limit
    }

    fn entering(
        &self,
        columns: &impl Columns,
        goal: Goal,
        dual: &[f64],
        at_random: bool,
        random: &mut Stream,
    ) -> Option<Basic> {
        let mut basic: Vec<usize> = self.solution().map(|(k, _)| k).collect();
        basic.sort_unstable();
        let (mut best, mut seen) = ((IMPROVES, None), 0);
        // A slack may come back; an artificial variable never does.
        for (i, price) in dual.iter().enumerate().filter(|_| !self.artificial) {
            if -price < best.0 && !self.basis.contains(&Basic::Own(i)) {
                best = (-price, Some(Basic::Own(i)));
            }
        }
        for k in 0..columns.count() {
            let cost = if goal == Goal::Cost { columns.cost(k) } else { 0.0 };
            let reduced = cost - columns.dot(k, dual);
            if reduced < IMPROVES && (at_random || reduced < best.0) && basic.binary_search(&k).is_err() {
                seen += 1;
                if !at_random || random.below(seen) == 0 {
                    best = (reduced, Some(Basic::Column(k)));
                }
            }
        }
        best.1
    }

    fn column(&self, columns: &impl Columns, of: Basic) -> Vec<f64> {
        let k = match of {
            Basic::Own(i) => return self.inverse.iter().map(|row| row[i]).collect(),
            Basic::Column(k) => k,
        };
        let mut entries = Vec::new();
        columns.each(k, &mut |i, v| entries.push((i, v)));
        self.inverse.iter().map(|row| entries.iter().map(|(i, v)| row[*i] * v).sum()).collect()
    }

    /// The basic variable that first falls to 0; of several the one with the largest pivot. An artificial variable at 0
    /// must not grow either.
    fn leaving(&self, column: &[f64], goal: Goal) -> Option<usize> {
        let fixed = self.artificial && goal == Goal::Cost;
        let pinned = (0..column.len())
            .filter(|&i| fixed && matches!(self.basis[i], Basic::Own(_)) && column[i].abs() > 1e-7)
            .max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()));
        if pinned.is_some() {
            return pinned;
        }
        let able = || (0..column.len()).filter(|&i| column[i] > PIVOT);
        let ratio = |i: usize| self.values[i].max(0.0) / column[i];
        let least = able().map(|i| (self.values[i].max(0.0) + 1e-12) / column[i]).fold(f64::INFINITY, f64::min);
        able().filter(|&i| ratio(i) <= least).max_by(|&a, &b| column[a].total_cmp(&column[b]))
    }

    fn pivot(&mut self, entering: Basic, r: usize, column: &[f64]) {
        let scale = 1.0 / column[r];
        let mut row = std::mem::take(&mut self.inverse[r]);
        row.iter_mut().for_each(|v| *v *= scale);
        let value = self.values[r] * scale;
        for (i, by) in column.iter().enumerate().filter(|(i, by)| *i != r && **by != 0.0) {
            self.inverse[i].iter_mut().zip(&row).for_each(|(v, p)| *v -= by * p);
            self.values[i] -= by * value;
        }
        self.values[r] = value;
        self.inverse[r] = row;
        self.basis[r] = entering;
        self.since_refresh += 1;
        self.pivots += 1;
    }

    /// Computes the inverse of the basis afresh; false if it is singular.
    pub(super) fn refresh(&mut self, columns: &impl Columns) -> bool {
        let n = self.basis.len();
        let mut work = vec![vec![0.0; 2 * n]; n];
        for (j, basic) in self.basis.iter().enumerate() {
            match basic {
                Basic::Own(k) => work[*k][j] = 1.0,
                Basic::Column(k) => columns.each(*k, &mut |i, v| work[i][j] = v),
            }
        }
        (0..n).for_each(|i| work[i][n + i] = 1.0);
        for c in 0..n {
            let Some(at) = (c..n).max_by(|&a, &b| work[a][c].abs().total_cmp(&work[b][c].abs())) else { return false };
            if work[at][c].abs() < 1e-12 {
                return false;
            }
            work.swap(c, at);
            let scale = 1.0 / work[c][c];
            work[c][c..].iter_mut().for_each(|v| *v *= scale);
            let pivot = std::mem::take(&mut work[c]);
            for row in work.iter_mut().filter(|r| !r.is_empty() && r[c] != 0.0) {
                let by = row[c];
                row[c..].iter_mut().zip(&pivot[c..]).for_each(|(v, p)| *v -= by * p);
            }
            work[c] = pivot;
        }
        self.inverse = work.into_iter().map(|row| row[n..].to_vec()).collect();
        self.values =
            self.inverse.iter().map(|row| row.iter().zip(&self.rhs).map(|(v, b)| v * b).sum::<f64>()).collect();
        self.since_refresh = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dense(Vec<(f64, Vec<f64>)>);

    impl Columns for Dense {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn cost(&self, k: usize) -> f64 {
            self.0[k].0
        }
        fn dot(&self, k: usize, dual: &[f64]) -> f64 {
            self.0[k].1.iter().zip(dual).map(|(a, b)| a * b).sum()
        }
        fn each(&self, k: usize, visit: &mut dyn FnMut(usize, f64)) {
            self.0[k].1.iter().enumerate().for_each(|(i, v)| visit(i, *v));
        }
    }

    #[test]
    fn a_packing_of_three_pairs_is_three_halves() {
        // Each of three witnesses takes two of three rows.
        let columns = [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]];
        let columns = Dense(columns.iter().map(|c| (-1.0, c.to_vec())).collect());
        let mut method = Simplex::new(vec![1.0; 3], false);
        let end = method.run(&columns, Goal::Cost, 100, &mut Stream::new(0, &[]), &mut |_, _| true);
        let sum: f64 = method.solution().map(|(_, v)| v).sum();
        assert_eq!(end, End::Optimal);
        assert!((sum - 1.5).abs() < 1e-9, "{sum}");
        let dual: f64 = method.dual(&columns, Goal::Cost).iter().sum();
        assert!((dual + 1.5).abs() < 1e-9, "{dual}");
    }

    #[test]
    fn artificial_variables_leave_and_costs_may_change() {
        // p₀ + p₁ + p₂ = 1, −p₀ + p₁ + 2p₂ = 0.
        let mut columns = Dense(vec![(1.0, vec![1.0, -1.0]), (0.0, vec![1.0, 1.0]), (5.0, vec![1.0, 2.0])]);
        let mut method = Simplex::new(vec![1.0, 0.0], true);
        let random = &mut Stream::new(0, &[]);
        assert_eq!(method.run(&columns, Goal::Feasible, 100, random, &mut |_, _| true), End::Optimal);
        assert!(method.own() < 1e-12);
        for (cost, want) in [(5.0, vec![0, 1]), (-5.0, vec![0, 2]), (9.0, vec![0, 1])] {
            columns.0[2].0 = cost;
            assert_eq!(method.run(&columns, Goal::Cost, 100, random, &mut |_, _| true), End::Optimal);
            let mut used: Vec<usize> = method.solution().filter(|(_, v)| *v > 1e-12).map(|(k, _)| k).collect();
            used.sort_unstable();
            assert_eq!(used, want);
        }
    }
}
