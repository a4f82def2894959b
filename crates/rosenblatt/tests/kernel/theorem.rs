//! Theorems, held to random data.

use proptest::prelude::*;
use rosenblatt::learn::Stop;
use rosenblatt::{Order, Table};

use crate::common::{cases, classed_table};
use crate::trainer;

/// Small whole numbers, no row twice: a Gaussian kernel separates them whatever the labels, and so do polynomials of a
/// degree that is high enough.
fn distinct() -> impl Strategy<Value = Table> {
    prop::collection::vec((prop::collection::vec(-3i32..=3, 2), 0usize..2), 4..25).prop_filter_map(
        "two classes",
        |all| {
            let mut seen = std::collections::BTreeMap::new();
            for (x, y) in all {
                seen.entry(x).or_insert(y);
            }
            let rows: Vec<(Vec<f64>, usize)> =
                seen.into_iter().map(|(x, y)| (x.into_iter().map(f64::from).collect(), y)).collect();
            (rows.iter().any(|r| r.1 == 0) && rows.iter().any(|r| r.1 == 1)).then(|| classed_table(&rows))
        },
    )
}

proptest! {
    #![proptest_config(cases(60))]

    /// Novikoff in the kernel's space: at most (R/γ)² mistakes, γ being the margin of any vector that separates.
    #[test]
    fn at_most_r_over_gamma_squared_mistakes(table in distinct(), seed in 0u64..100, kernel in prop::sample::select(&["rbf:1", "rbf:4", "poly:8", "poly:6:2"][..])) {
        let order = Order::Shuffled { seed };
        let fitted = trainer("perceptron", kernel).epochs(3000).order(order).fit(&table).unwrap();
        if kernel.starts_with("rbf") {
            prop_assert_eq!(fitted.report.stopped, Stop::Separated);
        }
        if fitted.report.stopped == Stop::Separated {
            let r = &fitted.report;
            let bound = r.bound.expect("separated from zero");
            prop_assert!(r.mistakes as f64 <= bound * (1.0 + 1e-9), "{} mistakes, at most {}", r.mistakes, bound);
            let (margin, radius) = (r.margin.unwrap(), r.radius.unwrap());
            prop_assert!(margin > 0.0 && margin <= radius);
            prop_assert_eq!(r.train_error, Some(0.0));
            prop_assert!((bound - (radius / margin).powi(2)).abs() <= 1e-9 * bound);
        }
    }

    /// Votes add up to the examples presented, so no score is beyond it, and all have its parity.
    #[test]
    fn votes_add_up(table in distinct(), seed in 0u64..100) {
        let fitted = trainer("voted", "poly:2").epochs(3).order(Order::Shuffled { seed }).fit(&table).unwrap();
        let t = fitted.report.presented as f64;
        for score in fitted.model.score_all(table.matrix.rows().unwrap()).unwrap() {
            prop_assert!(score.abs() <= t && (score - t).rem_euclid(2.0) == 0.0, "{} of {}", score, t);
        }
    }
}
