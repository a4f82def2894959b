//! The naive twins against the worked examples: what is trusted must be checked first.

mod naive;

use naive::*;

/// Rows with signs, from literals.
fn rows(list: &[(&[f64], f64)]) -> Signed {
    list.iter().map(|(x, y)| (x.to_vec(), *y)).collect()
}

/// Vectors, from literals.
fn vectors(list: &[&[f64]]) -> Vec<Vec<f64>> {
    list.iter().map(|w| w.to_vec()).collect()
}

/// The unit-rate perceptron.
fn unit(task: &Task<'_>) -> Run {
    perceptron(task, Rate::Constant(1.0))
}

/// (pass, example) of each update, both from 1.
fn places(run: &Run, n: usize) -> Vec<(usize, usize)> {
    run.updates.iter().map(|t| (t / n + 1, t % n + 1)).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= 1e-12, "{a:?} is not {b:?}");
    }
}

fn cmu() -> Signed {
    rows(&[
        (&[-1.0, 2.0], -1.0),
        (&[1.0, 0.0], 1.0),
        (&[1.0, 1.0], 1.0),
        (&[-1.0, 0.0], -1.0),
        (&[-1.0, -2.0], -1.0),
        (&[1.0, -1.0], 1.0),
    ])
}

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
fn boolean(low: f64, truth: [bool; 4], product: bool) -> Signed {
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
const XOR: [bool; 4] = [false, true, true, false];

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

#[test]
fn e10_averages_of_the_cmu_points() {
    let data = cmu();
    let golden = [
        (1, [12.0, -4.0], [2.0, -2.0 / 3.0], [12.0 / 7.0, -4.0 / 7.0]),
        (2, [30.0, 2.0], [5.0 / 2.0, 1.0 / 6.0], [30.0 / 13.0, 2.0 / 13.0]),
    ];
    for (passes, s, mean, ciml) in golden {
        let order = cyclic(6, passes);
        let task = Task::new(&data, &order);
        let run = unit(&task);
        assert_eq!(last(&task, &run), [3.0, 1.0]);
        assert_eq!(stamped(&task, &run), [9.0, 11.0]);
        assert_eq!(sum(&run), s);
        assert_eq!(average(&run), mean);
        let t = order.len() as f64;
        let identity = plus(&times(t + 1.0, &last(&task, &run)), -1.0, &stamped(&task, &run));
        assert_eq!(identity, s);
        let scaled: Vec<f64> = identity.iter().map(|s| s / (t + 1.0)).collect();
        assert_eq!(scaled, ciml);
    }
}

#[test]
fn voters_of_the_cmu_points() {
    let (data, order) = (cmu(), cyclic(6, 2));
    let task = Task::new(&data, &order);
    let voters = votes(&task, &unit(&task));
    let lives: Vec<usize> = voters.iter().map(|v| v.1).collect();
    assert_eq!(lives, [0, 2, 2, 8]);
    // At (0, 1) the voters say −2, −1, +1; at (1, 2): −3, 0, 5.
    assert_eq!(voted_score(&voters, &[0.0, 1.0], false, Tie::Update), -2.0 - 2.0 + 8.0);
    assert_eq!(voted_score(&voters, &[1.0, 2.0], false, Tie::Update), -2.0 + 2.0 + 8.0);
    assert_eq!(voted_score(&voters, &[1.0, 2.0], false, Tie::Negative), -2.0 - 2.0 + 8.0);
    assert_eq!(voted_label(&voters, &[0.0, 0.0], false, Tie::Positive), 1.0);
    assert_eq!(voted_label(&voters, &[0.0, 0.0], false, Tie::Negative), -1.0);

    let task = Task { tie: Tie::Negative, ..task };
    let voters = votes(&task, &unit(&task));
    assert_eq!(voters, [(vec![0.0, 0.0], 1), (vec![1.0, 0.0], 11)], "the start survives example 1");
}

#[test]
fn pocket_by_hand() {
    // Rows 0 and 1 pull w to 1, row 2 is row 0 with the other label and pulls it back to 0.
    let data = rows(&[(&[1.0], 1.0), (&[2.0], 1.0), (&[1.0], -1.0)]);
    let order = [0, 0, 2, 0, 1, 1, 2];
    let task = Task::new(&data, &order);
    let run = unit(&task);
    assert_eq!(run.path.concat(), [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    let kept = pocket(&task, &run);
    // Start: 0 right, run 0. At position 1 run 1 > 0, w = 1 has 2 right: in. Later runs of 1 and 2: at position 5
    // the run 2 > 1, but that w (an equal one, of another update) has no more right: not in, and the run stays 1.
    assert_eq!(kept, Pocket { w: vec![1.0], correct: 2, run: 1, replaced: vec![1] });
    // Once in the pocket, a vector's run goes on counting.
    let task = Task { order: &[0, 0, 1], ..task };
    assert_eq!(pocket(&task, &unit(&task)), Pocket { w: vec![1.0], correct: 2, run: 2, replaced: vec![1] });
    // Under Tie::Negative the zero start has 1 right (the − row) and w = 1 has 2.
    let order = [2, 2, 0, 0, 1, 1];
    let task = Task { tie: Tie::Negative, ..Task::new(&data, &order) };
    let kept = pocket(&task, &unit(&task));
    // The start survives two examples, so its run is 2; w = 1 comes at position 2, its run is 3 at position 5.
    assert_eq!(kept, Pocket { w: vec![1.0], correct: 2, run: 3, replaced: vec![5] });
}

#[test]
fn one_step_of_each_rule_by_hand() {
    let data = rows(&[(&[3.0, 4.0], 1.0)]);
    let task = Task::new(&data, &[0]);
    close(&passive_aggressive(&task, Pa::Hard).path[0], &[3.0 / 25.0, 4.0 / 25.0]);
    close(&passive_aggressive(&task, Pa::Capped(0.01)).path[0], &[0.03, 0.04]);
    close(&passive_aggressive(&task, Pa::Soft(0.5)).path[0], &[3.0 / 26.0, 4.0 / 26.0]);
    close(&alma(&task, 0.9).path[0], &[0.6, 0.8]);
    // AROW, r = 1: v = 25, β = 1/26; with weight 2, r = 1/2.
    let (run, sigma) = arow(&task, 1.0);
    close(&run.path[0], &[3.0 / 26.0, 4.0 / 26.0]);
    close(&sigma, &[17.0 / 26.0, 10.0 / 26.0]);
    let heavy = Task { weights: Some(&[2.0]), ..task };
    close(&arow(&heavy, 1.0).0.path[0], &[3.0 / 25.5, 4.0 / 25.5]);
    close(&passive_aggressive(&heavy, Pa::Capped(0.01)).path[0], &[0.06, 0.08]);
    assert_eq!(unit(&heavy).path[0], [6.0, 8.0]);
    // With a bias: ‖(3, 4, 1)‖² = 26, and the bias has its own variance.
    let biased = Task { bias: true, ..task };
    close(&passive_aggressive(&biased, Pa::Hard).path[0], &[3.0 / 26.0, 4.0 / 26.0, 1.0 / 26.0]);
    let (run, sigma) = arow(&biased, 1.0);
    close(&run.path[0], &[3.0 / 27.0, 4.0 / 27.0, 1.0 / 27.0]);
    close(&sigma, &[18.0 / 27.0, 11.0 / 27.0, 26.0 / 27.0]);
    // Margin perceptron with b = 30: 0 → (3,4), 25 ≤ 30 → again with η₂, then 25(1 + η₂) > 30.
    let task = Task::new(&data, &[0, 0, 0]);
    let run = margin_perceptron(&task, 30.0, Rate::Inverse(1.0));
    assert_eq!(run.path, vectors(&[&[3.0, 4.0], &[4.5, 6.0], &[4.5, 6.0]]));
    assert_eq!((run.mistakes, run.updates), (vec![0], vec![0, 1]));
    let run = margin_perceptron(&task, 30.0, Rate::InverseSqrt(1.0));
    close(&run.path[1], &[3.0 + 3.0 / 2f64.sqrt(), 4.0 + 4.0 / 2f64.sqrt()]);
}

#[test]
fn alma_by_hand() {
    // α = 0.9: (1, 0), then (0, 1) has margin 0: w = (1, 0) + (√2/√2)(0, 1), projected; then both are far enough.
    let data = rows(&[(&[1.0, 0.0], 1.0), (&[0.0, 5.0], 1.0)]);
    let run = alma(&Task::new(&data, &[0, 1, 0, 1]), 0.9);
    assert_eq!((&run.mistakes[..], &run.updates[..]), (&[0, 1][..], &[0, 1][..]));
    close(&run.path[0], &[1.0, 0.0]);
    close(&run.path[3], &[0.5f64.sqrt(), 0.5f64.sqrt()]);
    // α = 0.6: margin 1 ≤ (2/3)√8/√k for k ≤ 3: three corrections, though the projection undoes the last two.
    let run = alma(&Task::new(&data, &[0; 6]), 0.6);
    assert_eq!((&run.mistakes[..], &run.updates[..]), (&[0][..], &[0, 1, 2][..]));
    close(&run.path[5], &[1.0, 0.0]);
}

#[test]
fn a_zero_row_moves_nothing() {
    let data = rows(&[(&[0.0, 0.0], 1.0), (&[1.0, 0.0], 1.0)]);
    let order = [0, 1, 0];
    let task = Task::new(&data, &order);
    let runs = [
        unit(&task),
        margin_perceptron(&task, 0.5, Rate::Constant(1.0)),
        passive_aggressive(&task, Pa::Hard),
        passive_aggressive(&task, Pa::Soft(1.0)),
        arow(&task, 1.0).0,
        alma(&task, 0.9),
    ];
    for run in runs {
        assert_eq!((run.mistakes, run.updates), (vec![0, 1, 2], vec![1]));
        assert!(run.path.concat().iter().all(|w| w.is_finite()));
    }
}

#[test]
fn batch_steps_by_hand() {
    let data = cmu();
    let task = Task::new(&data, &[]);
    // At 0 all six are wrong: Σ y x = (6, 0); at (6, 0) all six are right.
    let run = batch_perceptron(&task, 9, 1.0, Batch::Sum, 0.0);
    assert_eq!(run.path, vectors(&[&[6.0, 0.0], &[6.0, 0.0]]));
    assert_eq!(run.mistakes, [vec![0, 1, 2, 3, 4, 5], vec![]]);
    assert_eq!(run.stop, BatchStop::Separated);
    let run = batch_perceptron(&task, 9, 0.5, Batch::Mean, 0.0);
    assert_eq!(run.path, vectors(&[&[0.5, 0.0], &[0.5, 0.0]]));
    assert_eq!(batch_perceptron(&task, 9, 0.5, Batch::Mean, 0.6).stop, BatchStop::SmallStep);
    assert_eq!(batch_perceptron(&task, 1, 0.5, Batch::Mean, 0.0).stop, BatchStop::Passes);
    // XOR in ±1 coding: all wrong at 0, Σ y x = 0, no step at all.
    let xor = boolean(-1.0, XOR, false);
    let run = batch_perceptron(&Task::new(&xor, &[]), 5, 1.0, Batch::Sum, 1e-9);
    assert_eq!((run.path, run.stop), (vectors(&[&[0.0, 0.0, 0.0]]), BatchStop::SmallStep));
}

#[test]
fn multi_class_steps_by_hand() {
    let data = vec![(vec![1.0, 2.0], 1)];
    let task = MultiTask::new(&data, 3, &[0]);
    // All scores 0: the worst wrong class is 0, the lowest index.
    let max = vectors(&[&[-1.0, -2.0], &[1.0, 2.0], &[0.0, 0.0]]);
    let all = vectors(&[&[-0.5, -1.0], &[1.0, 2.0], &[-0.5, -1.0]]);
    for tie in TIES {
        let task = MultiTask { tie, ..task };
        assert_eq!(multi_perceptron(&task, Rate::Constant(1.0)).path[0], max);
        assert_eq!(multi_uniform(&task, Rate::Constant(1.0)).path[0], all);
    }
    assert_eq!(multi_passive_aggressive(&task, Pa::Hard).path[0].concat(), times(0.1, &max.concat()));
    let (run, sigma) = multi_arow(&task, 1.0);
    close(&run.path[0].concat(), &times(1.0 / 11.0, &max.concat()));
    close(&sigma.concat(), &[10.0 / 11.0, 7.0 / 11.0, 10.0 / 11.0, 7.0 / 11.0, 1.0, 1.0]);
    let heavy = MultiTask { weights: Some(&[2.0]), ..task };
    close(&multi_arow(&heavy, 1.0).0.path[0].concat(), &times(1.0 / 10.5, &max.concat()));
    // Class 0 wins ties: at W = 0 an example of class 0 is a mistake under Tie::Update only.
    let data = vec![(vec![1.0, 2.0], 0)];
    for tie in TIES {
        let task = MultiTask { tie, ..MultiTask::new(&data, 3, &[0]) };
        let run = multi_perceptron(&task, Rate::Constant(1.0));
        assert_eq!(run.mistakes.len(), usize::from(tie == Tie::Update));
    }
    assert_eq!(kesler(&[1.0, 2.0], 3, 2, 0), [-1.0, -2.0, 0.0, 0.0, 1.0, 2.0]);
    let task = MultiTask { bias: true, ..MultiTask::new(&data, 3, &[0]) };
    let runs = one_vs_rest(&task, unit);
    let ends: Vec<Vec<f64>> = runs.iter().map(|run| run.path[0].clone()).collect();
    assert_eq!(ends, vectors(&[&[1.0, 2.0, 1.0], &[-1.0, -2.0, -1.0], &[-1.0, -2.0, -1.0]]));
}

#[test]
fn split_mix_64_gives_its_published_numbers() {
    let mut random = SplitMix64(1_234_567);
    let first: Vec<u64> = (0..5).map(|_| random.next()).collect();
    let known = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(first, known);
}
