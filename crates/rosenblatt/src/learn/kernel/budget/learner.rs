//! The perceptron on a budget: judges as ever, and leaves it to a policy what a correction costs.

use super::budget_state::BudgetState;
use super::{Correction, Policy, Short};
use crate::error::{Error, Result};
use crate::learn::kernel::{Biased, KernelMachine, ScoreJudge, Support, sq_norms};
use crate::learn::{AnyLearner, Array, Geometry, Hypothesis, PassEnd, Rule, State, Tally, Weights};
use crate::rows::Examples;

/// Examples that are laid out together. It divides the loop's stride, so a resumed training goes on in the same blocks.
const BLOCK: usize = 256;

/// A kernel machine that never holds more than `most` support vectors.
pub struct Frugal<J, R, P> {
    kernel: Biased,
    jury: J,
    rule: R,
    policy: P,
    most: usize,
    desk: BudgetState,
    presented: u64,
    updates: Vec<u64>,
    /// Whether R² is that of the examples that all runs present.
    attending: bool,
}

impl<J: ScoreJudge, R: Rule, P: Policy> Frugal<J, R, P> {
    /// Begins with nothing.
    pub fn new(kernel: Biased, jury: J, rule: R, policy: P, most: usize, features: usize) -> Self {
        let (outputs, seats) = (jury.outputs(), jury.seats());
        let desk = BudgetState::new(kernel, features, outputs);
        Frugal { kernel, jury, rule, policy, most, desk, presented: 0, updates: vec![0; seats], attending: false }
    }

    /// The support vectors and their coefficients.
    pub fn desk(&self) -> &BudgetState {
        &self.desk
    }

    /// What the policy remembers.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    fn present(&mut self, examples: Examples<'_>, order: &[u32], mut failures: Option<&mut [u32]>) -> Tally {
        let mut tally = Tally { presented: order.len() as u64, ..Tally::default() };
        let (mut scores, mut moves, mut short) = (Vec::new(), Vec::new(), Vec::new());
        for block in order.chunks(BLOCK) {
            self.desk.open(examples.rows, block);
            for (at, &i) in block.iter().enumerate() {
                self.presented += 1;
                let (class, weight) = (examples.classes[i as usize], examples.weight(i as usize));
                self.desk.turn_to(at);
                scores.clear();
                scores.extend(self.desk.own_scores());
                let (sq_len, sq_radius) = (self.desk.own_sq_len(), self.desk.sq_radius());
                moves.clear();
                short.clear();
                let (mut mistakes, mut own, mut best_other) = (0, 0.0, f64::NEG_INFINITY);
                let together = self.jury.seats() == 1;
                let Frugal { jury, rule, updates, .. } = self;
                jury.judge(&scores, class, |seat, judged, would| {
                    mistakes += u64::from(judged.mistake);
                    if together || seat == class as usize {
                        own = judged.margin;
                    } else {
                        best_other = f64::max(best_other, -judged.margin);
                    }
                    let tau = weight * rule.tau(judged, updates[seat] + 1, || judged.stretch * sq_len);
                    if tau > 0.0 {
                        updates[seat] += 1;
                        moves.extend(would.iter().map(|step| (step.output as u32, tau * step.by)));
                        tally.updates += 1;
                    } else if P::MENDS_SHORT && judged.margin < sq_radius {
                        short.extend(would.iter().map(|step| Short {
                            output: step.output as u32,
                            by: step.by,
                            margin: judged.margin / sq_radius,
                            stretch: judged.stretch,
                        }));
                    }
                });
                tally.mistakes += mistakes;
                tally.last_margin = if together { own } else { own - best_other };
                if let (1.., Some(failures)) = (mistakes, &mut failures) {
                    failures[i as usize] = failures[i as usize].saturating_add(1);
                }
                if !moves.is_empty() || !short.is_empty() {
                    self.policy.correct(&mut self.desk, &Correction { moves: &moves, short: &short }, self.most);
                }
            }
        }
        self.desk.tidy();
        tally
    }

    fn machine(&self) -> KernelMachine {
        KernelMachine::sum(self.kernel, &self.desk.support, self.desk.coefficients.clone(), self.jury.outputs())
    }
}

impl<J: ScoreJudge, R: Rule, P: Policy> AnyLearner for Frugal<J, R, P> {
    fn attend(&mut self, examples: Examples<'_>) {
        self.desk.set_sq_radius(crate::learn::kernel::radius(&self.kernel, examples.rows).powi(2));
        self.attending = true;
    }

    fn run(&mut self, examples: Examples<'_>, order: &[u32], failures: Option<&mut [u32]>) -> Tally {
        if !self.attending {
            self.desk.set_sq_radius(crate::learn::kernel::radius(&self.kernel, examples.rows).powi(2));
        }
        self.present(examples, order, failures)
    }

    fn end_pass(&mut self, _presented: u64) -> PassEnd {
        PassEnd::default()
    }

    fn wants_margin(&self) -> bool {
        R::WANTS_MARGIN
    }

    /// Support vectors are kept as they came: a feature that they lack is zero in them.
    fn grow(&mut self, _features: usize) {}

    /// There is no hyperplane in the space of the features: zeros.
    fn current(&self) -> Weights {
        Weights::zeros(self.desk.support.features(), self.jury.outputs(), false)
    }

    fn is_finite(&self) -> bool {
        self.desk.coefficients.iter().all(|c| c.is_finite())
    }

    fn geometry(&self, examples: Examples<'_>) -> Geometry {
        let machine = self.machine();
        let norms = sq_norms(&self.kernel, machine.support(), &machine.coefficients(), self.jury.outputs());
        let radius = crate::learn::kernel::radius(&self.kernel, examples.rows);
        Geometry::of_scores(&machine.last_scores(examples.rows), &norms, radius, examples.classes)
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::Kernel(self.machine())
    }

    /// Vectors that were given up can be needed again: (R/γ)² does not hold.
    fn bound(&self, _seen: &Geometry) -> Option<f64> {
        None
    }

    fn bounded_on_any_data(&self) -> bool {
        false
    }

    fn save(&self, state: &mut State) {
        self.desk.support.save(state);
        state.put("coefficients", Array::F64(self.desk.coefficients.clone()));
        state.put("born", Array::U64(self.desk.born.clone()));
        state.put_count("presented", self.presented);
        state.put("updates", Array::U64(self.updates.clone()));
        state.within("policy", |s| self.policy.save(s));
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        let presented = state.count("presented")?;
        let support = Support::restore(state, self.desk.support.features())?;
        let (coefficients, born) = (state.f64s("coefficients")?.to_vec(), state.u64s("born")?.to_vec());
        let updates = state.u64s("updates")?.to_vec();
        let fits = coefficients.len() == support.len() * self.jury.outputs()
            && born.len() == support.len()
            && born.iter().all(|&b| b < crate::learn::MOST)
            && updates.len() == self.updates.len()
            && updates.iter().all(|&u| u <= presented)
            && support.len() <= self.most;
        if !fits {
            return Err(Error::bad_model("the support of the kernel machine does not fit its budget and its counts"));
        }
        self.policy.restore(&state.below("policy"), support.len())?;
        (self.presented, self.updates) = (presented, updates);
        self.desk.reset(support, coefficients, born);
        Ok(())
    }
}
