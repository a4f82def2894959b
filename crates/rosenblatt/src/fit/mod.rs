//! The loop that owns training: order, passes, stopping. A learner only ever sees one example.

mod add_classes;
mod block_assembler;
mod borrowed;
mod cached;
mod checkpoint;
mod checkpoint_file;
mod custom_rule;
mod file;
mod online_trainer;
mod order;
mod overlap_first_pass;
mod plateau;
mod report;
mod row_prefetch;
mod stream;
mod trainer;
mod validate;

pub use borrowed::Borrowed;
pub use checkpoint::Checkpoint;
pub use file::{Storage, half_of_free_memory};
pub use online_trainer::OnlineTrainer;
pub use order::{BLOCK_ROWS, BLOCK_VALUES, FINE_VALUES, Order};
pub use overlap_first_pass::Begun;
pub use plateau::StopOnPlateau;
pub use report::{Report, Validated};
pub use stream::Streamed;
pub use trainer::{ClassWeights, Fitted, Start, Trainer};
pub use validate::Held;

use std::ops::ControlFlow;

use crate::error::{Error, Result};
use crate::learn::{AnyLearner, Progress, Stop, Tally};
use crate::rows::Examples;
use order::Orders;
use row_prefetch::{Showing, Stage};

/// How long to train, and in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// At most this many passes.
    pub epochs: u32,
    /// The order of each pass.
    pub order: Order,
}

/// A moment of a pass.
pub struct Now<'a> {
    /// How far training has come.
    pub course: &'a Progress,
    /// How many examples the pass presents.
    pub total: u64,
    /// The examples that were just presented, by number from 0.
    pub examples: &'a [u32],
    /// What they added up to.
    pub tally: Tally,
    /// The learner after them.
    pub learner: &'a dyn AnyLearner,
}

/// Looks on while training runs, and may end it.
///
/// ```
/// use std::ops::ControlFlow;
/// use rosenblatt::{Now, Observer, Stop, Table, Trainer};
///
/// /// Ends training after some examples.
/// struct AtMost(u64);
/// impl Observer for AtMost {
///     fn stride(&self) -> usize {
///         1
///     }
///     fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
///         if now.course.presented < self.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Interrupted) }
///     }
/// }
///
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let fitted = Trainer::new("perceptron").fit_watched(&table, None, &mut AtMost(3))?;
/// assert_eq!((fitted.report.presented, fitted.report.stopped), (3, Stop::Interrupted));
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub trait Observer {
    /// How many examples may pass between two looks: often enough for Ctrl-C, too seldom to cost. 1 sees every step.
    fn stride(&self) -> usize {
        4096
    }

    /// Some more examples of the current pass have been presented.
    fn advanced(&mut self, _now: &Now<'_>) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    /// A pass has ended; `failures` counts how often each example was a mistake.
    fn pass_ended(
        &mut self,
        _course: &Progress,
        _learner: &dyn AnyLearner,
        _failures: &[u32],
    ) -> Result<ControlFlow<Stop>> {
        Ok(ControlFlow::Continue(()))
    }
}

/// Looks away.
impl Observer for () {}

/// Whether training has no thread but its own: there is one only, or the others have examples of their own.
fn alone() -> bool {
    rayon::current_num_threads() == 1 || rayon::current_thread_index().is_some()
}

/// Finite data made numbers that are not.
fn overflowed(course: &Progress) -> Error {
    Error::bad_data(format!(
        "the weights overflowed in pass {}: the values are too large; divide them by a common factor",
        course.epochs() + u32::from(course.position > 0)
    ))
}

/// Presents the examples pass by pass, from where `course` stands, until something says stop.
/// `failures` counts how often each example was a mistake.
pub fn fit(
    learner: &mut dyn AnyLearner,
    examples: Examples<'_>,
    plan: &Plan,
    course: &mut Progress,
    failures: &mut [u32],
    observer: &mut dyn Observer,
) -> Result<Stop> {
    plan.order.check(examples.len())?;
    if let Some(ended) = course.ended {
        return Ok(ended);
    }
    learner.attend(examples);
    let mut orders = Orders::new(plan, examples);
    let mut stage = Stage::new(examples, &plan.order, learner);
    while course.epochs() < plan.epochs {
        let length = orders.turn_to(course.epochs());
        if length == 0 {
            return Err(Error::bad_data("every example has weight zero: nothing can be learned"));
        }
        course.check_position(length)?;
        let flow = orders.go_through(|order, soon| {
            let (at, stride) = (course.position as usize, observer.stride().max(1));
            let mut seen = |learner: &dyn AnyLearner, examples: &[u32], tally| {
                course.add(tally);
                observer.advanced(&Now { course, total: length as u64, examples, tally, learner })
            };
            let (order, soon) = (&order[at..], soon.get(at..).unwrap_or_default());
            stage.present(learner, Showing { order, soon, stride, failures, seen: &mut seen })
        });
        if let ControlFlow::Break(stop) = flow {
            return Ok(stop);
        }
        let end = learner.end_pass(length as u64);
        course.add_late_updates(end.updates);
        let (mistakes, updates) = course.end_pass();
        if !learner.is_finite() {
            return Err(overflowed(course));
        }
        // Nothing erred; but if something moved, only a look at all examples tells whether the last weights separate.
        let separates = || learner.geometry(examples).margin > 0.0;
        if mistakes == 0 && (updates == 0 || !learner.wants_margin() && separates()) {
            course.ended = Some(Stop::Separated);
        } else if end.small_step {
            course.ended = Some(Stop::SmallStep);
        }
        let flow = observer.pass_ended(course, learner, failures)?;
        match (course.ended, flow) {
            (Some(stop), _) | (None, ControlFlow::Break(stop)) => return Ok(stop),
            (None, ControlFlow::Continue(())) => {}
        }
    }
    Ok(Stop::MaxEpochs)
}
