//! Finds the rows of a text that hold a number which a float does not represent exactly. On all threads, line by line.
//!
//! A text without quotes has one row on each line that is not blank, so its lines can be scanned in any order. A quote
//! ends this fast path, and the caller reads the file record by record.

use memchr::{memchr, memchr_iter};

use super::columns::{Role, TrainedTable};
use super::records::is_space;
use super::sniff::Format;
use super::{Opened, ReadOptions};
use crate::error::Result;
use crate::io::{Broken, Input, Pace, Pool, Want, in_order};
use crate::read::{libsvm, sniff};
use crate::rows::Schema;

/// The rows found, and the number of all rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    pub(crate) rows: Vec<usize>,
    pub(crate) count: usize,
}

/// The rows found in a chunk of lines.
#[derive(Debug, Default)]
struct ChunkSurvey {
    survey: Survey,
    quoted: bool,
}

/// The format of a line.
enum LineFormat {
    /// The delimiter, and the role of each field.
    Columns(u8, Vec<Role>),
    /// The index of the first feature.
    Indexed(u32),
}

/// A predicate on a line, or on the text of a number.
type Test = fn(&[u8]) -> bool;

/// The rows of a file that was read before in which some number fails `survives`; `None` if the file holds quotes. A line
/// that passes the cheaper test `plain` is skipped.
pub(crate) fn survey(
    input: &Input,
    (format, schema): (Format, &Schema),
    (plain, survives): (Test, Test),
    pace: Pace,
) -> Result<Option<Survey>> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let Opened { lines, .. } = Opened::new(input, &options, None)?;
    let (written, header) = match (schema, TrainedTable::of(schema)) {
        (_, Some(trained)) => {
            let given = (trained.dialect.delimiter, None);
            let delimiter = sniff::delimiter(format, lines.head(), lines.head_is_all(), given);
            (LineFormat::Columns(delimiter, trained.columns(|_, _| Ok(()))?.roles()), trained.header)
        }
        (Schema::Indexed { first, .. }, None) => (LineFormat::Indexed(*first), false),
        (_, None) => return Ok(None),
    };
    let look = |chunk: &crate::io::Chunk, found: &mut ChunkSurvey| {
        *found = ChunkSurvey {
            quoted: matches!(written, LineFormat::Columns(..)) && memchr(b'"', chunk.text()).is_some(),
            ..ChunkSurvey::default()
        };
        for line in chunk.text().split(|&b| b == b'\n').filter(|line| written.is_row(line)) {
            if !plain(line) && !written.all(line, survives) {
                found.survey.rows.push(found.survey.count);
            }
            found.survey.count += 1;
        }
    };
    let (mut all, mut quoted) = (Survey::default(), false);
    in_order(lines, pace, &Pool::new(), look, |result| {
        match result {
            Ok(ChunkSurvey { survey, quoted: false }) => {
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

impl LineFormat {
    fn is_row(&self, line: &[u8]) -> bool {
        match self {
            LineFormat::Columns(delimiter, _) => {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                !line.iter().all(|&b| is_space(b, *delimiter))
            }
            LineFormat::Indexed(first) => libsvm::written(line, *first).is_some(),
        }
    }

    /// Whether all numbers of a row pass.
    fn all(&self, line: &[u8], survives: Test) -> bool {
        match self {
            LineFormat::Columns(delimiter, roles) => {
                let ends = memchr_iter(*delimiter, line).chain([line.len()]);
                let mut start = 0;
                ends.zip(roles).all(|(end, role)| {
                    let field = &line[start..end];
                    start = end + 1;
                    *role != Role::Number || survives(field.trim_ascii())
                })
            }
            LineFormat::Indexed(first) => {
                libsvm::written(line, *first).is_some_and(|entries| entries.iter().all(|(_, text)| survives(text)))
            }
        }
    }
}
