//! The bracket as it tightens, on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::output::shows_progress;

/// Shows both bounds and the time left.
pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(time: Option<Duration>) -> Self {
        let bar = if shows_progress() { ProgressBar::no_length() } else { ProgressBar::hidden() };
        let left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let left = time.unwrap_or_default().saturating_sub(state.elapsed()).as_secs_f64();
            let _ = write!(out, "{:.0}", left.ceil());
        };
        let style = ProgressStyle::with_template("{spinner} {msg}, {left} s left").expect("a fixed template");
        bar.set_style(style.with_key("left", left));
        bar.set_message("looking for a hyperplane and for witnesses");
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }

    pub fn show(&self, low: f64, high: f64) {
        self.0.set_message(format!("between {low} and {high}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
