//! Opens data files by the arguments.

use std::io::Read as _;

use anyhow::Result;
use rosenblatt::io::Input;
use rosenblatt::read::{Dataset, Format, Guess, NeedLabels, ReadOptions, join, read, read_for};
use rosenblatt::rows::{Dialect, Table};
use rosenblatt::{Error, Message, Model, limits};

use crate::args::{DataArgs, TrainArgs};
use crate::output::note;
use crate::{show, words};

/// The reading options.
pub fn options(args: &DataArgs) -> Result<ReadOptions> {
    let format = if args.format == "auto" { None } else { Some(args.format.parse()?) };
    Ok(ReadOptions {
        format,
        header: args.header,
        label: args.label.clone(),
        drop: args.drop.clone(),
        category: args.category.clone(),
        text: args.text.clone(),
        ngrams: args.ngrams,
        chars: args.char_ngrams,
        dialect: Dialect { delimiter: args.delimiter, na: args.na.clone() },
        hashed: None,
        missing: args.missing,
        weight: args.weight.clone(),
        positive: args.positive.clone(),
        labels: args.labels.as_deref().map(Input::new),
        compact: false,
    })
}

/// The reading options for training: rows in their smallest form.
pub fn training_options(args: &DataArgs) -> Result<ReadOptions> {
    Ok(ReadOptions { compact: true, ..options(args)? })
}

/// Refuses data that cannot be trained on.
pub fn check_training(dataset: Dataset) -> Result<Dataset> {
    dataset.table.check_learnable().map_err(|e| e.in_file(&dataset.name))?;
    dataset.table.check_lengths().map_err(|e| e.in_file(&dataset.name))?;
    Ok(dataset)
}

/// The file of examples, or all of them as one.
pub fn examples(args: &TrainArgs) -> Result<Input> {
    let all: Vec<&String> = std::iter::once(&args.data).chain(&args.more).collect();
    match all[..] {
        [one] => Ok(Input::new(one)),
        _ if all.iter().any(|data| *data == "-") => {
            anyhow::bail!("several files are opened more than once, and standard input is not: name files")
        }
        _ => Ok(join(&all.into_iter().map(Into::into).collect::<Vec<_>>(), &options(&args.read)?)?),
    }
}

/// Training examples.
pub fn training_data(args: &TrainArgs) -> Result<Dataset> {
    check_training(read(&examples(args)?, &training_options(&args.read)?)?)
}

/// An input that can be read more than once: a pipe is read into memory.
pub fn rereadable_input(data: &str) -> Result<Input> {
    rereadable(Input::new(data))
}

/// The same of an input.
pub fn rereadable(input: Input) -> Result<Input> {
    if input.opens_again() {
        return Ok(input);
    }
    let bytes = read_all(&input)?;
    Ok(Input::memory(input.name(), bytes))
}

/// The bytes of an input, decompressed, within the limits.
pub fn read_all(input: &Input) -> rosenblatt::Result<Vec<u8>> {
    const AT_ONCE: u64 = 1 << 22;
    let (mut bytes, mut source) = (Vec::new(), input.open()?);
    while source.by_ref().take(AT_ONCE).read_to_end(&mut bytes).map_err(|e| Error::io(input.name(), e))? > 0 {
        limits::check()?;
    }
    Ok(bytes)
}

/// Any table, also one that cannot be trained on.
pub fn any_input(input: &Input, args: &DataArgs) -> Result<Dataset> {
    Ok(read(input, &options(args)?)?)
}

/// Labelled examples of at least two classes.
pub fn training_input(input: &Input, args: &DataArgs) -> Result<Dataset> {
    let dataset = read(input, &options(args)?)?;
    dataset.table.check_learnable().map_err(|e| e.in_file(&dataset.name))?;
    Ok(dataset)
}

/// The same with the labels from another input.
pub fn training_input_beside(input: &Input, args: &DataArgs, labels: Option<&Input>) -> Result<Dataset> {
    let dataset = read(input, &ReadOptions { labels: labels.cloned(), ..options(args)? })?;
    dataset.table.check_learnable().map_err(|e| e.in_file(&dataset.name))?;
    Ok(dataset)
}

/// Rows in the schema of a model.
pub fn data_for(model: &Model, data: &str, args: &DataArgs, need: NeedLabels) -> Result<Dataset> {
    let dataset = read_for(&Input::new(data), &options(args)?, &model.schema, &model.labels, need)?;
    Ok(dataset)
}

/// Rows in the schema of a table.
pub fn data_like(table: &Table, input: &Input, args: &DataArgs, need: NeedLabels) -> Result<Dataset> {
    let dataset = read_for(input, &options(args)?, &table.schema, &table.labels, need)?;
    dataset.table.check_lengths().map_err(|e| e.in_file(&dataset.name))?;
    Ok(dataset)
}

/// Prints the notes about a file; `format_too`: also that its format was guessed, where no report says so.
pub fn print_notes(dataset: &Dataset, format_too: bool) {
    print_notes_of(&dataset.name, dataset.format, dataset.guessed, &dataset.notes, format_too);
}

/// The same for a file that is not in memory.
pub fn print_notes_of(name: &str, format: Format, guessed: Option<Guess>, notes: &[Message], format_too: bool) {
    let how = match guessed {
        Some(Guess::ByName) => Some("name"),
        Some(Guess::ByContent) => Some("content"),
        None => None,
    };
    let name = show::file(name);
    if let (true, Some(how)) = (format_too, how) {
        note(format!("{name}: read as {format}, by its {how}"));
    }
    notes.iter().for_each(|text| note(format!("{name}: {}", words::message(text))));
}
