//! What goes with every command.

use clap::{Args, ValueEnum};

#[derive(Args)]
pub struct Global {
    /// Print JSON, and nothing else, on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Colours: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub color: Color,
    /// Threads to use; the results are the same for any number [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
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
