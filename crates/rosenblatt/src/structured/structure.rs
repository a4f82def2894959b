//! The two traits of structured prediction: what is predicted, and how its weights are stored.

use std::borrow::Borrow;

use crate::error::Result;

/// A structured output: a sequence, a tree, a set.
///
/// A structure knows its features φ(x, y) and how to find argmax_y w·φ(x, y). The learner,
/// [`Perceptron`](super::perceptron::Perceptron), needs neither: it takes an answer ŷ and updates by φ(x, y) − φ(x, ŷ).
/// `structured/tree.rs` is a whole example; sequences are the other.
pub trait Structure {
    /// The input: a sentence with its features.
    type Input<'a>: Copy;
    /// The output. `decode` writes its owned form.
    type Output: ?Sized + PartialEq + ToOwned<Owned: Default>;
    /// The weights.
    type Store: Store;
    /// Buffers that decoding reuses.
    type Scratch: Default;

    /// Refuses an input whose search takes more memory than the [`limits`](crate::limits) allow.
    fn check(&self, _x: Self::Input<'_>, _scratch: &Self::Scratch) -> Result<()> {
        Ok(())
    }

    /// Whether the [`limits`](crate::limits) stopped the last search before its end. Then its answer means nothing.
    fn stopped(_scratch: &Self::Scratch) -> bool {
        false
    }

    /// Writes into `answer` an output of the highest score w·φ(x, y).
    fn decode(&self, w: &Self::Store, x: Self::Input<'_>, scratch: &mut Self::Scratch, answer: &mut Owned<Self>);

    /// Writes into `answer` a violation: a whole or partial output, other than the truth, whose score is at least that of
    /// the same part of the truth; or the truth if there is none.
    ///
    /// With exact search the answer itself is one. Inexact search must find one: updates on others may not converge
    /// (Huang, Fayong and Guo 2012).
    fn violate(
        &self,
        w: &Self::Store,
        x: Self::Input<'_>,
        _truth: &Self::Output,
        scratch: &mut Self::Scratch,
        answer: &mut Owned<Self>,
    ) {
        self.decode(w, x, scratch, answer);
    }

    /// Calls `each` with the entries of φ(x, truth) − φ(x, answer); keys may repeat. For a partial answer, only the same
    /// part of the truth counts.
    fn difference(
        &self,
        x: Self::Input<'_>,
        truth: &Self::Output,
        answer: &Self::Output,
        each: impl FnMut(<Self::Store as Store>::Key, f64),
    );

    /// Whether an answer is correct.
    fn right(truth: &Self::Output, answer: &Owned<Self>) -> bool {
        let answer: &Self::Output = answer.borrow();
        answer == truth
    }
}

/// The owned form of a structure's output.
pub type Owned<S> = <<S as Structure>::Output as ToOwned>::Owned;

/// Weights that can be updated, with the sums for their average.
///
/// With δⱼ the change at time tⱼ and u = Σ tⱼδⱼ, the mean of the weights after each of T examples is
/// ((T + 1)·w − u)/T (see `learn/keep/average.rs`): only updates cost time.
pub trait Store {
    /// Names one weight.
    type Key: Copy;
    /// w\[key\] += by, at time t.
    fn correct(&mut self, key: Self::Key, by: f64, t: u64);
    /// Replaces the weights by their average over T = t examples; no updates may follow.
    fn average(&mut self, t: u64);
}

/// ((T + 1)·w − u)/T.
pub(super) fn mean(w: f64, u: f64, t: u64) -> f64 {
    let t = t as f64;
    ((t + 1.0) * w - u) / t
}

/// Weights in one array; a key is an index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dense {
    w: Vec<f64>,
    u: Vec<f64>,
}

impl Dense {
    /// So many weights, all zero.
    pub fn new(weights: usize) -> Self {
        Dense { w: vec![0.0; weights], u: vec![0.0; weights] }
    }

    /// Final weights.
    pub fn fixed(w: Vec<f64>) -> Self {
        Dense { w, u: Vec::new() }
    }

    /// Weights in training, with their sums.
    pub(super) fn resumed(w: Vec<f64>, u: Vec<f64>) -> Self {
        Dense { w, u }
    }

    /// Whether all weights and sums are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.w.iter().chain(&self.u).all(|value| value.is_finite())
    }

    /// The sums Σ tⱼδⱼ; empty for final weights.
    pub(super) fn sums(&self) -> &[f64] {
        &self.u
    }

    /// Rows of `old` weights, `from` apart, each at its new place among `size` weights.
    pub(super) fn moved(&self, size: usize, from: usize, old: usize, place: impl Fn(usize) -> usize) -> Dense {
        let copy = |values: &[f64]| {
            let mut all = vec![0.0; size];
            for (row, values) in values.chunks(from).enumerate() {
                all[place(row)..][..old].copy_from_slice(&values[..old]);
            }
            all
        };
        Dense { w: copy(&self.w), u: copy(&self.u) }
    }

    /// The weights.
    pub fn weights(&self) -> &[f64] {
        &self.w
    }
}

impl Store for Dense {
    type Key = usize;

    fn correct(&mut self, key: usize, by: f64, t: u64) {
        self.w[key] += by;
        self.u[key] += t as f64 * by;
    }

    fn average(&mut self, t: u64) {
        if t > 0 {
            self.w.iter_mut().zip(&self.u).for_each(|(w, u)| *w = mean(*w, *u, t));
        }
        self.u = Vec::new();
    }
}
