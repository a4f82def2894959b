//! Several files of the same columns, read as one.

use std::path::PathBuf;

use super::body::{Body, names_given, places_given};
use super::{Format, Opened, ReadOptions, records};
use crate::error::{Error, Result};
use crate::io::{Input, first_line, show};

/// These files as one input, whose rows are those of all of them in order. They must have one text format and, where they
/// have headers, the same.
///
/// ```
/// use rosenblatt::read::{ReadOptions, join, read};
/// let dir = tempfile::tempdir()?;
/// let paths = [("a.csv", "x,label\n1,no\n"), ("b.csv", "x,label\n2,yes\n")].map(|(name, text)| {
///     std::fs::write(dir.path().join(name), text).unwrap();
///     dir.path().join(name)
/// });
/// let input = join(&paths, &ReadOptions::default())?;
/// assert_eq!(read(&input, &ReadOptions::default())?.table.matrix.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn join(paths: &[PathBuf], options: &ReadOptions) -> Result<Input> {
    let mut common: Option<(Format, bool, Vec<u8>)> = None;
    for path in paths {
        let (input, name) = (Input::Path(path.clone()), path.display().to_string());
        if !input.opens_again() {
            return Err(Error::settings("several files are opened more than once, and a pipe is not").in_file(&name));
        }
        let Opened { lines, format, .. } = Opened::new(&input, options, None)?;
        if !format.is_text() {
            return Err(Error::settings(format!("several files can be of text, and {format} is not")).in_file(&name));
        }
        let Some((first_format, header, names)) = &common else {
            let header = match format {
                Format::Csv | Format::Tsv => {
                    let rows = records(lines, format, options.dialect.delimiter, None)?;
                    let named = |first: super::records::Record<'_>| {
                        names_given(options.label.iter().chain(&options.text), first)
                    };
                    Body::new(rows, options.header, &places_given(&options.text), named)?.header
                }
                _ => false,
            };
            common = Some((format, header, first_line(path)?));
            continue;
        };
        let first = paths[0].display();
        if *first_format != format {
            return Err(Error::bad_data(format!("the file is {format}, but {first} is {first_format}")).in_file(&name));
        }
        if *header && first_line(path)? != *names {
            let found = show(&first_line(path)?);
            let message =
                format!("its columns are {found}, where {first} has {}: give both the same first line", show(names));
            return Err(Error::bad_data(message).in_file(&name));
        }
    }
    Ok(Input::Several { paths: paths.to_vec(), header: common.is_some_and(|(_, header, _)| header) })
}
