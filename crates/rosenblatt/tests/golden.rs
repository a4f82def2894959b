//! The worked examples of textbooks and slides (E1 to E10), step by step on the library, to the last digit.
//!
//! Each test names its order and its tie rule: textbooks differ in both, and at w = 0 it always matters.

mod common;

use rosenblatt::fit::{Order, Start};
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::machine::Tie;
use rosenblatt::learn::{Hypothesis, Stop};
use rosenblatt::theory::CycleWatch;
use rosenblatt::{Table, Trainer};

use common::{close, signed_table, vector, weights};

const TIES: [Tie; 3] = [Tie::Update, Tie::Positive, Tie::Negative];

fn rows(list: &[(&[f64], f64)]) -> Table {
    let examples: Vec<(Vec<f64>, f64)> = list.iter().map(|(x, y)| (x.to_vec(), *y)).collect();
    signed_table(&examples)
}

/// The textbook's perceptron: no bias but the column that the example has itself.
fn textbook(tie: Tie) -> Trainer {
    Trainer::new("perceptron").tie(tie).bias(false)
}

/// A learner followed step by step in cyclic order.
struct Walk {
    /// The start, then the weights (bias last) after each update.
    moves: Vec<Vec<f64>>,
    /// (pass, example) of each update, from 1.
    places: Vec<(usize, usize)>,
    /// The weights after each example.
    path: Vec<Vec<f64>>,
}

/// Presents the table in the order it stands, `passes` times. A mistake and an update are the same thing here.
fn walk(trainer: &Trainer, table: &Table, passes: usize) -> Walk {
    let examples = table.examples().unwrap();
    let mut learner = trainer.learner(table.matrix.features(), 2).unwrap();
    let mut walk = Walk { moves: vec![vector(&learner.current().unwrap())], places: Vec::new(), path: Vec::new() };
    for pass in 1..=passes {
        for i in 0..examples.len() {
            let step = learner.step(examples, i as u32);
            assert_eq!(step.mistakes, step.updates);
            let w = vector(&learner.current().unwrap());
            if step.updates > 0 {
                walk.moves.push(w.clone());
                walk.places.push((pass, i + 1));
            } else {
                assert_eq!(Some(&w), walk.path.last().or(walk.moves.last()), "nothing moves without an update");
            }
            walk.path.push(w);
        }
    }
    walk
}

/// The trainer's own loop in cyclic order must end where the walk ends, for the reason that the walk shows.
fn separates(trainer: &Trainer, table: &Table, walk: &Walk) {
    let clean = walk.places.last().map_or(1, |(pass, _)| pass + 1) as u32;
    let fitted = trainer.clone().order(Order::Cyclic).epochs(100).fit(table).unwrap();
    assert_eq!((fitted.report.stopped, fitted.report.epochs), (Stop::Separated, clean));
    assert_eq!(fitted.report.updates as usize, walk.places.len());
    assert_eq!(Some(&vector(&fitted.model.hypothesis.hyperplane())), walk.moves.last());
    for (i, &failures) in fitted.failures.iter().enumerate() {
        assert_eq!(failures as usize, walk.places.iter().filter(|p| p.1 == i + 1).count(), "example {}", i + 1);
    }
}

fn cmu() -> Table {
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
fn e1_cmu_slide_in_listed_order_is_the_same_under_update_and_positive() {
    for tie in [Tie::Update, Tie::Positive] {
        let walked = walk(&textbook(tie), &cmu(), 2);
        assert_eq!(walked.moves, [[0.0, 0.0], [1.0, -2.0], [2.0, -1.0], [3.0, 1.0]]);
        assert_eq!(walked.places, [(1, 1), (1, 3), (1, 5)]);
        separates(&textbook(tie), &cmu(), &walked);
    }
}

#[test]
fn e1_cmu_slide_in_listed_order_under_negative_stops_after_one_update() {
    let walked = walk(&textbook(Tie::Negative), &cmu(), 2);
    assert_eq!(walked.moves, [[0.0, 0.0], [1.0, 0.0]]);
    assert_eq!(walked.places, [(1, 2)]);
    separates(&textbook(Tie::Negative), &cmu(), &walked);
}

#[test]
fn e1_example_5_is_an_exact_tie_and_is_learned() {
    let table = cmu();
    let mut learner = textbook(Tie::Update).learner(2, 2).unwrap();
    let examples = table.examples().unwrap();
    learner.run(examples, &[0, 1, 2, 3], None);
    let step = learner.step(examples, 4);
    assert_eq!((step.margin, step.mistakes), (0.0, 1));
}

#[test]
fn e2_ucla_two_points_need_positive_in_one_order_and_take_either_rule_in_the_other() {
    let forth = rows(&[(&[1.0, 1.0, 2.0], 1.0), (&[1.0, 2.0, 1.0], -1.0)]);
    let back = rows(&[(&[1.0, 2.0, 1.0], -1.0), (&[1.0, 1.0, 2.0], 1.0)]);
    let published = [[0.0, 0.0, 0.0], [-1.0, -2.0, -1.0], [0.0, -1.0, 1.0]];

    let walked = walk(&textbook(Tie::Positive), &forth, 3);
    assert_eq!((&walked.moves[..], &walked.places[..]), (&published.map(Vec::from)[..], &[(1, 2), (2, 1)][..]));
    separates(&textbook(Tie::Positive), &forth, &walked);
    for tie in [Tie::Positive, Tie::Update] {
        let walked = walk(&textbook(tie), &back, 3);
        assert_eq!((&walked.moves[..], &walked.places[..]), (&published.map(Vec::from)[..], &[(1, 1), (1, 2)][..]));
        separates(&textbook(tie), &back, &walked);
    }
    let walked = walk(&textbook(Tie::Update), &forth, 3);
    assert_eq!(walked.moves, [[0.0, 0.0, 0.0], [1.0, 1.0, 2.0], [0.0, -1.0, 1.0]]);
    assert_ne!(walk(&textbook(Tie::Negative), &forth, 3).moves, published);
}

#[test]
fn e3_cornell_or_at_rate_one_half_in_counting_order_under_positive() {
    let or = rows(&[
        (&[0.0, 0.0, -1.0], -1.0),
        (&[0.0, 1.0, -1.0], 1.0),
        (&[1.0, 0.0, -1.0], 1.0),
        (&[1.0, 1.0, -1.0], 1.0),
    ]);
    let trainer = textbook(Tie::Positive).set("rate", "0.5");
    let walked = walk(&trainer, &or, 4);
    let path = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.5, 0.0], [0.5, 0.5, 0.5]];
    assert_eq!(walked.moves, path);
    assert_eq!(walked.places, [(1, 1), (1, 2), (2, 1), (2, 3), (3, 1)]);
    separates(&trainer, &or, &walked);
}

#[test]
fn e4_mit_trials_in_listed_order_need_the_bias_and_negative() {
    let data =
        rows(&[(&[0.0, 1.0, 0.0], 1.0), (&[1.0, 0.0, 1.0], 1.0), (&[1.0, 1.0, 1.0], 1.0), (&[0.0, 0.0, 1.0], -1.0)]);
    let trainer = textbook(Tie::Negative).bias(true);
    let walked = walk(&trainer, &data, 4);
    let trials: Vec<&Vec<f64>> = walked.path.iter().skip(3).step_by(4).collect();
    let listed = [[0.0, 1.0, -1.0], [1.0, 1.0, -1.0], [2.0, 1.0, -1.0], [2.0, 1.0, -1.0]];
    for (trial, listed) in trials.iter().zip(listed) {
        assert_eq!((&trial[..3], trial[3]), (&listed[..], 0.0), "and the threshold is 0 each time");
    }
    let signs: Vec<(usize, bool)> = walked.places.iter().map(|&(pass, i)| (pass, i < 4)).collect();
    assert_eq!(signs, [(1, true), (1, false), (2, true), (2, false), (3, true), (3, false)]);
    separates(&trainer, &data, &walked);
    for tie in TIES {
        let without = walk(&textbook(tie), &data, 3);
        let same = without.path.iter().skip(3).step_by(4).zip(listed).all(|(trial, listed)| trial == &listed);
        assert!(!same, "without the bias no rule reproduces it");
    }
}

#[test]
fn e5_li_hang_exercise_in_cyclic_order_under_update() {
    let path = [
        [0.0, 0.0, 0.0],
        [3.0, 3.0, 1.0],
        [2.0, 2.0, 0.0],
        [1.0, 1.0, -1.0],
        [0.0, 0.0, -2.0],
        [3.0, 3.0, -1.0],
        [2.0, 2.0, -2.0],
        [1.0, 1.0, -3.0],
    ];
    for y in [1.0, -1.0] {
        let data = rows(&[(&[3.0, 3.0], y), (&[4.0, 3.0], y), (&[1.0, 1.0], -y)]);
        let trainer = textbook(Tie::Update).bias(true);
        let walked = walk(&trainer, &data, 8);
        assert_eq!(walked.moves, path.map(|w| w.map(|w| y * w)), "labels times {y}");
        assert_eq!(walked.places.iter().map(|p| p.1).collect::<Vec<_>>(), [1, 3, 3, 3, 1, 3, 3]);
        separates(&trainer, &data, &walked);
        // The dual: α = (2, 0, 5), w = Σ α y x.
        let fitted = trainer.order(Order::Cyclic).epochs(8).fit(&data).unwrap();
        assert_eq!(fitted.failures, [2, 0, 5]);
    }
}

#[test]
fn e6_and_from_a_start_vector_in_listed_order_under_negative() {
    // Once with the constant as a column, once as the library's own bias.
    let path = [[-2.0, 0.0, 1.0], [-1.0, 1.0, 2.0], [-2.0, 1.0, 1.0], [-1.0, 2.0, 2.0], [-2.0, 2.0, 1.0]];
    let column =
        rows(&[(&[1.0, 0.0, 0.0], -1.0), (&[1.0, 0.0, 1.0], -1.0), (&[1.0, 1.0, 0.0], -1.0), (&[1.0, 1.0, 1.0], 1.0)]);
    let trainer = textbook(Tie::Negative).start(Start::At(weights(&[path[0].to_vec()], false)));
    let walked = walk(&trainer, &column, 4);
    assert_eq!(walked.moves, path);
    assert_eq!(walked.places, [(1, 4), (2, 2), (2, 4), (3, 2)]);
    separates(&trainer, &column, &walked);

    let own = rows(&[(&[0.0, 0.0], -1.0), (&[0.0, 1.0], -1.0), (&[1.0, 0.0], -1.0), (&[1.0, 1.0], 1.0)]);
    let bias_last = |w: [f64; 3]| vec![w[1], w[2], w[0]];
    let trainer = textbook(Tie::Negative).bias(true).start(Start::At(weights(&[bias_last(path[0])], true)));
    let walked = walk(&trainer, &own, 4);
    assert_eq!(walked.moves, path.map(bias_last));
    separates(&trainer, &own, &walked);
}

#[test]
fn e7_umbc_homework_in_listed_order_takes_21_12_or_9_updates_by_tie_rule() {
    let data =
        rows(&[(&[1.0, 1.0, 2.0], 1.0), (&[1.0, 1.0, 1.0], -1.0), (&[1.0, 2.0, 2.0], 1.0), (&[1.0, 2.0, 1.0], -1.0)]);
    let walked = walk(&textbook(Tie::Update), &data, 1);
    assert_eq!(walked.moves, [[0.0, 0.0, 0.0], [1.0, 1.0, 2.0], [0.0, 0.0, 1.0], [-1.0, -2.0, 0.0]]);
    assert_eq!(walked.places, [(1, 1), (1, 2), (1, 4)]);
    let ends = [
        (Tie::Update, 21, [-3.0, -4.0, 6.0]),
        (Tie::Positive, 12, [-2.0, -2.0, 3.0]),
        (Tie::Negative, 9, [-1.0, -2.0, 3.0]),
    ];
    for (tie, updates, end) in ends {
        let walked = walk(&textbook(tie), &data, 40);
        assert_eq!((walked.places.len(), walked.moves.last().unwrap()), (updates, &end.to_vec()), "{tie:?}");
        separates(&textbook(tie), &data, &walked);
    }
}

#[test]
fn e8_pgss_admissions_in_listed_order_under_every_tie_rule() {
    let data = rows(&[
        (&[1.0, 1.0, 1.0, 0.5], 1.0),
        (&[1.0, -1.0, 1.0, 0.5], -1.0),
        (&[1.0, 1.0, 0.0, 0.0], -1.0),
        (&[1.0, -1.0, -0.5, -0.5], 1.0),
    ]);
    // w += r y x at r = 0.1; w += r (y − ŷ) x is twice the step.
    let start = Start::At(weights(&[vec![0.0, 0.1, 0.1, -0.2]], false));
    for tie in TIES {
        let walk_at = |rate| walk(&textbook(tie).set("rate", rate).start(start.clone()), &data, 1);
        let once = walk_at("0.1");
        assert_eq!(once.places, [(1, 3), (1, 4)]);
        assert!(close(&once.path[3], &[0.0, -0.1, 0.05, -0.25], 1e-12), "{:?}", once.path[3]);
        let twice = walk_at("0.2");
        assert_eq!(twice.places, [(1, 3), (1, 4)]);
        assert!(close(&twice.path[2], &[-0.2, -0.1, 0.1, -0.2], 1e-12), "{:?}", twice.path[2]);
        assert!(close(&twice.path[3], &[0.0, -0.3, 0.0, -0.3], 1e-12), "{:?}", twice.path[3]);
    }
    let mut learner = textbook(Tie::Update).set("rate", "0.1").start(start).learner(4, 2).unwrap();
    let examples = data.examples().unwrap();
    let margins: Vec<f64> = (0..4).map(|i| learner.step(examples, i).margin).collect();
    assert!(close(&margins, &[0.1, 0.1, -0.1, -0.05], 1e-12), "{margins:?}");
}

/// (x1, x2) or (x1, x2, x1x2) for 00, 01, 10, 11 with the given truth values, `low` coding false.
fn boolean(low: f64, truth: [bool; 4], product: bool) -> Table {
    let row = |i: usize| {
        let (a, b) = (if i < 2 { low } else { 1.0 }, if i.is_multiple_of(2) { low } else { 1.0 });
        if product { vec![a, b, a * b] } else { vec![a, b] }
    };
    let examples: Vec<_> = (0..4).map(|i| (row(i), if truth[i] { 1.0 } else { -1.0 })).collect();
    signed_table(&examples)
}

const AND: [bool; 4] = [false, false, false, true];
const NAND: [bool; 4] = [true, true, true, false];
const OR: [bool; 4] = [false, true, true, true];
const XOR: [bool; 4] = [false, true, true, false];

#[test]
fn e9_boolean_functions_in_counting_order_under_update() {
    // The bias is last here.
    let ends = [
        (-1.0, AND, false, 1, vec![1.0, 1.0, -1.0]),
        (-1.0, NAND, false, 1, vec![-1.0, -1.0, 1.0]),
        (-1.0, OR, false, 3, vec![1.0, 1.0, 1.0]),
        (0.0, OR, false, 9, vec![2.0, 2.0, -1.0]),
        (0.0, AND, false, 18, vec![3.0, 2.0, -4.0]),
        (0.0, NAND, false, 18, vec![-3.0, -2.0, 4.0]),
        (-1.0, XOR, true, 4, vec![0.0, 0.0, -4.0, 0.0]),
        (0.0, XOR, true, 29, vec![2.0, 2.0, -5.0, -1.0]),
    ];
    let trainer = textbook(Tie::Update).bias(true);
    for (low, truth, product, updates, end) in ends {
        let data = boolean(low, truth, product);
        let walked = walk(&trainer, &data, 40);
        assert_eq!((walked.places.len(), walked.moves.last().unwrap()), (updates, &end), "{low} {truth:?}");
        separates(&trainer, &data, &walked);
    }
    let walked = walk(&trainer, &boolean(0.0, XOR, true), 40);
    assert_eq!(walked.places.last().unwrap().0, 11, "clean in epoch 12");
}

#[test]
fn e9_xor_in_counting_order_under_update_cycles_and_the_cycle_is_a_proof() {
    let cycles = [
        (-1.0, [[0.0, 0.0, 0.0], [1.0, 1.0, -1.0], [0.0, 2.0, 0.0], [1.0, 1.0, 1.0]]),
        (0.0, [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]),
    ];
    let trainer = textbook(Tie::Update).bias(true);
    for (low, cycle) in cycles {
        let data = boolean(low, XOR, false);
        let walked = walk(&trainer, &data, 10);
        assert_eq!(walked.places.len(), 40, "every example is a mistake, for ever");
        for (t, w) in walked.moves.iter().enumerate() {
            assert_eq!(w, &cycle[t % 4]);
        }

        let mut learner = trainer.learner(2, 2).unwrap();
        let examples = data.examples().unwrap();
        let mut watch = CycleWatch::new(&learner.current().unwrap(), examples);
        for i in 0..4 {
            assert_eq!(learner.step(examples, i).updates, 1);
            watch.added(i as usize, &learner.current().unwrap());
        }
        let proof = watch.end_pass(&learner.current().unwrap()).expect("back at zero after one pass");
        assert_eq!((proof.first_pass, proof.again_pass), (0, 1));
        assert_eq!(proof.counts, [(0, 1), (1, 1), (2, 1), (3, 1)], "p = (1, 1, 1, 1)");
    }
}

#[test]
fn e9_separable_functions_never_look_like_a_cycle() {
    for (low, truth) in [(0.0, AND), (0.0, OR), (-1.0, OR), (0.0, NAND)] {
        let data = boolean(low, truth, false);
        let examples = data.examples().unwrap();
        let mut learner = textbook(Tie::Update).bias(true).learner(2, 2).unwrap();
        let mut watch = CycleWatch::new(&learner.current().unwrap(), examples);
        for _ in 0..20 {
            for i in 0..4 {
                if learner.step(examples, i).updates > 0 {
                    watch.added(i as usize, &learner.current().unwrap());
                }
            }
            assert_eq!(watch.end_pass(&learner.current().unwrap()), None, "{low} {truth:?}");
        }
    }
}

#[test]
fn e10_averages_of_the_cmu_points_in_listed_order_under_update_are_exact() {
    let golden = [(1, [2.0, -2.0 / 3.0]), (2, [5.0 / 2.0, 1.0 / 6.0])];
    for (passes, mean) in golden {
        let trainer = textbook(Tie::Update).keep(KeepKind::Average).order(Order::Cyclic).epochs(passes);
        let fitted = trainer.fit(&cmu()).unwrap();
        let Hypothesis::Linear(average) = &fitted.model.hypothesis else { panic!("an average is linear") };
        assert_eq!(vector(average), mean);
        let mut learner = trainer.learner(2, 2).unwrap();
        for _ in 0..passes {
            learner.run(cmu().examples().unwrap(), &[0, 1, 2, 3, 4, 5], None);
        }
        assert_eq!(vector(&learner.current().unwrap()), [3.0, 1.0], "the path itself is not averaged");
    }
}

#[test]
fn e10_voters_of_the_cmu_points_live_0_2_2_8_examples() {
    let trainer = textbook(Tie::Update).keep(KeepKind::Vote).order(Order::Cyclic).epochs(2);
    let fitted = trainer.fit(&cmu()).unwrap();
    let Hypothesis::Voted(voted) = &fitted.model.hypothesis else { panic!("voters are kept") };
    assert_eq!((voted.votes(), voted.presented()), (vec![0, 2, 2, 8], 12));
    // At (0, 1) the voters (1,−2), (2,−1), (3,1) say −, −, +; at (1, 2): −, 0 which is +, +.
    let probes = common::Store::new(&[vec![0.0, 1.0], vec![1.0, 2.0]]);
    let scores = fitted.model.score_all(probes.rows(common::Kind::DenseF64)).unwrap();
    assert_eq!(scores, [-2.0 - 2.0 + 8.0, -2.0 + 2.0 + 8.0]);
}
