//! Each bug leaves a test with its story.

mod common;

use common::signed_table;
use rosenblatt::Trainer;
use rosenblatt::fit::{Order, Stop};

#[test]
fn the_batch_bound_counts_the_examples_of_a_pass_and_not_those_of_the_table() {
    // A given order may show an example many times; the bound n·R²/γ² speaks of the n examples of a pass.
    let data = signed_table(&[(vec![1.0], 1.0), (vec![-1.0], -1.0)]);
    let order = Order::Given([0, 1].repeat(50));
    let report = Trainer::new("batch").bias(false).order(order).fit(&data).unwrap().report;
    assert_eq!((report.stopped, report.mistakes), (Stop::Separated, 100));
    assert!(report.bound.unwrap() >= 100.0, "{:?}", report.bound);
}
