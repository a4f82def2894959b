//! From a file to a model by whichever road suits its size. The model has the same bytes on every one.
//!
//! ```text
//!  one pass ────────► learned from while it is read          fit_stream
//!  fits in memory ──► read whole                             fit_watched
//!  does not ────────► through a cache on disk                fit_cached
//! ```

use std::path::PathBuf;

use super::Observer;
use super::stream::Streamed;
use super::trainer::Trainer;
use crate::error::{Error, Result};
use crate::io::Input;
use crate::read::cache::check_cache_place;
use crate::read::{ReadOptions, memory_needed, read};

/// Where the rows of a file lie while passes go over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// In memory, if they take at most so many bytes; else in a cache at this place, which is removed afterwards.
    Either {
        /// Bytes.
        memory: u64,
        /// A file that may be written.
        place: PathBuf,
    },
    /// In memory.
    Memory,
    /// In a cache at this place, which stays.
    Cache(PathBuf),
}

/// Half of the memory that nobody uses, where the system tells; else 4 GiB.
pub fn half_of_free_memory() -> u64 {
    let told = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = free.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(4 << 30, |kilobytes| kilobytes * 512)
}

/// A file that is not meant to stay.
struct Passing<'a>(&'a PathBuf);

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        // It may never have come to be.
        let _ = std::fs::remove_file(self.0);
    }
}

impl Trainer {
    /// Trains on a file of any size and keeps nothing of it in memory; `None` where that cannot be done (the settings
    /// ask for a look at all rows, the format has to be read whole) or would be no better.
    pub fn fit_unkept(
        &self,
        input: &Input,
        options: &ReadOptions,
        through: &Storage,
        observer: &mut dyn Observer,
    ) -> Result<Option<Streamed>> {
        if !input.opens_again() || !self.learns_by_blocks() {
            return Ok(None);
        }
        let fitted = match through {
            Storage::Cache(place) => self.fit_cached(input, options, place, observer),
            _ if self.can_stream() => self.fit_stream(input, options, observer),
            Storage::Memory => Ok(None),
            Storage::Either { memory, place } => {
                if memory_needed(input, options)? <= *memory {
                    return Ok(None);
                }
                // A cache is removed afterwards, whoever made it, but nothing else.
                check_cache_place(place)?;
                let place = Passing(place);
                self.fit_cached(input, options, place.0, observer)
            }
        };
        fitted.map_err(|e| e.in_file(&input.name()))
    }

    /// Trains on a file, whatever its size and format.
    pub fn fit_file(
        &self,
        input: &Input,
        options: &ReadOptions,
        through: &Storage,
        observer: &mut dyn Observer,
    ) -> Result<Streamed> {
        if let Some(streamed) = self.fit_unkept(input, options, through, observer)? {
            return Ok(streamed);
        }
        let dataset = read(input, &ReadOptions { compact: true, ..options.clone() })?;
        let here = |e: Error| e.in_file(&dataset.name);
        dataset.table.check_learnable().and_then(|()| dataset.table.check_lengths()).map_err(here)?;
        let mut fitted = self.fit_watched(&dataset.table, None, observer).map_err(here)?;
        fitted.model.facts.data = Some(dataset.fingerprint);
        Ok(Streamed {
            model: fitted.model.compact(),
            report: fitted.report,
            failures: fitted.failures,
            name: dataset.name,
            format: dataset.format,
            guessed: dataset.guessed,
            notes: dataset.notes,
        })
    }
}
