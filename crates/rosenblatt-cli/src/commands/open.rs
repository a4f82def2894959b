//! Opening data files as the arguments say.

use anyhow::Result;
use rosenblatt::Model;
use rosenblatt::data::{Dataset, Header, Input, NeedLabels, ReadOptions, read, read_for};

use crate::args::{self, DataArgs};
use crate::output::note;

fn options(args: &DataArgs) -> Result<ReadOptions> {
    let format = if args.format == "auto" { None } else { Some(args.format.parse()?) };
    let header = match args.header {
        args::Header::Auto => Header::Auto,
        args::Header::Yes => Header::Yes,
        args::Header::No => Header::No,
    };
    Ok(ReadOptions {
        format,
        header,
        label: args.label.clone(),
        drop: args.drop.clone(),
        category: args.category.clone(),
        weight: args.weight.clone(),
        positive: args.positive.clone(),
    })
}

/// Examples to learn from.
pub fn training_data(data: &str, args: &DataArgs) -> Result<Dataset> {
    let dataset = read(&Input::new(data), &options(args)?)?;
    dataset.table.check_learnable().map_err(|e| e.in_file(&dataset.name))?;
    dataset.notes.iter().for_each(note);
    Ok(dataset)
}

/// Rows for a model.
pub fn data_for(model: &Model, data: &str, args: &DataArgs, need: NeedLabels) -> Result<Dataset> {
    let dataset = read_for(&Input::new(data), &options(args)?, &model.schema, &model.labels, need)?;
    dataset.notes.iter().for_each(note);
    Ok(dataset)
}
