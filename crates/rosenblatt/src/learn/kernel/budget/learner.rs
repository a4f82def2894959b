//! The perceptron on a budget: judges as `Dual` does; a policy decides which support vectors a correction costs.

use super::budget_state::BudgetState;
use super::{Correction, Policy, Short};
use crate::error::{Error, Result};
use crate::learn::kernel::{Biased, KernelMachine, ScoreJudge, Support};
use crate::learn::machine::Tie;
use crate::learn::{AnyLearner, AnyRule, Array, Geometry, Hypothesis, Measurer, PassEnd, State, Tally, Weights};
use crate::limits;
use crate::rows::Examples;

/// Examples that are loaded together. It divides the loop's stride, so a resumed training has the same blocks.
const BLOCK: usize = 256;

/// A kernel machine that never holds more than `most` support vectors.
pub struct BudgetPerceptron<J, P> {
    kernel: Biased,
    judge: J,
    rule: Box<dyn AnyRule>,
    policy: P,
    most: usize,
    budget: BudgetState,
    presented: u64,
    updates: Vec<u64>,
    /// Whether R² is that of the examples that all runs present.
    attending: bool,
}

impl<J: ScoreJudge, P: Policy> BudgetPerceptron<J, P> {
    /// Starts with no support vectors.
    pub fn new(kernel: Biased, judge: J, rule: Box<dyn AnyRule>, policy: P, most: usize, features: usize) -> Self {
        let (outputs, machines) = (judge.outputs(), judge.machines());
        let budget = BudgetState::new(kernel, features, outputs);
        BudgetPerceptron {
            kernel,
            judge,
            rule,
            policy,
            most,
            budget,
            presented: 0,
            updates: vec![0; machines],
            attending: false,
        }
    }

    /// The support vectors and their coefficients.
    pub fn budget_state(&self) -> &BudgetState {
        &self.budget
    }

    /// The state of the policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    fn present(&mut self, examples: Examples<'_>, order: &[u32], mut failures: Option<&mut [u32]>) -> Tally {
        let mut tally = Tally { presented: order.len() as u64, ..Tally::default() };
        let (mut scores, mut moves, mut short) = (Vec::new(), Vec::new(), Vec::new());
        for block in order.chunks(BLOCK) {
            self.budget.open(examples.rows, block);
            for (at, &i) in block.iter().enumerate() {
                self.presented += 1;
                let (class, weight) = (examples.classes[i as usize], examples.weight(i as usize));
                self.budget.set_current(at);
                scores.clear();
                scores.extend(self.budget.current_scores());
                let (sq_len, sq_radius) = (self.budget.current_sq_len(), self.budget.sq_radius());
                moves.clear();
                short.clear();
                let mut mistakes = 0;
                let BudgetPerceptron { judge, rule, updates, .. } = self;
                tally.last_margin = judge.judge(&scores, class, |machine, judged, would| {
                    mistakes += u64::from(judged.mistake);
                    let tau = rule.weighted_tau(judged, updates[machine] + 1, judged.stretch * sq_len, weight);
                    if tau > 0.0 {
                        updates[machine] += 1;
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
                if let (1.., Some(failures)) = (mistakes, &mut failures) {
                    failures[i as usize] = failures[i as usize].saturating_add(1);
                }
                if !moves.is_empty() || !short.is_empty() {
                    self.policy.correct(&mut self.budget, &Correction { moves: &moves, short: &short }, self.most);
                }
            }
        }
        self.budget.compact();
        tally
    }

    fn machine(&self) -> KernelMachine {
        KernelMachine::sum(self.kernel, &self.budget.support, self.budget.coefficients.clone(), self.judge.outputs())
    }
}

impl<J: ScoreJudge, P: Policy> AnyLearner for BudgetPerceptron<J, P> {
    fn attend(&mut self, examples: Examples<'_>) -> Result<()> {
        self.budget.set_sq_radius(crate::learn::kernel::radius(&self.kernel, examples.rows).powi(2));
        self.attending = true;
        Ok(())
    }

    fn stride(&self) -> usize {
        BLOCK
    }

    fn reserve(&self, _examples: usize, presented: usize) -> Result<()> {
        let support = self.most.min(self.budget.active_count() + presented);
        self.policy.reserve(support)?;
        // Coefficients, the model's, and kernel values with a block of rows.
        let outputs = self.judge.outputs();
        let what = || format!("the coefficients of {support} support vectors × {outputs} classes").into();
        limits::room_for::<f64>(support as u128 * (2 * outputs + BLOCK) as u128, what)
    }

    fn run(&mut self, examples: Examples<'_>, order: &[u32], failures: Option<&mut [u32]>) -> Tally {
        if !self.attending {
            self.budget.set_sq_radius(crate::learn::kernel::radius(&self.kernel, examples.rows).powi(2));
        }
        self.present(examples, order, failures)
    }

    fn end_pass(&mut self, _presented: u64) -> PassEnd {
        PassEnd::default()
    }

    fn wants_margin(&self) -> bool {
        self.rule.wants_margin()
    }

    /// No-op: a feature that a stored support vector lacks is zero in it.
    fn grow(&mut self, _features: usize) {}

    fn current(&self) -> Option<Weights> {
        None
    }

    fn is_finite(&self) -> bool {
        self.budget.coefficients.iter().all(|c| c.is_finite())
    }

    fn geometry(&self, examples: Examples<'_>) -> Result<Geometry> {
        // The tie rule changes no score of a sum.
        Ok(Measurer::new(&self.hypothesis(), Tie::Update)?.measure(examples)?.geometry)
    }

    fn hypothesis(&self) -> Hypothesis {
        Hypothesis::Kernel(self.machine())
    }

    /// None: removed vectors can be needed again, so (R/γ)² does not hold.
    fn bound(&self, _geometry: &Geometry) -> Option<f64> {
        None
    }

    fn bounded_on_any_data(&self) -> bool {
        false
    }

    fn save(&self, state: &mut State) {
        self.budget.support.save(state);
        state.put("coefficients", Array::F64(self.budget.coefficients.clone()));
        state.put("born", Array::U64(self.budget.inserted.clone()));
        state.put_count("presented", self.presented);
        state.put("updates", Array::U64(self.updates.clone()));
        state.within("policy", |s| self.policy.save(s));
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        let presented = state.count("presented")?;
        let support = Support::restore(state, self.budget.support.features())?;
        let (coefficients, inserted) = (state.f64s("coefficients")?.to_vec(), state.u64s("born")?.to_vec());
        let updates = state.u64s("updates")?.to_vec();
        let fits = coefficients.len() == support.len() * self.judge.outputs()
            && inserted.len() == support.len()
            && inserted.iter().all(|&b| b < crate::learn::MOST)
            && updates.len() == self.updates.len()
            && updates.iter().all(|&u| u <= presented)
            && support.len() <= self.most;
        if !fits {
            return Err(Error::bad_model("the support of the kernel machine does not fit its budget and its counts"));
        }
        self.policy.restore(&state.below("policy"), support.len())?;
        (self.presented, self.updates) = (presented, updates);
        self.budget.reset(support, coefficients, inserted);
        Ok(())
    }
}
