//! Sources of examples, read once per pass: memory, a file while it is read, a cache on disk, batches, sentences.

use std::ops::ControlFlow;

use super::train::Trainee;
use crate::error::Result;
use crate::learn::Stop;

/// Examples to present next.
pub(crate) struct Block<'a, T: Trainee> {
    /// The examples.
    pub(crate) examples: T::Examples<'a>,
    /// Places in `examples`, in the order of presentation.
    pub(crate) order: &'a [u32],
    /// Places of rows of a later block: a prefetch hint.
    pub(crate) upcoming: &'a [u32],
    /// The numbers of the places over all examples.
    pub(crate) numbers: Numbers<'a>,
}

/// The numbers of the examples of a block, counted from 0 over all examples.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Numbers<'a> {
    /// Place i is example `start + i`.
    From(u64),
    /// Place i is a copy of example `list[i]`.
    Listed(&'a [u32]),
}

/// Examples that were just presented.
#[derive(Debug, Clone, Copy)]
pub struct Presented<'a> {
    pub(super) places: &'a [u32],
    pub(super) numbers: Numbers<'a>,
}

impl Presented<'_> {
    /// Their numbers, from 0.
    pub fn numbers(self) -> impl Iterator<Item = u64> {
        self.places.iter().map(move |&place| match self.numbers {
            Numbers::From(start) => start + u64::from(place),
            Numbers::Listed(list) => u64::from(list[place as usize]),
        })
    }

    /// The number of the first.
    pub fn first(self) -> u64 {
        self.numbers().next().unwrap_or(0)
    }

    /// How many.
    pub fn len(self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.places.is_empty()
    }
}

/// How a pass over a source ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    /// Every block was presented.
    Whole,
    /// Training was told to stop.
    Stopped(Stop),
    /// An assumption of the source failed and was corrected: training restarts.
    Restart,
    /// Another source must be used, or suits better.
    Unsuitable,
}

/// Callback for the blocks of a pass, in order.
pub(crate) type Present<'p, T> = dyn FnMut(Block<'_, T>) -> Result<ControlFlow<Stop>> + 'p;

/// Callback for some examples at a time.
pub(crate) type Visit<'p, T> = dyn FnMut(<T as Trainee>::Examples<'_>) -> Result<()> + 'p;

/// A source of examples that can be read again for every pass.
pub(crate) trait BlockSource<T: Trainee> {
    /// How many examples pass `epoch` presents, if that is known before its end.
    fn length(&mut self, epoch: u32) -> Option<u64>;

    /// Calls `present` with every block of pass `epoch`, in the order of presentation. The observer is called at least
    /// every `stride` examples.
    fn pass(&mut self, epoch: u32, stride: usize, present: &mut Present<'_, T>) -> Result<Passed>;

    /// Calls `visit` with all examples once, some at a time and in the order of the data, for measuring. `false`: an
    /// assumption of the source failed, and training restarts.
    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, T>) -> Result<bool>
    where
        T: 's;

    /// All examples, if they are in memory.
    fn resident(&self) -> Option<T::Examples<'_>> {
        None
    }
}
