//! Every learner of the registry against its naive twin: weights after each example, mistakes, what is kept.
//!
//! On small integers with simple rates nothing rounds, and the two must agree to the last bit. Elsewhere they agree up
//! to 1e-9, on data where no decision hangs on a rounding error: see `doubtful`.
//!
//! The twins come from the registry: a new learner needs no line here.
//!
//! Rows of all zeros without a bias do not occur here. The library counts a correction on them as an update, the
//! twins do not: an intended difference, visible only in the clock of a falling rate and in the pocket's runs.

mod common;
mod naive;

use rosenblatt::Trainer;
use rosenblatt::fit::Start;
use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners::{Entry, Multiclass};
use rosenblatt::learn::naive::Naive;
use rosenblatt::learn::{Hypothesis, Scratch, learners as learner};
use rosenblatt::rows::Examples;

use common::{KINDS, Kind, Store, close, keeps, same_bits, vectors, weights};
use naive::*;

/// Which machine, and its classes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Machine {
    Binary,
    Many(Multiclass),
}

const CLASSES: usize = 4;

/// One comparison, drawn at random but for what is walked over.
struct Case {
    twin: Twin,
    settings: Vec<(&'static str, String)>,
    machine: Machine,
    keep: KeepKind,
    tie: Tie,
    bias: bool,
    exact: bool,
    examples: Classed,
    order: Vec<usize>,
    start: Vec<Vec<f64>>,
    weights: Option<Vec<f64>>,
}

/// What the twin says.
struct Told {
    /// One vector for each output, after each example.
    path: Vec<Vec<Vec<f64>>>,
    /// How many outputs were wrong, and how many moved, at each position.
    mistakes: Vec<u32>,
    updates: Vec<u32>,
    kept: Kept,
}

enum Kept {
    Linear(Vec<Vec<f64>>),
    /// The votes on each example, for each output or class; and the lives, where there is one list of voters.
    Voted(Vec<Vec<f64>>, Option<Vec<u64>>),
}

fn pick<T: Copy>(random: &mut SplitMix64, from: &[T]) -> T {
    from[random.below(from.len())]
}

/// A number that an `f32` can hold, or that a byte can; a third of them are zero.
fn draw_value(random: &mut SplitMix64, exact: bool, kind: Kind) -> f64 {
    match (kind, exact) {
        _ if random.below(3) == 0 => 0.0,
        (Kind::DenseU8, true) => random.below(6) as f64,
        (Kind::DenseU8, false) => random.below(256) as f64,
        (_, true) => random.integer(4),
        (_, false) => f64::from(random.real() as f32),
    }
}

fn draw_examples(random: &mut SplitMix64, exact: bool, kind: Kind, classes: usize) -> Classed {
    // Fewer and more than the sixteen lanes of a dense dot product, and than the four of a sparse one.
    let d = pick(random, &[2, 3, 5, 16, 21]);
    let mut examples = Vec::new();
    for i in 0..11 {
        let mut x: Vec<f64> = (0..d).map(|_| draw_value(random, exact, kind)).collect();
        if x.iter().all(|v| *v == 0.0) {
            x[random.below(d)] = 1.0;
        }
        examples.push((x, if i < classes { i } else { random.below(classes) }));
    }
    examples
}

impl Case {
    fn signed(&self) -> Signed {
        against_rest(&self.examples, 1)
    }

    fn binary<'a>(&'a self, examples: &'a Signed) -> Task<'a> {
        let start = self.start.first().map_or(&[][..], Vec::as_slice);
        let weights = self.weights.as_deref();
        Task { examples, order: &self.order, start, bias: self.bias, tie: self.tie, weights }
    }

    fn multi(&self) -> MultiTask<'_> {
        MultiTask {
            examples: &self.examples,
            classes: CLASSES,
            order: &self.order,
            start: &self.start,
            bias: self.bias,
            tie: self.tie,
            weights: self.weights.as_deref(),
        }
    }

    /// Twice the weight of the examples for which `right` holds: weights are halves, so this is exact.
    fn count(&self, right: impl Fn(usize) -> bool) -> usize {
        let twice = |i: usize| self.weights.as_ref().map_or(2.0, |w| 2.0 * w[i]) as usize;
        (0..self.examples.len()).filter(|&i| right(i)).map(twice).sum()
    }

    fn tell(&self) -> Told {
        self.tell_as(&self.twin)
    }

    fn tell_as(&self, twin: &Twin) -> Told {
        match self.machine {
            Machine::Binary => {
                let signed = self.signed();
                self.tell_each(&[(self.binary(&signed), twin.run(&self.binary(&signed)).0)])
            }
            Machine::Many(Multiclass::OneVsRest) => {
                let sets: Vec<Signed> = (0..CLASSES).map(|k| against_rest(&self.examples, k)).collect();
                let starts = self.multi().start_matrix();
                let runs = one_vs_rest(&self.multi(), |task| twin.run(task).0);
                let task = |k: usize| Task { start: &starts[k], ..self.binary(&sets[k]) };
                let each: Vec<(Task<'_>, Run)> = (0..CLASSES).map(task).zip(runs).collect();
                self.tell_each(&each)
            }
            Machine::Many(Multiclass::Uniform) => self.tell_single(twin.run_single(&self.multi(), Offenders::All).0),
            Machine::Many(Multiclass::Single) => self.tell_single(twin.run_single(&self.multi(), Offenders::Worst).0),
        }
    }

    /// Binary runs side by side.
    fn tell_each(&self, each: &[(Task<'_>, Run)]) -> Told {
        let at = |list: fn(&Run) -> &[usize]| {
            let count = |t: usize| each.iter().filter(|(_, run)| list(run).contains(&t)).count() as u32;
            (0..self.order.len()).map(count).collect()
        };
        let linear =
            |of: &dyn Fn(&Task<'_>, &Run) -> Vec<f64>| Kept::Linear(each.iter().map(|(t, r)| of(t, r)).collect());
        let kept = match self.keep {
            KeepKind::Last => linear(&last),
            KeepKind::Average => linear(&|_, run| average(run)),
            KeepKind::Pocket => linear(&|task, run| {
                let wrong_on =
                    |w: &[f64], (x, y): &(Vec<f64>, f64)| wrong(dot(w, &extended(x, self.bias)), *y, self.tie);
                let correct = |w: &Vec<f64>| self.count(|i| !wrong_on(w, &task.examples[i]));
                ratchet(task.start_vector(), &run.path, &run.mistakes, &run.updates, correct).w
            }),
            KeepKind::Vote => {
                let voters: Vec<_> = each.iter().map(|(task, run)| votes(task, run)).collect();
                let score = |x: &[f64]| voters.iter().map(|v| voted_score(v, x, self.bias, self.tie)).collect();
                let lives = (each.len() == 1).then(|| voters[0].iter().map(|v| v.1 as u64).collect());
                Kept::Voted(self.examples.iter().map(|(x, _)| score(x)).collect(), lives)
            }
        };
        let path = (0..self.order.len()).map(|t| each.iter().map(|(_, run)| run.path[t].clone()).collect()).collect();
        Told { path, mistakes: at(|run| &run.mistakes), updates: at(|run| &run.updates), kept }
    }

    /// One run of one machine for all classes.
    fn tell_single(&self, run: MultiRun) -> Told {
        let task = self.multi();
        let at = |list: &[usize]| (0..self.order.len()).map(|t| u32::from(list.contains(&t))).collect();
        let kept = match self.keep {
            KeepKind::Last => Kept::Linear(multi_last(&task, &run)),
            KeepKind::Average => Kept::Linear(multi_average(&run)),
            KeepKind::Pocket => {
                let right = |w: &Vec<Vec<f64>>, i: usize| {
                    let (x, y) = &self.examples[i];
                    !multi_wrong(&scores(w, x, self.bias), *y, self.tie)
                };
                let correct = |w: &Vec<Vec<f64>>| self.count(|i| right(w, i));
                Kept::Linear(ratchet(task.start_matrix(), &run.path, &run.mistakes, &run.updates, correct).w)
            }
            KeepKind::Vote => {
                let voters = multi_votes(&task, &run);
                let ballots = |x: &[f64]| {
                    let mut ballots = vec![0.0; CLASSES];
                    voters.iter().for_each(|(w, lives)| ballots[argmax(&scores(w, x, self.bias))] += *lives as f64);
                    assert_eq!(argmax(&ballots), multi_voted_label(&voters, x, self.bias));
                    ballots
                };
                let lives = voters.iter().map(|v| v.1 as u64).collect();
                Kept::Voted(self.examples.iter().map(|(x, _)| ballots(x)).collect(), Some(lives))
            }
        };
        Told { mistakes: at(&run.mistakes), updates: at(&run.updates), path: run.path, kept }
    }

    /// Whether some decision hangs on a rounding error: a score (or a difference of two, for one machine of many
    /// classes) within 1e-9 of zero on any example, other than a plain sum of zeros; or the twin decides otherwise when
    /// its margins are a little greater or smaller. Such a case proves nothing, and another is drawn.
    fn doubtful(&self, told: &Told) -> bool {
        let begin = if self.machine == Machine::Binary {
            vec![self.binary(&self.signed()).start_vector()]
        } else {
            self.multi().start_matrix()
        };
        let single = matches!(self.machine, Machine::Many(Multiclass::Single | Multiclass::Uniform));
        let thin = |w: &[Vec<f64>], i: usize| {
            let x = extended(&self.examples[i].0, self.bias);
            let near = |w: &[f64]| w.iter().zip(&x).any(|(w, x)| w * x != 0.0) && dot(w, &x).abs() < 1e-9;
            let differ = |k: usize| w[..k].iter().any(|other| near(&plus(&w[k], -1.0, other)));
            (0..w.len()).any(|k| if single { differ(k) } else { near(&w[k]) })
        };
        let mut path = std::iter::once(&begin).chain(&told.path);
        let decisions = |told: &Told| (told.mistakes.clone(), told.updates.clone());
        path.any(|w| (0..self.examples.len()).any(|i| thin(w, i)))
            || [-1e-9, 1e-9].iter().any(|&by| decisions(&self.tell_as(&self.twin.nudged(by))) != decisions(told))
    }

    fn trainer(&self, name: &str) -> Trainer {
        let tie = match self.tie {
            Tie::Update => rosenblatt::learn::machine::Tie::Update,
            Tie::Positive => rosenblatt::learn::machine::Tie::Positive,
            Tie::Negative => rosenblatt::learn::machine::Tie::Negative,
        };
        let mut trainer = Trainer::new(name).keep(self.keep).tie(tie).bias(self.bias);
        if let Machine::Many(multiclass) = self.machine {
            trainer = trainer.multiclass(multiclass);
        }
        if !self.start.is_empty() {
            trainer = trainer.start(Start::At(weights(&self.start, self.bias)));
        }
        self.settings.iter().fold(trainer, |trainer, (name, value)| trainer.set(name, value))
    }

    fn agree(&self, name: &str, kind: Kind, told: &Told) {
        let at = format!(
            "{name} {:?} keep {:?}, {:?}, {kind:?}, {:?}, bias {}, exact {}, order {:?}",
            self.settings, self.keep, self.machine, self.tie, self.bias, self.exact, self.order
        );
        let same = |a: &[f64], b: &[f64]| if self.exact { same_bits(a, b) } else { close(a, b, 1e-9) };
        let rows: Vec<Vec<f64>> = self.examples.iter().map(|(x, _)| x.clone()).collect();
        let classes: Vec<u32> = self.examples.iter().map(|(_, y)| *y as u32).collect();
        let store = Store::new(&rows);
        let examples = Examples::new(store.rows(kind), &classes, self.weights.as_deref()).unwrap();
        let classes = if self.machine == Machine::Binary { 2 } else { CLASSES };
        let mut learner = self.trainer(name).learner(rows[0].len(), classes).unwrap();
        for (t, &i) in self.order.iter().enumerate() {
            let step = learner.step(examples, i as u32);
            assert_eq!((step.mistakes, step.updates), (told.mistakes[t], told.updates[t]), "position {t}, {at}");
            let (w, twin) = (vectors(&learner.current().unwrap()).concat(), told.path[t].concat());
            assert!(same(&w, &twin), "position {t}, {at}\n{w:?}\n{twin:?}");
        }
        match (learner.hypothesis(), &told.kept) {
            (Hypothesis::Linear(w), Kept::Linear(twin)) => {
                assert!(same(&vectors(&w).concat(), &twin.concat()), "{at}\n{:?}\n{twin:?}", vectors(&w));
            }
            (Hypothesis::Voted(voted), Kept::Voted(scores, lives)) => {
                let (mut scratch, tie) = (Scratch::default(), self.trainer(name).recipe.tie);
                for (x, twin) in rows.iter().zip(scores) {
                    voted.scores(rosenblatt::rows::Dense(x), tie, &mut scratch);
                    assert_eq!(&scratch.scores, twin, "votes, {at}");
                }
                assert_eq!(voted.presented(), self.order.len() as u64);
                if let Some(lives) = lives {
                    assert_eq!(&voted.votes(), lives, "{at}");
                }
            }
            _ => panic!("another kind of hypothesis: {at}"),
        }
    }
}

/// Walks over everything that is not drawn at random, and compares.
fn compare(machines: &[Machine], exact: bool) {
    let mut random = SplitMix64(2026);
    let (mut compared, mut redrawn) = (0, 0);
    let online = |entry: &&Entry| !matches!(entry.naive, Naive::Pass(_));
    for entry in learner::all().filter(online).filter(|entry| entry.exact_on_integers || !exact) {
        for keep in keeps(entry) {
            for &machine in machines {
                for (kind, tie, bias) in KINDS
                    .into_iter()
                    .flat_map(|k| TIES.map(|t| (k, t)))
                    .flat_map(|(k, t)| [(k, t, false), (k, t, true)])
                {
                    let (case, told) = loop {
                        let settings = draw_settings(entry, &mut random, exact);
                        let twin = Twin::of(entry, &settings);
                        let classes = if machine == Machine::Binary { 2 } else { CLASSES };
                        let examples = draw_examples(&mut random, exact, kind, classes);
                        let n = examples.len();
                        // With repetitions where nothing rounds; else pass by pass.
                        let order = if exact {
                            (0..40).map(|_| random.below(n)).collect()
                        } else {
                            shuffled(&mut random, n, 4)
                        };
                        let outputs = if machine == Machine::Binary { 1 } else { CLASSES };
                        let width = examples[0].0.len() + usize::from(bias);
                        let start = if random.below(3) > 0 { 0 } else { outputs };
                        let start = (0..start).map(|_| random.integers(width, 2)).collect();
                        let weights = (random.below(2) == 0)
                            .then(|| (0..n).map(|_| pick(&mut random, &[1.0, 2.0, 0.5])).collect());
                        let case =
                            Case { twin, settings, machine, keep, tie, bias, exact, examples, order, start, weights };
                        let told = case.tell();
                        if exact || !case.doubtful(&told) {
                            break (case, told);
                        }
                        redrawn += 1;
                    };
                    case.agree(entry.name, kind, &told);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 400 && redrawn < 3 * compared, "{compared} compared, {redrawn} drawn again");
}

const SINGLE: Machine = Machine::Many(Multiclass::Single);
const UNIFORM: Machine = Machine::Many(Multiclass::Uniform);
const ONE_VS_REST: Machine = Machine::Many(Multiclass::OneVsRest);

#[test]
fn binary_learners_are_their_twins_to_the_last_bit_on_integers() {
    compare(&[Machine::Binary], true);
}

#[test]
fn single_machines_are_their_twins_to_the_last_bit_on_integers() {
    compare(&[SINGLE], true);
}

#[test]
fn one_vs_rest_machines_are_their_twins_to_the_last_bit_on_integers() {
    compare(&[ONE_VS_REST], true);
}

#[test]
fn binary_learners_are_their_twins_on_real_numbers() {
    compare(&[Machine::Binary], false);
}

#[test]
fn single_and_uniform_machines_are_their_twins_on_real_numbers() {
    compare(&[SINGLE, UNIFORM], false);
}

#[test]
fn one_vs_rest_machines_are_their_twins_on_real_numbers() {
    compare(&[ONE_VS_REST], false);
}
