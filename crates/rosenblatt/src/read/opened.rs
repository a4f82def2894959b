//! An input that is open: its lines, and its format by name or content.

use super::bare::is_bare;
use super::sniff::{self, Format};
use super::{Guess, Header, ReadOptions, expected_format};
use crate::error::{Error, Result};
use crate::io::{Input, Lines};
use crate::map::MAX_NGRAMS;
use crate::message::{Message, Setting, Tool};
use crate::rows::{Labels, Schema};

/// An input whose format is known.
pub(crate) struct Opened<'a> {
    pub(crate) lines: Lines<'a>,
    pub(crate) format: Format,
    pub(crate) guessed: Option<Guess>,
}

impl<'a> Opened<'a> {
    /// Opens an input; if its content does not decide the format, it is the `expected` one.
    pub(super) fn new(input: &'a Input, options: &ReadOptions, expected: Option<Format>) -> Result<Self> {
        Self::of(Lines::new(input.open()?)?, options, expected, &|_, _| false)
    }

    /// The same for rows of a model whose labels are not needed: text may be bare.
    pub(super) fn without_labels(
        input: &'a Input,
        options: &ReadOptions,
        schema: &Schema,
        labels: &Labels,
    ) -> Result<Self> {
        let bare = |head: &[u8], whole: bool| is_bare(head, whole, schema, labels);
        Self::of(Lines::new(input.open()?)?, options, Some(expected_format(schema)), &bare)
    }

    /// The same for rows that are answered one by one: lines of a pipe are returned as they come.
    pub(crate) fn to_answer(input: &'a Input, options: &ReadOptions, schema: &Schema, labels: &Labels) -> Result<Self> {
        let lines = if input.is_live() { Lines::live(input.open()?)? } else { Lines::new(input.open()?)? };
        Self::of(lines, options, Some(expected_format(schema)), &|head, whole| is_bare(head, whole, schema, labels))
    }

    /// Whether the rows are those of a binary array.
    pub(crate) fn is_array(&self) -> bool {
        matches!(self.format, Format::Idx | Format::Npy)
    }

    /// Whether rows for a model can be read a chunk at a time.
    pub(crate) fn streams_to(&self, schema: &Schema, options: &ReadOptions) -> bool {
        match schema {
            Schema::Indexed { .. } => matches!(self.format, Format::Libsvm | Format::Idx | Format::Npy),
            Schema::Named { .. } => self.format == Format::Vw,
            // The weights of examples are checked while they are kept.
            Schema::Columns { .. } => {
                options.weight.is_none()
                    && !matches!(self.format, Format::Libsvm | Format::Vw | Format::Idx | Format::Npy)
            }
        }
    }

    /// `bare`: whether the head of a text that nothing else describes is bare text for the model.
    fn of(
        lines: Lines<'a>,
        options: &ReadOptions,
        expected: Option<Format>,
        bare: &dyn Fn(&[u8], bool) -> bool,
    ) -> Result<Self> {
        let name = lines.name().to_string();
        let head = lines.head();
        let here = |error: Error| error.in_file(&name);
        let binary = Format::by_magic(head);
        if binary.is_some() || options.format.is_some_and(|format| !format.is_text()) {
            let (format, guessed) = match (options.format, binary) {
                (Some(given), Some(found)) if given != found => {
                    return Err(here(Error::setting(Setting::Format, given, format!("but the file is {found}"))));
                }
                (Some(given), None) => {
                    return Err(here(Error::bad_data(format!("no {given} file: it does not begin as one"))));
                }
                (given, found) => (given.or(found).unwrap_or(Format::Idx), given.is_none().then_some(Guess::ByContent)),
            };
            options.check_ngrams(format)?;
            options.refuse_for(format).map_err(here)?;
            return Ok(Opened { lines, format, guessed });
        }
        sniff::refuse_binary(head).map_err(here)?;
        if head.trim_ascii().is_empty() && lines.head_is_all() {
            return Err(here(Error::bad_data("no examples: the file is empty")));
        }
        let (format, guessed) = if let Some(format) = options.format {
            (format, None)
        } else if let Some(format) = Format::by_name(&name) {
            (format, Some(Guess::ByName))
        } else if options.dialect.delimiter.is_some() {
            (Format::Csv, None)
        } else {
            let format = match (Format::by_content(head, lines.head_is_all()).map_err(here)?, expected) {
                (Some(format @ (Format::Jsonl | Format::FastText)), _) => format,
                _ if bare(head, lines.head_is_all()) => Format::FastText,
                (Some(format), _) | (None, Some(format)) => format,
                (None, None) => {
                    let message = if sniff::looks_spaced(head, lines.head_is_all()) {
                        Message::new("numbers separated by spaces, which is not a supported format: ")
                            .tool(Tool::Commas)
                    } else {
                        let message = Message::new("cannot tell the format: name it with ");
                        message.one_of(Setting::Format, &["libsvm", "csv", "tsv", "jsonl", "fasttext", "vw"])
                    };
                    return Err(here(Error::bad_data(message)));
                }
            };
            (format, Some(Guess::ByContent))
        };
        if !format.is_text() {
            return Err(here(Error::bad_data(format!("no {format} file: it does not begin as one"))));
        }
        options.check_ngrams(format)?;
        options.refuse_for(format).map_err(here)?;
        Ok(Opened { lines, format, guessed })
    }
}

impl ReadOptions {
    fn check_ngrams(&self, format: Format) -> Result<()> {
        match self.ngrams {
            0 => Err(Error::setting(Setting::Ngrams, 0, "a run of words has at least one")),
            n if n as usize > MAX_NGRAMS => {
                Err(Error::setting(Setting::Ngrams, n, format!("at most {MAX_NGRAMS} words are taken together")))
            }
            n if (n > 1 || self.chars.is_some()) && self.text.is_empty() && format != Format::FastText => {
                let setting = if n > 1 { Setting::Ngrams } else { Setting::CharNgrams };
                let message = setting.named().text(" is for text: name a column with ").with(Setting::Text);
                Err(Error::settings(message))
            }
            _ => Ok(()),
        }
    }

    /// Refuses options that make no sense for a format.
    fn refuse_for(&self, format: Format) -> Result<()> {
        if self.labels.is_some() && !matches!(format, Format::Idx | Format::Npy) {
            let message = format!(" is for idx and npy, but the file is {format}");
            return Err(Error::settings(Setting::Labels.named().text(message)));
        }
        if self.dialect.delimiter.is_some() && !matches!(format, Format::Csv | Format::Tsv) {
            let message = format!(" is for csv and tsv, but the file is {format}");
            return Err(Error::settings(Setting::Delimiter.named().text(message)));
        }
        if matches!(format, Format::Csv | Format::Tsv | Format::Jsonl | Format::Parquet) {
            return Ok(());
        }
        let given = [
            (Setting::Label, self.label.is_some()),
            (Setting::Drop, !self.drop.is_empty()),
            (Setting::Category, !self.category.is_empty()),
            (Setting::Text, !self.text.is_empty()),
            (Setting::Missing, self.missing.is_some()),
            (Setting::Na, !self.dialect.na.is_empty()),
            (Setting::Weight, self.weight.is_some()),
            (Setting::Header, self.header != Header::Auto),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let message =
                    format!(" is for csv, tsv, jsonl and parquet, but the file is {format}, which has no columns");
                Err(Error::settings(option.named().text(message)))
            }
            None => Ok(()),
        }
    }
}
