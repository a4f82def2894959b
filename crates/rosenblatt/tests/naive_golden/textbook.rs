//! Worked examples of slides, lecture notes and books.

use crate::naive::*;
use crate::{close, cmu, places, rows, unit, vectors};

#[test]
fn e1_cmu_slide_under_three_tie_rules() {
    let (data, order) = (cmu(), cyclic(6, 3));
    for tie in [Tie::Positive, Tie::Update] {
        let task = Task { tie, ..Task::new(&data, &order) };
        let run = unit(&task);
        assert_eq!(moves(&task, &run), vectors(&[&[0.0, 0.0], &[1.0, -2.0], &[2.0, -1.0], &[3.0, 1.0]]));
        assert_eq!(places(&run, 6), [(1, 1), (1, 3), (1, 5)]);
        assert_eq!(run.mistakes, run.updates);
    }
    let task = Task { tie: Tie::Negative, ..Task::new(&data, &order) };
    let run = unit(&task);
    assert_eq!(moves(&task, &run), vectors(&[&[0.0, 0.0], &[1.0, 0.0]]));
    assert_eq!(places(&run, 6), [(1, 2)]);
}

#[test]
fn e1_example_5_is_an_exact_tie() {
    let (data, order) = (cmu(), cyclic(6, 1));
    let run = unit(&Task::new(&data, &order));
    assert_eq!(dot(&run.path[3], &data[4].0), 0.0);
}

#[test]
fn e2_ucla_two_points_in_two_orders() {
    let data = rows(&[(&[1.0, 1.0, 2.0], 1.0), (&[1.0, 2.0, 1.0], -1.0)]);
    let (forth, back) = ([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0]);
    let published = vectors(&[&[0.0, 0.0, 0.0], &[-1.0, -2.0, -1.0], &[0.0, -1.0, 1.0]]);
    let path = |order: &[usize], tie| {
        let task = Task { tie, ..Task::new(&data, order) };
        let run = unit(&task);
        (moves(&task, &run), places(&run, 2))
    };
    assert_eq!(path(&forth, Tie::Positive), (published.clone(), vec![(1, 2), (2, 1)]));
    assert_eq!(path(&back, Tie::Positive), (published.clone(), vec![(1, 1), (1, 2)]));
    assert_eq!(path(&back, Tie::Update), (published.clone(), vec![(1, 1), (1, 2)]));
    let other = vectors(&[&[0.0, 0.0, 0.0], &[1.0, 1.0, 2.0], &[0.0, -1.0, 1.0]]);
    assert_eq!(path(&forth, Tie::Update), (other, vec![(1, 1), (1, 2)]));
    assert_ne!(path(&forth, Tie::Negative).0, published, "only Tie::Positive gives the published path in this order");
}

#[test]
fn e3_cornell_or() {
    let data = rows(&[
        (&[0.0, 0.0, -1.0], -1.0),
        (&[0.0, 1.0, -1.0], 1.0),
        (&[1.0, 0.0, -1.0], 1.0),
        (&[1.0, 1.0, -1.0], 1.0),
    ]);
    let order = cyclic(4, 5);
    let task = Task { tie: Tie::Positive, ..Task::new(&data, &order) };
    let run = perceptron(&task, Rate::Constant(0.5));
    let path = vectors(&[
        &[0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.5],
        &[0.0, 0.5, 0.0],
        &[0.0, 0.5, 0.5],
        &[0.5, 0.5, 0.0],
        &[0.5, 0.5, 0.5],
    ]);
    assert_eq!(moves(&task, &run), path);
    assert_eq!(places(&run, 4), [(1, 1), (1, 2), (2, 1), (2, 3), (3, 1)]);
}

#[test]
fn e4_mit_trials() {
    let data =
        rows(&[(&[0.0, 1.0, 0.0], 1.0), (&[1.0, 0.0, 1.0], 1.0), (&[1.0, 1.0, 1.0], 1.0), (&[0.0, 0.0, 1.0], -1.0)]);
    let order = cyclic(4, 5);
    let after = |bias, tie| {
        let run = unit(&Task { bias, tie, ..Task::new(&data, &order) });
        let trials: Vec<Vec<f64>> = run.path.chunks(4).map(|pass| pass[3].clone()).collect();
        (trials, run)
    };
    let (trials, run) = after(true, Tie::Negative);
    let listed = vectors(&[&[0.0, 1.0, -1.0, 0.0], &[1.0, 1.0, -1.0, 0.0], &[2.0, 1.0, -1.0, 0.0]]);
    assert_eq!(trials[..3], listed);
    assert_eq!(trials[3], listed[2], "the fourth trial is clean");
    for pass in 0..3 {
        let signs: Vec<f64> = run.updates.iter().filter(|&t| t / 4 == pass).map(|t| data[t % 4].1).collect();
        assert_eq!(signs, [1.0, -1.0], "one + error, then one − error");
    }
    assert_eq!(run.updates.len(), 6);
    for tie in TIES {
        let without: Vec<Vec<f64>> = listed.iter().map(|w| w[..3].to_vec()).collect();
        assert_ne!(after(false, tie).0[..3], without, "without the bias no rule reproduces it");
    }
}

#[test]
fn e5_li_hang_primal_and_dual() {
    let data = rows(&[(&[3.0, 3.0], 1.0), (&[4.0, 3.0], 1.0), (&[1.0, 1.0], -1.0)]);
    let order = cyclic(3, 9);
    let task = Task { bias: true, ..Task::new(&data, &order) };
    let run = unit(&task);
    let path = vectors(&[
        &[0.0, 0.0, 0.0],
        &[3.0, 3.0, 1.0],
        &[2.0, 2.0, 0.0],
        &[1.0, 1.0, -1.0],
        &[0.0, 0.0, -2.0],
        &[3.0, 3.0, -1.0],
        &[2.0, 2.0, -2.0],
        &[1.0, 1.0, -3.0],
    ]);
    assert_eq!(moves(&task, &run), path);
    let errors: Vec<usize> = run.updates.iter().map(|t| t % 3 + 1).collect();
    assert_eq!(errors, [1, 3, 3, 3, 1, 3, 3]);

    let alpha = dual(&task, &run);
    assert_eq!(alpha, [2, 0, 5]);
    let mut w = vec![0.0; 3];
    for (a, (x, y)) in alpha.iter().zip(&data) {
        w = plus(&w, *a as f64 * y, &extended(x, true));
    }
    assert_eq!(w, [1.0, 1.0, -3.0], "w = Σ α y x, b = Σ α y = −3");

    let reversed: Vec<_> = data.iter().map(|(x, y)| (x.clone(), -y)).collect();
    let task = Task { examples: &reversed, ..task };
    let negated: Vec<Vec<f64>> = path.iter().map(|w| times(-1.0, w)).collect();
    assert_eq!(moves(&task, &unit(&task)), negated);
}

#[test]
fn e6_cs855_and_from_a_start_vector() {
    let data =
        rows(&[(&[1.0, 0.0, 0.0], -1.0), (&[1.0, 0.0, 1.0], -1.0), (&[1.0, 1.0, 0.0], -1.0), (&[1.0, 1.0, 1.0], 1.0)]);
    let order = cyclic(4, 4);
    let task = Task { start: &[-2.0, 0.0, 1.0], tie: Tie::Negative, ..Task::new(&data, &order) };
    let run = unit(&task);
    let path =
        vectors(&[&[-2.0, 0.0, 1.0], &[-1.0, 1.0, 2.0], &[-2.0, 1.0, 1.0], &[-1.0, 2.0, 2.0], &[-2.0, 2.0, 1.0]]);
    assert_eq!(moves(&task, &run), path);
    let examples: Vec<usize> = run.updates.iter().map(|t| t % 4 + 1).collect();
    assert_eq!(examples, [4, 2, 4, 2]);
    assert!(run.updates.iter().all(|&t| t < 12), "epoch 4 is clean");
    assert!(run.updates.iter().any(|&t| t >= 8), "epoch 3 is not");
}

#[test]
fn e7_umbc_to_convergence() {
    let data =
        rows(&[(&[1.0, 1.0, 2.0], 1.0), (&[1.0, 1.0, 1.0], -1.0), (&[1.0, 2.0, 2.0], 1.0), (&[1.0, 2.0, 1.0], -1.0)]);
    let order = cyclic(4, 60);
    let task = Task::new(&data, &order);
    let run = unit(&task);
    let path = vectors(&[&[0.0, 0.0, 0.0], &[1.0, 1.0, 2.0], &[0.0, 0.0, 1.0], &[-1.0, -2.0, 0.0]]);
    assert_eq!(moves(&task, &run)[..4], path);
    assert_eq!(places(&run, 4)[..3], [(1, 1), (1, 2), (1, 4)]);
    let ends = [
        (Tie::Update, 21, [-3.0, -4.0, 6.0]),
        (Tie::Positive, 12, [-2.0, -2.0, 3.0]),
        (Tie::Negative, 9, [-1.0, -2.0, 3.0]),
    ];
    for (tie, updates, w) in ends {
        let task = Task { tie, ..task };
        let run = unit(&task);
        assert_eq!((run.updates.len(), last(&task, &run)), (updates, w.to_vec()), "{tie:?}");
        assert_eq!(count_correct(&w, &data, false, tie), 4, "{tie:?}");
    }
}

#[test]
fn e8_pgss_admissions() {
    // The rows are those of the assignment's page: SAT, GPA, essay after the constant 1.
    let data = rows(&[
        (&[1.0, 1.0, 1.0, 0.5], 1.0),
        (&[1.0, -1.0, 1.0, 0.5], -1.0),
        (&[1.0, 1.0, 0.0, 0.0], -1.0),
        (&[1.0, -1.0, -0.5, -0.5], 1.0),
    ]);
    let order = cyclic(4, 1);
    let start = [0.0, 0.1, 0.1, -0.2];
    for tie in TIES {
        let task = Task { start: &start, tie, ..Task::new(&data, &order) };
        // w += r y x
        let run = perceptron(&task, Rate::Constant(0.1));
        assert_eq!(run.updates, [2, 3]);
        let before = [&start[..], &run.path[0], &run.path[1], &run.path[2]];
        let sums: Vec<f64> = before.iter().zip(&data).map(|(w, (x, _))| dot(w, x)).collect();
        close(&sums, &[0.1, -0.1, 0.1, -0.05]);
        close(&run.path[3], &[0.0, -0.1, 0.05, -0.25]);
        // w += r (y − ŷ) x is twice the step on a mistake
        let run = perceptron(&task, Rate::Constant(0.2));
        assert_eq!(run.updates, [2, 3]);
        close(&run.path[2], &[-0.2, -0.1, 0.1, -0.2]);
        close(&[dot(&run.path[2], &data[3].0)], &[-0.05]);
        close(&run.path[3], &[0.0, -0.3, 0.0, -0.3]);
    }
}

#[test]
fn e8_scaled_to_integers_is_exact() {
    // Weights times 20, rows times 2: then r = 0.1 becomes 0.1 · 20/2 = 1.
    let data = rows(&[
        (&[2.0, 2.0, 2.0, 1.0], 1.0),
        (&[2.0, -2.0, 2.0, 1.0], -1.0),
        (&[2.0, 2.0, 0.0, 0.0], -1.0),
        (&[2.0, -2.0, -1.0, -1.0], 1.0),
    ]);
    let order = cyclic(4, 1);
    let task = Task { start: &[0.0, 2.0, 2.0, -4.0], ..Task::new(&data, &order) };
    assert_eq!(last(&task, &unit(&task)), [0.0, -2.0, 1.0, -5.0]);
    assert_eq!(last(&task, &perceptron(&task, Rate::Constant(2.0))), [0.0, -6.0, 0.0, -6.0]);
}

/// (1, x1, x2) or (1, x1, x2, x1x2) for 00, 01, 10, 11 with the given truth values, `low` coding false.
pub(crate) fn boolean(low: f64, truth: [bool; 4], product: bool) -> Signed {
    let mut data = Vec::new();
    for (i, is) in truth.into_iter().enumerate() {
        let (a, b) = (if i < 2 { low } else { 1.0 }, if i % 2 == 0 { low } else { 1.0 });
        let x = if product { vec![1.0, a, b, a * b] } else { vec![1.0, a, b] };
        data.push((x, if is { 1.0 } else { -1.0 }));
    }
    data
}

const AND: [bool; 4] = [false, false, false, true];
const NAND: [bool; 4] = [true, true, true, false];
const OR: [bool; 4] = [false, true, true, true];
pub(crate) const XOR: [bool; 4] = [false, true, true, false];

#[test]
fn e9_boolean_functions_converge() {
    let ends = [
        (-1.0, AND, false, 1, vec![-1.0, 1.0, 1.0]),
        (-1.0, NAND, false, 1, vec![1.0, -1.0, -1.0]),
        (-1.0, OR, false, 3, vec![1.0, 1.0, 1.0]),
        (0.0, OR, false, 9, vec![-1.0, 2.0, 2.0]),
        (0.0, AND, false, 18, vec![-4.0, 3.0, 2.0]),
        (0.0, NAND, false, 18, vec![4.0, -3.0, -2.0]),
        (-1.0, XOR, true, 4, vec![0.0, 0.0, 0.0, -4.0]),
        (0.0, XOR, true, 29, vec![-1.0, 2.0, 2.0, -5.0]),
    ];
    let order = cyclic(4, 40);
    for (low, truth, product, updates, w) in ends {
        let data = boolean(low, truth, product);
        let task = Task::new(&data, &order);
        let run = unit(&task);
        assert_eq!((run.updates.len(), last(&task, &run)), (updates, w.clone()), "{low} {truth:?}");
        assert_eq!(count_correct(&w, &data, false, Tie::Update), 4);

        // The same with the bias as a bias: the first coordinate goes to the end.
        let bare: Vec<_> = data.iter().map(|(x, y)| (x[1..].to_vec(), *y)).collect();
        let task = Task { bias: true, ..Task::new(&bare, &order) };
        let rotated = unit(&task);
        let mut w = w;
        w.rotate_left(1);
        assert_eq!((&rotated.updates, last(&task, &rotated)), (&run.updates, w));
    }
    let data = boolean(0.0, XOR, true);
    let run = unit(&Task::new(&data, &order));
    assert_eq!(run.updates.last().map(|t| t / 4 + 1), Some(11), "clean in epoch 12");
}

#[test]
fn e9_xor_cycles() {
    let cycles: [(f64, &[&[f64]]); 2] = [
        (-1.0, &[&[0.0, 0.0, 0.0], &[-1.0, 1.0, 1.0], &[0.0, 0.0, 2.0], &[1.0, 1.0, 1.0]]),
        (0.0, &[&[0.0, 0.0, 0.0], &[-1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], &[1.0, 1.0, 1.0]]),
    ];
    let order = cyclic(4, 10);
    for (low, cycle) in cycles {
        let data = boolean(low, XOR, false);
        let task = Task::new(&data, &order);
        let run = unit(&task);
        assert_eq!(run.updates.len(), 40, "every example is a mistake, for ever");
        for (t, w) in moves(&task, &run).iter().enumerate() {
            assert_eq!(w, cycle[t % 4]);
        }
        // Gordan's certificate: equal counts on all four, Σ y x = 0.
        let task = Task { order: &order[..4], ..task };
        assert_eq!(dual(&task, &unit(&task)), [1, 1, 1, 1]);
        let total = data.iter().fold(vec![0.0; 3], |sum, (x, y)| plus(&sum, *y, x));
        assert_eq!(total, [0.0, 0.0, 0.0]);
    }
}
