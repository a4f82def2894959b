//! The dull loops that run a twin of the registry, on two classes or on many.

use rosenblatt::learn::Params;
use rosenblatt::learn::learners::{self, Entry};
use rosenblatt::learn::naive::{Naive, Observed};

use super::{MultiRun, MultiTask, Run, Signed, Task, Tie, dot, extended, multi_wrong, scores, times, worst, wrong};

/// The twin of one learner, with its parameters.
#[derive(Clone, Debug)]
pub struct Twin {
    naive: Naive,
    params: Params,
    /// Added to every margin, in parts of itself and of 1, unless w·z is a sum of zeros: see [`Twin::nudged`].
    nudge: f64,
}

/// Which classes give way to the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offenders {
    /// The highest-scoring wrong class; the lowest number on ties.
    Worst,
    /// All that score at least as high as the right one, in equal parts; the worst where there is none.
    All,
}

/// An example in one pass: its correction, and how it was answered.
struct Answered {
    z: Vec<f64>,
    margin: f64,
    wrong: bool,
    weight: f64,
    block: usize,
    biased: bool,
}

impl Twin {
    /// The twin of the learner of this name.
    pub fn new(name: &str, settings: &[(&'static str, String)]) -> Self {
        Self::of(learners::find(name).expect("a learner of the registry"), settings)
    }

    /// The twin of a learner.
    pub fn of(entry: &'static Entry, settings: &[(&'static str, String)]) -> Self {
        let given = settings.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        let params = Params::resolve(entry.name, entry.params, &given).expect("parameters within their ranges");
        Twin { naive: entry.naive, params, nudge: 0.0 }
    }

    /// The same twin, with every margin moved a little. A run that makes other decisions then shows that some decision
    /// hangs on a rounding error.
    pub fn nudged(&self, nudge: f64) -> Self {
        Twin { nudge, ..self.clone() }
    }

    /// Two classes, example by example; and the memory at the end.
    pub fn run(&self, task: &Task<'_>) -> (Run, Vec<f64>) {
        let (mut w, mut memory) = (task.start_vector(), Vec::new());
        let mut run = Run { path: Vec::new(), mistakes: Vec::new(), updates: Vec::new() };
        for (position, &i) in task.order.iter().enumerate() {
            let answered = self.answer(task, &w, i);
            if answered.wrong {
                run.mistakes.push(position);
            }
            if let Some((moved, is_update)) = self.step(&w, &answered, run.updates.len() + 1, &mut memory) {
                w = moved;
                run.updates.extend(is_update.then_some(position));
            }
            run.path.push(w.clone());
        }
        (run, memory)
    }

    /// Many classes and one machine, example by example; and the memory at the end.
    pub fn run_single(&self, task: &MultiTask<'_>, offenders: Offenders) -> (MultiRun, Vec<f64>) {
        let (mut w, mut memory) = (task.start_matrix(), Vec::new());
        let mut run = MultiRun { path: Vec::new(), mistakes: Vec::new(), updates: Vec::new() };
        for (position, &i) in task.order.iter().enumerate() {
            let answered = self.answer_single(task, &w, i, offenders);
            if answered.wrong {
                run.mistakes.push(position);
            }
            let step = self.step(&w.concat(), &answered, run.updates.len() + 1, &mut memory);
            if let Some((moved, is_update)) = step {
                w = moved.chunks(w[0].len()).map(<[f64]>::to_vec).collect();
                run.updates.extend(is_update.then_some(position));
            }
            run.path.push(w.clone());
        }
        (run, memory)
    }

    /// Two classes, pass by pass over all examples: the weights after each, and the numbers of the wrong ones in it.
    pub fn run_passes(&self, task: &Task<'_>, passes: usize) -> Vec<(Vec<f64>, Vec<usize>)> {
        let answer = |w: &[f64], i: usize| self.answer(task, w, i);
        self.passes(task.start_vector(), task.examples.len(), passes, answer)
    }

    /// Many classes and one machine, pass by pass; the weights class after class.
    pub fn run_passes_single(
        &self,
        task: &MultiTask<'_>,
        passes: usize,
        offenders: Offenders,
    ) -> Vec<(Vec<f64>, Vec<usize>)> {
        let width = task.start_matrix()[0].len();
        let answer = |w: &[f64], i: usize| {
            let w: Vec<Vec<f64>> = w.chunks(width).map(<[f64]>::to_vec).collect();
            self.answer_single(task, &w, i, offenders)
        };
        self.passes(task.start_matrix().concat(), task.examples.len(), passes, answer)
    }

    fn passes(
        &self,
        mut w: Vec<f64>,
        n: usize,
        passes: usize,
        answer: impl Fn(&[f64], usize) -> Answered,
    ) -> Vec<(Vec<f64>, Vec<usize>)> {
        let Naive::Pass(naive) = self.naive else { panic!("this twin learns example by example") };
        let (mut k, mut run) = (1, Vec::new());
        for _ in 0..passes {
            let all: Vec<Answered> = (0..n).map(|i| answer(&w, i)).collect();
            let seen: Vec<Observed<'_>> = all.iter().map(|answered| answered.seen(&w, k)).collect();
            let moved = naive(&seen, &self.params);
            k += usize::from(moved.is_some());
            w = moved.unwrap_or(w);
            run.push((w.clone(), (0..n).filter(|&i| all[i].wrong).collect()));
        }
        run
    }

    /// The weights after one example, and whether that is an update. A zero x or a zero weight cannot move them: the twin is
    /// not asked, k stands still.
    fn step(&self, w: &[f64], answered: &Answered, k: usize, memory: &mut Vec<f64>) -> Option<(Vec<f64>, bool)> {
        if answered.weight == 0.0 || answered.z.iter().all(|z| *z == 0.0) {
            return None;
        }
        let seen = answered.seen(w, k);
        match self.naive {
            Naive::Example(naive) => naive(&seen, &self.params, memory).map(|moved| (moved, true)),
            Naive::Always(naive) => Some((naive(&seen, &self.params), seen.wrong)),
            Naive::Pass(_) => panic!("this twin learns pass by pass"),
        }
    }

    /// z = y·x.
    fn answer(&self, task: &Task<'_>, w: &[f64], i: usize) -> Answered {
        let (x, y) = &task.examples[i];
        let z = times(*y, &extended(x, task.bias));
        let margin = self.moved(dot(w, &z), w, &z);
        let (block, biased) = (z.len(), task.bias);
        Answered { wrong: wrong(y * margin, *y, task.tie), margin, z, weight: task.weight(i), block, biased }
    }

    /// Kesler's z: x in the block of the right class, −x (or its part) in that of each offender.
    fn answer_single(&self, task: &MultiTask<'_>, w: &[Vec<f64>], i: usize, offenders: Offenders) -> Answered {
        let (raw, y) = &task.examples[i];
        let x = extended(raw, task.bias);
        let s = scores(w, raw, task.bias);
        let above: Vec<usize> = (0..task.classes).filter(|r| r != y && s[*r] >= s[*y]).collect();
        let give_way = if offenders == Offenders::All && !above.is_empty() { above } else { vec![worst(&s, *y)] };
        let mut z = Vec::new();
        for class in 0..task.classes {
            let part = if give_way.contains(&class) { -1.0 / give_way.len() as f64 } else { 0.0 };
            z.extend(times(if class == *y { 1.0 } else { part }, &x));
        }
        let mean = give_way.iter().map(|r| s[*r]).sum::<f64>() / give_way.len() as f64;
        let margin = self.moved(s[*y] - mean, &w.concat(), &z);
        let on_ties = multi_wrong(&s, *y, task.tie);
        let wrong = if margin == s[*y] - mean { on_ties } else { margin <= 0.0 };
        Answered { wrong, margin, z, weight: task.weight(i), block: x.len(), biased: task.bias }
    }

    fn moved(&self, margin: f64, w: &[f64], z: &[f64]) -> f64 {
        let sum_of_zeros = w.iter().zip(z).all(|(w, z)| w * z == 0.0);
        if sum_of_zeros { margin } else { margin + self.nudge * (1.0 + margin.abs()) }
    }
}

impl Answered {
    fn seen<'a>(&'a self, w: &'a [f64], k: usize) -> Observed<'a> {
        let Answered { ref z, margin, wrong, weight, block, biased } = *self;
        Observed { w, z, margin, wrong, weight, k, block, biased }
    }
}

/// Random parameters within the declared ranges; `exact`: whole numbers and the first word of each choice.
pub fn draw_settings(entry: &Entry, random: &mut super::SplitMix64, exact: bool) -> Vec<(&'static str, String)> {
    use rosenblatt::learn::Domain;
    let mut draw = |domain: Domain| match domain {
        Domain::Choice(words) if exact => words[0].to_string(),
        Domain::Choice(words) => words[random.below(words.len())].to_string(),
        Domain::Number { min, above, max, .. } if exact => {
            (min + f64::from(u8::from(above)) + random.below(5) as f64).min(max).to_string()
        }
        // A default may have a meaning of its own ("0: not known").
        Domain::Number { default, .. } if random.below(3) == 0 => default.to_string(),
        Domain::Number { min, max, .. } => (min + (max - min).min(3.0) * (0.03 + 0.94 * random.unit())).to_string(),
    };
    entry.params.iter().map(|param| (param.name, draw(param.domain))).collect()
}
