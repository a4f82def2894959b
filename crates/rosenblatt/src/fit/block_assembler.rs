//! Assembles blocks of the presentation from parsed blocks of text. Both hold rows in file order; only the cuts differ.

use std::collections::VecDeque;

use super::order::{BlockCutter, Cut};
use crate::error::Result;
use crate::io::Pool;
use crate::read::Block;
use crate::read::cache::Writer;
use crate::rows::{AnyRows, Dense, DenseRows, Examples, Sparse, SparseRows};

/// Parsed blocks, from which the next block of the presentation is assembled.
#[derive(Debug, Default)]
pub(super) struct BlockAssembler {
    blocks: VecDeque<Block>,
    /// Rows of the first block that belong to an earlier block of the presentation.
    done: usize,
    /// Rows that belong to the next block of the presentation.
    rows: usize,
    /// The next row to count: a block, and a row in it.
    next: (usize, usize),
    cutter: BlockCutter,
}

/// The class of each label of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassMap<'a> {
    /// The class of each label, in order of appearance.
    pub(super) class_of: &'a [u32],
    /// The weight of each class, if they differ.
    pub(super) weight_of: Option<&'a [f64]>,
}

impl BlockAssembler {
    /// Adds one more block.
    pub(super) fn push(&mut self, block: Block) {
        self.blocks.push_back(block);
    }

    /// One whole block of the presentation.
    pub(super) fn of(block: Block) -> Self {
        BlockAssembler { rows: block.len(), blocks: VecDeque::from([block]), ..BlockAssembler::default() }
    }

    /// Counts rows until a block of the presentation is full. `false`: more rows are needed, or none are left.
    pub(super) fn assemble(&mut self) -> bool {
        while let Some(block) = self.blocks.get(self.next.0) {
            if self.next.1 == block.len() {
                self.next = (self.next.0 + 1, 0);
                continue;
            }
            let cut = self.cutter.add(block.stored_in(self.next.1));
            (self.rows, self.next.1) = (self.rows + 1, self.next.1 + 1);
            match cut {
                Cut::Inside => {}
                Cut::Recount => (self.rows, self.next) = (0, (0, 0)),
                Cut::End => return true,
            }
        }
        false
    }

    /// Whether no counted rows are left.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many features the rows have, indices being counted from `first`.
    pub(super) fn features(&self, first: u32) -> usize {
        let of = |block: &Block| block.width.unwrap_or(block.facts.end.saturating_sub(first) as usize);
        self.blocks.iter().map(of).max().unwrap_or(0)
    }

    /// Calls `visit` with the rows of the full block, in file order.
    pub(super) fn with_rows<T>(&self, map: ClassMap<'_>, features: usize, visit: impl FnOnce(Examples<'_>) -> T) -> T {
        let mut classes: Vec<u32> = Vec::with_capacity(self.rows);
        let labels = self.blocks.iter().flat_map(|block| &block.labels).skip(self.done);
        classes.extend(labels.take(self.rows).map(|&label| map.class_of[label as usize]));
        let mut weights: Option<Vec<f64>> = map.weight_of.map(|w| classes.iter().map(|&c| w[c as usize]).collect());
        if self.blocks.iter().any(|block| block.weighed) {
            let own = self.blocks.iter().flat_map(|block| &block.weights).skip(self.done).take(self.rows);
            match &mut weights {
                Some(weights) => weights.iter_mut().zip(own).for_each(|(weight, own)| *weight *= own),
                None => weights = Some(own.copied().collect()),
            }
        }
        let (classes, weights) = (&classes[..], weights.as_deref());
        if self.blocks.front().is_some_and(|block| block.width.is_some()) {
            let rows = self.blocks.iter().flat_map(Block::dense_rows).skip(self.done).take(self.rows);
            let mut all: Vec<Dense<'_, f64>> = Vec::with_capacity(self.rows);
            all.extend(rows);
            visit(Examples { rows: AnyRows::DenseF64(DenseRows::apart(&all, features)), classes, weights })
        } else {
            let rows = self.blocks.iter().flat_map(Block::rows).skip(self.done).take(self.rows);
            let mut all: Vec<Sparse<'_, f64>> = Vec::with_capacity(self.rows);
            all.extend(rows);
            visit(Examples { rows: AnyRows::SparseF64(SparseRows::apart(&all, features)), classes, weights })
        }
    }

    /// Writes the rows of the full block to a cache.
    pub(super) fn write(&self, writer: &mut Writer) -> Result<()> {
        writer.push(self.blocks.iter(), self.done, self.done + self.rows)
    }

    /// Drops the rows of the full block.
    pub(super) fn release(&mut self, pool: &Pool<Block>) {
        self.done += self.rows;
        self.rows = 0;
        while self.blocks.front().is_some_and(|block| self.done >= block.len()) {
            if let Some(block) = self.blocks.pop_front() {
                self.done -= block.len();
                self.next = self.next.0.checked_sub(1).map_or((0, 0), |block| (block, self.next.1));
                pool.put(block);
            }
        }
    }
}
