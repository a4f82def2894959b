//! Every theorem is a test: identities of the path, on integers, where nothing rounds.

mod common;
mod naive;

use proptest::prelude::*;
use rosenblatt::fit::Order;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners::Multiclass;
use rosenblatt::learn::machine::Tie;
use rosenblatt::learn::{AnyLearner, Hypothesis, Stop};
use rosenblatt::rows::Examples;
use rosenblatt::{Table, Trainer};

use common::{signed_table, table, vector, vectors};
use naive::{count_correct, dot, extended, plus, sum, times};

/// Few rows of small integers with signs, both of them: many exact ties, seldom separable.
fn integers() -> impl Strategy<Value = Vec<(Vec<f64>, f64)>> {
    let row = prop::collection::vec((-4i32..=4).prop_map(f64::from), 3);
    let sign = any::<bool>().prop_map(|b| if b { 1.0 } else { -1.0 });
    prop::collection::vec((row, sign), 4..16).prop_map(|mut examples| {
        (examples[0].1, examples[1].1) = (1.0, -1.0);
        examples
    })
}

/// As `integers`, with the classes 0, 1 and 2.
fn classed_integers() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<usize>)> {
    let row = prop::collection::vec((-4i32..=4).prop_map(f64::from), 3);
    prop::collection::vec((row, 0usize..3), 4..16).prop_map(|mut examples| {
        (0..3).for_each(|k| examples[k].1 = k);
        examples.into_iter().unzip()
    })
}

/// An order for up to sixteen examples; take it modulo their number.
fn order() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0u32..1000, 1..60)
}

fn ties() -> impl Strategy<Value = Tie> {
    prop::sample::select(vec![Tie::Update, Tie::Positive, Tie::Negative])
}

/// A learner for this table.
fn learner(trainer: &Trainer, table: &Table) -> Box<dyn AnyLearner> {
    trainer.learner(table.matrix.features(), table.labels.len()).unwrap()
}

/// Presents the examples of `order` (modulo their number) and says where a mistake was made.
fn mistakes(learner: &mut dyn AnyLearner, examples: Examples<'_>, order: &[u32]) -> Vec<usize> {
    let n = examples.len() as u32;
    (0..order.len()).filter(|&t| learner.step(examples, order[t] % n).mistakes > 0).collect()
}

fn perceptron() -> Trainer {
    Trainer::new("perceptron")
}

proptest! {
    #![proptest_config(common::cases(400))]

    #[test]
    fn an_update_raises_the_margin_by_exactly_the_square_of_x(
        data in integers(), order in order(), tie in ties(), bias: bool,
    ) {
        let table = signed_table(&data);
        let mut learner = learner(&perceptron().tie(tie).bias(bias), &table);
        for i in order.iter().map(|i| *i as usize % data.len()) {
            let x = extended(&data[i].0, bias);
            let margin = |w: &[f64]| data[i].1 * dot(w, &x);
            let before = margin(&vector(&learner.current().unwrap()));
            let step = learner.step(table.examples().unwrap(), i as u32);
            prop_assert_eq!(step.margin, before);
            let gain = margin(&vector(&learner.current().unwrap())) - before;
            prop_assert_eq!(gain, if step.updates > 0 { dot(&x, &x) } else { 0.0 });
        }
    }

    #[test]
    fn the_perceptron_is_stochastic_gradient_descent(
        data in integers(), order in order(), rate in 1u32..4, bias: bool,
    ) {
        // On the loss max(0, −y w·x), with the subgradient −y x where the loss is flat from one side only (w·x = 0).
        let table = signed_table(&data);
        let mut learner = learner(&perceptron().bias(bias).set("rate", &rate.to_string()), &table);
        let mut w = vec![0.0; 3 + usize::from(bias)];
        for i in order.iter().map(|i| *i as usize % data.len()) {
            let (x, y) = (extended(&data[i].0, bias), data[i].1);
            let gradient = if -y * dot(&w, &x) >= 0.0 { times(-y, &x) } else { times(0.0, &x) };
            w = plus(&w, -f64::from(rate), &gradient);
            learner.step(table.examples().unwrap(), i as u32);
            prop_assert_eq!(&vector(&learner.current().unwrap()), &w);
        }
    }

    #[test]
    fn the_rate_changes_no_mistake_from_zero_weights(
        data in integers(), order in order(), tie in ties(), bias: bool, halvings in 1i32..20,
    ) {
        // Any constant rate only scales the weights; a power of two does so exactly.
        let table = signed_table(&data);
        let rate = 0.5f64.powi(halvings);
        let mut one = learner(&perceptron().tie(tie).bias(bias), &table);
        let mut other = learner(&perceptron().tie(tie).bias(bias).set("rate", &rate.to_string()), &table);
        let examples = table.examples().unwrap();
        prop_assert_eq!(mistakes(&mut *one, examples, &order), mistakes(&mut *other, examples, &order));
        prop_assert_eq!(times(rate, &vector(&one.current().unwrap())), vector(&other.current().unwrap()));
    }

    #[test]
    fn multiplying_all_points_by_100_changes_no_mistake(data in integers(), order in order(), tie in ties()) {
        // Without a bias; or with the constant as a column that is multiplied too.
        for constant in [false, true] {
            let data: Vec<_> = data.iter().map(|(x, y)| (extended(x, constant), *y)).collect();
            let large: Vec<_> = data.iter().map(|(x, y)| (times(100.0, x), *y)).collect();
            let trainer = perceptron().tie(tie).bias(false);
            let walk = |table: &Table| {
                let mut learner = learner(&trainer, table);
                let list = mistakes(&mut *learner, table.examples().unwrap(), &order);
                (list, vector(&learner.current().unwrap()))
            };
            let (list, w) = walk(&signed_table(&data));
            let (large_list, large_w) = walk(&signed_table(&large));
            prop_assert_eq!(list, large_list);
            prop_assert_eq!(times(100.0, &w), large_w);
        }
    }

    #[test]
    fn the_average_is_the_mean_of_the_weights_after_every_example(
        (rows, classes) in classed_integers(), order in order(), bias: bool, one_vs_rest: bool,
    ) {
        let table = table(&rows, &classes);
        let multiclass = if one_vs_rest { Multiclass::OneVsRest } else { Multiclass::Single };
        let trainer = Trainer::new("averaged").bias(bias).multiclass(multiclass);
        let mut learner = learner(&trainer, &table);
        let mut path = Vec::new();
        for i in order.iter().map(|i| i % rows.len() as u32) {
            learner.step(table.examples().unwrap(), i);
            path.push(vectors(&learner.current().unwrap()).concat());
            let run = naive::Run { path: path.clone(), mistakes: vec![], updates: vec![] };
            let mean: Vec<f64> = sum(&run).iter().map(|s| s / path.len() as f64).collect();
            let Hypothesis::Linear(average) = learner.hypothesis() else { panic!("an average is linear") };
            prop_assert_eq!(vectors(&average).concat(), mean);
        }
    }

    #[test]
    fn votes_add_up_to_the_examples_presented(
        (rows, classes) in classed_integers(), order in order(), tie in ties(), bias: bool,
    ) {
        let table = table(&rows, &classes);
        for (name, multiclass) in [("voted", Multiclass::Single), ("pa", Multiclass::Single), ("voted", Multiclass::OneVsRest)] {
            let trainer = Trainer::new(name).keep(KeepKind::Vote).tie(tie).bias(bias).multiclass(multiclass);
            let mut learner = learner(&trainer, &table);
            mistakes(&mut *learner, table.examples().unwrap(), &order);
            let Hypothesis::Voted(voted) = learner.hypothesis() else { panic!("voters are kept") };
            let presented = order.len() as u64;
            prop_assert_eq!((voted.presented(), voted.votes().iter().sum::<u64>()), (presented, presented));
            prop_assert_eq!(voted.votes().len(), voted.updates().len() + 1);
            prop_assert_eq!(voted.last(), learner.current().unwrap());
            // Single: the votes of all classes together. One-vs-rest: each class has all votes, yes or no.
            for scores in learner.hypothesis().score_all(table.matrix.rows().unwrap(), tie).unwrap().chunks(3) {
                if multiclass == Multiclass::Single {
                    prop_assert_eq!(scores.iter().sum::<f64>(), presented as f64);
                } else {
                    prop_assert!(scores.iter().all(|s| s.abs() <= presented as f64 && (s + presented as f64) % 2.0 == 0.0));
                }
            }
        }
    }

    #[test]
    fn the_pocket_ratchets_and_is_never_worse_than_what_it_counted(
        data in integers(), order in order(), bias: bool,
    ) {
        let table = signed_table(&data);
        let right = |w: &[f64]| count_correct(w, &data, bias, naive::Tie::Update);
        let mut learner = learner(&Trainer::new("pocket").bias(bias), &table);
        let (mut before, mut run, mut record) = (right(&vector(&learner.current().unwrap())), 0, 0);
        for i in order.iter().map(|i| i % data.len() as u32) {
            let step = learner.step(table.examples().unwrap(), i);
            let pocket = right(&vector(&learner.hypothesis().hyperplane()));
            prop_assert!(pocket >= before, "{} after {}", pocket, before);
            before = pocket;
            run = if step.updates > 0 { 0 } else { run + 1 };
            if run > record {
                // No vector has survived longer, so this one was counted.
                record = run;
                prop_assert!(pocket >= right(&vector(&learner.current().unwrap())));
            }
        }
    }

    #[test]
    fn a_report_measures_as_the_definition_says((rows, classes) in classed_integers(), bias: bool, two: bool) {
        let classes: Vec<usize> = if two { classes.iter().map(|c| c % 2).collect() } else { classes };
        let table = table(&rows, &classes);
        for entry in rosenblatt::learn::learners::all() {
            let fitted = Trainer::new(entry.name).bias(bias).epochs(3).fit(&table).unwrap();
            let examples: Vec<_> = rows.iter().cloned().zip(classes.iter().copied()).collect();
            let radius = naive::radius(&examples, bias);
            let w = vectors(&fitted.model.hypothesis.hyperplane());
            let long = naive::norm(&w.concat());
            let margin = match &w[..] {
                _ if long == 0.0 => 0.0,
                [w] => naive::margin(&naive::against_rest(&examples, 1), w, bias),
                _ => naive::multi_margin(&examples, &w, bias),
            };
            let report = &fitted.report;
            let found = report.radius.unwrap();
            prop_assert!((found - radius).abs() <= 1e-12 * radius.max(1.0), "{} {}", found, radius);
            prop_assert!((report.margin.unwrap() - margin).abs() <= 1e-9, "{}: {:?} {}", entry.name, report.margin, margin);
            let labels = fitted.model.classify_all(table.matrix.rows().unwrap()).unwrap();
            let wrong = labels.iter().zip(&table.classes).filter(|(a, b)| a != b).count();
            prop_assert_eq!(report.train_error, Some(wrong as f64 / rows.len() as f64));
        }
    }

    #[test]
    fn separated_means_that_the_last_weights_separate(
        (rows, classes) in classed_integers(), bias: bool, two: bool, seed: u64, entry in 0usize..100,
    ) {
        let classes: Vec<usize> = if two { classes.iter().map(|c| c % 2).collect() } else { classes };
        let table = table(&rows, &classes);
        let entries: Vec<_> = rosenblatt::learn::learners::all().collect();
        let entry = entries[entry % entries.len()];
        for keep in common::keeps(entry) {
            for multiclass in common::MULTICLASS {
                let trainer = Trainer::new(entry.name).keep(keep).multiclass(multiclass).bias(bias);
                let fitted = trainer.order(Order::Shuffled { seed }).epochs(40).fit(&table).unwrap();
                let clean = fitted.report.mistakes_by_epoch.last() == Some(&0);
                prop_assert!(clean || fitted.report.stopped != Stop::Separated);
                if fitted.report.stopped != Stop::Separated {
                    continue;
                }
                prop_assert!(fitted.report.last_separates);
                let mut last = learner(&fitted.checkpoint.as_ref().unwrap().trainer(40), &table);
                last.restore(&fitted.checkpoint.as_ref().unwrap().learner).unwrap();
                let w = vectors(&last.current().unwrap());
                for (x, &y) in rows.iter().zip(&classes) {
                    let s = naive::scores(&w, x, bias);
                    let right = if two { (s[0] > 0.0) == (y == 1) && s[0] != 0.0 } else { s[y] > s[naive::worst(&s, y)] };
                    prop_assert!(right, "{} {:?} {:?}: {:?} for class {}", entry.name, keep, multiclass, s, y);
                }
            }
        }
    }
}
