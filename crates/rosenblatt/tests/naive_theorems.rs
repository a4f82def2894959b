//! The theorems, tested on the naive twins: mistake bounds in many orders, identities, reductions.

mod naive;

use naive::*;

/// Room for rounding in a bound that is compared with a count.
const SLACK: f64 = 1e-9;

/// The unit-rate perceptron.
fn unit(task: &Task<'_>) -> Run {
    perceptron(task, Rate::Constant(1.0))
}

/// Calls check(task, R, γ) on planted sets, with and without a bias, in many orders and under all tie rules.
fn on_planted(mut check: impl FnMut(&Task<'_>, f64, f64)) {
    let mut random = SplitMix64(1);
    for set in 0..12 {
        let bias = set % 2 == 1;
        let (d, gamma) = (1 + set % 5, [0.02, 0.1, 0.3][set % 3]);
        let (examples, u) = planted(&mut random, 30, d, bias, gamma);
        let (r, g) = (radius(&examples, bias), margin(&examples, &u, bias));
        assert!(g >= gamma - SLACK && (norm(&u) - 1.0).abs() < SLACK);
        for _ in 0..8 {
            let order = shuffled(&mut random, examples.len(), 25);
            for tie in TIES {
                check(&Task { bias, tie, ..Task::new(&examples, &order) }, r, g);
            }
        }
        let order = cyclic(examples.len(), 25);
        check(&Task { bias, ..Task::new(&examples, &order) }, r, g);
    }
}

#[test]
fn an_update_raises_the_margin_by_the_square_of_x() {
    let mut random = SplitMix64(2);
    for _ in 0..40 {
        let examples = integer_data(&mut random, 15, 4, 3);
        let order = shuffled(&mut random, 15, 6);
        for (tie, bias) in TIES.into_iter().zip([false, true, true]) {
            let task = Task { tie, bias, ..Task::new(&examples, &order) };
            let run = unit(&task);
            let mut before = task.start_vector();
            for (t, w) in run.path.iter().enumerate() {
                let (x, y) = &examples[order[t]];
                let x = extended(x, bias);
                let gain = y * dot(w, &x) - y * dot(&before, &x);
                assert_eq!(gain, if run.updates.contains(&t) { dot(&x, &x) } else { 0.0 });
                before.clone_from(w);
            }
        }
    }
}

#[test]
fn novikoff_perceptron_mistakes() {
    on_planted(|task, r, g| {
        let run = unit(task);
        assert!(run.mistakes.len() as f64 <= (r / g).powi(2) + SLACK);
        assert_eq!(run.mistakes, run.updates, "no zero rows here");
        // Half of the proof, at every update: ‖w‖² ≤ kR².
        for (k, &t) in run.updates.iter().enumerate() {
            assert!(dot(&run.path[t], &run.path[t]) <= (k + 1) as f64 * r * r + SLACK);
        }
    });
}

#[test]
fn passive_aggressive_mistakes() {
    on_planted(|task, r, g| {
        let count = |pa| passive_aggressive(task, pa).mistakes.len() as f64;
        assert!(count(Pa::Hard) <= (r / g).powi(2) + SLACK);
        for c in [0.05, 0.5, 5.0] {
            assert!(count(Pa::Capped(c)) <= (r * r).max(1.0 / c) / (g * g) + SLACK);
            assert!(count(Pa::Soft(c)) <= (r * r + 1.0 / (2.0 * c)) / (g * g) + SLACK);
        }
    });
}

#[test]
fn hard_passive_aggressive_lands_on_margin_one() {
    on_planted(|task, _, _| {
        let run = passive_aggressive(task, Pa::Hard);
        for &t in &run.updates {
            let (x, y) = &task.examples[task.order[t]];
            assert!((y * dot(&run.path[t], &extended(x, task.bias)) - 1.0).abs() < SLACK);
        }
    });
}

#[test]
fn margin_perceptron_updates_and_final_margin() {
    let mut finished = 0;
    on_planted(|task, r, g| {
        for (b, eta) in [(0.0, 1.0), (0.5, 1.0), (1.0, 0.5)] {
            let run = margin_perceptron(task, b, Rate::Constant(eta));
            let bound = (r * r + 2.0 * b / eta) / (g * g);
            assert!(run.updates.len() as f64 <= bound + SLACK);
            let n = task.examples.len();
            if run.updates.iter().all(|&t| t < task.order.len() - n) {
                finished += 1;
                let reached = margin(task.examples, &last(task, &run), task.bias);
                assert!(reached >= g * b / (2.0 * b + eta * r * r) - SLACK);
            }
        }
    });
    assert!(finished > 100, "the final margin was checked {finished} times only");
}

#[test]
fn margin_perceptron_with_b_zero_is_the_perceptron() {
    let mut random = SplitMix64(3);
    for _ in 0..30 {
        let examples = integer_data(&mut random, 12, 3, 2);
        let order = shuffled(&mut random, 12, 5);
        let task = Task { bias: true, ..Task::new(&examples, &order) };
        for rate in [Rate::Constant(0.5), Rate::InverseSqrt(2.0), Rate::Inverse(1.0)] {
            assert_eq!(margin_perceptron(&task, 0.0, rate), perceptron(&task, rate));
        }
    }
}

#[test]
fn alma_stays_in_the_ball_and_under_its_bound() {
    let mut bounded = 0;
    on_planted(|task, _, _| {
        // γ of the normalised rows, for the best known direction: a long hard-PA run's last vector.
        let normal: Vec<_> = task
            .examples
            .iter()
            .map(|(x, y)| {
                let x = extended(x, task.bias);
                (times(1.0 / norm(&x), &x), *y)
            })
            .collect();
        let w = last(task, &passive_aggressive(task, Pa::Hard));
        let g = margin(&normal, &w, false);
        for alpha in [0.3, 0.5, 0.9] {
            let run = alma(task, alpha);
            assert!(run.path.iter().all(|w| norm(w) <= 1.0 + SLACK));
            if g > 0.0 {
                bounded += 1;
                let bound = 2.0 / (g * g) * (2.0 / alpha - 1.0).powi(2) + 8.0 / alpha - 4.0;
                assert!(run.updates.len() as f64 <= bound + SLACK);
            }
        }
    });
    assert!(bounded > 100, "the bound was checked {bounded} times only");
}

#[test]
fn arow_variances_only_shrink() {
    on_planted(|task, _, _| {
        let (run, sigma) = arow(task, 0.5);
        assert!(sigma.iter().all(|&s| s > 0.0 && s <= 1.0));
        assert!(!run.updates.is_empty());
    });
}

#[test]
fn theorem_2_on_one_pass_of_any_data() {
    let mut random = SplitMix64(4);
    for round in 0..60 {
        let bias = round % 2 == 0;
        let examples = real_data(&mut random, 40, 3);
        let r = radius(&examples, bias);
        let order = random.permutation(examples.len());
        let mistakes = unit(&Task { bias, ..Task::new(&examples, &order) }).mistakes.len() as f64;
        for _ in 0..20 {
            let u = random.direction(3 + usize::from(bias));
            for gamma in [0.05, 0.2, 0.5, 1.0, 2.0] {
                let mut square = 0.0;
                for (x, y) in &examples {
                    square += (gamma - y * dot(&u, &extended(x, bias))).max(0.0).powi(2);
                }
                assert!(mistakes <= ((r + square.sqrt()) / gamma).powi(2) + SLACK);
            }
        }
    }
}

#[test]
fn theorem_2_on_nearly_separable_data() {
    let mut random = SplitMix64(5);
    for round in 0..40 {
        let bias = round % 2 == 0;
        let (mut examples, u) = planted(&mut random, 60, 2, bias, 0.3);
        for _ in 0..2 {
            let i = random.below(60);
            examples[i].1 = -examples[i].1;
        }
        let r = radius(&examples, bias);
        for _ in 0..10 {
            let order = random.permutation(60);
            let mistakes = unit(&Task { bias, ..Task::new(&examples, &order) }).mistakes.len() as f64;
            let lack = |(x, y): &(Vec<f64>, f64)| (0.3 - y * dot(&u, &extended(x, bias))).max(0.0).powi(2);
            let d = examples.iter().map(lack).sum::<f64>().sqrt();
            assert!(mistakes <= ((r + d) / 0.3).powi(2) + SLACK);
        }
    }
}

#[test]
fn multi_class_mistakes() {
    let mut random = SplitMix64(6);
    for set in 0..12 {
        let (bias, classes) = (set % 2 == 1, 2 + set % 4);
        let (examples, u) = multi_planted(&mut random, 30, 3, classes, bias, 0.1);
        let (r, g) = (radius(&examples, bias), multi_margin(&examples, &u, bias));
        assert!(g >= 0.1 - SLACK);
        for _ in 0..8 {
            let order = shuffled(&mut random, 30, 25);
            for tie in TIES {
                let task = MultiTask { bias, tie, ..MultiTask::new(&examples, classes, &order) };
                for run in [multi_perceptron(&task, Rate::Constant(1.0)), multi_uniform(&task, Rate::Constant(1.0))] {
                    assert!(run.mistakes.len() as f64 <= 2.0 * r * r / (g * g) + SLACK);
                }
                // The same theorems on z, ‖z‖² = 2‖x‖².
                let square = 2.0 * r * r;
                let hard = multi_passive_aggressive(&task, Pa::Hard).mistakes.len() as f64;
                assert!(hard <= square / (g * g) + SLACK);
                let updates = multi_margin_perceptron(&task, 0.5, Rate::Constant(1.0)).updates.len() as f64;
                assert!(updates <= (square + 1.0) / (g * g) + SLACK);
            }
        }
    }
}

#[test]
fn two_classes_are_the_binary_machine() {
    // D = w_1 − w_0 moves by 2η y x; lowest index on ties makes class 0 (−1) win, which is Tie::Negative.
    let mut random = SplitMix64(7);
    for round in 0..30 {
        let bias = round % 2 == 0;
        let multi = multi_integer_data(&mut random, 14, 3, 2, 2);
        let binary = against_rest(&multi, 1);
        let order = shuffled(&mut random, 14, 5);
        let weights: Vec<f64> = (0..14).map(|_| random.below(4) as f64).collect();
        for (tie, same) in [(Tie::Update, Tie::Update), (Tie::Positive, Tie::Negative)] {
            let weights = Some(&weights[..]);
            let many = MultiTask { bias, tie, weights, ..MultiTask::new(&multi, 2, &order) };
            let one = Task { bias, tie: same, weights, ..Task::new(&binary, &order) };
            let agree = |run: MultiRun, twin: Run, slack: f64| {
                assert_eq!((&run.mistakes, &run.updates), (&twin.mistakes, &twin.updates));
                for (w, d) in run.path.iter().zip(&twin.path) {
                    assert!(norm(&plus(&plus(&w[1], -1.0, &w[0]), -1.0, d)) <= slack);
                }
            };
            let (one_rate, two_rate) = (Rate::Constant(1.0), Rate::Constant(2.0));
            agree(multi_perceptron(&many, one_rate), perceptron(&one, two_rate), 0.0);
            agree(multi_uniform(&many, one_rate), perceptron(&one, two_rate), 0.0);
            let twin = margin_perceptron(&one, 4.0, two_rate);
            agree(multi_margin_perceptron(&many, 4.0, one_rate), twin, 0.0);
        }
        // PA: τ for z is half of τ for x, and D moves by twice that; C counts double. Ties are measure-zero on reals.
        let multi = multi_real_data(&mut random, 14, 3, 2);
        let binary = against_rest(&multi, 1);
        for (pa, twin) in [(Pa::Hard, Pa::Hard), (Pa::Capped(0.2), Pa::Capped(0.4)), (Pa::Soft(0.2), Pa::Soft(0.4))] {
            let run = multi_passive_aggressive(&MultiTask { bias, ..MultiTask::new(&multi, 2, &order[..14]) }, pa);
            let twin = passive_aggressive(&Task { bias, ..Task::new(&binary, &order[..14]) }, twin);
            let end = &run.path[13];
            assert!(norm(&plus(&plus(&end[1], -1.0, &end[0]), -1.0, &twin.path[13])) <= SLACK);
        }
    }
}

#[test]
fn averages_obey_the_identity_from_any_start() {
    // S_T = (T+1) w_T − u with u = w_0 + Σ t δ; exact on integers.
    let mut random = SplitMix64(8);
    for _ in 0..40 {
        let examples = integer_data(&mut random, 10, 4, 3);
        let order = shuffled(&mut random, 10, 7);
        let start = random.integers(5, 3);
        let task = Task { bias: true, start: &start, ..Task::new(&examples, &order) };
        let run = unit(&task);
        let t = order.len() as f64;
        assert_eq!(sum(&run), plus(&times(t + 1.0, &last(&task, &run)), -1.0, &stamped(&task, &run)));
        // The average is also the voters' mean, Σ c_j w_j / T, and lives add up to T.
        let voters = votes(&task, &run);
        assert_eq!(voters.iter().map(|v| v.1).sum::<usize>(), order.len());
        let total = voters.iter().fold(vec![0.0; 5], |sum, (w, c)| plus(&sum, *c as f64, w));
        assert_eq!(total, sum(&run));
        assert_eq!(voters.len(), run.updates.len() + 1);
    }
}

#[test]
fn weights_on_integers_are_rates() {
    // All weights 3 is the rate 3; a weight of 0 is an example that is predicted but never learnt.
    let mut random = SplitMix64(9);
    for _ in 0..30 {
        let examples = integer_data(&mut random, 10, 3, 3);
        let order = shuffled(&mut random, 10, 6);
        let task = Task { bias: true, ..Task::new(&examples, &order) };
        let heavy = Task { weights: Some(&[3.0; 10]), ..task };
        assert_eq!(unit(&heavy), perceptron(&task, Rate::Constant(3.0)));
        let mut some = [1.0; 10];
        some[4] = 0.0;
        let run = unit(&Task { weights: Some(&some), ..task });
        assert!(run.updates.iter().all(|&t| order[t] != 4));
        let rest: Vec<usize> = order.iter().copied().filter(|&i| i != 4).collect();
        assert_eq!(run.path.last(), unit(&Task { order: &rest, ..task }).path.last());
    }
}

#[test]
fn the_pocket_never_gets_worse_and_counts_what_it_says() {
    let mut random = SplitMix64(10);
    for round in 0..40 {
        let tie = TIES[round % 3];
        let examples = integer_data(&mut random, 12, 3, 2);
        let order: Vec<usize> = (0..200).map(|_| random.below(12)).collect();
        let mut before = 0;
        for length in [0, 10, 50, 200] {
            let task = Task { bias: true, tie, ..Task::new(&examples, &order[..length]) };
            let kept = pocket(&task, &unit(&task));
            assert_eq!(kept.correct, count_correct(&kept.w, &examples, true, tie));
            assert!(kept.correct >= before);
            before = kept.correct;
        }
        let multi = multi_integer_data(&mut random, 12, 3, 2, 3);
        let task = MultiTask { tie, ..MultiTask::new(&multi, 3, &order) };
        let kept = multi_pocket(&task, &multi_perceptron(&task, Rate::Constant(1.0)));
        assert_eq!(kept.correct, multi_count_correct(&kept.w, &multi, false, tie));
        assert!(kept.correct >= multi_count_correct(&task.start_matrix(), &multi, false, tie));
    }
}

#[test]
fn multi_class_voters_make_the_average() {
    let mut random = SplitMix64(11);
    for _ in 0..20 {
        let examples = multi_integer_data(&mut random, 12, 3, 2, 3);
        let order = shuffled(&mut random, 12, 4);
        let task = MultiTask { bias: true, ..MultiTask::new(&examples, 3, &order) };
        let run = multi_perceptron(&task, Rate::Constant(1.0));
        let voters = multi_votes(&task, &run);
        assert_eq!(voters.iter().map(|v| v.1).sum::<usize>(), 48);
        let total = voters.iter().fold(vec![0.0; 12], |sum, (w, c)| plus(&sum, *c as f64, &w.concat()));
        let mean: Vec<f64> = total.iter().map(|s| s / 48.0).collect();
        assert_eq!(multi_average(&run).concat(), mean);
    }
}

#[test]
fn batch_separates_within_its_bound_and_the_mean_only_scales() {
    let mut random = SplitMix64(12);
    for set in 0..12 {
        let bias = set % 2 == 1;
        let (examples, u) = planted(&mut random, 16, 2, bias, 0.2);
        let bound = 16.0 * (radius(&examples, bias) / margin(&examples, &u, bias)).powi(2);
        let task = Task { bias, ..Task::new(&examples, &[]) };
        let run = batch_perceptron(&task, 100_000, 1.0, Batch::Sum, 0.0);
        assert_eq!(run.stop, BatchStop::Separated);
        assert!((run.path.len() - 1) as f64 <= bound + SLACK);
        assert!(margin(&examples, &run.path[run.path.len() - 1], bias) > 0.0);
        // n = 16: dividing by n is exact, so the mean from 0 goes the same way at a sixteenth of the size.
        let mean = batch_perceptron(&task, 100_000, 1.0, Batch::Mean, 0.0);
        let scaled: Vec<Vec<f64>> = mean.path.iter().map(|w| times(16.0, w)).collect();
        assert_eq!((scaled, mean.mistakes), (run.path, run.mistakes));
    }
}

#[test]
fn permutations_are_permutations() {
    let mut random = SplitMix64(13);
    for n in [0, 1, 2, 7, 100] {
        let mut order = random.permutation(n);
        order.sort_unstable();
        assert_eq!(order, cyclic(n, 1));
    }
}
