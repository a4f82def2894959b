//! Each bug leaves a test with its story.

mod common;

use std::ops::ControlFlow;

use rosenblatt::fit::{Order, Start};
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::{Stop, Weights};
use rosenblatt::report::{Step, trace};
use rosenblatt::theory::CycleWatch;
use rosenblatt::{Model, Trainer};

use common::{signed_table, table, weights};

#[test]
fn the_batch_bound_counts_the_examples_of_a_pass_and_not_those_of_the_table() {
    // A given order may show an example many times; the bound n·R²/γ² speaks of the n examples of a pass.
    let data = signed_table(&[(vec![1.0], 1.0), (vec![-1.0], -1.0)]);
    let order = Order::Given([0, 1].repeat(50));
    let report = Trainer::new("batch").bias(false).order(order).fit(&data).unwrap().report;
    assert_eq!((report.stopped, report.mistakes), (Stop::Separated, 100));
    assert!(report.bound.unwrap() >= 100.0, "{:?}", report.bound);
}

#[test]
fn whoever_ends_a_trace_sees_no_more_of_it() {
    // Every step was held back until the next one, so that the end came one step late.
    let data = signed_table(&[(vec![1.0], 1.0), (vec![2.0], 1.0), (vec![-1.0], -1.0)]);
    for (last, expected) in [(2, vec![1, 2]), (3, vec![1, 2, 3]), (5, vec![1, 2, 3, 4, 5])] {
        let mut seen = Vec::new();
        let trainer = Trainer::new("perceptron").bias(false).order(Order::Given(vec![2, 0, 1])).epochs(9);
        let trainer = trainer.start(Start::At(weights(&[vec![-9.0]], false)));
        let mut each = |step: Step| {
            seen.push(step.step);
            if step.step == last { ControlFlow::Break(Stop::Interrupted) } else { ControlFlow::Continue(()) }
        };
        let traced = trace(&trainer, &data, None, &mut each).unwrap();
        assert_eq!((&seen, traced.fitted.report.stopped), (&expected, Stop::Interrupted));
        assert_eq!(traced.fitted.report.presented, last);
    }
}

#[test]
fn a_start_vector_without_a_bias_learns_one_where_one_is_asked_for() {
    let data = signed_table(&[(vec![3.0, 3.0], 1.0), (vec![4.0, 3.0], 1.0), (vec![1.0, 1.0], -1.0)]);
    for &keep in KeepKind::ALL {
        let start = Start::At(Weights::zeros(2, 1, false));
        let from_start = Trainer::new("perceptron").keep(keep).start(start).fit(&data).unwrap();
        let from_zero = Trainer::new("perceptron").keep(keep).fit(&data).unwrap();
        assert_eq!(from_start.model, from_zero.model, "{keep:?}");
        let loaded = Model::from_bytes("m", &from_start.model.to_bytes()).unwrap();
        assert_eq!(loaded, from_start.model, "{keep:?}");
    }
}

#[test]
fn a_start_vector_with_a_bias_is_refused_where_none_is_learned() {
    let data = signed_table(&[(vec![1.0], 1.0), (vec![-1.0], -1.0)]);
    let start = Start::At(weights(&[vec![0.0, 2.0]], true));
    let error = Trainer::new("perceptron").bias(false).start(start).fit(&data).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("bias"), "{error}");
    // A bias of zero says nothing, and is none.
    let start = Start::At(Weights::zeros(1, 1, true));
    let fitted = Trainer::new("perceptron").bias(false).start(start).fit(&data).unwrap();
    assert!(!fitted.model.hypothesis.hyperplane().biased());
    assert!(Model::from_bytes("m", &fitted.model.to_bytes()).is_ok());
}

#[test]
fn an_average_that_overflows_is_an_error_and_not_a_model_that_cannot_be_loaded() {
    // The weights stay finite, but u = Σ t·δ does not.
    let data = signed_table(&[(vec![1e307, 0.0], 1.0), (vec![0.0, 1e308], -1.0), (vec![1.0, 1e308], -1.0)]);
    let trainer = Trainer::new("averaged").order(Order::Cyclic).epochs(3);
    let error = trainer.fit(&data).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("overflowed"), "{error}");
}

#[test]
fn a_cycle_made_by_rounding_is_no_proof() {
    // Separable, by (−1 − 2⁻⁵³, 1) say; but next to 2⁵² the second row is too short to move the weights at all.
    let far = 2f64.powi(52);
    let data = signed_table(&[(vec![far, far + 1.0], 1.0), (vec![0.25, 0.25], -1.0)]);
    let examples = data.examples().unwrap();
    let mut learner = Trainer::new("perceptron").bias(false).learner(2, 2).unwrap();
    let mut watch = CycleWatch::new(&learner.current().unwrap(), examples);
    for _ in 0..3 {
        for i in 0..2 {
            if learner.step(examples, i).updates > 0 {
                watch.added(i as usize, &learner.current().unwrap());
            }
        }
        assert_eq!(watch.end_pass(&learner.current().unwrap()), None);
    }
}

#[test]
fn a_given_order_that_leaves_examples_out_does_not_claim_to_separate_them() {
    let data = table(&[vec![1.0], vec![2.0], vec![-1.0]], &[1, 0, 0]);
    let report = Trainer::new("perceptron").bias(false).order(Order::Given(vec![0, 2])).fit(&data).unwrap().report;
    assert!(!report.last_separates && report.margin.unwrap() < 0.0);
    assert_eq!(report.bound, None);
}
