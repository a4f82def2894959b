//! Wolfe's minimum-norm point over a small pool of examples. (Wolfe 1976, for one and for two groups.)
//!
//! ```text
//!   minimise ½‖x‖²,   x = Σ λᵢ aᵢ,   λ ≥ 0,   Σ_{i∈g} λᵢ = 1 for each group g
//! ```
//!
//! One group: the point of conv{aᵢ} nearest to the origin. Two groups, a = ±z: the shortest vector between the hulls
//! of the positive and of the negative points. The support S with λ > 0 is the *corral*; x is the shortest point of
//! its affine hull, that is, all a·x of a group are the same *level* ν_g, and Σ ν_g = ‖x‖². x is optimal when no
//! point of the pool lies below its level.
//!
//! * **Major cycle**: the lowest point joins the corral with λ = 0.
//! * **Minor cycle**: find the shortest point Σ μᵢ aᵢ of the affine hull; if all μ > 0 take it; else walk from λ
//!   towards μ until the first weight vanishes, drop that example, and try again.
//!
//! With B = [A; σE], where the rows of E mark the groups, μ = λ + δ solves
//!
//! ```text
//!   BᵀB δ = −(Aᵀx − Eᵀν) − Eᵀη,   E δ = 0      (E δ = 0 makes the σ-rows harmless)
//! ```
//!
//! by the triangle of B = QR. The right side is small when λ is nearly right, hence repeating the step refines it.
//! λ rounds, so that Σ λ a is only known to u·R. As a direction that is too coarse: an error ε of x costs R·ε/‖x‖ of
//! the margin ‖x‖, nothing left at ‖x‖ = √u·R. Therefore the small steps are added to x itself, and all heights a·x
//! become even to u·R‖x‖: the direction is good as long as ‖x‖ ≫ u·R.

use super::factor::Triangle;
use super::pricing::Pick;
use super::view::{View, sq_norm};
use crate::certify::Deadline;
use crate::parallel;
use crate::rows::Rows;

/// Weights below this are zero.
const VANISHED: f64 = 1e-15;
/// A column closer to the span of the others than this, relative to R, is not independent of them.
const DEPENDENT: f64 = 1e-13;
/// How many of the lowest points of a pool are tried before the pool is priced again.
const SHORT_LIST: usize = 16;
/// Below this many multiplications a pool is priced by one thread.
const WORTH_THREADS: usize = 200_000;

/// The support of the shortest point found so far.
pub(super) struct Corral<'a, R> {
    view: View<'a, R>,
    /// max ‖aᵢ‖, also the σ of the group rows.
    radius: f64,
    /// The rows of the support.
    pub members: Vec<usize>,
    /// Their convex weights.
    pub lambda: Vec<f64>,
    /// Σ λ a
    pub x: Vec<f64>,
    /// The common a·x of each group's members.
    pub level: [f64; 2],
    /// a·x of each member.
    heights: Vec<f64>,
    triangle: Triangle,
    /// How often a point joined.
    pub joined: usize,
    deadline: Deadline,
}

/// The result of an attempt to add a point.
#[derive(PartialEq)]
enum Joined {
    Closer,
    NoGain,
}

impl<'a, R: Rows> Corral<'a, R> {
    /// Starts with one example of each group.
    pub fn new(view: View<'a, R>, radius: f64, first: &[usize]) -> Self {
        let mut corral = Corral {
            view,
            radius,
            members: Vec::new(),
            lambda: Vec::new(),
            x: vec![0.0; view.rows.features()],
            level: [0.0; 2],
            heights: Vec::new(),
            triangle: Triangle::default(),
            joined: 0,
            deadline: Deadline::NEVER,
        };
        for &i in first {
            if corral.append(i) {
                *corral.lambda.last_mut().expect("just appended") = 1.0;
            }
        }
        corral.settle();
        corral
    }

    /// ‖x‖
    pub fn norm(&self) -> f64 {
        sq_norm(&self.x).sqrt()
    }

    /// a·x is not known better than this.
    pub fn noise(&self) -> f64 {
        4.0 * f64::EPSILON * self.radius * self.norm()
    }

    /// Finds the shortest point of the pool's hull, until nothing lies below its level by more than
    /// `tolerance`·‖x‖², or ‖x‖ ≤ `zero`, or the deadline.
    pub fn minimise(&mut self, pool: &[usize], tolerance: f64, zero: f64, deadline: &Deadline) {
        self.deadline = deadline.clone();
        let mut refused = std::collections::BTreeSet::new();
        // Finite in exact arithmetic; a cap for the rounded one.
        for _ in 0..50 * (pool.len() + 10) {
            if self.norm() <= zero || deadline.has_passed() {
                return;
            }
            let slack = self.slack(tolerance);
            let mut list: Vec<Pick> = self.shortfalls(pool);
            list.retain(|p| p.short > slack && !refused.contains(&p.index) && !self.members.contains(&p.index));
            if list.is_empty() {
                return;
            }
            list.sort_unstable_by(Pick::order);
            list.truncate(SHORT_LIST);
            while !list.is_empty() {
                let slack = self.slack(tolerance);
                for pick in &mut list {
                    pick.short = self.shortfall(pick.index);
                }
                list.retain(|p| p.short > slack);
                let Some(at) = (0..list.len()).min_by(|&p, &q| list[p].order(&list[q])) else { break };
                let index = list.swap_remove(at).index;
                if self.join(index) == Joined::NoGain {
                    refused.insert(index);
                }
                if self.norm() <= zero || deadline.has_passed() {
                    return;
                }
            }
        }
    }

    fn slack(&self, tolerance: f64) -> f64 {
        self.noise().max(tolerance * sq_norm(&self.x) / self.view.groups() as f64)
    }

    /// level − a·x
    fn shortfall(&self, i: usize) -> f64 {
        self.level[self.view.group(i)] - self.view.dot(i, &self.x)
    }

    /// The shortfall of each.
    pub fn shortfalls(&self, pool: &[usize]) -> Vec<Pick> {
        let mut picks: Vec<Pick> = pool.iter().map(|&index| Pick { index, short: 0.0 }).collect();
        let measure = |some: &mut [Pick]| some.iter_mut().for_each(|pick| pick.short = self.shortfall(pick.index));
        if pool.len().saturating_mul(self.x.len()) < WORTH_THREADS {
            measure(&mut picks);
        } else {
            parallel::for_chunks(&mut picks, 64, &|_, some| measure(some));
        }
        picks
    }

    /// A major cycle: point `i` joins, and others may leave.
    fn join(&mut self, i: usize) -> Joined {
        let before = sq_norm(&self.x);
        let (members, lambda) = (self.members.clone(), self.lambda.clone());
        if !self.append(i) {
            return Joined::NoGain;
        }
        self.joined += 1;
        self.settle();
        if sq_norm(&self.x) < before {
            return Joined::Closer;
        }
        // Rounding made it worse: undo.
        if self.members.last() == Some(&i) && self.members.len() == members.len() + 1 {
            self.members.pop();
            self.triangle.remove(members.len());
            self.lambda = lambda;
        } else {
            (self.members, self.lambda) = (members, lambda);
            self.rebuild();
        }
        self.measure();
        Joined::NoGain
    }

    /// Minor cycles until all weights are positive; then x and the levels.
    fn settle(&mut self) {
        self.measure();
        let mut last = f64::INFINITY;
        for turn in 0..4 * (self.members.len() + 4) {
            if turn > 0 && self.deadline.has_passed() {
                return;
            }
            let Some(delta) = self.step() else { return };
            let full = self.lambda.iter().zip(&delta).all(|(l, d)| l + d > VANISHED);
            if full {
                self.refine(&delta);
                let off = self.unevenness();
                if off <= 0.25 * self.noise() || off > 0.5 * last {
                    return;
                }
                last = off;
                continue;
            }
            last = f64::INFINITY;
            self.walk(&delta);
            self.measure();
        }
    }

    /// λ + δ, and x + Σ δ a: not x anew, which would round to u·R what is known to u·‖x‖.
    fn refine(&mut self, delta: &[f64]) {
        for (k, &d) in delta.iter().enumerate() {
            self.lambda[k] += d;
            self.view.add(self.members[k], &mut self.x, d);
        }
        self.find_levels();
    }

    /// Goes from λ along δ until a weight vanishes, and drops what vanished.
    fn walk(&mut self, delta: &[f64]) {
        let ratio = |k: usize| -> Option<f64> {
            (self.lambda[k] + delta[k] <= VANISHED).then(|| (self.lambda[k] / -delta[k]).clamp(0.0, 1.0))
        };
        let blocking = (0..delta.len()).filter_map(|k| ratio(k).map(|r| (r, k)));
        let Some((theta, first)) = blocking.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
        self.lambda.iter_mut().zip(delta).for_each(|(l, d)| *l += theta * d);
        self.lambda[first] = 0.0;
        for k in (0..self.members.len()).rev() {
            if self.lambda[k] <= VANISHED && !self.only_one_of_its_group(k) {
                self.members.remove(k);
                self.lambda.remove(k);
                self.triangle.remove(k);
            }
        }
    }

    fn only_one_of_its_group(&self, k: usize) -> bool {
        let g = self.view.group(self.members[k]);
        self.members.iter().filter(|&&i| self.view.group(i) == g).count() == 1
    }

    /// δ of the equations above, or `None` where they cannot be solved.
    fn step(&self) -> Option<Vec<f64>> {
        let mut u = self.above();
        self.triangle.solve_normal(&mut u);
        let groups = self.view.groups();
        let of = |k: usize| self.view.group(self.members[k]);
        let sums = |v: &[f64]| {
            let mut sum = [0.0; 2];
            v.iter().enumerate().for_each(|(k, v)| sum[of(k)] += v);
            sum
        };
        let marks: Vec<Vec<f64>> = (0..groups)
            .map(|g| {
                let mut t: Vec<f64> = (0..u.len()).map(|k| f64::from(u8::from(of(k) == g))).collect();
                self.triangle.solve_normal(&mut t);
                t
            })
            .collect();
        let right = sums(&u);
        let eta = if groups == 1 {
            [-right[0] / sums(&marks[0])[0], 0.0]
        } else {
            let (p, q) = (sums(&marks[0]), sums(&marks[1]));
            let det = p[0] * q[1] - p[1] * q[0];
            [(right[1] * q[0] - right[0] * q[1]) / det, (right[0] * p[1] - right[1] * p[0]) / det]
        };
        let delta: Vec<f64> =
            (0..u.len()).map(|k| -(u[k] + (0..groups).map(|g| eta[g] * marks[g][k]).sum::<f64>())).collect();
        delta.iter().all(|d| d.is_finite()).then_some(delta)
    }

    /// Weights of each group back to the sum 1; x = Σ λ a; levels.
    fn measure(&mut self) {
        let mut sum = [0.0; 2];
        let group = |i: usize| self.view.group(i);
        self.members.iter().zip(&self.lambda).for_each(|(&i, l)| sum[group(i)] += l);
        self.lambda.iter_mut().zip(&self.members).for_each(|(l, &i)| *l /= sum[group(i)]);
        self.x = self.view.combine(self.members.iter().copied().zip(self.lambda.iter().copied()));
        self.find_levels();
    }

    /// The height a·x of each member, and their weighted mean in each group.
    fn find_levels(&mut self) {
        self.level = [0.0; 2];
        self.heights = self.members.iter().map(|&i| self.view.dot(i, &self.x)).collect();
        for ((&i, l), h) in self.members.iter().zip(&self.lambda).zip(&self.heights) {
            self.level[self.view.group(i)] += l * h;
        }
    }

    /// a·x − level of each member.
    fn above(&self) -> Vec<f64> {
        self.members.iter().zip(&self.heights).map(|(&i, h)| h - self.level[self.view.group(i)]).collect()
    }

    /// How far the members' a·x are from their levels.
    fn unevenness(&self) -> f64 {
        self.above().into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    /// Appends b = (aᵢ, σe_g) as a column with the weight 0; false where it depends on the others.
    fn append(&mut self, i: usize) -> bool {
        let (d, g) = (self.x.len(), self.view.group(i));
        let mut q = vec![0.0; d];
        self.view.add(i, &mut q, 1.0);
        let mut marks = [0.0; 2];
        marks[g] = self.radius;
        let mut above = vec![0.0; self.members.len()];
        // Project twice: the first leaves an error of cond·u, the second removes it.
        for _ in 0..2 {
            let mut r: Vec<f64> = self.members.iter().map(|&m| self.times(m, &q, &marks)).collect();
            self.triangle.solve_transposed(&mut r);
            above.iter_mut().zip(&r).for_each(|(a, r)| *a += r);
            self.triangle.solve(&mut r);
            for (&m, z) in self.members.iter().zip(&r) {
                self.view.add(m, &mut q, -z);
                marks[self.view.group(m)] -= z * self.radius;
            }
        }
        let corner = (sq_norm(&q) + sq_norm(&marks)).sqrt();
        // Written so that a NaN is refused.
        if corner > DEPENDENT * self.radius {
            self.triangle.push(above, corner);
            self.members.push(i);
            self.lambda.push(0.0);
            return true;
        }
        false
    }

    /// bₘ·(q, marks)
    fn times(&self, m: usize, q: &[f64], marks: &[f64; 2]) -> f64 {
        self.view.dot(m, q) + self.radius * marks[self.view.group(m)]
    }

    /// The triangle anew, from the members.
    fn rebuild(&mut self) {
        let (members, lambda) = (std::mem::take(&mut self.members), std::mem::take(&mut self.lambda));
        self.triangle.clear();
        for (i, l) in members.into_iter().zip(lambda) {
            if self.append(i) {
                *self.lambda.last_mut().expect("just appended") = l;
            }
        }
    }
}
