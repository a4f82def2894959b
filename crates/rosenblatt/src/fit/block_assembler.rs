//! What a stream has in hand: the rows that make up the next block of the presentation.

use std::collections::VecDeque;

use super::order::{BLOCK_ROWS, BLOCK_VALUES, FINE_VALUES, Order};
use crate::error::Result;
use crate::io::Pool;
use crate::random::Stream;
use crate::read::Block;
use crate::read::cache::Writer;
use crate::rows::{AnyRows, Dense, DenseRows, Examples, Sparse, SparseRows};

/// Blocks as they were read, of which the next block of the presentation is made.
#[derive(Debug, Default)]
pub(super) struct BlockAssembler {
    blocks: VecDeque<Block>,
    /// Rows of the first block that were presented already.
    done: usize,
    /// Rows and stored values in hand that belong to the next block of the presentation.
    rows: usize,
    values: usize,
    /// Where counting goes on: a block in hand, and a row of it.
    next: (usize, usize),
    /// The values that end a block, once the first one has shown it.
    most: Option<usize>,
}

impl BlockAssembler {
    /// Takes in one more block.
    pub(super) fn push(&mut self, block: Block) {
        self.blocks.push_back(block);
    }

    /// Rows that were a block of the presentation before.
    pub(super) fn of(block: Block) -> Self {
        BlockAssembler { rows: block.len(), blocks: VecDeque::from([block]), ..BlockAssembler::default() }
    }

    /// Counts rows until a block of the presentation is full. `false`: more are needed, or these are the last.
    pub(super) fn is_full(&mut self) -> bool {
        while let Some(block) = self.blocks.get(self.next.0) {
            if self.next.1 == block.len() {
                self.next = (self.next.0 + 1, 0);
                continue;
            }
            self.values += block.stored_in(self.next.1);
            self.rows += 1;
            self.next.1 += 1;
            if self.most.is_none() && self.values >= BLOCK_VALUES {
                // All begins anew, in finer blocks.
                self.most = Some(FINE_VALUES);
                (self.rows, self.values, self.next) = (0, 0, (0, 0));
            } else if self.rows == BLOCK_ROWS || self.values >= self.most.unwrap_or(BLOCK_VALUES) {
                self.most = self.most.or(Some(BLOCK_VALUES));
                return true;
            }
        }
        false
    }

    /// Whether rows are in hand that belong to no full block.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many features the rows in hand have, indices being counted from `first`.
    pub(super) fn features(&self, first: u32) -> usize {
        let of = |block: &Block| block.width.unwrap_or(block.seen.end.saturating_sub(first) as usize);
        self.blocks.iter().map(of).max().unwrap_or(0)
    }

    /// Shows the rows of the block that is full, in the order of the file; classes go by `class_of` a label.
    pub(super) fn show<T>(
        &self,
        class_of: &[u32],
        weight_of: Option<&[f64]>,
        features: usize,
        see: impl FnOnce(Examples<'_>) -> T,
    ) -> T {
        let mut classes: Vec<u32> = Vec::with_capacity(self.rows);
        let labels = self.blocks.iter().flat_map(|block| &block.labels).skip(self.done);
        classes.extend(labels.take(self.rows).map(|&label| class_of[label as usize]));
        let weights: Option<Vec<f64>> = weight_of.map(|w| classes.iter().map(|&c| w[c as usize]).collect());
        let (classes, weights) = (&classes[..], weights.as_deref());
        if self.blocks.front().is_some_and(|block| block.width.is_some()) {
            let rows = self.blocks.iter().flat_map(Block::dense_rows).skip(self.done).take(self.rows);
            let mut all: Vec<Dense<'_, f64>> = Vec::with_capacity(self.rows);
            all.extend(rows);
            see(Examples { rows: AnyRows::DenseF64(DenseRows::apart(&all, features)), classes, weights })
        } else {
            let rows = self.blocks.iter().flat_map(Block::rows).skip(self.done).take(self.rows);
            let mut all: Vec<Sparse<'_, f64>> = Vec::with_capacity(self.rows);
            all.extend(rows);
            see(Examples { rows: AnyRows::SparseF64(SparseRows::apart(&all, features)), classes, weights })
        }
    }

    /// Writes the rows of the block that is full to a cache.
    pub(super) fn write(&self, writer: &mut Writer) -> Result<()> {
        writer.push(self.blocks.iter(), self.done, self.done + self.rows)
    }

    /// Lets go of the rows that were shown.
    pub(super) fn let_go(&mut self, pool: &Pool<Block>) {
        self.done += self.rows;
        (self.rows, self.values) = (0, 0);
        while self.blocks.front().is_some_and(|block| self.done >= block.len()) {
            if let Some(block) = self.blocks.pop_front() {
                self.done -= block.len();
                self.next = self.next.0.checked_sub(1).map_or((0, 0), |block| (block, self.next.1));
                pool.put(block);
            }
        }
    }
}

/// Fills `order` with the places of the rows of one block of the presentation: see [`Order`].
pub(super) fn order_within(kind: &Order, epoch: u32, number: u64, rows: Examples<'_>, order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..rows.len() as u32);
    if let Order::Shuffled { seed } = kind {
        Stream::new(*seed, &[u64::from(epoch), number]).shuffle(order);
    }
    if let Some(weights) = rows.weights {
        order.retain(|&i| weights[i as usize] > 0.0);
    }
}
