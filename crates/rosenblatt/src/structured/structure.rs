//! The two traits of structured prediction: what is predicted, and where its weights lie.

use std::borrow::Borrow;

/// Something to predict that is more than a label: a sequence, a tree, a set.
///
/// A structure knows its features φ(x, y) and how to find argmax_y w·φ(x, y). The learner,
/// [`Perceptron`](super::perceptron::Perceptron), knows neither: it asks for an answer and corrects by φ(x, y) − φ(x, ŷ).
/// `structured/tree.rs` is a whole example; sequences are the other.
pub trait Structure {
    /// What is given: a sentence, with its features found.
    type Input<'a>: Copy;
    /// What is to be said of it. Its owned form is what `decode` writes.
    type Output: ?Sized + PartialEq + ToOwned<Owned: Default>;
    /// Where the weights lie.
    type Store: Store;
    /// Buffers that decoding reuses.
    type Scratch: Default;

    /// Writes into `answer` an output of the highest score w·φ(x, y).
    fn decode(&self, w: &Self::Store, x: Self::Input<'_>, scratch: &mut Self::Scratch, answer: &mut Owned<Self>);

    /// Writes into `answer` what to learn from: a whole or partial output, other than the truth's, whose score is at
    /// least that of the same part of the truth; or the truth if there is none.
    ///
    /// With exact search the answer itself is one. Inexact search must look for one: a correction that is no violation
    /// may go in circles (Huang, Fayong and Guo 2012).
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

    /// Calls `each` with the entries of φ(x, truth) − φ(x, answer), a key as often as it likes. Of a partial answer,
    /// the same part of the truth counts.
    fn difference(
        &self,
        x: Self::Input<'_>,
        truth: &Self::Output,
        answer: &Self::Output,
        each: impl FnMut(<Self::Store as Store>::Key, f64),
    );

    /// Whether an answer is right.
    fn right(truth: &Self::Output, answer: &Owned<Self>) -> bool {
        let answer: &Self::Output = answer.borrow();
        answer == truth
    }
}

/// The owned form of a structure's output.
pub type Owned<S> = <<S as Structure>::Output as ToOwned>::Owned;

/// Weights that can be corrected, with what their average needs.
///
/// With δⱼ the change at time tⱼ and u = Σ tⱼδⱼ, the mean of the weights after each of T examples is
/// ((T + 1)·w − u)/T (see `learn/keep/average.rs`): only corrections cost anything.
pub trait Store {
    /// Names one weight.
    type Key: Copy;
    /// w\[key\] += by, at time t.
    fn correct(&mut self, key: Self::Key, by: f64, t: u64);
    /// Puts the average over T = t examples in the place of the weights; corrections end here.
    fn average(&mut self, t: u64);
}

/// ((T + 1)·w − u)/T.
pub(super) fn mean(w: f64, u: f64, t: u64) -> f64 {
    let t = t as f64;
    ((t + 1.0) * w - u) / t
}

/// Weights in one plain array, a key being a place in it.
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

    /// These weights, no longer to be averaged.
    pub fn fixed(w: Vec<f64>) -> Self {
        Dense { w, u: Vec::new() }
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
