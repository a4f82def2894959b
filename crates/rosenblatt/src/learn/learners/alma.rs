//! ALMA: an approximately maximal margin, one example at a time.
//!
//! With x̂ = x/‖x‖ and k the number of this correction, from 1:                    Gentile 2001, JMLR 2 (p = 2)
//!
//! > if y(w·x̂) ≤ (1 − α)·B/√k  then  w ← w + (√2/√k)·y x̂,  w ← w/max(1, ‖w‖),  k ← k + 1
//!
//! On separable data it ends with a margin of at least (1 − α)γ (of the normalised examples) after O(1/(α²γ²))
//! corrections; B = √8/α is the constant of that statement. Others use B = 1/α in experiments: set b.
//!
//! The projection touches every weight, so w is kept as scale · v, and only the scale changes. More than two classes
//! go by the correction z of the machine in place of y·x.

use super::{Design, Entry, assemble};
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::machine::Machine;
use crate::learn::naive::{Naive, Observed, norm, plus, times};
use crate::learn::{Array, Geometry, Hypothesis, Learner, Param, Params, State, Step, Weights};
use crate::rows::Row;

/// The learner: w = scale · v.
pub struct Alma<M> {
    machine: M,
    v: Weights,
    scale: f64,
    /// ‖w‖².
    sq_norm: f64,
    corrections: u64,
    /// (1 − α)·B.
    threshold: f64,
}

/// A scale below this is multiplied into the weights, long before it could underflow.
const SMALLEST_SCALE: f64 = 1e-100;

impl<M: Machine> Learner for Alma<M> {
    #[inline]
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step {
        let judgement = self.machine.judge(&self.v, x, class);
        let length = (judgement.stretch * self.v.sq_len(x)).sqrt();
        let root_k = ((self.corrections + 1) as f64).sqrt();
        let margin = self.scale * judgement.margin;
        let moved = length > 0.0 && margin / length <= self.threshold / root_k;
        if moved {
            self.corrections += 1;
            let tau = weight * std::f64::consts::SQRT_2 / root_k / length;
            for step in self.machine.moves() {
                self.v.add(x, step.output, tau / self.scale * step.by);
            }
            self.sq_norm += 2.0 * tau * margin + tau * tau * length * length;
            if self.sq_norm > 1.0 {
                self.scale /= self.sq_norm.sqrt();
                self.sq_norm = 1.0;
            }
            if self.scale < SMALLEST_SCALE {
                self.v = self.current();
                self.scale = 1.0;
            }
        }
        Step { margin, mistakes: u32::from(judgement.mistake), updates: u32::from(moved) }
    }

    fn wants_margin(&self) -> bool {
        true
    }

    fn grow(&mut self, features: usize) {
        self.v.grow(features, 0.0);
    }

    fn current(&self) -> Weights {
        let mut w = self.v.clone();
        w.map(|v| self.scale * v);
        w
    }

    fn current_at(&self, features: &[u32]) -> Option<Weights> {
        let mut w = self.v.pick(features);
        w.map(|v| self.scale * v);
        Some(w)
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::Linear(self.current())
    }

    fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        self.current_at(features)
    }

    /// The constants of the published bound are not confirmed, so none is claimed.
    fn bound(&self, _geometry: &Geometry) -> Option<f64> {
        None
    }

    fn save(&self, state: &mut State) {
        state.put_weights("v", &self.v);
        state.put("scale", Array::F64(vec![self.scale, self.sq_norm]));
        state.put_count("corrections", self.corrections);
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        self.v = state.weights_like("v", &self.v)?;
        let [scale, sq_norm] = *state.f64s("scale")? else {
            return Err(Error::bad_model("\"scale\" must hold two numbers"));
        };
        (self.scale, self.sq_norm) = (scale, sq_norm);
        self.corrections = state.count("corrections")?;
        Ok(())
    }
}

struct AlmaDesign {
    threshold: f64,
}

impl Design for AlmaDesign {
    type Learner<M: Machine> = Alma<M>;

    fn make<M: Machine>(&self, machine: M, start: Weights) -> Alma<M> {
        let sq_norm = start.inner(&start);
        Alma { machine, v: start, scale: 1.0, sq_norm, corrections: 0, threshold: self.threshold }
    }
}

/// The formulas above, on plain vectors: k counts corrections, and w itself is projected.
fn naive(observed: &Observed<'_>, params: &Params, _memory: &mut Vec<f64>) -> Option<Vec<f64>> {
    let (alpha, given, root_k) = (params.number("alpha"), params.number("b"), (observed.k as f64).sqrt());
    let b = if given == 0.0 { 8f64.sqrt() / alpha } else { given };
    let unit = times(1.0 / norm(observed.z), observed.z);
    if observed.margin / norm(observed.z) > (1.0 - alpha) * b / root_k {
        return None;
    }
    let moved = plus(observed.w, 2f64.sqrt() / root_k * observed.weight, &unit);
    Some(times(1.0 / norm(&moved).max(1.0), &moved))
}

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "alma",
    type_name: "ALMA",
    summary: "an approximately maximal margin, without knowing it beforehand",
    guarantee: "separable data: a margin of at least (1 − α)γ on examples scaled to length 1",
    bound: "",
    paper: "Gentile 2001",
    params: &[
        Param::within("alpha", 0.0, 1.0, 0.9, "α: the share of the best margin that may be lost"),
        Param::non_negative("b", 0.0, "B; 0 takes √8/α, which the guarantee wants"),
    ],
    keep: KeepKind::Last,
    other_keeps: false,
    mistake_bound: false,
    exact_on_integers: false,
    not_mixed: Some("its steps shrink with the corrections of one shard, and its weights are scaled to length 1"),
    naive: Naive::Example(naive),
    build: |plan| {
        let (alpha, b) = (plan.params.number("alpha"), plan.params.number("b"));
        let b = if b > 0.0 { b } else { 8f64.sqrt() / alpha };
        assemble(plan, AlmaDesign { threshold: (1.0 - alpha) * b })
    },
}];

#[cfg(test)]
mod tests {
    use crate::fit::{Order, Trainer};
    use crate::learn::Stop;
    use crate::random::Stream;
    use crate::rows::{Dense, Row, Table};

    /// The formulas above, on plain vectors: w after `passes` cyclic passes.
    fn naive(points: &[[f64; 2]], signs: &[f64], alpha: f64, passes: usize) -> [f64; 2] {
        let (mut w, mut k) = ([0.0, 0.0], 1.0f64);
        let b = 8f64.sqrt() / alpha;
        for _ in 0..passes {
            for (x, y) in points.iter().zip(signs) {
                let length = Dense(x).sq_norm().sqrt();
                let unit = [x[0] / length, x[1] / length];
                if y * (w[0] * unit[0] + w[1] * unit[1]) <= (1.0 - alpha) * b / k.sqrt() {
                    let step = y * (2.0 / k).sqrt();
                    w = [w[0] + step * unit[0], w[1] + step * unit[1]];
                    let norm = (w[0] * w[0] + w[1] * w[1]).sqrt().max(1.0);
                    w = [w[0] / norm, w[1] / norm];
                    k += 1.0;
                }
            }
        }
        w
    }

    fn street(seed: u64) -> (Vec<[f64; 2]>, Vec<f64>) {
        let mut stream = Stream::new(seed, &[]);
        let points = std::iter::repeat_with(|| [2.0 * stream.unit() - 1.0, 2.0 * stream.unit() - 1.0])
            .filter(|p| (p[1] - p[0]).abs() > 0.2)
            .take(40);
        points.map(|p| (p, (p[1] - p[0]).signum())).unzip()
    }

    fn table(points: &[[f64; 2]], signs: &[f64]) -> Table {
        let labels: Vec<String> = signs.iter().map(f64::to_string).collect();
        Table::dense(points, &labels).unwrap()
    }

    #[test]
    fn it_is_what_the_paper_says() {
        for (seed, alpha) in [(1, 0.9), (2, 0.5), (3, 0.2)] {
            let (points, signs) = street(seed);
            let trainer =
                Trainer::new("alma").set("alpha", &alpha.to_string()).bias(false).order(Order::Cyclic).epochs(3);
            let w = trainer.fit(&table(&points, &signs)).unwrap().model.hypothesis.hyperplane();
            for (fast, slow) in w.values().iter().zip(naive(&points, &signs, alpha, 3)) {
                assert!((fast - slow).abs() < 1e-12, "{fast} {slow}");
            }
        }
    }

    #[test]
    fn it_ends_with_its_share_of_the_best_margin() {
        for seed in 0..5 {
            let (mut points, signs) = street(seed);
            for p in &mut points {
                let length = Dense(p.as_slice()).sq_norm().sqrt();
                *p = [p[0] / length, p[1] / length];
            }
            // In the plane the best direction can be found by trying all.
            let margin = |angle: f64| {
                let u = [angle.cos(), angle.sin()];
                let each = points.iter().zip(&signs).map(|(p, y)| y * (u[0] * p[0] + u[1] * p[1]));
                each.fold(f64::INFINITY, f64::min)
            };
            let best = (0..36_000).map(|d| margin(f64::from(d) * std::f64::consts::PI / 18_000.0)).fold(0.0, f64::max);
            for alpha in [0.9, 0.5, 0.1] {
                let trainer = Trainer::new("alma").set("alpha", &alpha.to_string()).bias(false).epochs(100_000);
                let report = trainer.fit(&table(&points, &signs)).unwrap().report;
                assert_eq!(report.stopped, Stop::Separated);
                let margin = report.margin.unwrap();
                assert!(margin >= (1.0 - alpha) * best * (1.0 - 1e-6), "{margin} of {best}");
            }
        }
    }
}
