//! Which rows of a text hold a number that a float does not tell? On all threads, line by line.
//!
//! A text without quotes has one row on each line that is not blank, so its lines can be looked at in any order. Where a
//! quote is met this road ends, and the file is to be read as it was the first time.

use memchr::{memchr, memchr_iter};

use super::raw::indexed;
use super::records::is_space;
use super::sniff::Format;
use super::{Opened, ReadOptions};
use crate::error::Result;
use crate::io::{Broken, Input, Pace, Pool, Want, in_order};
use crate::read::sniff;
use crate::rows::{ColumnKind, Schema};

/// Rows that stand out, and how many there are in all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    pub(crate) rows: Vec<usize>,
    pub(crate) count: usize,
}

/// What a chunk of lines holds.
#[derive(Debug, Default)]
struct Seen {
    survey: Survey,
    quoted: bool,
}

/// What a row looks like.
enum Layout {
    /// The delimiter, and whether a field is a number.
    Columns(u8, Vec<bool>),
    /// The index of the first feature.
    Indexed(u32),
}

/// A question about a line, or about a number's text.
type Test = fn(&[u8]) -> bool;

/// The rows of a file that was read before in which some number does not `survive`; `None` if it holds quotes. A line is
/// asked first, whose bytes may tell that nothing in it stands out.
pub(crate) fn survey(
    input: &Input,
    (format, schema): (Format, &Schema),
    (plain, survives): (Test, Test),
    pace: Pace,
) -> Result<Option<Survey>> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let Opened { lines, .. } = Opened::new(input, &options, None)?;
    let (layout, header) = match schema {
        Schema::Indexed { first, .. } => (Layout::Indexed(*first), false),
        Schema::Named { .. } => return Ok(None),
        Schema::Columns { columns, width, header, .. } => {
            let mut numbers = vec![false; *width];
            columns.iter().filter(|c| c.kind == ColumnKind::Number).for_each(|c| numbers[c.at] = true);
            (Layout::Columns(sniff::delimiter(format, lines.head(), lines.head_is_all()), numbers), *header)
        }
    };
    let look = |chunk: &crate::io::Chunk, seen: &mut Seen| {
        *seen = Seen {
            quoted: matches!(layout, Layout::Columns(..)) && memchr(b'"', chunk.text()).is_some(),
            ..Seen::default()
        };
        for line in chunk.text().split(|&b| b == b'\n').filter(|line| layout.is_row(line)) {
            if !plain(line) && !layout.all(line, survives) {
                seen.survey.rows.push(seen.survey.count);
            }
            seen.survey.count += 1;
        }
    };
    let (mut all, mut quoted) = (Survey::default(), false);
    in_order(lines, pace, &Pool::new(), look, |result| {
        match result {
            Ok(Seen { survey, quoted: false }) => {
                all.rows.extend(survey.rows.iter().map(|row| all.count + row));
                all.count += survey.count;
                return Ok(Want::More);
            }
            Ok(_) | Err(Broken::Text(_)) => quoted = true,
            Err(Broken::Source(error)) => return Err(error),
        }
        Ok(Want::Nothing)
    })?;
    if quoted || (header && all.count == 0) {
        return Ok(None);
    }
    if header {
        all.rows.retain(|&row| row > 0);
        all.rows.iter_mut().for_each(|row| *row -= 1);
        all.count -= 1;
    }
    Ok(Some(all))
}

impl Layout {
    fn is_row(&self, line: &[u8]) -> bool {
        match self {
            Layout::Columns(delimiter, _) => {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                !line.iter().all(|&b| is_space(b, *delimiter))
            }
            Layout::Indexed(first) => indexed(line, *first).is_some(),
        }
    }

    /// Whether all numbers of a row survive.
    fn all(&self, line: &[u8], survives: Test) -> bool {
        match self {
            Layout::Columns(delimiter, numbers) => {
                let ends = memchr_iter(*delimiter, line).chain([line.len()]);
                let mut start = 0;
                ends.zip(numbers).all(|(end, number)| {
                    let field = &line[start..end];
                    start = end + 1;
                    !number || survives(field.trim_ascii())
                })
            }
            Layout::Indexed(first) => {
                indexed(line, *first).is_some_and(|entries| entries.iter().all(|(_, text)| survives(text)))
            }
        }
    }
}
