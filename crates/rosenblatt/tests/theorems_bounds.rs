//! Every theorem is a test: mistake bounds and margin guarantees, on data of known margin, in every order tried.

mod common;
mod naive;

use proptest::prelude::*;
use rosenblatt::fit::Order;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::learn::{AnyLearner, Geometry, Stop, Weights};
use rosenblatt::rows::Examples;
use rosenblatt::{Table, Trainer};

use common::{MULTICLASS, classed_table, close, keeps, signed_table, vector, weights};
use naive::{Classed, SplitMix64, dot, extended, planted};

/// Room for rounding in a bound that is compared with a count.
const SLACK: f64 = 1e-9;

/// The mistakes of `passes` random passes.
fn mistakes(learner: &mut dyn AnyLearner, examples: Examples<'_>, random: &mut SplitMix64, passes: usize) -> u64 {
    let mut total = 0;
    for _ in 0..passes {
        let order: Vec<u32> = random.permutation(examples.len()).iter().map(|&i| i as u32).collect();
        total += learner.run(examples, &order, None).mistakes;
        learner.end_pass(order.len() as u64);
    }
    total
}

/// Random parameters within the declared ranges: the bounds must hold for all of them.
fn randomised(trainer: Trainer, random: &mut SplitMix64) -> Trainer {
    use rosenblatt::learn::Domain;
    let entry = trainer.recipe.entry().unwrap();
    entry.params.iter().fold(trainer, |trainer, param| match param.domain {
        Domain::Number { min, max, .. } => {
            let value = min + (max - min).min(3.0) * (0.02 + 0.98 * random.unit());
            trainer.set(param.name, &value.to_string())
        }
        Domain::Choice(words) => trainer.set(param.name, words[random.below(words.len())]),
    })
}

/// Classes near the unit vectors: separable by one machine and each from the rest, by the hyperplanes returned.
fn corners(random: &mut SplitMix64, n: usize, classes: usize) -> (Classed, Weights) {
    let noise = 0.1 + 0.15 * random.unit();
    let row = |random: &mut SplitMix64, k: usize| {
        (0..classes).map(|j| f64::from(u8::from(j == k)) + noise * random.real()).collect()
    };
    let data = (0..n).map(|i| (row(random, i % classes), i % classes)).collect();
    let against = |k: usize| (0..classes).map(|j| if j == k { 1.0 } else { -1.0 }).collect();
    let u: Vec<Vec<f64>> = (0..classes).map(against).collect();
    (data, weights(&u, false))
}

/// Checks one learner against the bound that the separating weights `u` give it; says whether there was a bound.
fn bounded(trainer: &Trainer, table: &Table, u: &Weights, random: &mut SplitMix64) -> bool {
    let examples = table.examples().unwrap();
    let seen = Geometry::measure(u, examples).unwrap();
    assert!(seen.margin > 0.0, "the data were made separable");
    let mut learner = trainer.learner(table.matrix.features(), table.labels.len()).unwrap();
    let Some(bound) = learner.bound(&seen) else { return false };
    let made = mistakes(&mut *learner, examples, random, 30);
    assert!(made as f64 <= bound + SLACK, "{made} mistakes over a bound of {bound}: {:?}", trainer.recipe);
    true
}

proptest! {
    #![proptest_config(common::cases(150))]

    #[test]
    fn the_perceptron_makes_at_most_r_over_gamma_squared_mistakes_in_every_order(
        seed: u64, d in 1usize..6, bias: bool, gamma in 0.02f64..0.3,
    ) {
        let mut random = SplitMix64(seed);
        let (data, u) = planted(&mut random, 30, d, bias, gamma);
        let bound = (naive::radius(&data, bias) / naive::margin(&data, &u, bias)).powi(2);
        let table = signed_table_or_skip(&data)?;
        for name in ["perceptron", "averaged", "voted", "pocket"] {
            for _ in 0..3 {
                let mut learner = Trainer::new(name).bias(bias).learner(d, 2).unwrap();
                let made = mistakes(&mut *learner, table.examples().unwrap(), &mut random, 25);
                prop_assert!(made as f64 <= bound + SLACK, "{} made {} of {}", name, made, bound);
            }
        }
    }

    #[test]
    fn every_learner_of_the_registry_keeps_its_bound_on_two_classes(seed: u64, bias: bool, gamma in 0.02f64..0.3) {
        let mut random = SplitMix64(seed);
        let (data, u) = planted(&mut random, 25, 3, bias, gamma);
        let table = signed_table_or_skip(&data)?;
        let u = weights(&[u], bias);
        for entry in rosenblatt::learn::learners::all() {
            for keep in keeps(entry) {
                let trainer = Trainer::new(entry.name).keep(keep).bias(bias);
                // So that no bound is lost in silence.
                prop_assert_eq!(bounded(&trainer, &table, &u, &mut random), entry.mistake_bound, "{}", entry.name);
                bounded(&randomised(trainer, &mut random), &table, &u, &mut random);
            }
        }
    }

    #[test]
    fn every_learner_of_the_registry_keeps_its_bound_on_many_classes(seed: u64, classes in 3usize..6) {
        let mut random = SplitMix64(seed);
        let (data, u) = corners(&mut random, 25, classes);
        let table = classed_table(&data);
        for entry in rosenblatt::learn::learners::all() {
            for multiclass in MULTICLASS {
                let trainer = Trainer::new(entry.name).multiclass(multiclass).bias(false);
                // So that no bound is lost in silence.
                prop_assert_eq!(bounded(&trainer, &table, &u, &mut random), entry.mistake_bound, "{}", entry.name);
                bounded(&randomised(trainer, &mut random), &table, &u, &mut random);
            }
        }
    }

    #[test]
    fn every_learner_keeps_its_bound_on_planted_classes(seed: u64, classes in 3usize..6, bias: bool) {
        let mut random = SplitMix64(seed);
        let (data, u) = naive::multi_planted(&mut random, 30, 3, classes, bias, 0.05);
        prop_assume!((0..classes).all(|k| data.iter().any(|(_, y)| *y == k)));
        let table = classed_table(&data);
        for entry in rosenblatt::learn::learners::all() {
            for multiclass in [Multiclass::Single, Multiclass::Uniform] {
                let trainer = Trainer::new(entry.name).multiclass(multiclass).bias(bias);
                bounded(&randomised(trainer, &mut random), &table, &weights(&u, bias), &mut random);
            }
        }
    }

    #[test]
    fn the_bound_that_a_report_states_was_kept(seed: u64, bias: bool, three: bool) {
        let mut random = SplitMix64(seed);
        let table = if three {
            classed_table(&corners(&mut random, 24, 3).0)
        } else {
            signed_table_or_skip(&planted(&mut random, 25, 2, bias, 0.1).0)?
        };
        for entry in rosenblatt::learn::learners::all() {
            for multiclass in MULTICLASS {
                let trainer = randomised(Trainer::new(entry.name).bias(bias).multiclass(multiclass), &mut random);
                let report = trainer.order(Order::Shuffled { seed }).epochs(200).fit(&table).unwrap().report;
                prop_assert!(report.bound.is_none() || report.stopped == Stop::Separated);
                if let Some(bound) = report.bound {
                    prop_assert!(report.mistakes as f64 <= bound + SLACK, "{:?}", report);
                }
            }
        }
    }

    #[test]
    fn theorem_2_of_freund_and_schapire_on_one_pass_of_any_data(seed: u64, bias: bool, gamma in 0.05f64..2.0) {
        let mut random = SplitMix64(seed);
        let data = naive::real_data(&mut random, 40, 3);
        let table = signed_table_or_skip(&data)?;
        let r = naive::radius(&data, bias);
        let mut learner = Trainer::new("perceptron").bias(bias).learner(3, 2).unwrap();
        let made = mistakes(&mut *learner, table.examples().unwrap(), &mut random, 1) as f64;
        for _ in 0..20 {
            let u = random.direction(3 + usize::from(bias));
            let lack = |(x, y): &(Vec<f64>, f64)| (gamma - y * dot(&u, &extended(x, bias))).max(0.0).powi(2);
            let d = data.iter().map(lack).sum::<f64>().sqrt();
            prop_assert!(made <= ((r + d) / gamma).powi(2) + SLACK);
        }
    }

    #[test]
    fn the_bound_on_the_first_pass_that_a_report_states_was_kept(seed: u64, bias: bool) {
        let mut random = SplitMix64(seed);
        let table = signed_table_or_skip(&naive::real_data(&mut random, 60, 3))?;
        for name in ["perceptron", "averaged", "pocket"] {
            let report = Trainer::new(name).bias(bias).order(Order::Shuffled { seed }).fit(&table).unwrap().report;
            prop_assert!(report.first_pass_bound.is_some() || report.stopped == Stop::Separated || report.margin == Some(0.0));
            if let Some(any) = report.first_pass_bound {
                prop_assert!(report.mistakes_by_epoch[0] as f64 <= any.mistakes);
            }
        }
    }

    #[test]
    fn the_search_for_the_best_bound_finds_the_valley(seed: u64, n in 1usize..200) {
        let mut random = SplitMix64(seed);
        let margins: Vec<f64> = (0..n).map(|_| random.real()).collect();
        let found = rosenblatt::learn::any_data_bound(1.5, &margins).unwrap();
        for step in 1..=1000 {
            let gamma = 1.5 * f64::from(step) / 1000.0;
            let d = margins.iter().map(|m| (gamma - m).max(0.0).powi(2)).sum::<f64>().sqrt();
            prop_assert!(found.mistakes <= ((1.5 + d) / gamma).powi(2) * (1.0 + 1e-6), "{:?} {}", found, gamma);
        }
    }

    #[test]
    fn the_margin_perceptron_ends_with_the_margin_it_promises(
        seed: u64, d in 1usize..4, bias: bool, b in 0.0f64..3.0, rate in 0.1f64..2.0,
    ) {
        let mut random = SplitMix64(seed);
        let (data, u) = planted(&mut random, 20, d, bias, 0.15);
        let (r, gamma) = (naive::radius(&data, bias), naive::margin(&data, &u, bias));
        let table = signed_table_or_skip(&data)?;
        let trainer = Trainer::new("margin").bias(bias).set("margin", &b.to_string()).set("rate", &rate.to_string());
        let fitted = trainer.order(Order::Shuffled { seed }).epochs(5000).fit(&table).unwrap();
        prop_assert_eq!(fitted.report.stopped, Stop::Separated);
        let updates = (r * r + 2.0 * b / rate) / (gamma * gamma);
        prop_assert!(fitted.report.updates as f64 <= updates + SLACK);
        let promised = gamma * b / (2.0 * b + rate * r * r);
        let reached = naive::margin(&data, &vector(&fitted.model.hypothesis.hyperplane()), bias);
        prop_assert!(reached >= promised - SLACK, "{} of {}", reached, promised);
        prop_assert!(close(&[reached], &[fitted.report.margin.unwrap()], 1e-9));
    }

    #[test]
    fn the_half_margin_perceptron_ends_with_its_share_in_the_moves_it_is_given(
        seed: u64, d in 2usize..5, least in 0.05f64..0.3,
    ) {
        let mut random = SplitMix64(seed);
        let (data, u) = planted(&mut random, 25, d, false, least);
        let data: Vec<_> = data.iter().map(|(x, y)| (naive::times(1.0 / naive::norm(x), x), *y)).collect();
        let gamma = naive::margin(&data, &u, false);
        let table = signed_table_or_skip(&data)?;
        let fit = |gamma: f64| {
            let trainer = Trainer::new("half-margin").bias(false).set("gamma", &gamma.to_string());
            trainer.order(Order::Shuffled { seed }).epochs(50_000).fit(&table).unwrap().report
        };
        let known = fit(gamma);
        prop_assert_eq!(known.stopped, Stop::Separated);
        prop_assert!(known.updates as f64 <= 8.0 / (gamma * gamma) + 4.0 / gamma);
        prop_assert!(known.margin.unwrap() > gamma / 2.0 - SLACK, "{:?} of {}", known.margin, gamma);
        let unknown = fit(0.0);
        prop_assert_eq!(unknown.stopped, Stop::Separated);
        prop_assert!(unknown.margin.unwrap() > gamma / 4.0 - SLACK, "{:?} of {}", unknown.margin, gamma);
        let guesses = std::iter::successors(Some(1.0f64), |g| (*g > gamma).then_some(g / 2.0));
        prop_assert!(unknown.updates as f64 <= guesses.map(|g| 8.0 / (g * g) + 4.0 / g).sum());
    }

    #[test]
    fn the_margin_perceptron_promises_the_same_for_many_classes(seed: u64, b in 0.0f64..3.0, rate in 0.1f64..2.0) {
        // The theorem speaks of z, whose length is √2 that of x.
        let mut random = SplitMix64(seed);
        let (data, u) = corners(&mut random, 20, 3);
        let table = classed_table(&data);
        let seen = Geometry::measure(&u, table.examples().unwrap()).unwrap();
        for multiclass in [Multiclass::Single, Multiclass::Uniform] {
            let trainer = Trainer::new("margin").bias(false).multiclass(multiclass);
            let trainer = trainer.set("margin", &b.to_string()).set("rate", &rate.to_string());
            let report = trainer.order(Order::Shuffled { seed }).epochs(5000).fit(&table).unwrap().report;
            prop_assert_eq!(report.stopped, Stop::Separated);
            let promised = seen.margin * b / (2.0 * b + 2.0 * rate * seen.radius * seen.radius);
            prop_assert!(report.margin.unwrap() >= promised - SLACK, "{:?} of {}", report.margin, promised);
        }
    }
}

/// A table, if both signs occur: a table of one class is refused, as it should be.
fn signed_table_or_skip(data: &[(Vec<f64>, f64)]) -> Result<Table, TestCaseError> {
    if data.iter().all(|e| e.1 == data[0].1) {
        return Err(TestCaseError::reject("one class only"));
    }
    Ok(signed_table(data))
}
