//! Output: results to standard output, errors, warnings and notes to standard error.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
pub use rosenblatt::escape::json_line;
use rosenblatt::escape::{escaped, is_control};
use serde::Serialize;

use crate::{show, words};

/// Buffered standard output, as text or as JSON.
///
/// Lines are escaped here, in one place: whatever a file put into a name, a terminal shows it and does not obey it.
pub struct Output {
    out: BufWriter<io::Stdout>,
    bold: Style,
    pub json: bool,
}

const NAME_WIDTH: usize = 12;

impl Output {
    pub fn new(json: bool) -> Self {
        let bold = match anstream::AutoStream::choice(&io::stdout()) {
            anstream::ColorChoice::AlwaysAnsi => Style::new().bold(),
            // On Windows `Always` is a terminal without ANSI support.
            anstream::ColorChoice::Always if cfg!(not(windows)) => Style::new().bold(),
            _ => Style::new(),
        };
        Output { out: BufWriter::with_capacity(1 << 16, io::stdout()), bold, json }
    }

    /// One line.
    pub fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{}", printable(text))
    }

    /// Lines of the program's own.
    pub fn lines(&mut self, text: &'static str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// `name         what it is`, the name in bold.
    pub fn item(&mut self, name: &str, what: impl Display) -> io::Result<()> {
        let (name, bold) = (printable(name), self.bold);
        let gap = " ".repeat(NAME_WIDTH.saturating_sub(show::width(&name)));
        writeln!(self.out, "{bold}{name}{bold:#}{gap} {}", printable(what))
    }

    pub fn heading(&mut self, text: &str) -> io::Result<()> {
        let bold = self.bold;
        writeln!(self.out, "{bold}{}{bold:#}", printable(text))
    }

    /// Writes `styled` if colours are on, else `plain`.
    pub fn styled(&mut self, plain: &str, styled: &str) -> io::Result<()> {
        let coloured = self.bold != Style::new();
        self.bytes(if coloured { styled } else { plain }.as_bytes())
    }

    pub fn object(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        Ok(self.out.write_all(json_line(value)?.as_bytes())?)
    }

    /// Bytes as they are: results in a format of their own.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether only results and errors are shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Shows only results and errors from here on.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether progress is shown: on a terminal, unless only results were asked for.
pub fn shows_progress() -> bool {
    io::stderr().is_terminal() && !QUIET.load(Ordering::Relaxed)
}

fn print_message(style: Style, what: &str, text: impl Display) {
    // Ignored: standard error may be closed.
    let _ = writeln!(anstream::stderr(), "{style}{what}:{style:#} {}", printable(text));
}

/// Text that cannot move the cursor or end the line.
fn printable(text: impl Display) -> String {
    escaped(&text.to_string()).into_owned()
}

pub fn error(error: &anyhow::Error) {
    print_message(AnsiColor::Red.on_default().bold(), "error", words::any_error(error));
}

/// Ends with the parser's message, or with the help that was asked for. Arguments may be names of files.
pub fn exit_on_usage(error: &clap::Error) -> ! {
    let plain = error.render().to_string();
    if !error.use_stderr() || !plain.contains(|c| c != '\n' && is_control(c)) {
        error.exit();
    }
    for line in plain.lines() {
        let _ = writeln!(io::stderr(), "{}", printable(line));
    }
    std::process::exit(error.exit_code())
}

pub fn warning(text: impl Display) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    print_message(AnsiColor::Yellow.on_default().bold(), "warning", text);
}

pub fn note(text: impl Display) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    print_message(AnsiColor::Cyan.on_default().bold(), "note", text);
}

/// Whether the reader closed our standard output, which is not an error.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|e| {
        e.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
            || e.downcast_ref::<serde_json::Error>()
                .is_some_and(|e| e.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

/// 1234567 as 1,234,567.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A bound on a count: whole, or in scientific notation from 1e15 on.
pub fn at_most(bound: f64) -> String {
    // The margin is known to nine digits, so 5.999999999 may be 6: a bound is rounded up where it may be whole.
    const UNSURE: f64 = 4e-9;
    if bound < 1e15 { thousands((bound * (1.0 + UNSURE)) as u64) } else { number(bound) }
}

/// A number for display: whole numbers in full, others to six significant digits.
pub fn number(v: f64) -> String {
    if v == v.trunc() && v.abs() < 1e15 {
        return format!("{}", v + 0.0);
    }
    let magnitude = v.abs().log10().floor() as i32;
    if !(-4..9).contains(&magnitude) {
        return format!("{v:.5e}");
    }
    let decimals = (5 - magnitude).clamp(0, 12) as usize;
    let text = format!("{v:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

pub fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// `1 pass`, `2 passes`.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!(thousands(1234567), "1,234,567");
        assert_eq!(thousands(999), "999");
        assert_eq!(number(3.0), "3");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(1234.5678), "1234.57");
        assert_eq!(number(1.23456789e-7), "1.23457e-7");
        assert_eq!(count(1, "pass", "passes"), "1 pass");
    }
}
