//! Taggers: `train`, `predict`, `eval`, `cv`, `tune`, `inspect`, `export`, `explain` and `plot` for sentences.

pub mod cv;
pub mod eval;
pub mod explain;
pub mod inspect;
pub mod predict;
pub mod train;
pub mod tune;

use std::io::{BufRead, Read};

use anyhow::{Result, bail};
use clap::Args;
use rosenblatt::io::Input;
use rosenblatt::read::{Format, Header};
use rosenblatt::structured::chain::{Search, Update};
use rosenblatt::structured::read::{SequenceFormat, by_content, by_name};
use rosenblatt::structured::template::BUILT_IN;
use rosenblatt::structured::{Constrain, Scheme};

use crate::args::{DataArgs, TrainArgs, choice};
use crate::output::Output;

/// The options of a tagger.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Tagging (conll, conllu and crfsuite files)")]
pub struct TagArgs {
    /// Feature templates: pos, chunk, chunk19, entity, or a file (see `rosenblatt help templates`) [default: chosen by the
    /// data]
    #[arg(long, value_name = "SET")]
    pub templates: Option<String>,
    /// The column to learn: its number, for conllu upos or xpos [default: the last; upos]
    #[arg(long, value_name = "COLUMN")]
    pub tag: Option<String>,
    /// The search for the best tags: viterbi, beam:N or greedy [default: viterbi]
    #[arg(long, value_name = "HOW")]
    pub search: Option<Search>,
    /// The update of a beam: max-violation or early [default: max-violation]
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = choice::<Update>())]
    pub update: Option<Update>,
    /// Predict only tags that are valid in a scheme: iob1, iob2, ioe1, ioe2, iobes, or the one of the data
    #[arg(long, value_name = "SCHEME", num_args = 0..=1, default_missing_value = "auto", require_equals = true,
          value_parser = constrain)]
    pub constrain: Option<Constrain>,
    /// Train in another scheme, and predict in that of the data
    #[arg(long, value_name = "SCHEME", value_parser = choice::<Scheme>())]
    pub encode: Option<Scheme>,
    /// Words that occur N times or more, always with one tag, get it without search [N: 5]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", require_equals = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub tag_dictionary: Option<u32>,
    /// Pass over tokens without a tag, and count them
    #[arg(long)]
    pub skip_untagged: bool,
}

/// `auto`, the scheme of the data, or a scheme by its name.
fn constrain(text: &str) -> rosenblatt::Result<Constrain> {
    if text == "auto" { Ok(Constrain::Found) } else { text.parse().map(Constrain::By) }
}

impl TagArgs {
    /// The search and its update.
    fn search(&self) -> Result<Search> {
        match (self.search.unwrap_or(Search::Viterbi), self.update) {
            (Search::Viterbi, Some(_)) => bail!("--update is for a beam: viterbi is an exact search"),
            (Search::Beam { width, .. }, Some(update)) => Ok(Search::Beam { width, update }),
            (search, None) => Ok(search),
        }
    }

    /// The first option that was given, if any.
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("--templates", self.templates.is_some()),
            ("--tag", self.tag.is_some()),
            ("--search", self.search.is_some()),
            ("--update", self.update.is_some()),
            ("--constrain", self.constrain.is_some()),
            ("--encode", self.encode.is_some()),
            ("--tag-dictionary", self.tag_dictionary.is_some()),
            ("--skip-untagged", self.skip_untagged),
        ];
        given.iter().find(|(_, given)| *given).map(|(option, _)| *option)
    }

    /// Refuses options for sentences.
    pub fn refuse(&self) -> Result<()> {
        match self.given() {
            Some(option) => {
                bail!("{option} is for sentences, and the data are a table: name --format conll, conllu or crfsuite")
            }
            None => Ok(()),
        }
    }
}

/// The format of a file of sentences, and how it was guessed.
pub struct Sequences {
    pub format: SequenceFormat,
    pub guessed: Option<&'static str>,
}

/// Whether the data are sentences: by `--format`, by name, by content.
pub fn sequences(data: &str, read: &DataArgs, tag: &TagArgs) -> Result<Option<Sequences>> {
    if let Some(format) = SequenceFormat::by_name(&read.format) {
        return Ok(Some(Sequences { format, guessed: None }));
    }
    if read.format != "auto" {
        return Ok(None);
    }
    if let Some(format) = by_name(data) {
        return Ok(Some(Sequences { format, guessed: Some("name") }));
    }
    if Format::by_name(data).is_some() && tag.given().is_none() {
        return Ok(None);
    }
    let (head, whole) = head(data);
    let found = by_content(&head, whole).or(tag.given().map(|_| SequenceFormat::Conll));
    Ok(found.map(|format| Sequences { format, guessed: Some("content") }))
}

/// Whether the data are sentences; if they are not, options for sentences are refused.
pub fn sentences(args: &TrainArgs) -> Result<Option<Sequences>> {
    let found = sequences(&args.data, &args.read, &args.tag)?;
    if found.is_none() {
        args.tag.refuse()?;
    }
    Ok(found)
}

/// The first bytes of the data, and whether they are all. Nothing is consumed; an input that cannot be reopened is not read.
fn head(data: &str) -> (Vec<u8>, bool) {
    const LOOK: u64 = 1 << 16;
    let mut bytes = Vec::new();
    let input = if data == "-" {
        // The bytes stay in the buffer for the next reader.
        let buffered = std::io::stdin().lock().fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
        Input::memory("-", buffered)
    } else if Input::new(data).opens_again() {
        Input::new(data)
    } else {
        return (bytes, false);
    };
    // Errors are left to the reader: a compressed prefix always ends in one.
    let whole = match input.open() {
        Ok(source) => source.take(LOOK).read_to_end(&mut bytes).is_ok_and(|n| (n as u64) < LOOK && data != "-"),
        Err(_) => false,
    };
    (bytes, whole)
}

/// `rosenblatt help templates`: the language, and the built-in sets.
pub fn describe_templates(out: &mut Output) -> Result<()> {
    if out.json {
        let sets: serde_json::Map<_, _> =
            BUILT_IN.iter().map(|(name, text)| (name.to_string(), serde_json::Value::from(*text))).collect();
        return out.object(&sets);
    }
    out.heading("templates: the features of a token")?;
    out.line("")?;
    out.bytes(include_bytes!("templates.txt"))?;
    for (name, text) in BUILT_IN {
        out.line("")?;
        out.heading(name)?;
        for line in text.lines() {
            out.line(format!("  {line}"))?;
        }
    }
    Ok(())
}

/// Refuses options for tables.
pub fn refuse_columns(read: &DataArgs) -> Result<()> {
    let given = [
        ("--drop", !read.drop.is_empty()),
        ("--category", !read.category.is_empty()),
        ("--text", !read.text.is_empty()),
        ("--ngrams", read.ngrams != 1),
        ("--char-ngrams", read.char_ngrams.is_some()),
        ("--delimiter", read.delimiter.is_some()),
        ("--na", !read.na.is_empty()),
        ("--missing", read.missing.is_some()),
        ("--weight", read.weight.is_some()),
        ("--positive", read.positive.is_some()),
        ("--header", !matches!(read.header, Header::Auto)),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => bail!("{option} is for tables, and the data are sentences"),
        None => Ok(()),
    }
}

/// Refuses a format other than the tagger's.
pub fn check_format(read: &DataArgs, format: SequenceFormat) -> Result<()> {
    refuse_columns(read)?;
    if read.format != "auto" && SequenceFormat::by_name(&read.format) != Some(format) {
        bail!("--format {}: the tagger was trained on {} files", read.format, format.name());
    }
    if read.label.is_some() {
        bail!("--label: the tagger knows which column is the tag");
    }
    Ok(())
}
