//! On a budget: never exceeded, resumed to the bit, and the inverse of the Projectron is one.

use rosenblatt::fit::{Data, With};
use rosenblatt::learn::kernel::budget::{Budget, BudgetPerceptron, Projectron, Way};
use rosenblatt::learn::kernel::{Biased, Choice, Joint, Kernel};
use rosenblatt::learn::learners::{Multiclass, Perceptron};
use rosenblatt::learn::machine::{Binary, Tie};
use rosenblatt::learn::{AnyLearner, Hypothesis};
use rosenblatt::rows::{Examples, Row};
use rosenblatt::{Model, Trainer};

use crate::common::{Kind, Store, table};
use crate::{circles, trainer};

const POLICIES: [&str; 4] = ["random", "forgetron", "projectron", "projectron:0.5"];

fn frugal(kernel: &str, policy: &str, most: u32) -> Trainer {
    let mut trainer = Trainer::new("perceptron").epochs(3);
    let budget = Some(Budget { most, policy: policy.parse().unwrap(), seed: 1 });
    trainer.recipe.kernel = Some(Choice { function: kernel.parse().unwrap(), budget });
    trainer
}

fn support(model: &Model) -> usize {
    match &model.hypothesis {
        Hypothesis::Kernel(machine) => machine.support().len(),
        other => panic!("no kernel machine: {other:?}"),
    }
}

#[test]
fn a_budget_is_never_exceeded_and_never_hurts_where_it_is_enough() {
    for (classes, multiclass) in [(2, Multiclass::Single), (3, Multiclass::Single), (3, Multiclass::OneVsRest)] {
        let (rows, labels) = circles(2, 900, 3, classes, true);
        let table = table(&rows, &labels);
        let free = trainer("perceptron", "poly:2").multiclass(multiclass).epochs(3).fit(&table).unwrap();
        for policy in POLICIES {
            for most in [1, 7, 40] {
                let fitted = frugal("poly:2", policy, most).multiclass(multiclass).fit(&table).unwrap();
                assert!(support(&fitted.model) <= most as usize, "{policy}, at most {most}");
                assert!(fitted.report.bound.is_none());
            }
            if !policy.starts_with("projectron") {
                let fitted = frugal("poly:2", policy, 100_000).multiclass(multiclass).fit(&table).unwrap();
                assert_eq!(fitted.report.mistakes_by_epoch, free.report.mistakes_by_epoch, "{policy}");
                let rows = table.matrix.rows().unwrap();
                assert_eq!(fitted.model.classify_all(rows).unwrap(), free.model.classify_all(rows).unwrap());
            }
        }
    }
}

#[test]
fn a_projection_loses_little() {
    let (rows, labels) = circles(5, 1200, 2, 2, false);
    let table = table(&rows, &labels);
    let free = trainer("perceptron", "rbf:2").epochs(5).fit(&table).unwrap();
    let tight = frugal("rbf:2", "projectron", 60).epochs(5).fit(&table).unwrap();
    let random = frugal("rbf:2", "random", 60).epochs(5).fit(&table).unwrap();
    assert!(support(&free.model) > 150);
    let [tight, free, random] = [&tight, &free, &random].map(|fitted| fitted.report.train_error.unwrap());
    assert!(tight <= free + 0.05, "{tight}");
    assert!(tight < random);
}

#[test]
fn resuming_on_a_budget_gives_the_same_bytes_on_any_number_of_threads() {
    let (rows, labels) = circles(6, 700, 3, 3, false);
    let table = table(&rows, &labels);
    for policy in POLICIES {
        let whole = frugal("rbf:1", policy, 30).epochs(4).fit(&table).unwrap();
        let paused = frugal("rbf:1", policy, 30).epochs(2).fit(&table).unwrap().checkpoint.unwrap();
        let read = rosenblatt::fit::Checkpoint::from_bytes("paused", &paused.to_bytes()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let resumed = pool.install(|| {
            read.trainer(4).fit_with(Data::Table(&table), With { resume: Some(&read), ..With::default() }).unwrap()
        });
        assert_eq!(resumed.model.to_bytes(), whole.model.to_bytes(), "{policy}");
    }
}

/// Gauss and Jordan with pivots: dull and right.
fn inverse(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for (i, row) in a.iter_mut().enumerate() {
        row.extend((0..n).map(|j| if i == j { 1.0 } else { 0.0 }));
    }
    for c in 0..n {
        let pivot = (c..n).max_by(|&p, &q| a[p][c].abs().total_cmp(&a[q][c].abs())).unwrap();
        a.swap(c, pivot);
        let scale = a[c][c];
        a[c].iter_mut().for_each(|v| *v /= scale);
        let row = a[c].clone();
        for (r, other) in a.iter_mut().enumerate().filter(|(r, _)| *r != c) {
            let factor = other[c];
            other.iter_mut().zip(&row).for_each(|(v, p)| *v -= factor * p);
            assert!(r < n);
        }
    }
    a.into_iter().map(|row| row[n..].to_vec()).collect()
}

#[test]
fn the_projectron_keeps_the_inverse_of_its_gram_matrix() {
    let (rows, labels) = circles(7, 400, 3, 2, false);
    let classes: Vec<u32> = labels.iter().map(|&c| c as u32).collect();
    let store = Store::new(&rows.iter().map(|x| x.iter().map(|v| f64::from(*v as f32)).collect()).collect::<Vec<_>>());
    let examples = Examples::new(store.rows(Kind::DenseF64), &classes, None).unwrap();
    let kernel = Biased::new("rbf:2".parse().unwrap(), false);
    let judge = Joint::new(Binary::new(Tie::Update));
    let mut learner = BudgetPerceptron::new(kernel, judge, Box::new(Perceptron::new(1.0)), Projectron::new(0.2), 40, 3);
    learner.attend(examples).unwrap();
    learner.run(examples, &(0..400).collect::<Vec<u32>>(), None);
    let Hypothesis::Kernel(machine) = learner.hypothesis() else { panic!("a kernel machine") };
    let n = learner.budget_state().slots();
    assert!(n > 10 && machine.support().len() == n);
    let row = |slot: usize| {
        let mut x = vec![0.0; 3];
        machine.support_vector(slot).each(|j, v| x[j] = v);
        x
    };
    // K(x, x) = 1 for all Gaussians, so nothing is scaled.
    let value =
        |a: &[f64], b: &[f64]| kernel.value(crate::naive::dot(a, b), crate::naive::dot(a, a), crate::naive::dot(b, b));
    let gram: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| value(&row(i), &row(j))).collect()).collect();
    let direct = inverse(gram);
    let size = direct.iter().flatten().fold(1.0, |m: f64, v| m.max(v.abs()));
    for (i, own) in direct.iter().enumerate() {
        for (j, v) in own.iter().enumerate() {
            let kept = learner.policy().inverse(i, j);
            assert!((kept - v).abs() <= 1e-8 * size, "({i}, {j}): {kept} kept, {v} right");
        }
    }
}

#[test]
fn what_cannot_be_is_said() {
    let refused = |trainer: Trainer| trainer.recipe.kernel().unwrap_err().to_string();
    let mut averaged = frugal("poly:2", "random", 10);
    averaged.recipe.learner = "averaged".into();
    assert!(refused(averaged).contains("cannot keep to a budget: add keep last"));
    let mut arow = trainer("arow", "poly:2");
    assert!(refused(arow.clone()).starts_with("arow has no kernel form: with a kernel, choose one of averaged"));
    arow.recipe.learner = "pocket".into();
    assert!(refused(arow).contains("nothing is kept in a pocket"));
    assert!("projectron:0".parse::<Way>().unwrap_err().to_string().contains("eta must be a number above 0"));
    assert!("oldest".parse::<Way>().unwrap_err().to_string().contains("expected random, forgetron, projectron"));
}
