//! One contract for all learners, by walking the registry: a new learner inherits these tests by existing.

mod common;
mod naive;

use rosenblatt::fit::{Fitted, Order};
use rosenblatt::learn::{Hypothesis, Weights};
use rosenblatt::{Model, Table, Trainer};

use common::{close, each_learner, nearly_separable, same_bits, sparse_table, table, vectors};
use naive::SplitMix64;

/// Noisy rows, of integers or of reals, with every class.
fn noisy(seed: u64, n: usize, features: usize, classes: usize, integers: bool) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut random = SplitMix64(seed);
    let mut row = || if integers { random.integers(features, 3) } else { random.reals(features) };
    let rows: Vec<Vec<f64>> = (0..n).map(|_| row()).collect();
    let labels = (0..n).map(|i| if i < classes { i } else { random.below(classes) }).collect();
    (rows, labels)
}

fn small(classes: usize) -> Table {
    let (rows, labels) = noisy(1, 40, 6, classes, false);
    table(&rows, &labels)
}

/// The numbers that a hypothesis stands on: the weights, or the last voter.
fn numbers(model: &Model) -> Vec<f64> {
    vectors(&model.hypothesis.hyperplane()).concat()
}

/// Whether every number is a sum of products of integers: on integers nothing rounds.
fn exact(trainer: &Trainer) -> bool {
    trainer.recipe.entry().unwrap().exact_on_integers
}

/// Fits in the order of the rows, so that only the one thing differs that a test is about.
fn fit(trainer: &Trainer, table: &Table) -> Fitted {
    trainer.clone().order(Order::Cyclic).epochs(3).fit(table).unwrap()
}

#[test]
fn prediction_does_not_change_the_model() {
    each_learner(|name, trainer, classes| {
        let table = small(classes);
        let model = trainer.epochs(3).fit(&table).unwrap().model;
        let before = model.to_bytes();
        let rows = table.matrix.rows().unwrap();
        let labels = model.classify_all(rows).unwrap();
        let scores = model.score_all(rows).unwrap();
        assert!(model.predict(&[0.5; 6]).is_ok());
        assert_eq!(model.to_bytes(), before, "{name}");
        assert_eq!(model.classify_all(rows).unwrap(), labels, "{name}");
        assert!(same_bits(&model.score_all(rows).unwrap(), &scores), "{name}");
    });
}

#[test]
fn one_prediction_is_the_same_as_one_of_many() {
    each_learner(|name, trainer, classes| {
        let table = small(classes);
        let model = trainer.epochs(3).fit(&table).unwrap().model;
        let many = model.classify_all(table.matrix.rows().unwrap()).unwrap();
        for (x, class) in noisy(1, 40, 6, classes, false).0.iter().zip(many) {
            assert_eq!(model.predict(x).unwrap(), model.labels.name(class), "{name}");
        }
    });
}

#[test]
fn permuting_the_features_permutes_the_weights() {
    let permute = |x: &[f64], p: &[usize]| -> Vec<f64> { p.iter().map(|&j| x[j]).collect() };
    for integers in [true, false] {
        each_learner(|name, trainer, classes| {
            if integers && !exact(&trainer) {
                return; // Where numbers round, the order of a sum matters, and integers have exact ties.
            }
            let (rows, labels) = noisy(2, 40, 21, classes, integers);
            let p = SplitMix64(5).permutation(21);
            let moved: Vec<Vec<f64>> = rows.iter().map(|x| permute(x, &p)).collect();
            let one = fit(&trainer, &table(&rows, &labels));
            let other = fit(&trainer, &table(&moved, &labels));
            assert_eq!(one.failures, other.failures, "{name}");
            let expected: Vec<Vec<f64>> = vectors(&one.model.hypothesis.hyperplane())
                .iter()
                .map(|w| [permute(&w[..21], &p), w[21..].to_vec()].concat())
                .collect();
            let got = numbers(&other.model);
            let same =
                if integers { same_bits(&got, &expected.concat()) } else { close(&got, &expected.concat(), 1e-9) };
            assert!(same, "{name}\n{got:?}\n{expected:?}");
        });
    }
}

#[test]
fn dense_rows_teach_the_same_as_sparse_ones() {
    for integers in [true, false] {
        each_learner(|name, trainer, classes| {
            if integers && !exact(&trainer) {
                return;
            }
            let (mut rows, labels) = noisy(3, 40, 21, classes, integers);
            let mut random = SplitMix64(8);
            rows.iter_mut().flatten().for_each(|v| *v = if random.below(2) == 0 { 0.0 } else { *v });
            let dense = fit(&trainer, &table(&rows, &labels));
            let sparse = fit(&trainer, &sparse_table(&rows, &labels));
            assert_eq!(dense.failures, sparse.failures, "{name}");
            let (a, b) = (numbers(&dense.model), numbers(&sparse.model));
            assert!(if integers { same_bits(&a, &b) } else { close(&a, &b, 1e-9) }, "{name}\n{a:?}\n{b:?}");
            let scores = |table: &Table, model: &Model| model.score_all(table.matrix.rows().unwrap()).unwrap();
            let a = scores(&table(&rows, &labels), &dense.model);
            let b = scores(&sparse_table(&rows, &labels), &sparse.model);
            assert!(close(&a, &b, 1e-9), "{name}");
        });
    }
}

#[test]
fn a_saved_model_is_the_same_model_with_the_same_answers() {
    let folder = tempfile::tempdir().unwrap();
    each_learner(|name, trainer, classes| {
        let table = small(classes);
        for bias in [true, false] {
            let model = trainer.clone().bias(bias).epochs(3).fit(&table).unwrap().model;
            let rows = table.matrix.rows().unwrap();
            let scores = model.score_all(rows).unwrap();
            let mut loaded = vec![
                Model::from_bytes("m", &model.to_bytes()).unwrap(),
                Model::from_json("m", &model.to_json()).unwrap(),
                Model::from_bytes("m", &model.to_json()).unwrap(),
            ];
            for file in ["model.rosenblatt", "model.json"] {
                model.save(folder.path().join(file)).unwrap();
                loaded.push(Model::load(folder.path().join(file)).unwrap());
            }
            for loaded in loaded {
                assert_eq!(loaded, model, "{name}");
                assert!(same_bits(&loaded.score_all(rows).unwrap(), &scores), "{name}");
                assert_eq!(loaded.classify_all(rows).unwrap(), model.classify_all(rows).unwrap(), "{name}");
                assert_eq!(loaded.to_bytes(), model.to_bytes(), "{name}");
            }
        }
    });
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_another_order() {
    each_learner(|name, trainer, classes| {
        let table = small(classes);
        let bytes = |seed| {
            let fitted = trainer.clone().order(Order::Shuffled { seed }).epochs(3).fit(&table).unwrap();
            (fitted.model.to_bytes(), fitted.checkpoint.as_ref().unwrap().to_bytes(), fitted.report)
        };
        assert_eq!(bytes(7), bytes(7), "{name}");
        assert_ne!(bytes(7).0, bytes(8).0, "{name}: the seed is at least written down");
    });
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let pools = [1, 2, 3].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    // More rows than the chunk of a thread.
    let tables = [2, 3].map(|classes| {
        let (rows, labels) = nearly_separable(4, 1300, classes);
        table(&rows, &labels)
    });
    each_learner(|name, trainer, classes| {
        let table = &tables[classes - 2];
        let trainer = trainer.epochs(1);
        let each = pools.each_ref().map(|pool| {
            pool.install(|| {
                let fitted = trainer.fit(table).unwrap();
                let scores = fitted.model.score_all(table.matrix.rows().unwrap()).unwrap();
                let bits: Vec<u64> = scores.iter().map(|s| s.to_bits()).collect();
                (fitted.model.to_bytes(), fitted.report, bits)
            })
        });
        assert!(each[0] == each[1] && each[1] == each[2], "{name}");
    });
}

#[test]
fn rows_of_zeros_are_harmless() {
    each_learner(|name, trainer, classes| {
        for bias in [true, false] {
            let (mut rows, labels) = noisy(6, 30, 4, classes, true);
            rows[0].fill(0.0);
            rows[17].fill(0.0);
            let fitted = trainer.clone().bias(bias).epochs(5).fit(&table(&rows, &labels)).unwrap();
            assert!(numbers(&fitted.model).iter().all(|w| w.is_finite()), "{name}");
            assert!(fitted.report.train_error <= Some(1.0) && fitted.report.margin.unwrap().is_finite(), "{name}");
            // Nothing but zeros: no direction to learn, and still an answer.
            rows.iter_mut().for_each(|x| x.fill(0.0));
            let fitted = trainer.clone().bias(bias).epochs(5).fit(&table(&rows, &labels)).unwrap();
            assert!(fitted.model.predict(&[0.0; 4]).is_ok(), "{name}");
            if !bias {
                assert!(numbers(&fitted.model).iter().all(|w| *w == 0.0), "{name}");
                assert_ne!(fitted.report.stopped.name(), "separated", "{name}");
            }
        }
    });
}

#[test]
fn one_example_of_each_class_is_enough() {
    each_learner(|name, trainer, classes| {
        let rows: Vec<Vec<f64>> = (0..classes).map(|k| (0..3).map(|j| f64::from(u8::from(j == k))).collect()).collect();
        let labels: Vec<usize> = (0..classes).collect();
        let trainer = trainer.set_if_known("epsilon", "0").epochs(50);
        let fitted = trainer.fit(&table(&rows, &labels)).unwrap();
        assert_eq!(fitted.report.stopped.name(), "separated", "{name}");
        assert_eq!(fitted.report.classes.len(), classes, "{name}");
        assert!(fitted.report.last_separates, "{name}");
    });
}

#[test]
fn no_pass_at_all_leaves_the_start() {
    each_learner(|name, trainer, classes| {
        let table = small(classes);
        let fitted = trainer.epochs(0).fit(&table).unwrap();
        assert_eq!(fitted.report.stopped.name(), "max-epochs", "{name}");
        assert_eq!((fitted.report.presented, fitted.report.mistakes, fitted.report.bound), (0, 0, None), "{name}");
        assert!(numbers(&fitted.model).iter().all(|w| *w == 0.0), "{name}");
        let loaded = Model::from_bytes("m", &fitted.model.to_bytes()).unwrap();
        assert_eq!(loaded, fitted.model, "{name}");
    });
}

#[test]
fn weights_have_one_output_for_two_classes_and_else_one_for_each() {
    each_learner(|name, trainer, classes| {
        let hypothesis = trainer.epochs(1).fit(&small(classes)).unwrap().model.hypothesis;
        assert_eq!(hypothesis.outputs(), if classes == 2 { 1 } else { classes }, "{name}");
        assert_eq!(hypothesis.features(), 6, "{name}");
        if let Hypothesis::Linear(w) = &hypothesis {
            assert_eq!(w, &Weights::from_parts(w.values().to_vec(), w.bias().to_vec(), true), "{name}");
        }
    });
}

/// Settings that only some learners have.
trait SetIfKnown {
    fn set_if_known(self, name: &str, value: &str) -> Self;
}

impl SetIfKnown for Trainer {
    fn set_if_known(self, name: &str, value: &str) -> Self {
        let known = self.recipe.entry().unwrap().params.iter().any(|p| p.name == name);
        if known { self.set(name, value) } else { self }
    }
}
