//! Examples in memory, as a source of blocks.

use std::ops::ControlFlow;

use super::Plan;
use super::order::Orders;
use super::row_prefetch::RowPrefetch;
use super::row_trainee::{LabelledRows, RowTrainee};
use super::source::{Block, BlockSource, Numbers, Passed, Present, Visit};
use crate::error::Result;
use crate::rows::Examples;

/// Examples in memory, of so many classes.
pub(crate) struct MemorySource<'a> {
    examples: Examples<'a>,
    classes: usize,
    orders: Orders<'a>,
    /// Copies rows ahead of the learner on a second thread, where that pays.
    prefetch: Option<Box<dyn RowPrefetch + 'a>>,
}

impl<'a> MemorySource<'a> {
    /// `copies`: whether the learner accepts copies of rows.
    pub(crate) fn new(examples: Examples<'a>, classes: usize, plan: &'a Plan, copies: bool) -> Result<Self> {
        plan.order.check(examples.len())?;
        let prefetch = if copies { super::row_prefetch::prefetch(examples, &plan.order) } else { None };
        Ok(MemorySource { examples, classes, orders: Orders::new(plan, examples), prefetch })
    }
}

impl<'t> BlockSource<RowTrainee<'t>> for MemorySource<'_> {
    fn length(&mut self, epoch: u32) -> Option<u64> {
        Some(self.orders.start_pass(epoch) as u64)
    }

    fn pass(&mut self, _epoch: u32, stride: usize, present: &mut Present<'_, RowTrainee<'t>>) -> Result<Passed> {
        let MemorySource { examples, classes, orders, prefetch } = self;
        let whole = LabelledRows { examples: *examples, classes: *classes };
        let flow = orders.run_pass(|order, upcoming| match prefetch {
            Some(prefetch) if prefetch.pays(order.len(), stride) => {
                prefetch.present(order, stride, &mut |copies, places, numbers| {
                    let examples = copies.map_or(whole, |examples| LabelledRows { examples, ..whole });
                    present(Block { examples, order: places, upcoming: &[], numbers })
                })
            }
            _ => present(Block { examples: whole, order, upcoming, numbers: Numbers::From(0) }),
        })?;
        Ok(match flow {
            ControlFlow::Continue(()) => Passed::Whole,
            ControlFlow::Break(stop) => Passed::Stopped(stop),
        })
    }

    fn scan<'s>(&mut self, visit: &'s mut Visit<'s, RowTrainee<'t>>) -> Result<bool>
    where
        't: 's,
    {
        visit(LabelledRows { examples: self.examples, classes: self.classes })?;
        Ok(true)
    }

    fn resident(&self) -> Option<LabelledRows<'_>> {
        Some(LabelledRows { examples: self.examples, classes: self.classes })
    }
}
