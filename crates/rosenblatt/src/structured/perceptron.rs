//! The structured perceptron (Collins 2002), for any structure.
//!
//! > for each (x, y):  ŷ = argmax_z w·φ(x, z);  if ŷ ≠ y:  w ← w + φ(x, y) − φ(x, ŷ)
//!
//! If some unit vector v has v·(φ(x, y) − φ(x, z)) ≥ δ for all examples and all z ≠ y, and ‖φ(x, y) − φ(x, z)‖ ≤ R,
//! it makes at most R²/δ² mistakes, in any order (the proof of Novikoff, with the difference in the place of y·x).

use super::structure::{Owned, Store, Structure};
use crate::error::Result;

/// A structured perceptron in training.
pub struct Perceptron<S: Structure> {
    structure: S,
    weights: S::Store,
    presented: u64,
    mistakes: u64,
    scratch: S::Scratch,
    answer: Owned<S>,
}

impl<S: Structure> Perceptron<S> {
    /// Starts with these weights: zero, as the theorem requires.
    pub fn new(structure: S, weights: S::Store) -> Self {
        let (scratch, answer) = (S::Scratch::default(), Owned::<S>::default());
        Perceptron { structure, weights, presented: 0, mistakes: 0, scratch, answer }
    }

    /// Resumes after so many examples and mistakes.
    pub(crate) fn resumed(structure: S, weights: S::Store, presented: u64, mistakes: u64) -> Self {
        Perceptron { presented, mistakes, ..Perceptron::new(structure, weights) }
    }

    /// Learns from one example; returns whether it was a mistake. An example whose search was [stopped](Self::stopped) does
    /// not count.
    pub fn learn(&mut self, x: S::Input<'_>, truth: &S::Output) -> bool {
        self.structure.violate(&self.weights, x, truth, &mut self.scratch, &mut self.answer);
        if self.stopped() {
            return false;
        }
        self.presented += 1;
        if S::right(truth, &self.answer) {
            return false;
        }
        self.mistakes += 1;
        let (weights, t) = (&mut self.weights, self.presented);
        let answer = std::borrow::Borrow::borrow(&self.answer);
        self.structure.difference(x, truth, answer, |key, by| weights.correct(key, by, t));
        true
    }

    /// See [`Structure::check`].
    pub fn check(&self, x: S::Input<'_>) -> Result<()> {
        self.structure.check(x, &self.scratch)
    }

    /// Whether the limits stopped the last search: nothing was learned.
    pub fn stopped(&self) -> bool {
        S::stopped(&self.scratch)
    }

    /// The prediction of the current weights.
    pub fn answer(&mut self, x: S::Input<'_>) -> &Owned<S> {
        self.structure.decode(&self.weights, x, &mut self.scratch, &mut self.answer);
        &self.answer
    }

    /// What is predicted.
    pub fn structure(&self) -> &S {
        &self.structure
    }

    /// The current weights.
    pub fn weights(&self) -> &S::Store {
        &self.weights
    }

    /// What is predicted and the current weights, to make room for more.
    pub(super) fn parts_mut(&mut self) -> (&mut S, &mut S::Store) {
        (&mut self.structure, &mut self.weights)
    }

    /// Examples presented.
    pub fn presented(&self) -> u64 {
        self.presented
    }

    /// Mistakes made.
    pub fn mistakes(&self) -> u64 {
        self.mistakes
    }

    /// The last weights.
    pub fn last(self) -> (S, S::Store) {
        (self.structure, self.weights)
    }

    /// The mean of the weights after each example.
    pub fn averaged(mut self) -> (S, S::Store) {
        self.weights.average(self.presented);
        (self.structure, self.weights)
    }
}
