//! The order in which examples are presented.
//!
//! **Shuffled** works on a stream, and depends only on the data and the seed: the examples are cut into blocks in file
//! order; a block ends with the row that brings it to 65,536 rows or 2²¹ stored values. Where the first block would end
//! by its values, all blocks end at a quarter of them, 2¹⁹: so much stays in the processor's cache between parsing and
//! learning, which saves a fifth of the time. The first pass takes the blocks in order, later passes in a random order;
//! rows are shuffled within each block, anew in each pass. So data of up to one block are shuffled completely, and the
//! first pass over larger data can learn while later blocks are still being read.

use std::ops::Range;

use super::{Plan, single_threaded};
use crate::error::{Error, Place, Result};
use crate::io::{show, words};
use crate::learn::OrderKind;
use crate::limits;
use crate::parallel;
use crate::random::Stream;
use crate::rows::Examples;

/// Most rows in a block.
pub const BLOCK_ROWS: usize = 1 << 16;
/// A block ends with the row that brings its stored values to this.
pub const BLOCK_VALUES: usize = 1 << 21;
/// The same where the first block would end by its values.
pub const FINE_VALUES: usize = BLOCK_VALUES / 4;

/// The order in which examples are presented in a pass.
///
/// ```
/// use rosenblatt::{Order, Table, Trainer};
/// let table = Table::dense(&[[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 0.5]], &["spam", "spam", "ham", "ham"])?;
/// let shuffled = |seed| Trainer::new("perceptron").order(Order::Shuffled { seed }).fit(&table);
/// assert_eq!(shuffled(7)?.model, shuffled(7)?.model); // the seed determines the order
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// As they stand, in every pass.
    Cyclic,
    /// Shuffled anew in every pass, by a seed.
    Shuffled {
        /// The seed of all randomness.
        seed: u64,
    },
    /// These examples, numbered from 0, in every pass; some may come twice or not at all.
    Given(Vec<u32>),
}

impl Order {
    /// A given order: the numbers of examples, from 1, as a text separates them by spaces, commas or lines; `name` is the
    /// text's name in errors.
    pub fn from_text(name: &str, text: &str) -> Result<Order> {
        let mut list = Vec::new();
        for (line, column, word) in words(text) {
            limits::reserve(&mut list, 1, &|| "the given order".into())?;
            match word.parse::<u32>() {
                Ok(number) if number > 0 => list.push(number - 1),
                _ => {
                    let message = format!("{}: expected an example number, from 1", show(word.as_bytes()));
                    return Err(Error::data(Place::at(name, line, column), message));
                }
            }
        }
        Ok(Order::Given(list))
    }

    /// Which kind it is, as reports and models name it.
    pub fn kind(&self) -> OrderKind {
        match self {
            Order::Cyclic => OrderKind::Cyclic,
            Order::Shuffled { .. } => OrderKind::Shuffled,
            Order::Given(_) => OrderKind::Given,
        }
    }

    /// Fills `order` with the numbers of the examples of pass `epoch`, counted from 0; `blocks` are those of
    /// [`Order::blocks`]. Examples of weight zero are skipped.
    pub fn fill(&self, epoch: u32, examples: Examples<'_>, blocks: &[Range<u32>], order: &mut Vec<u32>) {
        order.clear();
        match self {
            Order::Cyclic => order.extend(0..examples.len() as u32),
            Order::Given(list) => order.extend_from_slice(list),
            Order::Shuffled { seed } => {
                for (number, rows) in blocks_of_pass(blocks, *seed, epoch) {
                    let start = order.len();
                    order.extend(rows);
                    shuffle_rows(*seed, epoch, number, &mut order[start..]);
                }
            }
        }
        if let Some(weights) = examples.weights {
            order.retain(|&i| weights[i as usize] > 0.0);
        }
    }

    /// The blocks of the examples in a shuffled order; empty for other orders.
    pub fn blocks(&self, examples: Examples<'_>) -> Vec<Range<u32>> {
        match self {
            Order::Shuffled { .. } => blocks(examples),
            Order::Cyclic | Order::Given(_) => Vec::new(),
        }
    }

    /// Refuses a given order that is empty or names an example beyond the data.
    pub fn check(&self, examples: usize) -> Result<()> {
        if let Order::Given(list) = self {
            if list.is_empty() {
                return Err(Error::settings("the given order names no example"));
            }
            if let Some(&i) = list.iter().find(|&&i| i as usize >= examples) {
                return Err(Error::settings(format!(
                    "the given order names example {}: the data have {examples}",
                    u64::from(i) + 1
                )));
            }
        }
        if examples > u32::MAX as usize {
            return Err(Error::bad_data(format!("{examples} examples: at most {} can be numbered", u32::MAX)));
        }
        Ok(())
    }
}

/// Shuffles the blocks of a pass. The first pass keeps file order, so that it can learn while a file is read.
pub(super) fn shuffle_blocks<B>(seed: u64, epoch: u32, blocks: &mut [B]) {
    if epoch > 0 {
        Stream::new(seed, &[u64::from(epoch)]).shuffle(blocks);
    }
}

/// Shuffles the rows of block `number` for a pass.
pub(super) fn shuffle_rows(seed: u64, epoch: u32, number: u64, rows: &mut [u32]) {
    Stream::new(seed, &[u64::from(epoch), number]).shuffle(rows);
}

/// The blocks as a pass takes them, each with its number.
fn blocks_of_pass(blocks: &[Range<u32>], seed: u64, epoch: u32) -> Vec<(u64, Range<u32>)> {
    let mut blocks: Vec<_> = (0..).zip(blocks.iter().cloned()).collect();
    shuffle_blocks(seed, epoch, &mut blocks);
    blocks
}

/// For each example of a pass, a row of the next block, in memory order: prefetched in this order, rows arrive as quickly
/// as in a pass that is not shuffled, and are in the cache when their turn comes. Nothing follows the last block.
fn fill_upcoming(turn: &[(u64, Range<u32>)], upcoming: &mut Vec<u32>) {
    upcoming.clear();
    for pair in turn.windows(2) {
        let (this, next) = (&pair[0].1, &pair[1].1);
        let in_memory_order = next.clone().chain(std::iter::repeat(next.end - 1));
        upcoming.extend(in_memory_order.take(this.len()));
    }
}

/// Decides where blocks end, row by row, for memory and for files.
#[derive(Debug, Default)]
pub(super) struct BlockCutter {
    rows: usize,
    values: usize,
    /// The number of values that ends a block, known after the first block.
    most: Option<usize>,
}

/// Whether a block ends at a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The block goes on.
    Inside,
    /// The block ends with this row.
    End,
    /// The first block ended by its values: blocks are smaller, count again from the first row.
    Recount,
}

impl BlockCutter {
    /// For small blocks, as after [`Cut::Recount`].
    pub(super) fn small() -> Self {
        BlockCutter { most: Some(FINE_VALUES), ..BlockCutter::default() }
    }

    /// Counts a row of so many stored values.
    pub(super) fn add(&mut self, stored: usize) -> Cut {
        (self.rows, self.values) = (self.rows + 1, self.values + stored);
        let cut = match self.most {
            None if self.values >= BLOCK_VALUES => {
                self.most = Some(FINE_VALUES);
                Cut::Recount
            }
            Some(most) if self.values >= most => Cut::End,
            _ if self.rows == BLOCK_ROWS => {
                self.most = self.most.or(Some(BLOCK_VALUES));
                Cut::End
            }
            _ => return Cut::Inside,
        };
        (self.rows, self.values) = (0, 0);
        cut
    }
}

fn blocks(examples: Examples<'_>) -> Vec<Range<u32>> {
    let (mut blocks, mut cutter, mut start, mut i) = (Vec::new(), BlockCutter::default(), 0, 0);
    while i < examples.len() {
        match cutter.add(examples.rows.stored(i)) {
            Cut::Inside => i += 1,
            Cut::Recount => i = 0,
            Cut::End => {
                i += 1;
                blocks.push(start as u32..i as u32);
                start = i;
            }
        }
    }
    if start < examples.len() {
        blocks.push(start as u32..examples.len() as u32);
    }
    blocks
}

/// Fills `order` with the rows of one block, as a pass presents them. Rows of weight zero are skipped.
pub(super) fn order_within(kind: &Order, epoch: u32, number: u64, rows: Examples<'_>, order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..rows.len() as u32);
    if let Order::Shuffled { seed } = kind {
        shuffle_rows(*seed, epoch, number, order);
    }
    if let Some(weights) = rows.weights {
        order.retain(|&i| weights[i as usize] > 0.0);
    }
}

impl Order {
    /// Fills `order` with the sentences of pass `epoch`. All are shuffled together: a corpus is small.
    pub(crate) fn fill_whole(&self, epoch: u32, sentences: usize, order: &mut Vec<u32>) {
        order.clear();
        match self {
            Order::Given(given) => order.extend_from_slice(given),
            Order::Cyclic => order.extend(0..sentences as u32),
            Order::Shuffled { seed } => {
                order.extend(0..sentences as u32);
                Stream::new(*seed, &[u64::from(epoch)]).shuffle(order);
            }
        }
    }
}

/// The orders of all passes. Each is computed during the pass before it, if there is a thread for it.
pub(super) struct Orders<'a> {
    plan: &'a Plan,
    examples: Examples<'a>,
    blocks: Vec<Range<u32>>,
    /// The current pass.
    epoch: u32,
    current: Pass,
    /// The pass after it, valid if `next_ready`.
    next: Pass,
    next_ready: bool,
    /// Whether the next order is computed during a pass.
    ahead: bool,
    /// Whether rows of the next block are prefetched.
    prefetches: bool,
}

/// The examples of a pass in order, and the rows to prefetch meanwhile.
#[derive(Default)]
struct Pass {
    order: Vec<u32>,
    upcoming: Vec<u32>,
}

impl<'a> Orders<'a> {
    pub(super) fn new(plan: &'a Plan, examples: Examples<'a>) -> Self {
        let many = matches!(plan.order, Order::Shuffled { .. }) && examples.len() > BLOCK_ROWS;
        let (blocks, ahead) = (plan.order.blocks(examples), many && !single_threaded());
        // Two blocks must fit in the cache, and all rows be presented.
        let small = blocks.first().is_some_and(|first| first.len() * examples.rows.features() <= 2 * FINE_VALUES);
        let prefetches = small && blocks.len() > 1 && !examples.rows.is_sparse() && examples.weights.is_none();
        let (current, next) = (Pass::default(), Pass::default());
        Orders { plan, examples, blocks, epoch: 0, current, next, next_ready: false, ahead, prefetches }
    }

    /// Starts a pass; returns how many examples it presents.
    pub(super) fn start_pass(&mut self, epoch: u32) -> usize {
        if std::mem::take(&mut self.next_ready) && epoch == self.epoch + 1 {
            std::mem::swap(&mut self.current, &mut self.next);
        } else {
            self.current.fill(self.plan, epoch, self.examples, &self.blocks, self.prefetches);
        }
        self.epoch = epoch;
        self.current.order.len()
    }

    /// Calls `present` with the order of the current pass and the rows to prefetch.
    pub(super) fn run_pass<T>(&mut self, present: impl FnOnce(&[u32], &[u32]) -> T) -> T {
        let Orders { plan, examples, blocks, epoch, current, next, next_ready, ahead, prefetches } = self;
        *next_ready = *ahead && *epoch + 1 < plan.epochs;
        std::thread::scope(|scope| {
            if *next_ready {
                parallel::spawn(scope, || next.fill(plan, *epoch + 1, *examples, blocks, *prefetches));
            }
            present(&current.order, &current.upcoming)
        })
    }
}

impl Pass {
    fn fill(&mut self, plan: &Plan, epoch: u32, examples: Examples<'_>, blocks: &[Range<u32>], prefetches: bool) {
        plan.order.fill(epoch, examples, blocks, &mut self.order);
        if let Order::Shuffled { seed } = plan.order
            && prefetches
        {
            fill_upcoming(&blocks_of_pass(blocks, seed, epoch), &mut self.upcoming);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{AnyRows, DenseRows};

    #[test]
    fn the_next_block_is_prefetched_in_memory_order() {
        let mut upcoming = Vec::new();
        fill_upcoming(&[(2, 5..8), (0, 0..2), (1, 2..5)], &mut upcoming);
        assert_eq!(upcoming, [0, 1, 1, 2, 3]);
        fill_upcoming(&[(0, 0..2)], &mut upcoming);
        assert!(upcoming.is_empty());
    }

    #[test]
    fn nothing_is_prefetched_after_the_last_block() {
        let (features, block) = (128, FINE_VALUES / 128);
        let rows = 5 * block + 3;
        let (values, classes) = (vec![1u8; rows * features], vec![0; rows]);
        let not_prefetched = |weights: Option<&[f64]>, order: Order| {
            let dense = DenseRows::new(&values, features).unwrap();
            let examples = Examples::new(AnyRows::DenseU8(dense), &classes, weights).unwrap();
            let plan = Plan { epochs: 2, order };
            let mut orders = Orders::new(&plan, examples);
            [0, 1].map(|epoch| {
                assert_eq!(orders.start_pass(epoch), rows);
                orders.run_pass(|order, upcoming| order.len() - upcoming.len())
            })
        };
        let shuffled = Order::Shuffled { seed: 1 };
        let [first, second] = not_prefetched(None, shuffled.clone());
        assert_eq!(first, 3);
        assert!(second == 3 || second == block, "whichever block is the last of a later pass");
        assert_eq!(not_prefetched(None, Order::Cyclic), [rows; 2], "the processor prefetches rows in order");
        assert_eq!(not_prefetched(Some(&vec![1.0; rows]), shuffled), [rows; 2], "some rows may be skipped");
    }
}
