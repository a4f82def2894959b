//! A progress bar on a terminal, and Ctrl-C.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar as Bar, ProgressState, ProgressStyle};
use rosenblatt::fit::{Now, Observer};
use rosenblatt::learn::{AnyLearner, Progress, Stop};

/// The status with which a program ends that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;

const IDLE: u8 = 0;
const TRAINING: u8 = 1;
const ASKED: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(IDLE);

/// From now on the first Ctrl-C asks training to stop; a second one, or one before training, ends the program.
pub fn catch_interrupts() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STATE.compare_exchange(TRAINING, ASKED, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            std::process::exit(INTERRUPTED.into());
        }
    })?;
    Ok(())
}

/// What to do at the end of each pass.
type PassEnded<'a> = dyn FnMut(&Progress, &dyn AnyLearner, &[u32]) -> rosenblatt::Result<()> + 'a;

/// Shows how far training is, and listens for Ctrl-C.
pub struct ProgressBar<'a> {
    bar: Bar,
    epochs: u32,
    pass_ended: Box<PassEnded<'a>>,
}

impl<'a> ProgressBar<'a> {
    pub fn new(epochs: u32, pass_ended: Box<PassEnded<'a>>) -> Self {
        let bar = if std::io::stderr().is_terminal() { Bar::no_length() } else { Bar::hidden() };
        let style = "{spinner} {msg} [{bar:30}] {human_pos}/{human_len} examples, {rate}/s, {eta} left";
        let style = ProgressStyle::with_template(style).expect("a fixed template").progress_chars("=> ");
        // Nobody counts in ten-thousandths of an example.
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
        };
        bar.set_style(style.with_key("rate", rate));
        bar.enable_steady_tick(Duration::from_millis(200));
        STATE.store(TRAINING, Ordering::SeqCst);
        ProgressBar { bar, epochs, pass_ended }
    }

    /// Shows how far it is; whether Ctrl-C asked to stop.
    pub fn advance(&self, total: u64, presented: u64, mistakes_by_epoch: &[u64]) -> bool {
        if !self.bar.is_hidden() {
            self.bar.set_length(total * u64::from(self.epochs));
            self.bar.set_position(presented);
            let last = mistakes_by_epoch.last().map(|m| format!(", {m} mistakes in the last"));
            self.bar.set_message(format!("pass {}{}", mistakes_by_epoch.len() + 1, last.unwrap_or_default()));
        }
        STATE.load(Ordering::SeqCst) == ASKED
    }
}

impl Drop for ProgressBar<'_> {
    fn drop(&mut self) {
        STATE.store(IDLE, Ordering::SeqCst);
        self.bar.finish_and_clear();
    }
}

impl Observer for ProgressBar<'_> {
    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        if self.advance(now.total, now.course.presented, &now.course.mistakes_by_epoch) {
            ControlFlow::Break(Stop::Interrupted)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn pass_ended(
        &mut self,
        course: &Progress,
        learner: &dyn AnyLearner,
        failures: &[u32],
    ) -> rosenblatt::Result<ControlFlow<Stop>> {
        (self.pass_ended)(course, learner, failures)?;
        Ok(ControlFlow::Continue(()))
    }
}

/// Looks on while a file is read: shows nothing and leaves Ctrl-C alone until the first examples were learned from.
pub struct Late {
    epochs: u32,
    begun: Option<ProgressBar<'static>>,
}

impl Late {
    pub fn new(epochs: u32) -> Self {
        Late { epochs, begun: None }
    }

    /// Whether Ctrl-C asked to stop, heard or not.
    pub fn was_asked(&self) -> bool {
        self.begun.is_some() && STATE.load(Ordering::SeqCst) == ASKED
    }
}

impl Observer for Late {
    fn advanced(&mut self, now: &Now<'_>) -> ControlFlow<Stop> {
        self.begun.get_or_insert_with(|| ProgressBar::new(self.epochs, Box::new(|_, _, _| Ok(())))).advanced(now)
    }
}
