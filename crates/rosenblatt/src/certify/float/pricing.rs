//! The full pass: the position of every example along a direction. The only work that grows with the data.

use std::cmp::Ordering;

use super::view::View;
use crate::rows::Rows;

/// At most this many examples of one block of rows enter the pool in one pass: neighbours add little.
const OF_A_BLOCK: usize = 64;

/// An example that lies lower than the support of its group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pick {
    pub index: usize,
    /// level − a·w > 0
    pub short: f64,
}

impl Pick {
    /// The shortest first; of equals, the first row.
    pub fn order(&self, other: &Pick) -> Ordering {
        other.short.total_cmp(&self.short).then(self.index.cmp(&other.index))
    }
}

/// The result of a pass.
#[derive(Debug)]
pub(super) struct Pass {
    /// min a·w of each group, and where; infinite for an empty group.
    pub lowest: [(f64, usize); 2],
    /// The examples to add next, the most violated first.
    pub picks: Vec<Pick>,
}

impl Pass {
    /// Σ_g min a·w: G‖w‖ times the margin of w.
    pub fn street(&self, groups: usize) -> f64 {
        self.lowest[..groups].iter().map(|l| l.0).sum()
    }
}

/// Prices every row: at most `most` picks with  a·w < level_g − slack  among those for which `open(row)` holds.
pub(super) fn price<R: Rows>(
    view: &View<'_, R>,
    w: &[f64],
    level: [f64; 2],
    slack: f64,
    most: usize,
    open: impl Fn(usize) -> bool + Sync,
) -> Pass {
    let none = [(f64::INFINITY, usize::MAX); 2];
    let blocks = view.blocks(|range| {
        let (mut lowest, mut picks) = (none, Vec::new());
        for index in range.filter(|&i| view.signs[i] != 0) {
            let (g, s) = (view.group(index), view.dot(index, w));
            if s < lowest[g].0 {
                lowest[g] = (s, index);
            }
            let short = level[g] - s;
            if short > slack && open(index) {
                picks.push(Pick { index, short });
            }
        }
        keep_first(&mut picks, OF_A_BLOCK.min(most));
        (lowest, picks)
    });
    let mut pass = Pass { lowest: none, picks: Vec::new() };
    for (lowest, picks) in blocks {
        for (best, here) in pass.lowest.iter_mut().zip(lowest) {
            if here.0 < best.0 {
                *best = here;
            }
        }
        pass.picks.extend(picks);
    }
    keep_first(&mut pass.picks, most);
    pass
}

/// Sorts, and keeps the first `most`. Of picks that are short by the same bits only the first is kept: they are
/// copies of each other, or will be found again in the next pass.
fn keep_first(picks: &mut Vec<Pick>, most: usize) {
    let roomy = 4 * most;
    if picks.len() > roomy && roomy > 0 {
        picks.select_nth_unstable_by(roomy - 1, Pick::order);
        picks.truncate(roomy);
    }
    picks.sort_unstable_by(Pick::order);
    picks.dedup_by_key(|p| p.short.to_bits());
    picks.truncate(most);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_kept_once_and_the_worst_come_first() {
        let mut picks: Vec<Pick> =
            [3.0, 1.0, 3.0, 2.0, 5.0].iter().enumerate().map(|(index, &short)| Pick { index, short }).collect();
        keep_first(&mut picks, 3);
        let kept: Vec<(usize, f64)> = picks.iter().map(|p| (p.index, p.short)).collect();
        assert_eq!(kept, [(4, 5.0), (0, 3.0), (3, 2.0)]);
    }
}
