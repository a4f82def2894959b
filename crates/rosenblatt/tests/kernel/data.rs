//! What no line can do, on data that people know.

use rosenblatt::io::Input;
use rosenblatt::learn::Stop;
use rosenblatt::random::Stream;
use rosenblatt::read::{ReadOptions, read, toy};
use rosenblatt::{Evaluation, Order, Table};

use crate::{real_file, trainer};

#[test]
fn xor_is_solved_by_a_polynomial_of_degree_two() {
    let table = toy::boolean(|a, b| a != b).unwrap();
    for learner in ["perceptron", "averaged", "voted"] {
        let fitted = trainer(learner, "poly:2").order(Order::Cyclic).epochs(200).fit(&table).unwrap();
        assert_eq!(fitted.report.stopped, Stop::Separated, "{learner}");
        // Votes of the first vectors, which erred, still count when the last one separates.
        assert!(learner == "voted" || fitted.report.train_error == Some(0.0), "{learner}");
        assert!(fitted.report.margin > Some(0.0) || learner == "averaged", "{learner}: of voters, the last");
        assert!(fitted.report.bound.is_some_and(|bound| fitted.report.mistakes as f64 <= bound));
    }
    let line = trainer("perceptron", "linear").order(Order::Cyclic).epochs(200).fit(&table).unwrap();
    assert_eq!(line.report.stopped, Stop::MaxEpochs);
}

fn data(name: &str) -> Option<Table> {
    Some(read(&Input::Path(real_file::find(name)?), &ReadOptions::default()).unwrap().table)
}

fn part(table: &Table, rows: &[u32]) -> Table {
    let classes = rows.iter().map(|&i| table.classes[i as usize]).collect();
    Table { matrix: table.matrix.select(rows), classes, ..table.clone() }
}

#[test]
fn fourclass_is_separated_by_gaussians() {
    let Some(table) = data("fourclass_scale/fourclass_scale.gz") else { return };
    let trainer = trainer("perceptron", "rbf:20").epochs(200);
    let fitted = trainer.fit(&table).unwrap();
    assert_eq!(fitted.report.stopped, Stop::Separated);
    assert_eq!(fitted.report.train_error, Some(0.0));
    assert!(fitted.report.mistakes as f64 <= fitted.report.bound.unwrap());

    let mut order: Vec<u32> = (0..table.classes.len() as u32).collect();
    Stream::new(0, &[]).shuffle(&mut order);
    let mut wrong = 0.0;
    for fold in 0..10 {
        let of = |held: bool| -> Vec<u32> {
            order.iter().enumerate().filter(|(at, _)| (at % 10 == fold) == held).map(|(_, &i)| i).collect()
        };
        let (train, test) = (part(&table, &of(false)), part(&table, &of(true)));
        let model = trainer.fit(&train).unwrap().model;
        wrong += Evaluation::new(&model, &test).unwrap().error * test.classes.len() as f64;
    }
    let error = wrong / table.classes.len() as f64;
    assert!(error <= 0.005, "10-fold error {error}");
}
