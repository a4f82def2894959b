//! A progress bar on a terminal.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar as Bar, ProgressState, ProgressStyle};
use rosenblatt::fit::{Checkpoint, Now, Observer, Resumable};
use rosenblatt::learn::{Progress, Stop};

use crate::interrupt;
use crate::output::shows_progress;

/// Saves a checkpoint at the end of each pass.
type Save<'a, C> = dyn FnMut(C) -> rosenblatt::Result<()> + 'a;

/// Shows progress, from the first example on.
pub struct ProgressBar<'a, C = Checkpoint> {
    bar: Option<Bar>,
    epochs: u32,
    save: Option<Box<Save<'a, C>>>,
    /// When all rows were read.
    ready: Option<Instant>,
}

impl<'a, C> ProgressBar<'a, C> {
    pub fn new(epochs: u32) -> Self {
        ProgressBar { bar: None, epochs, save: None, ready: None }
    }

    /// Saves a checkpoint at the end of each pass.
    pub fn saving(mut self, save: impl FnMut(C) -> rosenblatt::Result<()> + 'a) -> Self {
        self.save = Some(Box::new(save));
        self
    }

    /// When all rows were read, if learning began after that.
    pub fn ready(&self) -> Option<Instant> {
        self.ready
    }

    /// Shows progress; breaks if a stop was requested.
    fn advance(&mut self, total: u64, progress: &Progress) -> ControlFlow<Stop> {
        let bar = self.bar.get_or_insert_with(begin);
        if !bar.is_hidden() {
            bar.set_length(total * u64::from(self.epochs));
            bar.set_position(progress.presented);
            let last = progress.mistakes_by_epoch.last().map(|m| format!(", {m} mistakes in the last"));
            bar.set_message(format!("pass {}{}", progress.epochs() + 1, last.unwrap_or_default()));
        }
        if self.save.is_some() {
            interrupt::wait_for_save();
        }
        ControlFlow::Continue(())
    }
}

fn begin() -> Bar {
    let bar = if shows_progress() { Bar::no_length() } else { Bar::hidden() };
    let style = "{spinner} {msg} [{bar:30}] {human_pos}/{human_len} examples, {rate}/s, {eta} left";
    let style = ProgressStyle::with_template(style).expect("a fixed template").progress_chars("=> ");
    // Whole examples; the default has four decimals.
    let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
    };
    bar.set_style(style.with_key("rate", rate));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl<C> Drop for ProgressBar<'_, C> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl<L: ?Sized + Resumable> Observer<L> for ProgressBar<'_, L::Checkpoint> {
    fn advanced(&mut self, now: &Now<'_, L>) -> ControlFlow<Stop> {
        self.advance(now.total, now.progress)
    }

    fn rows_ready(&mut self) {
        self.ready = Some(Instant::now());
        self.bar.get_or_insert_with(begin);
    }

    fn wants_checkpoints(&self) -> bool {
        self.save.is_some()
    }

    fn checkpoint(&mut self, checkpoint: L::Checkpoint) -> rosenblatt::Result<()> {
        self.save.as_mut().map_or(Ok(()), |save| save(checkpoint))
    }
}
