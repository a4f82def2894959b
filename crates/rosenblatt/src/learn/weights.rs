//! The hyperplane, or one for each class.

use super::bias::Bias;
use crate::rows::Row;

/// Weights of one or more outputs over the same features, laid out `[feature][output]`, and a bias for each output.
///
/// A binary machine has one output. The bias is a field and not a column, so a user's matrix is never copied;
/// lengths count it as one more coordinate (see [`Bias`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    features: usize,
    outputs: usize,
    constant: Bias,
    values: Vec<f64>,
    bias: Vec<f64>,
}

impl Weights {
    /// All zeros.
    pub fn zeros(features: usize, outputs: usize, constant: impl Into<Bias>) -> Self {
        let constant = constant.into();
        Weights { features, outputs, constant, values: vec![0.0; features * outputs], bias: vec![0.0; outputs] }
    }

    /// From parts: `values` by `[feature][output]`, one bias for each output (all zero where there is none).
    ///
    /// # Panics
    /// If the lengths do not agree.
    pub fn from_parts(values: Vec<f64>, bias: Vec<f64>, constant: impl Into<Bias>) -> Self {
        assert!(!bias.is_empty() && values.len().is_multiple_of(bias.len()), "values fill whole features");
        Weights { features: values.len() / bias.len(), outputs: bias.len(), constant: constant.into(), values, bias }
    }

    /// Grows to this many features, each new weight `value`: a stream may have new features.
    /// Zeros change no score, so the result is the same bits as with all features from the start.
    pub fn grow(&mut self, features: usize, value: f64) {
        if features > self.features {
            self.features = features;
            self.values.resize(features * self.outputs, value);
        }
    }

    /// The weights of these features alone, in this order, and the biases: a row whose entries are numbered from 0 in the
    /// same order has the same scores, to the last bit.
    ///
    /// # Panics
    /// If there is no such feature.
    pub fn pick(&self, features: &[u32]) -> Weights {
        let mut values = Vec::with_capacity(features.len() * self.outputs);
        for &j in features {
            values.extend_from_slice(&self.values[j as usize * self.outputs..][..self.outputs]);
        }
        let (features, bias) = (features.len(), self.bias.clone());
        Weights { features, outputs: self.outputs, constant: self.constant, values, bias }
    }

    /// Moves the weights of feature j to `places[j]`, a permutation.
    pub(super) fn renumber(&mut self, places: &[u32]) {
        assert_eq!(places.len(), self.features, "each feature has a place");
        let mut values = vec![0.0; self.values.len()];
        for (from, &to) in self.values.chunks_exact(self.outputs).zip(places) {
            values[to as usize * self.outputs..][..self.outputs].copy_from_slice(from);
        }
        self.values = values;
    }

    /// Several single outputs over the same features, side by side.
    pub fn side_by_side<'a>(columns: impl ExactSizeIterator<Item = &'a Weights> + Clone) -> Self {
        let outputs = columns.len();
        let first = columns.clone().next().expect("at least one output");
        let mut all = Weights::zeros(first.features, outputs, first.constant);
        for (k, column) in columns.enumerate() {
            all.bias[k] = column.bias[0];
            for (j, &v) in column.values.iter().enumerate() {
                all.values[j * outputs + k] = v;
            }
        }
        all
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of outputs: 1 for a binary machine, else one for each class.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Whether there is a bias to learn.
    pub fn biased(&self) -> bool {
        self.constant.is_learned()
    }

    /// The constant coordinate that the bias belongs to.
    pub fn constant(&self) -> Bias {
        self.constant
    }

    /// All weights, by `[feature][output]`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// One bias for each output; zeros where there is none.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The weights of one output, feature by feature.
    pub fn column(&self, output: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().skip(output).step_by(self.outputs).copied()
    }

    /// The score of the only output: w·x + b.
    #[inline]
    pub fn score<X: Row>(&self, x: X) -> f64 {
        debug_assert_eq!(self.outputs, 1);
        x.dot(&self.values) + self.bias[0]
    }

    /// The score of every output, written over `out`.
    #[inline]
    pub fn scores<X: Row>(&self, x: X, out: &mut [f64]) {
        if self.outputs == 1 {
            out[0] = self.score(x);
            return;
        }
        out.copy_from_slice(&self.bias);
        x.each(|j, v| {
            let weights = &self.values[j * self.outputs..][..self.outputs];
            for (s, w) in out.iter_mut().zip(weights) {
                *s += v * w;
            }
        });
    }

    /// Moves one output by scale·x, and its bias by scale·β².
    #[inline]
    pub fn add<X: Row>(&mut self, x: X, output: usize, scale: f64) {
        if self.outputs == 1 {
            x.add_to(&mut self.values, scale);
        } else {
            let outputs = self.outputs;
            x.each(|j, v| self.values[j * outputs + output] += scale * v);
        }
        self.bias[output] += scale * self.constant.squared();
    }

    /// The same, and moves `beside`, of the same shape, by its own scale.
    #[inline]
    pub fn add_with<X: Row>(&mut self, x: X, output: usize, scale: f64, (beside, its): (&mut Weights, f64)) {
        if self.outputs == 1 && beside.outputs == 1 {
            x.add_to_both((&mut self.values, scale), (&mut beside.values, its));
            self.bias[output] += scale * self.constant.squared();
            beside.bias[output] += its * beside.constant.squared();
        } else {
            self.add(x, output, scale);
            beside.add(x, output, its);
        }
    }

    /// ‖x‖² with the constant coordinate of the bias, if there is one.
    #[inline]
    pub fn sq_len<X: Row>(&self, x: X) -> f64 {
        x.sq_norm() + self.constant.squared()
    }

    /// Each coordinate (values, then biases) combined with the same coordinate of another: `self = f(self, other)`.
    pub fn combine(&mut self, other: &Weights, f: impl Fn(f64, f64) -> f64) {
        assert_eq!((self.features, self.outputs), (other.features, other.outputs), "weights of one shape");
        for (a, &b) in self.values.iter_mut().zip(&other.values).chain(self.bias.iter_mut().zip(&other.bias)) {
            *a = f(*a, b);
        }
    }

    /// Applies `f` to each coordinate, biases too.
    pub fn map(&mut self, f: impl Fn(f64) -> f64) {
        for a in self.values.iter_mut().chain(&mut self.bias) {
            *a = f(*a);
        }
    }

    /// One weight, for learners that step by coordinate.
    #[inline]
    pub fn at(&mut self, feature: usize, output: usize) -> &mut f64 {
        &mut self.values[feature * self.outputs + output]
    }

    /// The bias of an output, for learners that step by coordinate.
    #[inline]
    pub fn bias_at(&mut self, output: usize) -> &mut f64 {
        &mut self.bias[output]
    }

    /// Σ over all coordinates of self·other, those of the biases included.
    pub fn inner(&self, other: &Weights) -> f64 {
        let values: f64 = self.values.iter().zip(&other.values).map(|(a, b)| a * b).sum();
        let biases = self.bias.iter().zip(&other.bias).map(|(a, b)| self.of_coordinates(a * b));
        biases.fold(values, |sum, part| sum + part)
    }

    /// From the product of two biases βv and βv′ to that of their coordinates, vv′.
    pub fn of_coordinates(&self, product: f64) -> f64 {
        if self.biased() { product / self.constant.squared() } else { product }
    }

    /// The Euclidean length of everything, biases included.
    pub fn norm(&self) -> f64 {
        self.inner(self).sqrt()
    }

    /// Whether every weight is a finite number.
    pub fn is_finite(&self) -> bool {
        self.values.iter().chain(&self.bias).all(|v| v.is_finite())
    }
}
