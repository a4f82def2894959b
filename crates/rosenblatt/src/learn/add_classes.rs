//! Carries a learner's state over to more classes.
//!
//! A class added later starts from the initial weights. The state of the others stays: their weights keep their columns,
//! and so does every sum of weights (an average's, a step's). Two classes have one hyperplane w, more
//! have one each; −w/2 and +w/2 leave the difference of the two scores, and so every margin, as it was. One-vs-rest
//! machines answer "l or not l": −w and +w.

use super::weights::Weights;
use crate::error::Error;

/// The places of a learner's classes among more classes.
#[derive(Debug, Clone, Copy)]
pub struct AddedClasses<'a> {
    /// Class k is now class `places[k]`.
    pub places: &'a [usize],
    /// The number of classes now.
    pub classes: usize,
    /// Examples presented so far.
    pub presented: u64,
}

/// Output `to` of the new machine is output `from` of the old, times `by`.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The old output.
    pub from: usize,
    /// The new one.
    pub to: usize,
    /// What a weight is multiplied by.
    pub by: f64,
}

/// How the outputs of one machine become those of another; outputs that no route leads to are new.
#[derive(Debug, Clone)]
pub struct Outputs {
    routes: Vec<Route>,
    outputs: usize,
}

impl AddedClasses<'_> {
    /// The outputs of one machine for all classes.
    pub fn together(&self) -> Outputs {
        let routes = match *self.places {
            [negative, positive] => {
                vec![Route { from: 0, to: negative, by: -0.5 }, Route { from: 0, to: positive, by: 0.5 }]
            }
            _ => self.places.iter().enumerate().map(|(from, &to)| Route { from, to, by: 1.0 }).collect(),
        };
        Outputs { routes, outputs: self.classes }
    }

    /// The one output of the one-vs-rest machine for `class`, and the old machine it comes from; `None`: the class is new.
    pub fn apart(&self, class: usize) -> Option<(usize, Outputs)> {
        let k = self.places.iter().position(|&place| place == class)?;
        // Two classes were one machine, which says yes to the second.
        let (machine, by) = if self.places.len() == 2 { (0, [-1.0, 1.0][k]) } else { (k, 1.0) };
        Some((machine, Outputs { routes: vec![Route { from: 0, to: 0, by }], outputs: 1 }))
    }
}

impl Outputs {
    /// The routes that leave an old output.
    pub fn routes_from(&self, output: usize) -> impl Iterator<Item = Route> {
        self.routes.iter().copied().filter(move |route| route.from == output)
    }

    /// Weights, or a sum of weights: new outputs begin at zero.
    pub fn of_weights(&self, old: &Weights) -> Weights {
        self.carry(old, 0.0, |route, value| route.by * value)
    }

    /// Numbers beside the weights that have no direction, such as a variance: new outputs begin at `begin`.
    pub fn of_scales(&self, old: &Weights, begin: f64) -> Weights {
        self.carry(old, begin, |_, value| value)
    }

    fn carry(&self, old: &Weights, begin: f64, carried: impl Fn(Route, f64) -> f64) -> Weights {
        let all = |old: &[f64], was: usize, begin: f64| {
            let mut new = vec![begin; old.len() / was * self.outputs];
            for (new, old) in new.chunks_mut(self.outputs).zip(old.chunks(was)) {
                self.routes.iter().for_each(|route| new[route.to] = carried(*route, old[route.from]));
            }
            new
        };
        let values = all(old.values(), old.outputs(), begin);
        let bias = all(old.bias(), old.outputs(), if old.biased() { begin } else { 0.0 });
        Weights::from_parts(values, bias, old.constant())
    }
}

/// The error of a learner that cannot add classes.
pub(super) fn needs_all_classes() -> Error {
    Error::settings("this learner needs all classes before its first example: name them beforehand")
}
