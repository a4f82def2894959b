//! Training: one loop over a source of blocks, the order of the examples, and why it stopped.
//!
//! ```text
//!  Trainer (settings) ─► fit_with(Data, With)
//!                          │ picks a source: memory, stream, cache_source
//!                          ▼
//!                        train.rs: the loop ─► RowTrainee (rows) ─► fitted.rs: the model, the report
//! ```

#[cfg(test)]
mod answer_tests;
mod block_assembler;
mod borrowed;
#[cfg(test)]
mod cache_lies;
mod cache_source;
mod checkpoint;
mod checkpoint_file;
mod custom_rule;
mod data;
#[cfg(test)]
mod fault_tests;
mod file;
mod fingerprint;
mod fitted;
#[cfg(test)]
mod hashed_tests;
mod memory;
mod online_trainer;
mod order;
mod plateau;
mod report;
mod row_prefetch;
mod row_trainee;
mod settle;
mod shards;
mod source;
mod stream;
#[cfg(test)]
mod tests;
mod train;
mod trainer;
mod until;
mod validate;

use crate::parallel;

pub use borrowed::Borrowed;
pub use checkpoint::Checkpoint;
pub(crate) use checkpoint_file::OrderContent;
pub use data::{Data, HeldBack, With};
pub use file::{FileData, StartAt, Storage};
pub(crate) use fingerprint::Fingerprint;
pub(crate) use fitted::end_pass;
pub use fitted::{FileFacts, Fitted, Kept, KeptRows};
pub use online_trainer::OnlineTrainer;
pub use order::{BLOCK_ROWS, BLOCK_VALUES, FINE_VALUES, Order};
pub use plateau::StopOnPlateau;
pub use report::{Report, Validated};
pub use settle::{LeftOpen, MOST_PASSES, Settled, mean_square};
pub use shards::{Delta, FAN, Mixing, Mixture, Rounds, Shards};
pub use source::Presented;
pub(crate) use source::{Block, BlockSource, Numbers, Passed, Present, Visit};
pub use train::{Now, Observer, Resumable};
pub(crate) use train::{Trainee, Training, overflowed};
pub use trainer::{ClassWeights, Start, Trainer};
pub use until::Until;
pub use validate::Held;
pub(crate) use validate::{Scored, Validator};

/// How long to train, and in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// At most this many passes.
    pub epochs: u32,
    /// The order of each pass.
    pub order: Order,
}

/// Whether training may use only its own thread: there is one, or the others run trainings of their own.
fn single_threaded() -> bool {
    parallel::threads() == 1 || parallel::is_worker()
}
