//! Learning probabilities from scores (Platt 1999).
//!
//! **Problem.** Given scores sᵢ of examples that the model did not learn from, and whether each is positive, find the
//! sigmoid p(s) = 1/(1 + exp(−(a·s + b))) under which the labels are most likely:
//!
//! ```text
//! min over a, b   F = −Σ wᵢ (tᵢ ln p(sᵢ) + (1 − tᵢ) ln(1 − p(sᵢ)))
//! tᵢ = (N₊ + 1)/(N₊ + 2) for positives,  1/(N₋ + 2) for the others
//! ```
//!
//! The targets t stay away from 0 and 1, as if each class had one more example: without that, scores that
//! separate the classes would make the slope infinite. F is convex in (a, b).
//!
//! **Answer.** Newton's method with a step that is halved until F falls (Lin, Lin and Weng, "A note on Platt's
//! probabilistic outputs for support vector machines", 2007), logarithms taken so that nothing cancels or overflows.
//!
//! **Scale.** The models of the folds are not the model that will be used: each is a little shorter, having seen fewer
//! examples. So a score is divided by the length of its own model's weights (or by the number of votes) before the
//! sigmoid is fitted, and the slope by that of the final model after.
//!
//! The sigmoid is fitted to models *like* the final one. The last weights of a perceptron on data that are not separable
//! vary from step to step, so its probabilities are less reliable: keep the average.
//!
//! **Many classes.** One sigmoid for each class, on how far the class's score is ahead of the best other's, so that adding
//! the same to all scores changes nothing; then the probabilities are divided by their sum (Zadrozny and Elkan 2002).
//! (Log loss on the test files of letter and usps: 0.83 and 0.33. On the class's score alone it is 1.38 and 0.43, by a
//! softmax of the scores with a fitted temperature 0.86 and 0.35.)

use super::crossval::each_fold;
use crate::error::{Error, Result};
use crate::fit::Fitted;
use crate::learn::margin;
use crate::message::Setting;
use crate::model::{Calibration, Sigmoid};
use crate::rows::{Folds, Table};

/// Out-of-fold scores come from so many folds, or from as many as the rarest class has examples.
pub const FOLDS: u32 = 5;

/// Learns the probabilities of a fitted model from the scores of models that were fitted in the same way without the
/// examples they score.
///
/// ```
/// use rosenblatt::{Evaluation, Table, Trainer, calibrate};
/// let points: Vec<[f64; 1]> = (0..40).map(|i| [f64::from(i) - 19.5]).collect();
/// let labels: Vec<&str> = (0..40).map(|i| if i > 19 { "high" } else { "low" }).collect();
/// let table = Table::dense(&points, &labels)?;
/// let trainer = Trainer::new("averaged");
/// let mut model = trainer.fit(&table)?.model;
/// let calibration = calibrate(|part| trainer.fit(part), &table, 1)?;
/// model.calibration = Some(calibration.scaled(model.hypothesis.scale()?));
/// assert!(Evaluation::new(&model, &table)?.log_loss.unwrap() < 0.5);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub fn calibrate(fit: impl Fn(&Table) -> Result<Fitted> + Sync, table: &Table, seed: u64) -> Result<Calibration> {
    let mut counts = vec![0u32; table.labels.len()];
    table.classes.iter().for_each(|&c| counts[c as usize] += 1);
    let rarest = counts.iter().copied().filter(|&n| n > 0).min().unwrap_or(0);
    if rarest < 2 {
        let why = ": a class has a single example, which cannot be learned from and held back too";
        return Err(Error::settings(Setting::Calibrate.named().text(why)));
    }
    let folds = Folds::stratified(table, FOLDS.min(rarest), seed)?;
    let scored = each_fold(table, &folds, fit, |fitted, held| {
        let hypothesis = &fitted.model.hypothesis;
        let mut scores = fitted.model.score_all(held.matrix.rows()?)?;
        let scale = hypothesis.scale()?;
        scores.iter_mut().for_each(|s| *s /= scale);
        Ok((scores, held.classes.clone(), held.weights.clone()))
    })?;
    let outputs = if table.labels.len() == 2 { 1 } else { table.labels.len() };
    let sigmoid = |k: usize| {
        let mut points = Vec::with_capacity(table.classes.len());
        for (scores, classes, weights) in &scored {
            for (i, (scores, &class)) in scores.chunks(outputs).zip(classes).enumerate() {
                let weight = weights.as_ref().map_or(1.0, |w| w[i]);
                points.push(match outputs {
                    1 => Point { score: scores[0], positive: class == 1, weight },
                    _ => Point { score: margin(scores, k as u32), positive: class as usize == k, weight },
                });
            }
        }
        fit_sigmoid(&points)
    };
    Ok(Calibration { sigmoids: (0..outputs).map(sigmoid).collect() })
}

/// A score and its true label.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// The score of an example.
    pub score: f64,
    /// Whether the example belongs to the class.
    pub positive: bool,
    /// The weight of the example.
    pub weight: f64,
}

/// Maximum Newton steps; about ten suffice.
const STEPS: usize = 100;
/// Maximum halvings of a step: beyond them rounding hides any gain.
const HALVINGS: usize = 40;

/// The most likely sigmoid.
pub fn fit_sigmoid(points: &[Point]) -> Sigmoid {
    let total = |positive: bool| points.iter().filter(|p| p.positive == positive).map(|p| p.weight).sum::<f64>();
    let (above, below) = (total(true), total(false));
    let (high, low) = ((above + 1.0) / (above + 2.0), 1.0 / (below + 2.0));
    let target = |p: &Point| if p.positive { high } else { low };
    // Scores of at most one keep both unknowns of similar size, and their squares finite.
    let largest = points.iter().map(|p| p.score.abs()).fold(0.0, f64::max);
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let value = |a: f64, b: f64| -> f64 {
        let of = |p: &Point| {
            let (z, t) = (a * p.score / unit + b, target(p));
            p.weight * (softplus(z) - t * z)
        };
        points.iter().map(of).sum()
    };
    let (mut a, mut b) = (0.0, ((above + 1.0) / (below + 1.0)).ln());
    let mut now = value(a, b);
    for _ in 0..STEPS {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, RIDGE, 0.0, RIDGE);
        for point in points {
            let s = point.score / unit;
            let p = logistic(a * s + b);
            let (slope, curve) = (point.weight * (p - target(point)), point.weight * p * (1.0 - p));
            ga += slope * s;
            gb += slope;
            haa += curve * s * s;
            hab += curve * s;
            hbb += curve;
        }
        if f64::max(ga.abs(), gb.abs()) <= 1e-9 * (above + below) {
            break;
        }
        let det = haa * hbb - hab * hab;
        let (da, db) = (-(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det);
        let fall = ga * da + gb * db;
        let mut step = 1.0;
        let better = (0..HALVINGS).find_map(|_| {
            let (a, b) = (a + step * da, b + step * db);
            let f = value(a, b);
            let falls = f < now + 1e-4 * step * fall;
            step /= 2.0;
            falls.then_some((a, b, f))
        });
        match better {
            Some(point) => (a, b, now) = point,
            None => break,
        }
    }
    Sigmoid { slope: a / unit + 0.0, offset: b + 0.0 }
}

/// Keeps the curvature above zero where all scores are equal.
const RIDGE: f64 = 1e-12;

/// 1/(1 + e^(−z)), without overflow.
fn logistic(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}

/// ln(1 + e^z), without overflow.
fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Plain gradient descent on F as written above.
    fn naive(points: &[Point]) -> (f64, f64) {
        let above: f64 = points.iter().filter(|p| p.positive).map(|p| p.weight).sum();
        let below: f64 = points.iter().filter(|p| !p.positive).map(|p| p.weight).sum();
        let (mut a, mut b) = (0.0, 0.0);
        let curvature: f64 = points.iter().map(|p| p.weight * (1.0 + p.score * p.score)).sum::<f64>() / 4.0;
        for _ in 0..400_000 {
            let (mut ga, mut gb) = (0.0, 0.0);
            for p in points {
                let t = if p.positive { (above + 1.0) / (above + 2.0) } else { 1.0 / (below + 2.0) };
                let answer = 1.0 / (1.0 + (-(a * p.score + b)).exp());
                ga += p.weight * (answer - t) * p.score;
                gb += p.weight * (answer - t);
            }
            a -= ga / curvature;
            b -= gb / curvature;
            if ga.abs().max(gb.abs()) < 1e-10 {
                break;
            }
        }
        (a, b)
    }

    #[test]
    fn newton_finds_what_gradient_descent_finds() {
        let mut stream = Stream::new(8, &[]);
        for trial in 0..12 {
            let weighted = trial % 3 == 0;
            let points: Vec<Point> = (0..60)
                .map(|_| {
                    let score = 4.0 * stream.unit() - 1.5;
                    let positive = score + 2.0 * (stream.unit() - 0.5) > 0.3;
                    Point { score, positive, weight: if weighted { 0.5 + stream.unit() } else { 1.0 } }
                })
                .collect();
            let (a, b) = naive(&points);
            let Sigmoid { slope, offset } = fit_sigmoid(&points);
            assert!((slope - a).abs() < 1e-5 && (offset - b).abs() < 1e-5, "{slope} {offset} against {a} {b}");
        }
    }

    /// Random labels with a weak signal: of the answers given with 70%, 70% must be right, for each model.
    #[test]
    fn probabilities_of_a_fitted_model_come_true() {
        for (learner, classes) in [("averaged", 2u32), ("voted", 2), ("averaged", 3)] {
            let draw = |seed: u64, n: usize| {
                let mut stream = Stream::new(seed, &[]);
                let (mut rows, mut labels) = (Vec::new(), Vec::new());
                for _ in 0..n {
                    let x = 4.0 * (stream.unit() - 0.5);
                    let y = 4.0 * (stream.unit() - 0.5);
                    let noise = 3.0 * (stream.unit() - 0.5);
                    let bin = ((x + noise + 3.5) / 7.0 * f64::from(classes)).clamp(0.0, f64::from(classes) - 1.0);
                    rows.push([x, y]);
                    labels.push(format!("c{}", bin as u32));
                }
                Table::dense(&rows, &labels).unwrap()
            };
            let (train, test) = (draw(1, 3000), draw(2, 3000));
            let trainer = crate::fit::Trainer::new(learner).epochs(5);
            let mut model = trainer.fit(&train).unwrap().model;
            let calibration = calibrate(|t| trainer.fit(t), &train, 0).unwrap();
            model.calibration = Some(calibration.scaled(model.hypothesis.scale().unwrap()));
            let judged = crate::evaluate::Evaluation::new(&model, &test).unwrap();
            let guess = f64::from(classes).ln();
            assert!(judged.log_loss.unwrap() < 0.85 * guess, "{learner} {classes}: {:?}", judged.log_loss);
            // Votes accumulate at both ends, where a sigmoid fits only roughly.
            let sigmoidal = learner != "voted";
            for bin in judged.reliability.unwrap().iter().filter(|b| sigmoidal && b.examples >= 100) {
                let off = (bin.predicted - bin.observed).abs();
                // Sampling alone deviates by up to three times 0.05; Platt's curve need not be the true one.
                assert!(off < 0.15, "{learner} {classes}: {bin:?}");
            }
            let bytes = model.to_bytes();
            assert_eq!(crate::Model::from_bytes("m", &bytes).unwrap(), model);
        }
    }

    #[test]
    fn extreme_scores_do_not_break_it() {
        let point = |score, positive| Point { score, positive, weight: 1.0 };
        let separated: Vec<Point> = (0..40).map(|i| point(if i < 20 { -1e200 } else { 1e150 }, i >= 20)).collect();
        let constant: Vec<Point> = (0..40).map(|i| point(0.0, i % 4 == 0)).collect();
        let one_class: Vec<Point> = (0..40).map(|i| point(f64::from(i), true)).collect();
        for points in [separated, constant.clone(), one_class] {
            let Sigmoid { slope, offset } = fit_sigmoid(&points);
            assert!(slope.is_finite() && offset.is_finite(), "{slope} {offset}");
        }
        let Sigmoid { offset, .. } = fit_sigmoid(&constant);
        // Ten of forty, moved slightly towards the middle by Platt's targets.
        assert!((logistic(offset) - 0.25).abs() < 0.02, "{}", logistic(offset));
    }

    /// The sigmoid recovers the probabilities that the labels were drawn from.
    #[test]
    fn it_recovers_the_sigmoid_that_made_the_labels() {
        let mut stream = Stream::new(2, &[]);
        let points: Vec<Point> = (0..40_000)
            .map(|_| {
                let score = 6.0 * stream.unit() - 3.0;
                Point { score, positive: stream.unit() < logistic(1.7 * score - 0.4), weight: 1.0 }
            })
            .collect();
        let Sigmoid { slope, offset } = fit_sigmoid(&points);
        assert!((slope - 1.7).abs() < 0.06 && (offset + 0.4).abs() < 0.06, "{slope} {offset}");
    }
}
