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
use crate::data::Examples;
use crate::error::{Error, Result};
use crate::random::Stream;

/// Most rows in a block.
pub const BLOCK_ROWS: usize = 1 << 16;
/// A block ends with the row that brings its stored values to this.
pub const BLOCK_VALUES: usize = 1 << 21;
/// The same where the first block would end by its values.
pub const FINE_VALUES: usize = BLOCK_VALUES / 4;

/// The order in which examples are presented in a pass.
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
    /// As reports write it.
    pub fn name(&self) -> &'static str {
        match self {
            Order::Cyclic => "cyclic",
            Order::Shuffled { .. } => "shuffled",
            Order::Given(_) => "given",
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
                let mut blocks: Vec<(u64, Range<u32>)> = (0..).zip(blocks.iter().cloned()).collect();
                if epoch > 0 {
                    Stream::new(*seed, &[u64::from(epoch)]).shuffle(&mut blocks);
                }
                for (number, rows) in blocks {
                    let start = order.len();
                    order.extend(rows);
                    Stream::new(*seed, &[u64::from(epoch), number]).shuffle(&mut order[start..]);
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

fn blocks(examples: Examples<'_>) -> Vec<Range<u32>> {
    let first = 0..examples.len().min(BLOCK_ROWS);
    let many = first.map(|i| examples.rows.stored(i)).sum::<usize>() >= BLOCK_VALUES;
    let most = if many { FINE_VALUES } else { BLOCK_VALUES };
    let (mut blocks, mut start, mut values) = (Vec::new(), 0, 0);
    for i in 0..examples.len() {
        values += examples.rows.stored(i);
        if i + 1 - start == BLOCK_ROWS || values >= most {
            blocks.push(start as u32..i as u32 + 1);
            (start, values) = (i + 1, 0);
        }
    }
    if start < examples.len() {
        blocks.push(start as u32..examples.len() as u32);
    }
    blocks
}

/// The orders of all passes, each made while the one before it is gone through, where there is a thread for it.
pub(super) struct Orders<'a> {
    plan: &'a Plan,
    examples: Examples<'a>,
    blocks: Vec<Range<u32>>,
    /// The pass that was turned to, and its order.
    epoch: u32,
    order: Vec<u32>,
    /// The order of the pass after it, if it was made.
    next: Vec<u32>,
    made: bool,
    /// Whether it pays to make it meanwhile.
    ahead: bool,
}

impl<'a> Orders<'a> {
    pub(super) fn new(plan: &'a Plan, examples: Examples<'a>) -> Self {
        let many = matches!(plan.order, Order::Shuffled { .. }) && examples.len() > BLOCK_ROWS;
        let (blocks, ahead) = (plan.order.blocks(examples), many && !alone());
        Orders { plan, examples, blocks, epoch: 0, order: Vec::new(), next: Vec::new(), made: false, ahead }
    }

    /// Turns to a pass; how many examples it presents.
    pub(super) fn turn_to(&mut self, epoch: u32) -> usize {
        if std::mem::take(&mut self.made) && epoch == self.epoch + 1 {
            std::mem::swap(&mut self.order, &mut self.next);
        } else {
            self.plan.order.fill(epoch, self.examples, &self.blocks, &mut self.order);
        }
        self.epoch = epoch;
        self.order.len()
    }

    /// Goes through the order of the pass that was turned to.
    pub(super) fn go_through<T>(&mut self, present: impl FnOnce(&[u32]) -> T) -> T {
        let Orders { plan, examples, blocks, epoch, order, next, made, ahead } = self;
        *made = *ahead && *epoch + 1 < plan.epochs;
        std::thread::scope(|scope| {
            if *made {
                scope.spawn(|| plan.order.fill(*epoch + 1, *examples, blocks, next));
            }
            present(order)
        })
    }
}
