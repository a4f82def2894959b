//! The half-margin perceptron: a constant share of the best margin, whether or not that margin is known.
//!
//! With x̂ = x/‖x‖ and a guess g of the best margin γ of the examples x̂:              Balcan and Blum 2006 (known γ)
//!
//! > if y(w·x̂) ≤ (g/2)·‖w‖  then  w ← w + y x̂
//!
//! Each move adds at least γ to u·w. It takes ‖w‖ from at most 2/g to at most 1 + 2/g, and beyond 2/g it adds at most
//! g/2 + 1/(2‖w‖) ≤ 3g/4. So M moves give Mγ ≤ 1 + 2/g + 3Mg/4: with g ≤ γ at most 8/g² + 4/g moves, and when nothing
//! moves any more every margin exceeds g/2.
//!
//! **γ known**: g = γ ends with half of it. **γ not known**: begin at g = 1; when a guess has made all its moves and
//! wants another it was too great, so halve it and begin again at zero. The last guess exceeds γ/2, which leaves more
//! than γ/4, and the moves of all guesses together are the sum of 8/g² + 4/g over them.
//!
//! More than two classes go by the correction z of the machine in place of y·x.

use super::{Design, Entry, assemble};
use crate::error::{Error, Result};
use crate::learn::keep::KeepKind;
use crate::learn::machine::Machine;
use crate::learn::naive::{Naive, Observed, norm, plus};
use crate::learn::{Array, Domain, Geometry, Hypothesis, Learner, Param, Params, State, Step, Weights};
use crate::rows::Row;

/// The learner.
pub struct HalfMargin<M> {
    machine: M,
    w: Weights,
    /// ‖w‖².
    sq_norm: f64,
    guess: Guess,
    /// Moves since this guess was made.
    moves: u64,
}

/// What γ is taken to be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Guess {
    /// Given by the user.
    Known(f64),
    /// Halved whenever it proves too great.
    Halving(f64),
}

impl Guess {
    fn value(self) -> f64 {
        match self {
            Guess::Known(g) | Guess::Halving(g) => g,
        }
    }

    /// The moves after which this guess is proved too great, if it may be halved.
    fn patience(self) -> Option<u64> {
        match self {
            Guess::Known(_) => None,
            Guess::Halving(g) => Some(most_moves(g)),
        }
    }
}

/// 8/g² + 4/g: what a guess that is not too great never exceeds.
fn most_moves(g: f64) -> u64 {
    (8.0 / (g * g) + 4.0 / g) as u64
}

impl<M: Machine> Learner for HalfMargin<M> {
    #[inline]
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step {
        let judgement = self.machine.judge(&self.w, x, class);
        let length = (judgement.stretch * self.w.sq_len(x)).sqrt();
        let moved = length > 0.0 && judgement.margin / length <= self.guess.value() / 2.0 * self.sq_norm.sqrt();
        if moved {
            let mut margin = judgement.margin;
            if self.guess.patience().is_some_and(|most| self.moves >= most) {
                self.begin_again(self.guess.value() / 2.0);
                margin = 0.0;
            }
            self.moves += 1;
            let tau = weight / length;
            for step in self.machine.moves() {
                self.w.add(x, step.output, tau * step.by);
            }
            self.sq_norm += 2.0 * tau * margin + tau * tau * length * length;
        }
        Step { margin: judgement.margin, mistakes: u32::from(judgement.mistake), updates: u32::from(moved) }
    }

    fn wants_margin(&self) -> bool {
        true
    }

    fn grow(&mut self, features: usize) {
        self.w.grow(features, 0.0);
    }

    fn current(&self) -> Weights {
        self.w.clone()
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::Linear(self.w.clone())
    }

    fn current_at(&self, features: &[u32]) -> Option<Weights> {
        Some(self.w.pick(features))
    }

    fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        self.current_at(features)
    }

    /// An example of length at most R with margin γ has one of at least γ/R when it is scaled to length 1.
    fn bound(&self, geometry: &Geometry) -> Option<f64> {
        let margin = geometry.margin / (geometry.radius * self.machine.max_stretch().sqrt());
        if margin.is_nan() || margin <= 0.0 {
            return None;
        }
        match self.guess {
            Guess::Known(g) => Some((1.0 + 2.0 / g) / (margin - 0.75 * g)).filter(|moves| *moves > 0.0),
            Guess::Halving(_) => {
                // The first guess that is not greater than the margin is the last.
                let halved = |g: &f64| (*g > margin).then_some(g / 2.0);
                Some(std::iter::successors(Some(1.0), halved).map(|g| most_moves(g) as f64).sum())
            }
        }
    }

    fn save(&self, state: &mut State) {
        state.put_weights("weights", &self.w);
        state.put("guess", Array::F64(vec![self.guess.value(), self.sq_norm]));
        state.put_count("moves", self.moves);
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        self.w = state.weights_like("weights", &self.w)?;
        let [guess, sq_norm] = *state.f64s("guess")? else {
            return Err(Error::bad_model("\"guess\" must hold two numbers"));
        };
        if !(guess > 0.0 && guess <= 1.0 && sq_norm >= 0.0) {
            return Err(Error::bad_model(format!("a guess of {guess} and a squared length of {sq_norm} cannot be")));
        }
        self.guess = match self.guess {
            Guess::Known(given) => Guess::Known(given),
            Guess::Halving(_) => Guess::Halving(guess),
        };
        self.sq_norm = sq_norm;
        self.moves = state.count("moves")?;
        Ok(())
    }
}

impl<M> HalfMargin<M> {
    fn begin_again(&mut self, guess: f64) {
        self.guess = Guess::Halving(guess);
        self.moves = 0;
        self.sq_norm = 0.0;
        self.w.map(|_| 0.0);
    }
}

struct HalfMarginDesign(Guess);

impl Design for HalfMarginDesign {
    type Learner<M: Machine> = HalfMargin<M>;

    fn make<M: Machine>(&self, machine: M, start: Weights) -> HalfMargin<M> {
        let sq_norm = start.inner(&start);
        HalfMargin { machine, w: start, sq_norm, guess: self.0, moves: 0 }
    }
}

/// The formulas above, on plain vectors; its memory is the guess g and the moves made under it.
fn naive(observed: &Observed<'_>, params: &Params, memory: &mut Vec<f64>) -> Option<Vec<f64>> {
    let gamma = params.number("gamma");
    if memory.is_empty() {
        *memory = vec![if gamma > 0.0 { gamma } else { 1.0 }, 0.0];
    }
    let (g, length) = (memory[0], norm(observed.z));
    if observed.margin / length > g / 2.0 * norm(observed.w) {
        return None;
    }
    memory[1] += 1.0;
    if gamma == 0.0 && memory[1] > 8.0 / (g * g) + 4.0 / g {
        *memory = vec![g / 2.0, 1.0];
        return Some(plus(&vec![0.0; observed.w.len()], observed.weight / length, observed.z));
    }
    Some(plus(observed.w, observed.weight / length, observed.z))
}

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "half-margin",
    type_name: "HalfMarginPerceptron",
    summary: "half of the best margin if that is known, a quarter if not",
    guarantee: "separable data, scaled to length 1: γ known, at most 8/γ² + 4/γ updates and a margin above γ/2; else γ/4",
    bound: "",
    paper: "Balcan and Blum 2006",
    params: &[Param {
        name: "gamma",
        help: "γ: the best margin of the examples scaled to length 1; 0 if it is not known",
        domain: Domain::Number { min: 0.0, above: false, max: 1.0, default: 0.0 },
    }],
    keep: KeepKind::Last,
    other_keeps: false,
    mistake_bound: true,
    exact_on_integers: false,
    not_mixed: Some("each shard may have another guess of the margin"),
    naive: Naive::Example(naive),
    build: |plan| {
        let gamma = plan.params.number("gamma");
        assemble(plan, HalfMarginDesign(if gamma > 0.0 { Guess::Known(gamma) } else { Guess::Halving(1.0) }))
    },
}];
