//! A progress bar on a terminal.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar as Bar, ProgressState, ProgressStyle};
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
    /// Whether what was learned is saved when a signal comes.
    keeps: bool,
    /// The examples of a pass, 0 if unknown; `None` before the first.
    total: Option<u64>,
}

impl<'a, C> ProgressBar<'a, C> {
    pub fn new(epochs: u32) -> Self {
        ProgressBar { bar: None, epochs, save: None, ready: None, keeps: false, total: None }
    }

    /// Saves a checkpoint at the end of each pass.
    pub fn saving(mut self, save: impl FnMut(C) -> rosenblatt::Result<()> + 'a) -> Self {
        self.save = Some(Box::new(save));
        self
    }

    /// What was learned is saved when a signal comes: saving may take its time.
    pub fn keeping(mut self, keeps: bool) -> Self {
        self.keeps = keeps;
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
            if self.total != Some(total) {
                // A length of zero would be a full bar.
                bar.set_style(style(if total == 0 { UNKNOWN } else { KNOWN }));
                bar.set_length(total * u64::from(self.epochs));
                if self.total.is_none() {
                    // What a resumed training did before says nothing about its rate.
                    bar.set_position(progress.presented);
                    bar.reset_eta();
                }
                self.total = Some(total);
            }
            bar.set_position(progress.presented);
            bar.set_message(message(progress));
        }
        if self.save.is_some() || self.keeps {
            interrupt::wait_for_save();
        }
        ControlFlow::Continue(())
    }
}

/// One line each; the bar takes what is left of it.
const KNOWN: &str = "{spinner} {msg} [{wide_bar}] {percent}%{rate}{left}";
const UNKNOWN: &str = "{spinner} {msg}, {human_pos} examples{rate}";
/// A rate of less than this is a guess.
const SOME: Duration = Duration::from_secs(1);

/// The pass, and the mistakes of the one before.
fn message(progress: &Progress) -> String {
    let last = progress.mistakes_by_epoch.last().map(|m| format!(", {m} mistakes before"));
    format!("pass {}{}", progress.epochs() + 1, last.unwrap_or_default())
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("a fixed template").progress_chars("=> ");
    // Whole examples; the default has four decimals.
    let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        if state.elapsed() >= SOME {
            let _ = write!(out, ", {}/s", HumanCount(state.per_sec() as u64));
        }
    };
    let left = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        if state.elapsed() >= SOME {
            let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
        }
    };
    style.with_key("rate", rate).with_key("left", left)
}

fn begin() -> Bar {
    let bar = if shows_progress() { Bar::no_length() } else { Bar::hidden() };
    bar.set_style(style(UNKNOWN));
    bar.set_message("reading");
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
