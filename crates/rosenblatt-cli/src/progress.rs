//! A progress bar on a terminal.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar as Bar, ProgressState, ProgressStyle};
use rosenblatt::fit::{Checkpoint, Now, Observer, Resumable};
use rosenblatt::io;
use rosenblatt::learn::{Progress, Stop};

use crate::interrupt;
use crate::output::shows_progress;

/// Saves a checkpoint at the end of each pass.
type Save<'a, C> = dyn FnMut(C) -> rosenblatt::Result<()> + 'a;

/// Shows progress, from the first example on.
pub struct ProgressBar<'a, C = Checkpoint> {
    bar: Bar,
    epochs: u32,
    save: Option<Box<Save<'a, C>>>,
    /// When all rows were read.
    ready: Option<Instant>,
    /// Whether what was learned is saved when a signal comes.
    keeps: bool,
    /// The examples of a pass, 0 if unknown; `None` before the first.
    total: Option<u64>,
    pace: Pace,
}

impl<'a, C> ProgressBar<'a, C> {
    pub fn new(epochs: u32) -> Self {
        let (pace, bar) = (Pace::default(), begin());
        ProgressBar { bar, epochs, save: None, ready: None, keeps: false, total: None, pace }
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
        let bar = &self.bar;
        if !bar.is_hidden() {
            if self.total != Some(total) {
                // A length of zero would be a full bar.
                bar.set_style(style(if total == 0 { UNKNOWN } else { KNOWN }));
                bar.set_length(total * u64::from(self.epochs));
                // What a resumed training did before, or a pass that waited for the file, says nothing about the rate.
                (self.total, self.pace) = (Some(total), Pace::default());
            }
            bar.set_position(progress.presented);
            let rows =
                if total == 0 { format!(", {} examples", HumanCount(progress.presented)) } else { String::new() };
            bar.set_message(message(progress) + &rows);
            let rate = self.pace.after(Instant::now(), progress.presented);
            let left = bar.length().unwrap_or(0).saturating_sub(progress.presented);
            bar.set_prefix(rate.map(|rate| pace(rate, (total > 0).then_some(left))).unwrap_or_default());
        }
        if self.save.is_some() || self.keeps {
            interrupt::wait_for_save();
        }
        ControlFlow::Continue(())
    }
}

/// One line each; the bar takes what is left of it.
const KNOWN: &str = "{spinner} {msg} [{wide_bar}] {percent}%{prefix}";
const UNKNOWN: &str = "{spinner} {msg}{read}{prefix}";

/// The rate of the last seconds.
#[derive(Default)]
struct Pace(VecDeque<(Instant, u64)>);

impl Pace {
    /// A rate of less than this is a guess.
    const LEAST: Duration = Duration::from_secs(1);
    const MOST: Duration = Duration::from_secs(5);
    /// Samples are this far apart.
    const APART: Duration = Duration::from_millis(100);

    /// Examples a second, once there were some.
    fn after(&mut self, now: Instant, presented: u64) -> Option<f64> {
        if self.0.back().is_none_or(|(last, _)| now - *last >= Self::APART) {
            self.0.push_back((now, presented));
        }
        while self.0.len() > 2 && now - self.0[1].0 >= Self::MOST {
            self.0.pop_front();
        }
        let (since, before) = *self.0.front()?;
        let time = now - since;
        (time >= Self::LEAST && presented > before).then(|| (presented - before) as f64 / time.as_secs_f64())
    }
}

/// The rate, and the time that is left for so many examples.
fn pace(rate: f64, left: Option<u64>) -> String {
    let time = |left: u64| HumanDuration(Duration::try_from_secs_f64(left as f64 / rate).unwrap_or(Duration::MAX));
    let left = left.map(|left| format!(", {:#} left", time(left))).unwrap_or_default();
    format!(", {}/s{left}", HumanCount(rate as u64))
}

/// The pass, and the mistakes of the one before.
fn message(progress: &Progress) -> String {
    let last = progress.mistakes_by_epoch.last().map(|m| format!(", {m} mistakes before"));
    format!("pass {}{}", progress.epochs() + 1, last.unwrap_or_default())
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("a fixed template").progress_chars("=> ");
    // While it is unknown how many rows there are: the bytes of the file.
    let read = |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        if let Some(share) = io::share_read() {
            let _ = write!(out, ", {:.0}% of the file", (100.0 * share).floor());
        }
    };
    style.with_key("read", read)
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
        self.bar.finish_and_clear();
    }
}

impl<L: ?Sized + Resumable> Observer<L> for ProgressBar<'_, L::Checkpoint> {
    fn advanced(&mut self, now: &Now<'_, L>) -> ControlFlow<Stop> {
        self.advance(now.total, now.progress)
    }

    fn rows_ready(&mut self) {
        self.ready = Some(Instant::now());
    }

    fn wants_checkpoints(&self) -> bool {
        self.save.is_some()
    }

    fn checkpoint(&mut self, checkpoint: L::Checkpoint) -> rosenblatt::Result<()> {
        self.save.as_mut().map_or(Ok(()), |save| save(checkpoint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A first pass that waited for the file, and a resumed training, made the rate of later passes and the time left wrong.
    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let (begin, mut seen) = (Instant::now(), Pace::default());
        let at = |tenths: u64| begin + Duration::from_millis(100 * tenths);
        assert_eq!(seen.after(at(0), 5_000_000), None);
        assert_eq!(seen.after(at(9), 5_000_090), None, "too soon");
        let slow = (10..100).map(|t| seen.after(at(t), 5_000_000 + 10 * t)).last().unwrap().unwrap();
        assert!((slow - 100.0).abs() < 1.0, "{slow}");
        let fast = (100..200).map(|t| seen.after(at(t), 5_000_000 + 1000 * t)).last().unwrap().unwrap();
        assert!((fast - 10_000.0).abs() < 100.0, "{fast}");
        assert_eq!(pace(10_000.0, Some(600_000)), ", 10,000/s, 60s left");
        assert_eq!(pace(123.4, None), ", 123/s");
    }
}
