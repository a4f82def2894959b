//! Learners that step pass by pass against their naive twins: the weights after each pass, who erred; and why the batch
//! perceptron stopped.

mod common;
mod naive;

use rosenblatt::Trainer;
use rosenblatt::fit::Order;
use rosenblatt::learn::learners::{self, Multiclass};
use rosenblatt::learn::machine::Tie as LibraryTie;
use rosenblatt::learn::naive::Naive;
use rosenblatt::learn::{AnyLearner, Stop};
use rosenblatt::rows::Examples;

use common::{KINDS, Kind, MULTICLASS, Store, close, same_bits, signed_table, vector, vectors};
use naive::*;

const PASSES: usize = 12;
const CLASSES: usize = 3;

fn library(tie: Tie) -> LibraryTie {
    match tie {
        Tie::Update => LibraryTie::Update,
        Tie::Positive => LibraryTie::Positive,
        Tie::Negative => LibraryTie::Negative,
    }
}

/// Everything that is walked over or drawn, but for the machine.
struct Case {
    name: &'static str,
    twin: Twin,
    settings: Vec<(&'static str, String)>,
    tie: Tie,
    bias: bool,
    weights: Option<Vec<f64>>,
}

impl Case {
    fn trainer(&self) -> Trainer {
        let trainer = Trainer::new(self.name).tie(library(self.tie)).bias(self.bias);
        self.settings.iter().fold(trainer, |trainer, (name, value)| trainer.set(name, value))
    }

    /// The weights after each pass, and who erred in it.
    fn tell(&self, examples: &Signed) -> Vec<(Vec<f64>, Vec<usize>)> {
        let weights = self.weights.as_deref();
        let task = Task { bias: self.bias, tie: self.tie, weights, ..Task::new(examples, &[]) };
        self.twin.run_passes(&task, PASSES)
    }

    /// The same for one machine of many classes.
    fn tell_single(&self, examples: &Classed, offenders: Offenders) -> Vec<(Vec<f64>, Vec<usize>)> {
        let weights = self.weights.as_deref();
        let task = MultiTask { bias: self.bias, tie: self.tie, weights, ..MultiTask::new(examples, CLASSES, &[]) };
        self.twin.run_passes_single(&task, PASSES, offenders)
    }
}

/// One pass of the library: who erred, how often (once for each output), and where the weights are then.
fn pass(learner: &mut dyn AnyLearner, examples: Examples<'_>) -> (Vec<f64>, Vec<u32>) {
    let before = learner.current().unwrap();
    let mistakes: Vec<u32> = (0..examples.len() as u32).map(|i| learner.step(examples, i).mistakes).collect();
    assert_eq!(learner.current().unwrap(), before, "nothing moves within a pass");
    let end = learner.end_pass(examples.len() as u64);
    assert_eq!(end.updates > 0, mistakes.iter().any(|m| *m > 0));
    (vectors(&learner.current().unwrap()).concat(), mistakes)
}

/// Calls `check(case, kind, random, exact)` for every learner that steps pass by pass; `exact`: integers, a constant rate
/// and a sum, so nothing rounds.
fn each_case(mut check: impl FnMut(&Case, Kind, &mut SplitMix64, bool)) {
    let mut random = SplitMix64(77);
    for entry in learners::all().filter(|entry| matches!(entry.naive, Naive::Pass(_))) {
        for (kind, tie) in KINDS.into_iter().flat_map(|kind| TIES.map(|tie| (kind, tie))) {
            for (bias, exact) in [(false, false), (true, false), (false, true), (true, true)] {
                if exact && !entry.exact_on_integers {
                    continue;
                }
                let settings = draw_settings(entry, &mut random, exact);
                let twin = Twin::of(entry, &settings);
                let heavy = random.below(2) == 0;
                let weights = heavy.then(|| (0..9).map(|_| [1.0, 2.0, 0.5][random.below(3)]).collect());
                check(&Case { name: entry.name, twin, settings, tie, bias, weights }, kind, &mut random, exact);
            }
        }
    }
}

fn draw(random: &mut SplitMix64, kind: Kind, exact: bool, classes: usize) -> Classed {
    let mut value = || match (kind, exact) {
        (Kind::DenseU8, _) => random.below(if exact { 6 } else { 256 }) as f64,
        (_, true) => random.integer(4),
        (_, false) => f64::from(random.real() as f32),
    };
    let rows: Vec<Vec<f64>> = (0..9).map(|_| (0..5).map(|_| value()).collect()).collect();
    rows.into_iter().enumerate().map(|(i, x)| (x, i % classes)).collect()
}

/// Runs the library beside `told`: for each pass and output, the weights and who erred.
fn agree(case: &Case, trainer: &Trainer, kind: Kind, data: &Classed, exact: bool, told: &[(Vec<f64>, Vec<u32>)]) {
    let rows: Vec<Vec<f64>> = data.iter().map(|(x, _)| x.clone()).collect();
    let classes: Vec<u32> = data.iter().map(|(_, y)| *y as u32).collect();
    let store = Store::new(&rows);
    let examples = Examples::new(store.rows(kind), &classes, case.weights.as_deref()).unwrap();
    let count = if classes.contains(&2) { CLASSES } else { 2 };
    let mut learner = trainer.learner(5, count).unwrap();
    for (p, (twin, twin_mistakes)) in told.iter().enumerate() {
        let (w, mistakes) = pass(&mut *learner, examples);
        let at = format!("{} pass {p}, {kind:?}, {:?}, {:?}, exact {exact}", case.name, case.tie, case.settings);
        assert_eq!(&mistakes, twin_mistakes, "{at}");
        assert!(if exact { same_bits(&w, twin) } else { close(&w, twin, 1e-9) }, "{at}\n{w:?}\n{twin:?}");
    }
}

/// 1 where an example is named, else 0.
fn marks(mistakes: &[usize]) -> Vec<u32> {
    (0..9).map(|i| u32::from(mistakes.contains(&i))).collect()
}

#[test]
fn two_classes_pass_by_pass() {
    each_case(|case, kind, random, exact| {
        let data = draw(random, kind, exact, 2);
        let told = case.tell(&against_rest(&data, 1));
        let told: Vec<_> = told.into_iter().map(|(w, m)| (w, marks(&m))).collect();
        agree(case, &case.trainer(), kind, &data, exact, &told);
    });
}

#[test]
fn three_classes_pass_by_pass_in_each_way_to_tell_them_apart() {
    each_case(|case, kind, random, exact| {
        let data = draw(random, kind, exact, CLASSES);
        for multiclass in MULTICLASS {
            let told: Vec<(Vec<f64>, Vec<u32>)> = if multiclass == Multiclass::OneVsRest {
                let each: Vec<_> = (0..CLASSES).map(|k| case.tell(&against_rest(&data, k))).collect();
                let side_by_side = |p: usize| {
                    let w = each.iter().flat_map(|told| told[p].0.clone()).collect();
                    let erred = |i: usize| each.iter().filter(|told| told[p].1.contains(&i)).count() as u32;
                    (w, (0..9).map(erred).collect())
                };
                (0..PASSES).map(side_by_side).collect()
            } else {
                let all = multiclass == Multiclass::Uniform;
                let told = case.tell_single(&data, if all { Offenders::All } else { Offenders::Worst });
                told.into_iter().map(|(w, m)| (w, marks(&m))).collect()
            };
            agree(case, &case.trainer().multiclass(multiclass), kind, &data, exact, &told);
        }
    });
}

#[test]
fn it_stops_where_and_why_its_twin_stops() {
    let mut random = SplitMix64(5);
    let mut seen = Vec::new();
    for round in 0..60 {
        let bias = round % 2 == 0;
        let examples = if round % 3 == 0 {
            // Sixteen: then the mean of integers is exact, and so are the ties.
            integer_data(&mut random, 16, 3, 3)
        } else {
            planted(&mut random, 12, 2, bias, 0.1).0
        };
        let (batch, step) = if round % 4 < 2 { (Batch::Sum, "sum") } else { (Batch::Mean, "mean") };
        let epsilon = [0.0, 0.05, 0.5][random.below(3)];
        let task = Task { bias, ..Task::new(&examples, &[]) };
        let twin = batch_perceptron(&task, 50, 1.0, batch, epsilon);
        if examples.iter().all(|e| e.1 == examples[0].1) {
            continue;
        }
        let trainer = Trainer::new("batch").bias(bias).set("step", step).set("epsilon", &epsilon.to_string());
        let fitted = trainer.order(Order::Cyclic).epochs(50).fit(&signed_table(&examples)).unwrap();
        let stop = match twin.stop {
            BatchStop::Separated => Stop::Separated,
            BatchStop::SmallStep => Stop::SmallStep,
            BatchStop::Passes => Stop::MaxEpochs,
        };
        assert_eq!((fitted.report.stopped, fitted.report.epochs as usize), (stop, twin.path.len()), "round {round}");
        let mistakes: Vec<u64> = twin.mistakes.iter().map(|m| m.len() as u64).collect();
        assert_eq!(fitted.report.mistakes_by_epoch, mistakes);
        let w = vector(&fitted.model.hypothesis.hyperplane());
        assert!(close(&w, twin.path.last().unwrap(), 1e-9), "{w:?} {:?}", twin.path.last());
        seen.push(stop);
    }
    for stop in [Stop::Separated, Stop::SmallStep, Stop::MaxEpochs] {
        assert!(seen.contains(&stop), "{stop:?} was never the reason");
    }
}
