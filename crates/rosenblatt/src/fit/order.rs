//! The order in which examples are presented.
//!
//! **Shuffled** is a scheme that a stream can follow, and that depends on the data and the seed alone: the examples
//! are cut into blocks in file order; a block ends with the row that brings it to 65,536 rows or 2²¹ stored values.
//! Where the first block would end by its values all blocks end at a quarter of them, 2¹⁹: so much stays in a processor's
//! own memory between being read and being learned from, and a fifth of the time is saved. The first pass takes the blocks
//! in order, later passes in a random order; rows are shuffled within each block, anew in each pass. So data of up to one
//! block are shuffled through and through, and of larger data the first pass can be learned while later blocks are still
//! being read.

use std::ops::Range;

use super::{Plan, alone};
use crate::error::{Error, Result};
use crate::learn::OrderKind;
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
/// assert_eq!(shuffled(7)?.model, shuffled(7)?.model); // the seed owns all randomness
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// As they stand, in every pass.
    Cyclic,
    /// Shuffled anew in every pass, by a seed.
    Shuffled {
        /// Owns all randomness.
        seed: u64,
    },
    /// These examples, numbered from 0, in every pass; some may come twice or not at all.
    Given(Vec<u32>),
}

impl Order {
    /// Which kind it is, as reports and models name it.
    pub fn kind(&self) -> OrderKind {
        match self {
            Order::Cyclic => OrderKind::Cyclic,
            Order::Shuffled { .. } => OrderKind::Shuffled,
            Order::Given(_) => OrderKind::Given,
        }
    }

    /// Fills `order` with the numbers of the examples of pass `epoch`, counted from 0; `blocks` are those of
    /// [`Order::blocks`]. Weight zero is passed over.
    pub fn fill(&self, epoch: u32, examples: Examples<'_>, blocks: &[Range<u32>], order: &mut Vec<u32>) {
        order.clear();
        match self {
            Order::Cyclic => order.extend(0..examples.len() as u32),
            Order::Given(list) => order.extend_from_slice(list),
            Order::Shuffled { seed } => {
                for (number, rows) in in_turn(blocks, *seed, epoch) {
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

    /// Where the examples are cut for this order: in blocks if it is shuffled, else nowhere.
    pub fn blocks(&self, examples: Examples<'_>) -> Vec<Range<u32>> {
        match self {
            Order::Shuffled { .. } => blocks(examples),
            Order::Cyclic | Order::Given(_) => Vec::new(),
        }
    }

    /// Refuses a given order that names an example that is not there, or none at all.
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

/// Shuffles the blocks of a pass. The first pass takes them in order, so that it can learn while a file is read.
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
fn in_turn(blocks: &[Range<u32>], seed: u64, epoch: u32) -> Vec<(u64, Range<u32>)> {
    let mut blocks: Vec<_> = (0..).zip(blocks.iter().cloned()).collect();
    shuffle_blocks(seed, epoch, &mut blocks);
    blocks
}

/// For each example of a pass one of the block after its own, as they lie: rows that are asked for in this order come as
/// quickly as those of a pass that is not shuffled, and are at hand when their turn comes. None behind the last block.
fn fill_soon(turn: &[(u64, Range<u32>)], soon: &mut Vec<u32>) {
    soon.clear();
    for pair in turn.windows(2) {
        let (this, next) = (&pair[0].1, &pair[1].1);
        let as_they_lie = next.clone().chain(std::iter::repeat(next.end - 1));
        soon.extend(as_they_lie.take(this.len()));
    }
}

/// Decides where blocks end, row by row: the one rule, for memory and for files.
#[derive(Debug, Default)]
pub(super) struct BlockCutter {
    rows: usize,
    values: usize,
    /// The values that end a block, once the first block has shown it.
    most: Option<usize>,
}

/// What a row means for the block that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The block goes on.
    Within,
    /// The block ends with this row.
    End,
    /// The first block ends by its values: count again from the first row, blocks are finer.
    Again,
}

impl BlockCutter {
    /// Counts one more row of so many stored values.
    pub(super) fn add(&mut self, stored: usize) -> Cut {
        (self.rows, self.values) = (self.rows + 1, self.values + stored);
        let cut = match self.most {
            None if self.values >= BLOCK_VALUES => {
                self.most = Some(FINE_VALUES);
                Cut::Again
            }
            Some(most) if self.values >= most => Cut::End,
            _ if self.rows == BLOCK_ROWS => {
                self.most = self.most.or(Some(BLOCK_VALUES));
                Cut::End
            }
            _ => return Cut::Within,
        };
        (self.rows, self.values) = (0, 0);
        cut
    }
}

fn blocks(examples: Examples<'_>) -> Vec<Range<u32>> {
    let (mut blocks, mut cutter, mut start, mut i) = (Vec::new(), BlockCutter::default(), 0, 0);
    while i < examples.len() {
        match cutter.add(examples.rows.stored(i)) {
            Cut::Within => i += 1,
            Cut::Again => i = 0,
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

/// Fills `order` with the places of the rows of one block, as a pass presents them. Weight zero is skipped.
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
    /// Fills `order` with the numbers of sentences of pass `epoch`. They are few: all are shuffled together.
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

/// The orders of all passes, each made while the one before it is gone through, where there is a thread for it.
pub(super) struct Orders<'a> {
    plan: &'a Plan,
    examples: Examples<'a>,
    blocks: Vec<Range<u32>>,
    /// The pass that was turned to.
    epoch: u32,
    now: Pass,
    /// The pass after it, if it was made.
    next: Pass,
    made: bool,
    /// Whether it pays to make it meanwhile.
    ahead: bool,
    /// Whether it pays to ask for the rows of a block while another one is learned from.
    asks: bool,
}

/// The examples of a pass in their order, and those to ask for meanwhile: as many, fewer or none.
#[derive(Default)]
struct Pass {
    order: Vec<u32>,
    soon: Vec<u32>,
}

impl<'a> Orders<'a> {
    pub(super) fn new(plan: &'a Plan, examples: Examples<'a>) -> Self {
        let many = matches!(plan.order, Order::Shuffled { .. }) && examples.len() > BLOCK_ROWS;
        let (blocks, ahead) = (plan.order.blocks(examples), many && !alone());
        // Two blocks must be at hand, and all rows be presented.
        let small = blocks.first().is_some_and(|first| first.len() * examples.rows.features() <= 2 * FINE_VALUES);
        let asks = small && blocks.len() > 1 && !examples.rows.is_sparse() && examples.weights.is_none();
        let (now, next) = (Pass::default(), Pass::default());
        Orders { plan, examples, blocks, epoch: 0, now, next, made: false, ahead, asks }
    }

    /// Turns to a pass; how many examples it presents.
    pub(super) fn turn_to(&mut self, epoch: u32) -> usize {
        if std::mem::take(&mut self.made) && epoch == self.epoch + 1 {
            std::mem::swap(&mut self.now, &mut self.next);
        } else {
            self.now.fill(self.plan, epoch, self.examples, &self.blocks, self.asks);
        }
        self.epoch = epoch;
        self.now.order.len()
    }

    /// Goes through the pass that was turned to: its order, and the rows to ask for.
    pub(super) fn go_through<T>(&mut self, present: impl FnOnce(&[u32], &[u32]) -> T) -> T {
        let Orders { plan, examples, blocks, epoch, now, next, made, ahead, asks } = self;
        *made = *ahead && *epoch + 1 < plan.epochs;
        std::thread::scope(|scope| {
            if *made {
                parallel::spawn(scope, || next.fill(plan, *epoch + 1, *examples, blocks, *asks));
            }
            present(&now.order, &now.soon)
        })
    }
}

impl Pass {
    fn fill(&mut self, plan: &Plan, epoch: u32, examples: Examples<'_>, blocks: &[Range<u32>], asks: bool) {
        plan.order.fill(epoch, examples, blocks, &mut self.order);
        if let Order::Shuffled { seed } = plan.order
            && asks
        {
            fill_soon(&in_turn(blocks, seed, epoch), &mut self.soon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{AnyRows, DenseRows};

    #[test]
    fn while_a_block_is_learned_from_the_next_one_is_asked_for_as_it_lies() {
        let mut soon = Vec::new();
        fill_soon(&[(2, 5..8), (0, 0..2), (1, 2..5)], &mut soon);
        assert_eq!(soon, [0, 1, 1, 2, 3]);
        fill_soon(&[(0, 0..2)], &mut soon);
        assert!(soon.is_empty());
    }

    #[test]
    fn behind_the_last_block_there_is_nothing_to_ask_for() {
        let (features, block) = (128, FINE_VALUES / 128);
        let rows = 5 * block + 3;
        let (values, classes) = (vec![1u8; rows * features], vec![0; rows]);
        let not_asked = |weights: Option<&[f64]>, order: Order| {
            let dense = DenseRows::new(&values, features).unwrap();
            let examples = Examples::new(AnyRows::DenseU8(dense), &classes, weights).unwrap();
            let plan = Plan { epochs: 2, order };
            let mut orders = Orders::new(&plan, examples);
            [0, 1].map(|epoch| {
                assert_eq!(orders.turn_to(epoch), rows);
                orders.go_through(|order, soon| order.len() - soon.len())
            })
        };
        let shuffled = Order::Shuffled { seed: 1 };
        let [first, second] = not_asked(None, shuffled.clone());
        assert_eq!(first, 3);
        assert!(second == 3 || second == block, "whichever block is the last of a later pass");
        assert_eq!(not_asked(None, Order::Cyclic), [rows; 2], "rows in order need not be asked for");
        assert_eq!(not_asked(Some(&vec![1.0; rows]), shuffled), [rows; 2], "some rows may be passed over");
    }
}
