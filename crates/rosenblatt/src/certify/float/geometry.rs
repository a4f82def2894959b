//! Chooses a geometry that is well scaled for floating point, and maps back from it.
//!
//! *Even*: all features by one power of two, and to their centre if that is far away. Margins are those of the data,
//! divided by one power of two. *Levelled*: each feature by its own power of two. That is another problem with
//! another maximum margin, but with the same answer to "is there a hyperplane?".

use super::view::{Map, View, power_below, sq_norm};
use crate::rows::{Row, Rows};

/// Numbers between 1/this and this are squared and summed as they are.
const COMFORTABLE: f64 = 1.0e90;
/// The centre is far away when ‖centre‖² exceeds this many times the variance.
const FAR: f64 = 100.0;

/// The geometry with the margins of the data.
pub(super) struct Even {
    /// z = scale·x − shift
    pub scale: f64,
    /// `None`: scale = 1 and shift = 0.
    pub map: Option<Map>,
}

/// Finds the geometry from all values, and from the centre of the rows if there is a bias.
pub(super) fn even<R: Rows>(plain: View<'_, R>, dense: bool) -> Even {
    let largest = plain.blocks(|range| {
        let mut largest = 0f64;
        for i in range.filter(|&i| plain.signs[i] != 0) {
            plain.rows.row(i).each(|_, v| largest = largest.max(v.abs()));
        }
        largest
    });
    let largest = largest.into_iter().fold(0.0, f64::max);
    let comfortable = largest == 0.0 || (1.0 / COMFORTABLE..COMFORTABLE).contains(&largest);
    let scale = if comfortable { 1.0 } else { 1.0 / power_below(largest) };
    let features = plain.rows.features();
    let scaled = Map { scale: vec![scale; features], shift: vec![0.0; features] };
    let view = View { map: (!comfortable).then_some(&scaled), ..plain };
    // A sparse row has no room for a shift: its zeros would have to move too.
    if let Some(shift) = (plain.bias && dense).then(|| far_centre(&view)).flatten() {
        return Even { scale, map: Some(Map { shift, ..scaled }) };
    }
    Even { scale, map: (!comfortable).then_some(scaled) }
}

/// The centre of all rows, if it is far from the origin by the measure of their spread.
fn far_centre<R: Rows>(view: &View<'_, R>) -> Option<Vec<f64>> {
    let [(plus, p), (minus, m)] = view.means();
    let n = (p + m).max(1) as f64;
    let centre: Vec<f64> = plus.iter().zip(&minus).map(|(a, b)| a * (p as f64 / n) - b * (m as f64 / n)).collect();
    let squares = view.blocks(|range| range.filter(|&i| view.signs[i] != 0).map(|i| view.sq_norm(i)).sum::<f64>());
    let square: f64 = squares.into_iter().sum::<f64>() / n;
    let far = sq_norm(&centre);
    (far > FAR * (square - far)).then_some(centre)
}

/// Each feature by its own power of two, so that its largest |z| is between 1 and 2.
pub(super) fn levelled<R: Rows>(even: &View<'_, R>) -> Map {
    let features = even.rows.features();
    let parts = even.parts(|range| {
        let mut largest = vec![0f64; features];
        for i in range.filter(|&i| even.signs[i] != 0) {
            even.rows.row(i).each(|j, v| {
                // Unscaled where there is no shift: a scale for the largest may lose the smallest.
                let z = even.map.filter(|m| m.shift[j] != 0.0).map_or(v, |m| v - m.shift[j] / m.scale[j]);
                largest[j] = largest[j].max(z.abs());
            });
        }
        largest
    });
    let mut scale = vec![0f64; features];
    for part in parts {
        scale.iter_mut().zip(part).for_each(|(s, l)| *s = s.max(l));
    }
    scale.iter_mut().for_each(|s| *s = 1.0 / power_below(*s));
    let shift = match even.map {
        None => vec![0.0; features],
        Some(map) => (0..features).map(|j| map.shift[j] / map.scale[j] * scale[j]).collect(),
    };
    Map { scale, shift }
}

/// w of the levelled geometry as a direction for the data: wⱼ·scaleⱼ, times one power of two so that it neither
/// overflows nor vanishes as a whole.
pub(super) fn unlevel(w: &[f64], map: &Map) -> Vec<f64> {
    let exponent = |v: f64| (power_below(v).to_bits() >> 52) as i32 - 1023;
    let both = |j: usize| exponent(w[j]) + exponent(map.scale[j]);
    let top = (0..w.len()).filter(|&j| w[j] != 0.0).map(both).max().unwrap_or(0);
    (0..w.len()).map(|j| times_power(w[j], exponent(map.scale[j]) - top)).collect()
}

/// v·2ᵏ without intermediate overflow or underflow.
fn times_power(mut v: f64, mut k: i32) -> f64 {
    while k != 0 && v != 0.0 {
        let step = k.clamp(-1000, 1000);
        v *= f64::from(step).exp2();
        k -= step;
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::DenseRows;

    #[test]
    fn a_far_centre_is_found_and_a_near_one_left() {
        let far = [1e6, 1.0, 1e6 + 1.0, 0.0, 1e6, -1.0];
        let near = [1.0, 1.0, -1.0, 0.5, 0.0, -1.0];
        for (values, moved) in [(far, true), (near, false)] {
            let rows = DenseRows::new(&values, 2).unwrap();
            let view = View { rows, signs: &[1, -1, 1], bias: true, map: None };
            assert_eq!(even(view, true).map.is_some(), moved);
            assert!(even(view, false).map.is_none(), "sparse rows stay");
            assert!(even(View { bias: false, ..view }, true).map.is_none(), "without a bias the origin is meant");
        }
    }

    #[test]
    fn extreme_numbers_are_scaled_without_rounding() {
        let values = [3e300, -1e-300, 2e300, 5e-300];
        let rows = DenseRows::new(&values, 2).unwrap();
        let plain = View { rows, signs: &[1, -1], bias: false, map: None };
        let geometry = even(plain, true);
        let view = View { map: geometry.map.as_ref(), ..plain };
        assert_eq!(view.dot(0, &[1.0, 0.0]) / geometry.scale, 3e300);
        let map = levelled(&view);
        let level = View { map: Some(&map), ..plain };
        let z = level.dot(1, &[0.0, 1.0]).abs();
        assert!((1.0..2.0).contains(&z), "{z}");
        let w = unlevel(&[1.0, 1.0], &map);
        assert!(w[1] == 1.0 && w[0] == 0.0, "{w:?}");
    }
}
