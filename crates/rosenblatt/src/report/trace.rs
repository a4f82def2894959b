//! Training, step by step: the textbook's table, a row for each presented example.

use std::ops::ControlFlow;

use crate::error::{Error, Result};
use crate::fit::{ClassWeights, Data, Fitted, Now, Observer, Order, Start, Trainer, With};
use crate::learn::{AnyLearner, Progress, Stop, Weights};
use crate::message::{Message, Setting};
use crate::rows::Table;
use crate::theory::{Cycle, CycleWatch, Proof, ProofLine};

/// The presentation of one example, and its effect.
#[derive(Debug, Clone)]
pub struct Step {
    /// The pass, from 1.
    pub epoch: u32,
    /// The step, from 1.
    pub step: u64,
    /// The example, from 0.
    pub example: usize,
    /// The class of the example.
    pub class: u32,
    /// The score before the step for two classes, else the margin of its class.
    pub score: f64,
    /// Whether it was a mistake.
    pub mistake: bool,
    /// The weights after the step.
    pub weights: Weights,
    /// The mistake bound after this step, if there is a proof.
    pub proof: Option<ProofLine>,
}

/// The result of a traced training.
pub struct Traced {
    /// The model and its report.
    pub fitted: Fitted,
    /// The cycle of the weights, which proves that the rows as floats are not separable; [`Cycle::numbers`] tells whether
    /// it proves that of the numbers as they are written.
    pub cycle: Option<Cycle>,
}

/// Trains on the rows of a table as they are. `each` receives every step and may stop the training.
///
/// A training in cyclic order also stops when the weights repeat.
///
/// ```
/// use std::ops::ControlFlow;
/// use rosenblatt::{Table, Trainer, trace};
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let mut wrong = 0;
/// let traced = trace(&Trainer::new("perceptron"), &table, None, &mut |step| {
///     wrong += u64::from(step.mistake);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(wrong, traced.fitted.report.mistakes);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub fn trace(
    trainer: &Trainer,
    table: &Table,
    proof: Option<&Proof>,
    each: &mut dyn FnMut(Step) -> ControlFlow<Stop>,
) -> Result<Traced> {
    let start = trainer.learner(table.matrix.features(), table.labels.len())?.hyperplane()?;
    let cyclic = matches!(trainer.plan.order, Order::Cyclic | Order::Given(_));
    let watch = (cyclic && table.labels.len() == 2).then(|| Ok(CycleWatch::new(&start, table.examples()?)));
    let (cycles, bias) = (watch.transpose()?, trainer.recipe.bias.is_learned());
    let mut tracer = Tracer { table, proof, cycles, cycle: None, bias, last: None, each };
    let fitted = trainer.fit_with(Data::Table(table), With { observer: Some(&mut tracer), ..With::default() })?;
    Ok(Traced { fitted, cycle: tracer.cycle })
}

/// The separating vector that the bound needs. `None` if the data are not separable.
pub fn proof(trainer: &Trainer, table: &Table) -> Result<Option<Proof>> {
    let recipe = &trainer.recipe;
    if table.labels.len() != 2 {
        return Err(Error::settings(format!("a proof is for two classes; the data have {}", table.labels.len())));
    }
    let plain = recipe.params.get("schedule").is_none_or(|s| s == "constant") && trainer.start == Start::Zero;
    if !matches!(recipe.learner.as_str(), "perceptron" | "averaged" | "voted" | "pocket") || !plain {
        return Err(Error::settings(
            Message::new("a proof follows the perceptron from zero with a constant rate: ").leave_out(&[
                Setting::Learner,
                Setting::Schedule,
                Setting::Init,
            ]),
        ));
    }
    if trainer.class_weights != ClassWeights::Equal || table.weights.is_some() {
        let why = Message::new("a proof follows steps of equal length: ");
        return Err(Error::settings(why.leave_out(&[Setting::ClassWeight, Setting::Weight])));
    }
    Proof::find(table, recipe.bias, recipe.params()?.number("rate"))
}

struct Tracer<'a> {
    table: &'a Table,
    proof: Option<&'a Proof>,
    cycles: Option<CycleWatch>,
    cycle: Option<Cycle>,
    bias: bool,
    /// The last step of a pass, delivered at its end: a batch learner updates there.
    last: Option<Step>,
    each: &'a mut dyn FnMut(Step) -> ControlFlow<Stop>,
}

impl Observer for Tracer<'_> {
    fn stride(&self) -> usize {
        1
    }

    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        let example = now.examples.first() as usize;
        let Some(weights) = now.learner.current() else { return ControlFlow::Continue(()) };
        let class = self.table.classes[example];
        // For two classes the margin is the score times the label.
        let score =
            if self.table.labels.len() == 2 && class == 0 { -now.tally.last_margin } else { now.tally.last_margin };
        if let Some(cycles) = &mut self.cycles
            && now.tally.updates > 0
        {
            cycles.added(example, &weights);
        }
        let step = Step {
            epoch: now.progress.epochs() + 1,
            step: now.progress.presented,
            example,
            class,
            score: score + 0.0,
            mistake: now.tally.mistakes > 0,
            proof: self.proof.map(|p| p.line(&weights, now.progress.updates)),
            weights,
        };
        if now.progress.position < now.total {
            return (self.each)(step);
        }
        self.last = Some(step);
        ControlFlow::Continue(())
    }

    fn pass_ended(&mut self, _: &Progress, learner: &dyn AnyLearner, _: &[u32]) -> Result<ControlFlow<Stop>> {
        if let Some(mut step) = self.last.take() {
            step.weights = learner.hyperplane()?;
            if let ControlFlow::Break(stop) = (self.each)(step) {
                return Ok(ControlFlow::Break(stop));
            }
        }
        let Some(cycles) = &mut self.cycles else { return Ok(ControlFlow::Continue(())) };
        let found = cycles.end_pass(&learner.hyperplane()?);
        let examples = self.table.examples()?;
        self.cycle = found.filter(|cycle| cycle.verify(examples, self.bias));
        Ok(if self.cycle.is_some() { ControlFlow::Break(Stop::NoProgress) } else { ControlFlow::Continue(()) })
    }
}
