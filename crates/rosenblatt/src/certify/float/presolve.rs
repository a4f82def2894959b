//! What linear time can decide.
//!
//! * **Contradictions.** The same x with both signs (without a bias also x and −x with the same sign) has
//!   p = (½, ½) and Σ p a = 0; a zero row without a bias has p = 1. Found by hashing rows.
//! * **One-signed features.** If a feature of a = y·x is ≥ 0 in every row, a large enough weight there puts every row
//!   in which it is > 0 on its side, whatever the other weights are. Such rows go; more features become one-signed;
//!   repeat. On the way back the weights are chosen, last round first: rows that stayed longer have no entry there.
//!   The bias is one more feature with the value y.
//! * **A few passes of the perceptron** over what remains.

use super::pricing::price;
use super::view::{View, sq_norm};
use super::wolfe::{Effort, End, Found};
use crate::certify::Deadline;
use crate::rows::{Row, Rows};

/// Passes of the perceptron before the solver.
const PASSES: usize = 10;

/// Examples that contradict each other, with weights that sum to 1.
pub(super) fn contradiction<R: Rows>(view: &View<'_, R>) -> Option<Vec<(usize, f64)>> {
    let marks = view.blocks(|range| range.filter(|&i| view.signs[i] != 0).map(|i| mark(view, i)).collect::<Vec<_>>());
    let mut marks: Vec<Mark> = marks.into_iter().flatten().collect();
    if !view.bias
        && let Some(zero) = marks.iter().find(|m| m.first == 0)
    {
        return Some(vec![(zero.row, 1.0)]);
    }
    marks.sort_unstable_by_key(|m| (m.hash, m.row));
    let pairs = marks.chunk_by(|a, b| a.hash == b.hash).filter_map(|same| {
        let side = |m: &Mark| view.signs[m.row] * if view.bias { 1 } else { m.first };
        let a = same[0];
        let b = *same.iter().find(|m| side(m) != side(&a))?;
        let flip = if view.bias { 1.0 } else { f64::from(a.first * b.first) };
        (entries(view, a.row, 1.0) == entries(view, b.row, flip)).then_some((a.row, b.row))
    });
    pairs.min().map(|(a, b)| vec![(a, 0.5), (b, 0.5)])
}

/// A row's hash, the same for x and −x.
#[derive(Clone, Copy)]
struct Mark {
    hash: u64,
    row: usize,
    /// The sign of the first entry that is not zero.
    first: i8,
}

fn mark<R: Rows>(view: &View<'_, R>, row: usize) -> Mark {
    let (mut hash, mut first) = (0u64, 0i8);
    view.rows.row(row).each(|j, v| {
        if v == 0.0 {
            return;
        }
        if first == 0 {
            first = if v > 0.0 { 1 } else { -1 };
        }
        // With a bias x and −x differ, and so do their hashes.
        let v = if view.bias { v } else { v * f64::from(first) };
        hash = (hash.rotate_left(23) ^ v.to_bits().wrapping_add(j as u64)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    });
    Mark { hash, row, first }
}

fn entries<R: Rows>(view: &View<'_, R>, row: usize, factor: f64) -> Vec<(usize, f64)> {
    let mut entries = Vec::new();
    view.rows.row(row).each(|j, v| {
        if v != 0.0 {
            entries.push((j, factor * v));
        }
    });
    entries
}

/// A separating direction from one-signed features and a few passes of the perceptron, if they suffice.
pub(super) fn quick<R: Rows>(view: View<'_, R>, deadline: &Deadline, effort: &mut Effort) -> Option<Found> {
    let moved = view.map.is_some_and(|map| map.shift.iter().any(|&c| c != 0.0));
    let all: Vec<usize> = (0..view.signs.len()).filter(|&i| view.signs[i] != 0).collect();
    let (rounds, rest) = if moved { (Vec::new(), all) } else { eliminate(&view, all) };
    let (mut w, mut b) = perceptron(&view, &rest, deadline, effort)?;
    restore(&view, &rounds, &mut w, &mut b);
    let pass = price(&view, &w, [f64::NEG_INFINITY; 2], 0.0, 0, |_| false);
    effort.passes += 1;
    let groups = view.groups();
    let norm = sq_norm(&w).sqrt();
    let lower = pass.street(groups) / (groups as f64 * norm);
    let support: Vec<(usize, f64)> = pass.lowest[..groups].iter().map(|l| (l.1, 1.0)).collect();
    let upper = sq_norm(&view.combine(support.iter().copied())).sqrt() / groups as f64;
    let found = Found {
        end: End::Gap,
        direction: w,
        lower,
        sides: pass.lowest.map(|l| l.0),
        upper,
        pool: support.iter().map(|s| s.0).collect(),
        support,
    };
    (lower > 1e-12 * upper && upper.is_finite()).then_some(found)
}

/// One round of elimination: the one-signed features with their signs, and the rows that they took.
struct Round {
    columns: Vec<(usize, f64)>,
    rows: Vec<usize>,
}

/// Calls `f(feature, entry of a)`, the bias last as feature d.
fn each_entry<R: Rows>(view: &View<'_, R>, i: usize, mut f: impl FnMut(usize, f64)) {
    let sign = f64::from(view.signs[i]);
    view.rows.row(i).each(|j, v| {
        if v != 0.0 {
            f(j, sign * view.map.map_or(v, |map| v * map.scale[j]));
        }
    });
    if view.bias {
        f(view.rows.features(), sign);
    }
}

/// The rows that one-signed features leave.
pub(super) fn core<R: Rows>(view: &View<'_, R>) -> Vec<usize> {
    eliminate(view, (0..view.signs.len()).filter(|&i| view.signs[i] != 0).collect()).1
}

/// The first feature that is ≥ 0 (+1) or ≤ 0 (−1) in every row, and not 0 in all; the bias is the last.
pub(super) fn one_signed<R: Rows>(view: &View<'_, R>) -> Option<(usize, i8)> {
    let mut signs = vec![[false; 2]; view.rows.features() + 1];
    for i in (0..view.signs.len()).filter(|&i| view.signs[i] != 0) {
        each_entry(view, i, |j, a| signs[j][usize::from(a < 0.0)] = true);
    }
    signs.iter().enumerate().find_map(|(j, met)| match met {
        [true, false] => Some((j, 1)),
        [false, true] => Some((j, -1)),
        _ => None,
    })
}

/// Rounds of elimination to the fixed point, and the rows that remain.
fn eliminate<R: Rows>(view: &View<'_, R>, mut rest: Vec<usize>) -> (Vec<Round>, Vec<usize>) {
    let mut counts = vec![[0usize; 2]; view.rows.features() + 1];
    for &i in &rest {
        each_entry(view, i, |j, a| counts[j][usize::from(a < 0.0)] += 1);
    }
    let mut rounds = Vec::new();
    loop {
        let one_signed = |c: &[usize; 2]| (c[0] == 0) != (c[1] == 0);
        let sign: Vec<f64> = counts
            .iter()
            .map(|c| {
                if !one_signed(c) {
                    0.0
                } else if c[0] > 0 {
                    1.0
                } else {
                    -1.0
                }
            })
            .collect();
        let columns: Vec<(usize, f64)> = sign.iter().copied().enumerate().filter(|c| c.1 != 0.0).collect();
        if columns.is_empty() {
            return (rounds, rest);
        }
        let taken = |&i: &usize| {
            let mut taken = false;
            each_entry(view, i, |j, _| taken |= sign[j] != 0.0);
            taken
        };
        let (rows, left): (Vec<usize>, Vec<usize>) = rest.into_iter().partition(taken);
        for &i in &rows {
            each_entry(view, i, |j, a| counts[j][usize::from(a < 0.0)] -= 1);
        }
        rounds.push(Round { columns, rows });
        rest = left;
    }
}

/// Chooses the weights of the eliminated features, last round first.
fn restore<R: Rows>(view: &View<'_, R>, rounds: &[Round], w: &mut [f64], b: &mut f64) {
    let d = w.len();
    let mut sign = vec![0.0; d + 1];
    let mut need = vec![0f64; d + 1];
    for round in rounds.iter().rev() {
        for &(j, s) in &round.columns {
            (sign[j], need[j]) = (s, 1.0);
        }
        for &i in &round.rows {
            let score = view.dot(i, w) + f64::from(view.signs[i]) * *b;
            // The largest of the row's one-signed entries has to carry it over 1.
            let mut strongest = (0usize, 0f64);
            each_entry(view, i, |j, a| {
                if sign[j] != 0.0 && a.abs() > strongest.1 {
                    strongest = (j, a.abs());
                }
            });
            if strongest.1 > 0.0 {
                need[strongest.0] = need[strongest.0].max((1.0 - score) / strongest.1);
            }
        }
        for &(j, s) in &round.columns {
            *if j == d { &mut *b } else { &mut w[j] } = s * need[j];
            sign[j] = 0.0;
        }
    }
}

/// w and b that put every one of `rows` on its side, by at most a few passes of the perceptron.
fn perceptron<R: Rows>(
    view: &View<'_, R>,
    rows: &[usize],
    deadline: &Deadline,
    effort: &mut Effort,
) -> Option<(Vec<f64>, f64)> {
    let (mut w, mut b) = (vec![0.0; view.rows.features()], 0.0);
    let unit = rows.iter().map(|&i| view.sq_norm(i)).fold(0.0, f64::max);
    let reach = if view.bias { unit } else { 0.0 };
    for _ in 0..PASSES {
        let mut mistakes = 0usize;
        for (k, &i) in rows.iter().enumerate() {
            if k.is_multiple_of(4096) && deadline.has_passed() {
                return None;
            }
            let y = f64::from(view.signs[i]);
            if view.dot(i, &w) + y * b <= 0.0 {
                view.add(i, &mut w, 1.0);
                b += y * reach;
                mistakes += 1;
            }
        }
        if mistakes == 0 {
            return Some((w, b));
        }
        effort.passes += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{DenseRows, SparseRows};

    fn view<'a>(rows: DenseRows<'a, f64>, signs: &'a [i8], bias: bool) -> View<'a, DenseRows<'a, f64>> {
        View { rows, signs, bias, map: None }
    }

    #[test]
    fn contradictions_are_found_by_row() {
        let rows = DenseRows::new(&[1.0, 2.0, 0.0, 3.0, -1.0, -2.0, 1.0, 2.0], 2).unwrap();
        assert_eq!(contradiction(&view(rows, &[1, 1, 1, -1], true)), Some(vec![(0, 0.5), (3, 0.5)]));
        assert_eq!(contradiction(&view(rows, &[1, 1, 1, 0], true)), None);
        assert_eq!(contradiction(&view(rows, &[1, 1, 1, 0], false)), Some(vec![(0, 0.5), (2, 0.5)]));
        assert_eq!(contradiction(&view(rows, &[1, 1, -1, 1], false)), None);
        let zero = DenseRows::new(&[1.0, 2.0, 0.0, -0.0], 2).unwrap();
        assert_eq!(contradiction(&view(zero, &[1, 1], false)), Some(vec![(1, 1.0)]));
        assert_eq!(contradiction(&view(zero, &[1, -1], true)), None);
    }

    #[test]
    fn eliminated_rows_are_restored_on_their_side() {
        // Feature 0 occurs in positives only; then feature 1 in negatives only; then feature 2 in positives only.
        let offsets = [0, 2, 4, 6, 7, 8];
        let indices = [0, 1, 1, 2, 2, 3, 3, 3];
        let values = [1.0, 5.0, 1.0, 9.0, 0.5, 7.0, -1.0, 1.0];
        let signs = [1, -1, 1, 1, -1];
        let rows = SparseRows::new(&offsets, &indices, &values, 4).unwrap();
        let view = View { rows, signs: &signs, bias: false, map: None };
        let (rounds, rest) = eliminate(&view, (0..5).collect());
        assert_eq!(rounds.len(), 4, "the fourth takes the two rows of feature 3");
        assert!(rest.is_empty());
        let found = quick(view, &Deadline::NEVER, &mut Effort::default()).expect("separable");
        assert!((0..5).all(|i| view.dot(i, &found.direction) > 0.0));
        assert!(found.lower <= found.upper);
    }
}
