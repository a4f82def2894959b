//! From bounds to a proposal: chooses the solver and the geometry, and interprets the result.

use super::Proposal;
use super::geometry::Even;
use super::pricing::price;
use super::view::{View, power_below, sq_norm};
use super::wolfe::{Effort, End, Found, Start, VISIBLE, maximise};
use crate::certify::Deadline;
use crate::certify::float::{dual, geometry, presolve};
use crate::rows::Rows;

/// Up to this many members a triangle is affordable: Wolfe's method. Beyond: coordinate ascent.
const TRIANGLE: usize = 3000;
/// Σ p a of a support is zero when each feature is below this by the measure of the support's own entries.
const CANCELLED: f64 = 1e-11;

/// Quick answers, the solver, then the solver again in another geometry.
pub(super) fn decide<R: Rows>(plain: View<'_, R>, dense: bool, gap: f64, deadline: &Deadline) -> (Proposal, Effort) {
    let mut effort = Effort::default();
    if let Some(answer) = one_sided(&plain) {
        return (answer, effort);
    }
    if let Some(support) = presolve::contradiction(&plain) {
        return (Proposal::Inseparable { support }, effort);
    }
    let geometry = geometry::even(plain, dense);
    let view = View { map: geometry.map.as_ref(), ..plain };
    if gap >= 1.0
        && let Some(found) = presolve::quick(view, deadline, &mut effort)
    {
        return (separable(&geometry, found), effort);
    }
    let radius = view.radius();
    let found = solve(view, radius, gap, deadline, &mut effort);
    if found.lower > VISIBLE * radius {
        return (separable(&geometry, found), effort);
    }
    if found.end == End::Deadline {
        return (unclear(&geometry, found), effort);
    }
    // Features of very different sizes: scale each by itself.
    let map = geometry::levelled(&view);
    let level = View { map: Some(&map), ..plain };
    if found.end == End::Meeting && cancels(&level, &found.support) {
        return (inseparable(found.support), effort);
    }
    let again = solve(level, level.radius(), 1.0, deadline, &mut effort);
    if again.end == End::Meeting || (again.lower <= 0.0 && cancels(&level, &again.support)) {
        return (inseparable(again.support), effort);
    }
    let second = translate(&view, geometry::unlevel(&again.direction, &map), again, &mut effort);
    if second.lower > VISIBLE * radius {
        let upper = found.upper.min(second.upper);
        let support = if found.upper <= second.upper { found.support } else { second.support };
        return (separable(&geometry, Found { upper, support, ..second }), effort);
    }
    let (upper, support) =
        if found.upper <= second.upper { (found.upper, found.support) } else { (second.upper, second.support) };
    (unclear(&geometry, Found { upper, support, ..second }), effort)
}

/// No rows, or (with a bias) rows of one class only: any margin is possible.
fn one_sided<R: Rows>(view: &View<'_, R>) -> Option<Proposal> {
    let (plus, minus) = (view.signs.contains(&1), view.signs.contains(&-1));
    ((!plus && !minus) || (view.bias && plus != minus)).then(|| Proposal::Separable {
        weights: vec![0.0; view.rows.features()],
        bias: f64::from(i8::from(view.bias && plus) - i8::from(view.bias && minus)),
        lower: f64::INFINITY,
        upper: f64::INFINITY,
        support: Vec::new(),
    })
}

/// Wolfe's method or coordinate ascent, by size, from the direction between the means.
fn solve<R: Rows>(view: View<'_, R>, radius: f64, gap: f64, deadline: &Deadline, effort: &mut Effort) -> Found {
    let [(plus, p), (minus, m)] = view.means();
    let direction: Vec<f64> = plus.iter().zip(&minus).map(|(a, b)| a + b).collect();
    let level = [&plus, &minus].map(|mean| crate::rows::dot(mean, &direction));
    let largest_support = (p + m).min(view.rows.features() + view.groups());
    if largest_support <= TRIANGLE {
        return maximise(view, radius, Start { direction: &direction, level, pool: &[] }, gap, deadline, effort);
    }
    let known = presolve::quick(view, deadline, effort);
    let found = dual::ascend(view, radius, known, gap, deadline, effort);
    if found.end != End::Limit || found.support.len() > TRIANGLE {
        return found;
    }
    let start = Start { direction: &found.direction, level: [f64::NEG_INFINITY; 2], pool: &found.pool };
    let polished = maximise(view, radius, start, gap, deadline, effort);
    if polished.upper <= found.upper { polished } else { Found { end: polished.end, ..found } }
}

/// Whether Σ p a vanishes in every feature by the measure of the entries that were added there.
fn cancels<R: Rows>(view: &View<'_, R>, support: &[(usize, f64)]) -> bool {
    let sum = view.combine(support.iter().copied());
    let mut size = vec![0f64; sum.len()];
    let mut one = vec![0.0; sum.len()];
    for &(i, weight) in support {
        one.fill(0.0);
        view.add(i, &mut one, weight);
        size.iter_mut().zip(&one).for_each(|(s, v)| *s += v.abs());
    }
    sum.iter().zip(size).all(|(v, size)| v.abs() <= CANCELLED * size)
}

/// A direction and a support of another geometry, measured in this one.
fn translate<R: Rows>(view: &View<'_, R>, direction: Vec<f64>, other: Found, effort: &mut Effort) -> Found {
    let pass = price(view, &direction, [f64::NEG_INFINITY; 2], 0.0, 0, |_| false);
    effort.passes += 1;
    let groups = view.groups();
    let norm = sq_norm(&direction).sqrt();
    let lower = if norm > 0.0 { pass.street(groups) / (groups as f64 * norm) } else { 0.0 };
    let upper = sq_norm(&view.combine(other.support.iter().copied())).sqrt() / groups as f64;
    Found { direction, lower, sides: pass.lowest.map(|l| l.0), upper, ..other }
}

fn separable(geometry: &Even, found: Found) -> Proposal {
    let (weights, bias) = hyperplane(geometry, &found);
    let support = sorted(found.support);
    let [lower, upper] = [found.lower, found.upper].map(|m| m / geometry.scale);
    // Rounding can carry the margin of w over the bound that no margin exceeds.
    Proposal::Separable { weights, bias, lower: lower.min(upper), upper, support }
}

fn inseparable(support: Vec<(usize, f64)>) -> Proposal {
    let total: f64 = support.iter().map(|s| s.1).sum();
    Proposal::Inseparable { support: sorted(support.into_iter().map(|(i, p)| (i, p / total)).collect()) }
}

fn unclear(geometry: &Even, found: Found) -> Proposal {
    let (weights, bias) = hyperplane(geometry, &found);
    let [lower, upper] = [found.lower, found.upper].map(|m| m / geometry.scale);
    let mut seen = std::collections::BTreeSet::new();
    let all = found.support.iter().map(|s| s.0).chain(found.pool.iter().copied());
    let pool = all.filter(|&i| seen.insert(i)).take(10 * (weights.len() + 10)).collect();
    Proposal::Unclear { pool, support: sorted(found.support), weights, bias, lower, upper }
}

/// (w, b) for the data from w for z = s·x − c: w·z + β = s·(w·x + (β − w·c)/s), β in the middle of the street.
fn hyperplane(geometry: &Even, found: &Found) -> (Vec<f64>, f64) {
    let mut weights = found.direction.clone();
    let largest = weights.iter().fold(0f64, |m, w| m.max(w.abs()));
    // Room for a dot product with the largest numbers there are.
    let unit = power_below(largest) * if geometry.scale < 1e-280 { 2f64.powi(60) } else { 1.0 };
    weights.iter_mut().for_each(|w| *w /= unit);
    let [plus, minus] = found.sides;
    if !minus.is_finite() {
        return (weights, 0.0);
    }
    let centre = geometry.map.as_ref().map_or(0.0, |map| crate::rows::dot(&map.shift, &weights));
    let bias = ((minus - plus) / 2.0 / unit - centre) / geometry.scale;
    (weights, bias)
}

fn sorted(mut support: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    support.sort_unstable_by_key(|s| s.0);
    support
}
