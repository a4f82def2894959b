//! The options of every command.

use clap::{Args, ValueEnum};

#[derive(Args)]
pub struct Global {
    /// Print JSON, and nothing else, on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Results and errors only: no notes, no warnings, no progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Colours: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub color: Color,
    /// Threads to use; the results are the same for any number [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The most memory to use, beside 64 MB of buffers: 500M, 8G. `train` learns from larger data through a cache on disk
    /// where it can [default: half of what is free]
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub fn apply(self) {
        match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

impl Global {
    pub fn set_threads(&self) -> anyhow::Result<()> {
        if let Some(n) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global()?;
        }
        Ok(())
    }
}

/// `500M` as bytes.
fn size(text: &str) -> Result<u64, String> {
    let upper = text.trim_end_matches(['B', 'b']).to_ascii_uppercase();
    let (digits, unit) = match upper.char_indices().next_back() {
        Some((at, 'K')) => (&upper[..at], 10),
        Some((at, 'M')) => (&upper[..at], 20),
        Some((at, 'G')) => (&upper[..at], 30),
        Some((at, 'T')) => (&upper[..at], 40),
        _ => (&upper[..], 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << unit));
    bytes.ok_or_else(|| "expected a size, say 500M or 8G".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("123"), Ok(123));
        assert_eq!(size("4k"), Ok(4 << 10));
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("8GB"), Ok(8 << 30));
        assert_eq!(size("1T"), Ok(1 << 40));
        for wrong in ["", "M", "-1", "1.5G", "8X", "99999999999T"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
