//! Explains predictions: a linear score is a sum, and its terms can be shown.
//!
//! s = b + Σ wⱼxⱼ. The weights explain the model, the terms wⱼxⱼ one prediction. For two classes
//! the score is the positive class's; for many, the terms are those of the lead of the chosen class over the runner-up,
//! Σ (wⱼ,first − wⱼ,second)·xⱼ, because only differences between scores mean anything.
//!
//! A voted model counts votes, which are not a sum over features: its explanation is that of the average of its voters,
//! which almost always gives the same answer; a difference is reported.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::learn::{Hypothesis, Weights, decide, margin};
use crate::model::Model;
use crate::rows::{AnyRow, AnyRows, Row, Rows};

/// A feature and its weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strength {
    /// The feature's name.
    pub feature: String,
    /// Its weight for the class.
    pub weight: f64,
}

/// The strongest features of one class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassStrengths {
    /// The class.
    pub class: String,
    /// The score of an example whose features are all zero.
    pub bias: f64,
    /// The features with positive weights, the strongest first.
    pub supports: Vec<Strength>,
    /// The features with negative weights, the strongest first.
    pub opposes: Vec<Strength>,
}

/// One term of a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// The feature's name.
    pub feature: String,
    /// The feature's value in this example.
    pub value: f64,
    /// Value times weight.
    pub contribution: f64,
}

/// The explanation of one prediction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The answer.
    pub label: String,
    /// For many classes, the one that came second.
    pub runner_up: Option<String>,
    /// The sum of the bias and all terms: the positive class's score, or the lead over the runner-up.
    pub score: f64,
    /// The contribution of the bias.
    pub bias: f64,
    /// Every term that is not zero, the largest first.
    pub terms: Vec<Term>,
    /// The margin by votes, for a voted model.
    pub votes: Option<f64>,
}

/// Explains a model by its hyperplane, which is computed once.
///
/// ```
/// use rosenblatt::{Explainer, Table, Trainer};
/// let table = Table::dense(&[[2.0, 0.0], [-2.0, 0.0], [3.0, 0.1]], &["up", "down", "up"])?;
/// let model = Trainer::new("averaged").fit(&table)?.model;
/// let why = Explainer::new(&model)?.explain(table.matrix.rows()?, 0)?;
/// assert_eq!(why.label, "up");
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub struct Explainer<'a> {
    model: &'a Model,
    weights: Weights,
    names: Vec<String>,
    is_sum: bool,
}

impl<'a> Explainer<'a> {
    /// An explainer of this model. Refused: a kernel machine.
    pub fn new(model: &'a Model) -> Result<Self> {
        if let Hypothesis::Kernel(_) = model.hypothesis {
            return Err(Error::bad_model("a kernel machine has weights of examples, not of features"));
        }
        let is_sum = matches!(model.hypothesis, Hypothesis::Linear(_));
        Ok(Explainer { model, weights: model.hypothesis.summed(), names: model.feature_names()?, is_sum })
    }

    /// Whether scores are sums over features; else the average of the voters is explained.
    pub fn is_sum(&self) -> bool {
        self.is_sum
    }

    /// The `most` strongest features for and against each class; for two classes, of the positive one.
    pub fn strongest(&self, most: usize) -> Vec<ClassStrengths> {
        let names = self.model.labels.names();
        let classes = if self.weights.outputs() == 1 { &names[1..] } else { names };
        let one = |(k, class): (usize, &String)| {
            let column: Vec<f64> = self.weights.column(k).collect();
            let strongest = |sign: f64| {
                let mut features: Vec<usize> = (0..column.len()).filter(|&j| sign * column[j] > 0.0).collect();
                features.sort_by(|&a, &b| column[b].abs().total_cmp(&column[a].abs()).then(a.cmp(&b)));
                let named = |&j: &usize| Strength { feature: self.name(j), weight: column[j] };
                features.iter().take(most).map(named).collect()
            };
            let (supports, opposes) = (strongest(1.0), strongest(-1.0));
            ClassStrengths { class: class.clone(), bias: self.weights.bias()[k], supports, opposes }
        };
        classes.iter().enumerate().map(one).collect()
    }

    /// The explanation of row `i`, from 0. The terms are those of the mapped features.
    pub fn explain(&self, rows: AnyRows<'_>, i: usize) -> Result<Explanation> {
        if self.model.chain.is_empty() {
            return Ok(self.explain_row(rows.row(i)));
        }
        let prepared = self.model.chain.matrix(rows.slice(i..i + 1))?;
        Ok(self.explain_row(prepared.rows()?.row(0)))
    }

    fn explain_row(&self, x: AnyRow<'_>) -> Explanation {
        let (model, w) = (self.model, &self.weights);
        let mut scratch = crate::learn::Scratch::default();
        let label = model.classify(x, &mut scratch);
        let votes = (!self.is_sum).then(|| margin(&scratch.scores, label));
        let mut scores = vec![0.0; w.outputs()];
        w.scores(x, &mut scores);
        let second = (w.outputs() > 1).then(|| {
            let others: Vec<f64> =
                (0..).zip(&scores).map(|(k, s)| if k == label { f64::NEG_INFINITY } else { *s }).collect();
            decide(&others, model.tie())
        });
        let of = |values: &[f64]| match second {
            Some(second) => values[label as usize] - values[second as usize],
            None => values[0],
        };
        let mut terms = Vec::new();
        x.each(|j, value| {
            let contribution = value * of(&w.values()[j * w.outputs()..][..w.outputs()]);
            if contribution != 0.0 {
                terms.push((j, value, contribution));
            }
        });
        terms.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()).then(a.0.cmp(&b.0)));
        let name = |(j, value, contribution): (usize, f64, f64)| Term { feature: self.name(j), value, contribution };
        Explanation {
            label: model.labels.name(label).to_string(),
            runner_up: second.map(|second| model.labels.name(second).to_string()),
            score: of(&scores),
            bias: of(w.bias()),
            terms: terms.into_iter().map(name).collect(),
            votes,
        }
    }

    fn name(&self, feature: usize) -> String {
        self.names[feature].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Trainer;
    use crate::learn::learners::Multiclass;
    use crate::random::Stream;
    use crate::rows::Table;

    fn table(classes: u64) -> Table {
        let mut stream = Stream::new(6, &[]);
        let rows: Vec<[f64; 5]> = (0..80).map(|_| std::array::from_fn(|_| stream.unit() - 0.5)).collect();
        let labels: Vec<String> = (0..80).map(|i| format!("class {}", (i + stream.below(2)) % classes)).collect();
        Table::dense(&rows, &labels).unwrap()
    }

    #[test]
    fn terms_and_bias_add_up_to_the_score() {
        for (learner, classes, multiclass) in [
            ("averaged", 2, Multiclass::Single),
            ("voted", 2, Multiclass::Single),
            ("arow", 4, Multiclass::Single),
            ("perceptron", 3, Multiclass::OneVsRest),
            ("voted", 3, Multiclass::Single),
        ] {
            let table = table(classes);
            let model = Trainer::new(learner).multiclass(multiclass).epochs(3).fit(&table).unwrap().model;
            let explainer = Explainer::new(&model).unwrap();
            let rows = table.matrix.rows().unwrap();
            let answers = model.classify_all(rows).unwrap();
            let scores = model.score_all(rows).unwrap();
            for i in 0..rows.len() {
                let explanation = explainer.explain(rows, i).unwrap();
                assert_eq!(explanation.label, model.labels.name(answers[i]), "{learner}");
                let sum: f64 = explanation.bias + explanation.terms.iter().map(|t| t.contribution).sum::<f64>();
                let size: f64 =
                    explanation.bias.abs() + explanation.terms.iter().map(|t| t.contribution.abs()).sum::<f64>();
                assert!(
                    (sum - explanation.score).abs() <= 1e-14 * size.max(1e-300),
                    "{learner}: {sum} {}",
                    explanation.score
                );
                assert_eq!(explanation.votes.is_some(), learner == "voted");
                let scores = &scores[i * model.hypothesis.outputs()..][..model.hypothesis.outputs()];
                match (learner, classes) {
                    ("voted", _) => {}
                    (_, 2) => assert_eq!(explanation.score, scores[0]),
                    _ => assert_eq!(explanation.score, margin(scores, answers[i])),
                }
            }
        }
    }

    /// The voters one by one, each by its votes.
    #[test]
    fn the_average_of_the_voters_is_the_averaged_perceptron() {
        let table = table(2);
        let fit = |learner: &str| Trainer::new(learner).epochs(4).fit(&table).unwrap().model.hypothesis.summed();
        let (voted, mut averaged) = (fit("voted"), fit("averaged"));
        averaged.combine(&voted, |a, v| (a - v).abs());
        assert!(averaged.values().iter().chain(averaged.bias()).all(|d| *d < 1e-12), "{averaged:?}");
    }

    #[test]
    fn the_strongest_come_first() {
        let rows = [[1.0, 0.0, -2.0], [0.0, 1.0, 3.0], [2.0, 0.0, 0.0]];
        let table = Table::dense(&rows, &["yes", "no", "yes"]).unwrap();
        let model = Trainer::new("perceptron").fit(&table).unwrap().model;
        let [explanation] = &Explainer::new(&model).unwrap().strongest(2)[..] else { panic!("two classes, one score") };
        assert_eq!(explanation.class, "yes");
        assert!(explanation.supports.windows(2).all(|p| p[0].weight >= p[1].weight));
        assert!(
            explanation.supports.iter().all(|s| s.weight > 0.0) && explanation.opposes.iter().all(|s| s.weight < 0.0)
        );
        assert_eq!(explanation.opposes[0].feature, "x3");
    }
}
