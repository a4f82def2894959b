//! Learners: a hypothesis that changes with each example.

use super::add_classes::{AddedClasses, Outputs, needs_all_classes};
use super::geometry::Geometry;
use super::hypothesis::Hypothesis;
use super::state::State;
use super::weights::Weights;
use crate::error::{Error, Result};
use crate::rows::{Examples, Row, Rows, each_kind, prefetch};

/// The result of one example: its margin before the step, whether it was a mistake, and whether the weights moved.
/// (One-vs-rest machines count both over all their classifiers.)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// y(w·x + b) before the step, or the true class's score less the best other's.
    pub margin: f64,
    /// Wrong predictions.
    pub mistakes: u32,
    /// Hyperplanes that moved.
    pub updates: u32,
}

/// A learner's result at the end of a pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct PassEnd {
    /// Updates made at the end of the pass rather than example by example.
    pub updates: u64,
    /// The step was smaller than the user's ε.
    pub small_step: bool,
}

/// Labelled examples of one kind of row. Loops are generic over it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, R> {
    rows: R,
    classes: &'a [u32],
    weights: Option<&'a [f64]>,
    against: Option<u32>,
}

impl<'a, R: Rows> View<'a, R> {
    /// All examples, in rows of one kind.
    pub fn new(rows: R, examples: Examples<'a>) -> Self {
        View { rows, classes: examples.classes, weights: examples.weights, against: None }
    }

    /// The same examples relabelled: one class against the rest.
    pub fn against_rest(self, class: u32) -> Self {
        View { against: Some(class), ..self }
    }

    /// The number of examples.
    pub fn len(self) -> usize {
        self.classes.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.classes.is_empty()
    }

    /// The example at `i`: features, class, weight.
    #[inline(always)]
    pub fn get(self, i: usize) -> (R::Row, u32, f64) {
        let class = match self.against {
            None => self.classes[i],
            Some(class) => u32::from(self.classes[i] == class),
        };
        (self.rows.row(i), class, self.weights.map_or(1.0, |w| w[i]))
    }
}

/// Learns one example at a time; [`hypothesis`](Learner::hypothesis) may be called at any time.
pub trait Learner: Send + Sync + 'static {
    /// Learns from one example of this weight, which is > 0.
    fn learn<X: Row>(&mut self, x: X, class: u32, weight: f64) -> Step;

    /// True if [`review`](Self::review) must be called after each step.
    const REVIEWS_ALL_ROWS: bool = false;

    /// Called after each step with all training examples, if `REVIEWS_ALL_ROWS`.
    #[inline]
    fn review<R: Rows>(&mut self, _all: View<'_, R>) {}

    /// Called at the end of a pass over `presented` examples.
    fn end_pass(&mut self, _presented: u64) -> PassEnd {
        PassEnd::default()
    }

    /// True if training continues until nothing moves, not only until there is no mistake: for rules that promise a margin.
    fn wants_margin(&self) -> bool {
        false
    }

    /// Grows to this many features; new ones have weight zero, as if they had always existed.
    fn grow(&mut self, features: usize);

    /// The current hyperplane.
    fn current(&self) -> Weights;

    /// The current hyperplane on these features alone, in the time of these ([`Weights::pick`]). `None`: a step may move
    /// other weights too.
    fn current_at(&self, _features: &[u32]) -> Option<Weights> {
        None
    }

    /// The hypothesis to save: what is kept of the path.
    fn hypothesis(&self) -> Hypothesis;

    /// The hypothesis on these features alone: its weights in this order, and the biases ([`Weights::pick`]). Takes the
    /// time of these features, not of all. `None`: the hypothesis is not one hyperplane for each output.
    fn kept_at(&self, _features: &[u32]) -> Option<Weights> {
        None
    }

    /// At most this many mistakes on separable data, if a theorem says so: see [`Rule::bound`](super::rule::Rule::bound).
    fn bound(&self, geometry: &Geometry) -> Option<f64>;

    /// Whether the first pass keeps the bound for any data: see
    /// [`Rule::bounded_on_any_data`](super::rule::Rule::bounded_on_any_data).
    fn bounded_on_any_data(&self) -> bool {
        false
    }

    /// Writes everything that resuming needs.
    fn save(&self, state: &mut State);

    /// Reads it back into a learner that was built the same way.
    fn restore(&mut self, state: &State) -> Result<()>;

    /// Writes the state from which a learner for other outputs resumes. `machine`: which one, where each class has its own.
    /// Without this method a learner needs all classes before its first example.
    fn save_for(&self, _machine: usize, _outputs: &Outputs, _state: &mut State) -> Result<()> {
        Err(needs_all_classes())
    }

    /// Takes over the state of `old`, which was built the same way for fewer classes.
    fn add_classes(&mut self, old: &dyn AnyLearner, added: &AddedClasses<'_>) -> Result<()> {
        let mut state = State::default();
        old.save_for(0, &added.together(), &mut state)?;
        self.restore(&state)
    }

    /// An error if a copy of what the learner has gathered for its hypothesis does not fit in memory.
    fn reserve(&self) -> Result<()> {
        Ok(())
    }

    /// Starts counting at this many examples: for a class that is added later and has its own machine.
    fn begin_late(&mut self, _presented: u64) {}
}

/// Totals of a run of examples.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Examples presented.
    pub presented: u64,
    /// Wrong predictions before the step.
    pub mistakes: u64,
    /// Times that the weights moved.
    pub updates: u64,
    /// The margin of the last example before its step.
    pub last_margin: f64,
}

impl Tally {
    /// Adds a run that followed.
    pub fn add(&mut self, later: Tally) {
        self.presented += later.presented;
        self.mistakes += later.mistakes;
        self.updates += later.updates;
        self.last_margin = later.last_margin;
    }
}

/// Any learner, behind a pointer. Each call is indirect; inside a run of examples everything is static.
pub trait AnyLearner: Send + Sync {
    /// Announces the examples that all later runs present, so that the learner can prepare for them.
    fn attend(&mut self, _examples: Examples<'_>) -> Result<()> {
        Ok(())
    }
    /// True if the learner needs other rows, or row addresses; if not, a copy of the row will do.
    fn needs_other_rows(&self) -> bool {
        true
    }
    /// Presents the examples numbered in `order`, counting in `failures` how often each was a mistake.
    fn run(&mut self, examples: Examples<'_>, order: &[u32], failures: Option<&mut [u32]>) -> Tally;
    /// The same, and prefetches with each of them a row of `soon`, which a later run presents. A hint only.
    fn run_prefetching(
        &mut self,
        examples: Examples<'_>,
        order: &[u32],
        _soon: &[u32],
        failures: Option<&mut [u32]>,
    ) -> Tally {
        self.run(examples, order, failures)
    }
    /// The most examples of a run, so that one run takes well below a second.
    fn stride(&self) -> usize {
        usize::MAX
    }
    /// An error if a run of `presented` of `examples` may need more memory than is allowed.
    fn reserve(&self, _examples: usize, _presented: usize) -> Result<()> {
        Ok(())
    }
    /// See [`Learner::end_pass`].
    fn end_pass(&mut self, presented: u64) -> PassEnd;
    /// See [`Learner::wants_margin`].
    fn wants_margin(&self) -> bool;
    /// See [`Learner::grow`].
    fn grow(&mut self, features: usize);
    /// The current hyperplane; `None`: a kernel machine has none in the space of the features.
    fn current(&self) -> Option<Weights>;
    /// The current hyperplane, or an error that says why there is none.
    fn hyperplane(&self) -> Result<Weights> {
        self.current().ok_or_else(|| Error::settings("a kernel machine has no hyperplane in the space of the features"))
    }
    /// Whether every number in it is finite.
    fn is_finite(&self) -> bool;
    /// The same after steps along rows that have these features alone: in their time, where the learner allows it.
    fn is_finite_at(&self, _features: &[u32]) -> bool {
        self.is_finite()
    }
    /// Radius and margin of the current hypothesis on these examples.
    fn geometry(&self, examples: Examples<'_>) -> Result<Geometry>;
    /// See [`Learner::hypothesis`].
    fn hypothesis(&self) -> Hypothesis;
    /// See [`Learner::kept_at`].
    fn kept_at(&self, _features: &[u32]) -> Option<Weights> {
        None
    }
    /// See [`Learner::bound`].
    fn bound(&self, geometry: &Geometry) -> Option<f64>;
    /// See [`Learner::bounded_on_any_data`].
    fn bounded_on_any_data(&self) -> bool;
    /// See [`Learner::save`].
    fn save(&self, state: &mut State);
    /// See [`Learner::restore`].
    fn restore(&mut self, state: &State) -> Result<()>;
    /// See [`Learner::save_for`].
    fn save_for(&self, _machine: usize, _outputs: &Outputs, _state: &mut State) -> Result<()> {
        Err(needs_all_classes())
    }
    /// See [`Learner::add_classes`].
    fn add_classes(&mut self, _old: &dyn AnyLearner, _added: &AddedClasses<'_>) -> Result<()> {
        Err(needs_all_classes())
    }

    /// Presents one example and returns its step: for tracing.
    fn step(&mut self, examples: Examples<'_>, i: u32) -> Step {
        let tally = self.run(examples, &[i], None);
        Step { margin: tally.last_margin, mistakes: tally.mistakes as u32, updates: tally.updates as u32 }
    }
}

/// How many examples ahead a row is prefetched, and how many ahead its offset. (Sequential rows need no hint: the
/// processor prefetches them by itself.)
const AHEAD: u32 = 6;
const FAR_AHEAD: u32 = 12;

/// Examples that the loop fetches by place.
pub(crate) trait Presentable: Copy {
    /// Prefetches the row at this place.
    #[inline(always)]
    fn prefetch(self, _place: usize) {}

    /// Prefetches the offset of the row at this place.
    #[inline(always)]
    fn prefetch_place(self, _place: usize) {}
}

/// A learner of examples of this form.
pub(crate) trait LearnsFrom<V: Presentable> {
    /// Learns from the example at a place.
    fn learn_at(&mut self, examples: V, place: usize) -> Step;
}

impl<R: Rows> Presentable for View<'_, R> {
    #[inline(always)]
    fn prefetch(self, place: usize) {
        self.rows.row(place).prefetch();
    }

    #[inline(always)]
    fn prefetch_place(self, place: usize) {
        self.rows.prefetch_place(place);
        prefetch(&self.classes[place..][..1]);
    }
}

impl<'a, L: Learner, R: Rows> LearnsFrom<View<'a, R>> for L {
    #[inline(always)]
    fn learn_at(&mut self, examples: View<'a, R>, place: usize) -> Step {
        let (x, class, weight) = examples.get(place);
        let step = self.learn(x, class, weight);
        if L::REVIEWS_ALL_ROWS {
            self.review(examples);
        }
        step
    }
}

/// The one learning loop: presents examples in this order. Prefetches the rows that come next, and those of `soon` for a
/// later run.
pub(crate) fn run<V: Presentable, L: LearnsFrom<V>>(
    learner: &mut L,
    examples: V,
    order: &[u32],
    soon: &[u32],
    mut failures: Option<&mut [u32]>,
) -> Tally {
    let mut tally = Tally { presented: order.len() as u64, ..Tally::default() };
    for (at, &i) in order.iter().enumerate() {
        if let Some(&other) = soon.get(at) {
            examples.prefetch(other as usize);
        }
        if let Some(&later) = order.get(at + FAR_AHEAD as usize)
            && later != i.wrapping_add(FAR_AHEAD)
        {
            examples.prefetch_place(later as usize);
            if let Some(failures) = &failures {
                prefetch(&failures[later as usize..][..1]);
            }
        }
        if let Some(&next) = order.get(at + AHEAD as usize)
            && next != i.wrapping_add(AHEAD)
        {
            examples.prefetch(next as usize);
        }
        let step = learner.learn_at(examples, i as usize);
        if step.mistakes > 0 {
            tally.mistakes += u64::from(step.mistakes);
            if let Some(failures) = &mut failures {
                failures[i as usize] = failures[i as usize].saturating_add(1);
            }
        }
        tally.updates += u64::from(step.updates);
        tally.last_margin = step.margin;
    }
    tally
}

impl<L: Learner> AnyLearner for L {
    fn needs_other_rows(&self) -> bool {
        L::REVIEWS_ALL_ROWS
    }

    fn run(&mut self, examples: Examples<'_>, order: &[u32], failures: Option<&mut [u32]>) -> Tally {
        self.run_prefetching(examples, order, &[], failures)
    }

    fn stride(&self) -> usize {
        // A review may visit all rows after each example.
        if L::REVIEWS_ALL_ROWS { 64 } else { usize::MAX }
    }

    fn reserve(&self, _examples: usize, _presented: usize) -> Result<()> {
        Learner::reserve(self)
    }

    fn run_prefetching(
        &mut self,
        examples: Examples<'_>,
        order: &[u32],
        soon: &[u32],
        failures: Option<&mut [u32]>,
    ) -> Tally {
        each_kind!(examples.rows, rows => run(self, View::new(rows, examples), order, soon, failures))
    }

    fn end_pass(&mut self, presented: u64) -> PassEnd {
        Learner::end_pass(self, presented)
    }

    fn wants_margin(&self) -> bool {
        Learner::wants_margin(self)
    }

    fn grow(&mut self, features: usize) {
        Learner::grow(self, features);
    }

    fn current(&self) -> Option<Weights> {
        Some(Learner::current(self))
    }

    fn is_finite(&self) -> bool {
        Learner::current(self).is_finite()
    }

    fn is_finite_at(&self, features: &[u32]) -> bool {
        Learner::current_at(self, features).map_or_else(|| AnyLearner::is_finite(self), |weights| weights.is_finite())
    }

    fn geometry(&self, examples: Examples<'_>) -> Result<Geometry> {
        Geometry::measure(&Learner::current(self), examples)
    }

    fn hypothesis(&self) -> Hypothesis {
        Learner::hypothesis(self)
    }

    fn kept_at(&self, features: &[u32]) -> Option<Weights> {
        Learner::kept_at(self, features)
    }

    fn bound(&self, geometry: &Geometry) -> Option<f64> {
        Learner::bound(self, geometry)
    }

    fn bounded_on_any_data(&self) -> bool {
        Learner::bounded_on_any_data(self)
    }

    fn save(&self, state: &mut State) {
        Learner::save(self, state);
    }

    fn restore(&mut self, state: &State) -> Result<()> {
        Learner::restore(self, state)
    }

    fn save_for(&self, machine: usize, outputs: &Outputs, state: &mut State) -> Result<()> {
        Learner::save_for(self, machine, outputs, state)
    }

    fn add_classes(&mut self, old: &dyn AnyLearner, added: &AddedClasses<'_>) -> Result<()> {
        Learner::add_classes(self, old, added)
    }
}
