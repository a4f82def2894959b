//! Opens data files by the arguments.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Result, bail};
use rosenblatt::io::{self, Input};
use rosenblatt::read::{Dataset, Format, Guess, NeedLabels, ReadOptions, read, read_for};
use rosenblatt::rows::Table;
use rosenblatt::{Message, Model};

use crate::args::DataArgs;
use crate::output::note;
use crate::words;

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

/// Training examples.
pub fn training_data(data: &str, args: &DataArgs) -> Result<Dataset> {
    check_training(read(&Input::new(data), &training_options(args)?)?)
}

/// An input that can be read more than once: a pipe is read into memory.
pub fn rereadable_input(data: &str) -> Result<Input> {
    let input = Input::new(data);
    if input.opens_again() {
        return Ok(input);
    }
    let mut bytes = Vec::new();
    input.open()?.read_to_end(&mut bytes)?;
    Ok(Input::memory(input.name(), bytes))
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

/// Refuses an output that cannot be written, or that is also read.
pub fn check_output(option: &str, reads: &[&Path], path: &Path) -> Result<()> {
    if path == Path::new("-") {
        bail!("{option} names a file: the report goes to standard output");
    }
    refuse_overwriting(reads, path)?;
    Ok(io::check_place(path)?)
}

/// Refuses to overwrite an input.
pub fn refuse_overwriting(inputs: &[&Path], output: &Path) -> Result<()> {
    let Ok(place) = output.canonicalize() else { return Ok(()) };
    for input in inputs {
        if input.canonicalize().is_ok_and(|input| input == place) && place.is_file() {
            bail!(
                "{}: this is read by the same command, and would be overwritten: name another file",
                output.display()
            );
        }
    }
    Ok(())
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
    if let (true, Some(how)) = (format_too, how) {
        note(format!("{name}: read as {format}, by its {how}"));
    }
    notes.iter().for_each(|text| note(format!("{name}: {}", words::message(text))));
}
