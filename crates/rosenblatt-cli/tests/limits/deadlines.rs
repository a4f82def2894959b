//! A time limit is held inside every long step: exact elimination, products of features, pairs of classes, kernels.

use std::fmt::Write;
use std::time::Duration;

use crate::support::Bench;
use crate::usage;

/// A second more than the limit is asked for; a build without optimisation gets more. What counts is the time of the
/// program itself: other tests run beside this one.
const LIMIT: Duration = Duration::from_secs(1);
const SOON: Duration = Duration::from_secs(6);

/// Rows of numbers that repeat from run to run, with labels that have nothing to do with them.
fn noise(rows: usize, features: usize, classes: usize) -> String {
    let mut state = 7u64;
    let mut text = String::new();
    for row in 0..rows {
        for _ in 0..features {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            write!(text, "{:.6},", (state >> 11) as f64 / 2f64.powi(53)).unwrap();
        }
        writeln!(text, "c{}", row % classes).unwrap();
    }
    text
}

#[test]
fn time_limits_are_held_inside_long_steps() {
    let bench = Bench::with("tall.csv", noise(3000, 100, 2));
    bench.file("classes.csv", noise(4000, 20, 200));
    bench.file("wide.csv", noise(50, 60, 2));
    bench.file("pairs.csv", noise(6000, 2, 3000));
    bench.file("four.svm", "+1 1:1\n-1 1:1\n+1 2:1\n-1 20000:1\n");
    for line in [
        // 13 s: every witness that was found was proved, whatever it took.
        "audit tall.csv",
        // 19 s: the perceptron that counts support vectors knew no limit.
        "separable tall.csv --kernel rbf:1",
        "separable tall.csv",
        "separable tall.csv --degree 2",
        "separable wide.csv --degree 4",
        "separable wide.csv --degree 1000",
        "audit wide.csv --degree 3",
        "separable classes.csv",
        "audit classes.csv",
        // 4.5 million pairs were listed, or audited one by one.
        "separable pairs.csv",
        "separable pairs.csv --json",
        "audit pairs.csv",
        "audit pairs.csv --degree 2",
        "separable four.svm",
        "audit four.svm",
    ] {
        let (ran, used, ()) = usage::run(&bench, &format!("{line} --time-limit {}", LIMIT.as_secs()), |_| ());
        assert!(matches!(ran.code, Some(0..=3)), "{ran}");
        assert!(!ran.err.contains("panicked"), "{ran}");
        assert!(used.seconds < LIMIT + SOON, "{line}: {:?}\n{ran}", used.seconds);
    }
}
