//! A learner's memory, carried over to more classes than it began with.
//!
//! A class that comes late begins where every class begins. What was learned of the others stays: their weights keep
//! their columns, and so does every sum of weights (an average's, a step's). Two classes have one hyperplane w, more
//! have one each; −w/2 and +w/2 leave the difference of the two scores, and so every margin, as it was. One-vs-rest
//! machines answer "l or not l": −w and +w.
//!
//! What an array of numbers is for shows in a learner that has seen nothing: weights and their sums begin at zero and
//! are carried over as directions; what begins elsewhere (a variance, at 1) is carried over as it is.

use crate::error::{Error, Result};
use crate::learn::{Array, State};

/// Output `to` of the new machine was output `from` of the old, times `by`.
#[derive(Debug, Clone, Copy)]
struct Road {
    from: usize,
    to: usize,
    by: f64,
}

/// The memory `old` of a machine for `places.len()` classes, of which class k is now class `places[k]` of `classes`;
/// `fresh` is that of a learner for all of them that has seen nothing. `presented`: examples so far.
pub(super) fn carry(
    old: &State,
    fresh: &State,
    places: &[usize],
    classes: usize,
    one_vs_rest: bool,
    presented: u64,
) -> Result<State> {
    if !one_vs_rest {
        let roads: Vec<Road> = match *places {
            [negative, positive] => {
                vec![Road { from: 0, to: negative, by: -0.5 }, Road { from: 0, to: positive, by: 0.5 }]
            }
            _ => places.iter().enumerate().map(|(from, &to)| Road { from, to, by: 1.0 }).collect(),
        };
        return carry_arrays(old, fresh, &roads);
    }
    let mut all = State::default();
    for class in 0..classes {
        let own = fresh.below(&class.to_string());
        let state = match (places.iter().position(|&place| place == class), places.len()) {
            (Some(k), 2) => {
                let by = if k == 0 { -1.0 } else { 1.0 };
                carry_arrays(old, &own, &[Road { from: 0, to: 0, by }])?
            }
            (Some(k), _) => carry_arrays(&old.below(&k.to_string()), &own, &[Road { from: 0, to: 0, by: 1.0 }])?,
            (None, _) => {
                let mut state = own.clone();
                if own.count("presented").is_ok() {
                    state.insert("presented", Array::U64(vec![presented]));
                }
                state
            }
        };
        for (name, array) in state.arrays() {
            all.insert(format!("{class}.{name}"), array.clone());
        }
    }
    Ok(all)
}

fn carry_arrays(old: &State, fresh: &State, roads: &[Road]) -> Result<State> {
    let mut carried = State::default();
    for (name, array) in fresh.arrays() {
        let weights = name.strip_suffix(".bias").unwrap_or(name);
        let path = name.rsplit_once('.').map_or("", |(path, _)| path);
        let new = match (array, name.rsplit('.').next().unwrap_or(name)) {
            (Array::F64(begin), _) if fresh.f64s(&format!("{weights}.bias")).is_ok() => {
                let outputs = |state: &State| state.f64s(&format!("{weights}.bias")).map(<[f64]>::len);
                let direction = fresh.f64s(weights)?.iter().all(|v| *v == 0.0);
                Array::F64(carry_weights(old.f64s(name)?, outputs(old)?, begin, outputs(fresh)?, direction, roads))
            }
            (Array::U64(_), "move_ends") => {
                let each = roads.iter().filter(|road| road.from == 0).count() as u64;
                Array::U64(old.u64s(name)?.iter().map(|end| end * each).collect())
            }
            (Array::U32(_), "outputs") => {
                Array::U32(moves(old, path, roads)?.map(|(road, _)| road.to as u32).collect())
            }
            (Array::F64(_), "scales") => Array::F64(moves(old, path, roads)?.map(|(road, s)| road.by * s).collect()),
            (Array::U64(_), _) => Array::U64(old.u64s(name)?.to_vec()),
            (Array::U32(_), "indices") => Array::U32(old.u32s(name)?.to_vec()),
            (Array::F64(_), "values" | "right") => Array::F64(old.f64s(name)?.to_vec()),
            _ => {
                return Err(Error::settings(
                    "this learner has to know all classes from its first example on: name them beforehand",
                ));
            }
        };
        carried.insert(name, new);
    }
    Ok(carried)
}

/// Weights by `[feature][output]`, or the biases, which are those of one more feature.
fn carry_weights(old: &[f64], was: usize, begin: &[f64], now: usize, direction: bool, roads: &[Road]) -> Vec<f64> {
    let mut new = begin.to_vec();
    for (new, old) in new.chunks_mut(now).zip(old.chunks(was)) {
        for road in roads {
            new[road.to] = if direction { road.by * old[road.from] } else { old[road.from] };
        }
    }
    new
}

/// The moves of a voted machine's path, each by all roads that leave its output.
fn moves<'a>(old: &'a State, path: &str, roads: &'a [Road]) -> Result<impl Iterator<Item = (Road, f64)> + 'a> {
    let of = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    let (outputs, scales) = (old.u32s(&of("outputs"))?, old.f64s(&of("scales"))?);
    Ok(outputs.iter().zip(scales).flat_map(move |(&output, &scale)| {
        roads.iter().filter(move |road| road.from == output as usize).map(move |road| (*road, scale))
    }))
}
