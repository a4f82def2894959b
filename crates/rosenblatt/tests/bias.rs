//! A bias of β is the weight of one more column that is β everywhere. The twin has that column and no bias.

use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners as learner;
use rosenblatt::{Bias, ErrorKind, Model, Order, Table, Trainer};

/// A power of two, so that both sides round alike.
const BETA: f64 = 0.25;

/// Whole numbers in overlapping classes, and the same with the column.
fn tables(classes: usize) -> (Table, Table) {
    let names = ["a", "b", "c"];
    let mut state = 7u64;
    let mut next = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let (mut rows, mut wider, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..60 {
        let class = next(classes as u64) as usize;
        let x = [next(9) as f64 + 2.0 * class as f64, next(9) as f64 - 4.0, next(5) as f64 - class as f64];
        rows.push(x);
        wider.push([x[0], x[1], x[2], BETA]);
        labels.push(names[class]);
    }
    (Table::dense(&rows, &labels).unwrap(), Table::dense(&wider, &labels).unwrap())
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3)
}

#[test]
fn every_learner_moves_as_if_there_were_one_more_column() {
    for classes in [2, 3] {
        let (table, wider) = tables(classes);
        // A penalty shrinks every weight but the bias.
        for entry in learner::all().filter(|entry| entry.name != "penalized") {
            let keeps: &[KeepKind] = if entry.other_keeps { KeepKind::ALL } else { &[entry.keep] };
            for &keep in keeps {
                let trainer = Trainer::new(entry.name).keep(keep).epochs(4).order(Order::Shuffled { seed: 3 });
                let own = trainer.clone().bias(Bias::new(BETA).unwrap()).fit(&table).unwrap();
                let twin = trainer.bias(false).fit(&wider).unwrap();
                let name = format!("{} {} {classes}", entry.name, keep.name());
                assert_eq!(own.report.mistakes_by_epoch, twin.report.mistakes_by_epoch, "{name}");
                assert!(own.report.mistakes > 0, "{name}: or this would show little");
                assert!(near(own.report.radius.unwrap(), twin.report.radius.unwrap()), "{name}");
                assert!(near(own.report.margin.unwrap(), twin.report.margin.unwrap()), "{name}");
                assert_eq!(own.report.train_error, twin.report.train_error, "{name}");
                let (w, v) = (own.model.hypothesis.hyperplane(), twin.model.hypothesis.hyperplane());
                let outputs = w.outputs();
                let (features, constant) = v.values().split_at(3 * outputs);
                assert!(w.values().iter().zip(features).all(|(a, b)| near(*a, *b)), "{name}");
                assert!(w.bias().iter().zip(constant).all(|(b, v)| near(*b, BETA * v)), "{name}");
                assert!(near(w.norm(), v.norm()), "{name}");
            }
        }
    }
}

#[test]
fn a_model_remembers_it() {
    let (table, _) = tables(2);
    let trained = |bias: Bias| Trainer::new("averaged").bias(bias).fit(&table).unwrap().model;
    for bias in [Bias::NONE, Bias::ONE, Bias::new(BETA).unwrap()] {
        let again = Model::from_bytes("m", &trained(bias).to_bytes()).unwrap();
        assert_eq!(again.facts.recipe.bias, bias);
        assert_eq!(again.hypothesis.hyperplane().norm(), trained(bias).hypothesis.hyperplane().norm());
    }
    assert_eq!(trained(Bias::new(1.0).unwrap()).to_bytes(), trained(true.into()).to_bytes());
    assert_eq!(trained(Bias::new(0.0).unwrap()).to_bytes(), trained(false.into()).to_bytes());
}

#[test]
fn what_is_no_constant_is_refused() {
    for odd in [-1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300] {
        let told = Bias::new(odd).unwrap_err();
        assert_eq!(told.kind(), ErrorKind::Settings);
        assert!(told.to_string().contains("expected a constant from 1e-9 to 1e9, or 0 for none"), "{told}");
    }
}
