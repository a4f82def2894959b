//! The n-grams in each bucket of the rows of a file, for models whose words are hashed and have no names.

use std::collections::{BTreeMap, HashMap};

use super::apply::ModelTable;
use super::columns::{Kind, TrainedTable};
use super::json::members;
use super::{Format, NeedLabels, Opened, ReadOptions, json, records};
use crate::error::Result;
use crate::io::Input;
use crate::map::{bucket_of, each_run};
use crate::rows::{Labels, Schema};

/// How many n-grams of a bucket are named.
const SHOWN: usize = 3;

/// For each row of a file, the name of each of its features, such as `#7`, and the n-grams of the row that are in that bucket,
/// with a minus where their values are subtracted: `not good | -plot`. `None`: the model's words are not hashed.
pub fn bucket_names(
    input: &Input,
    options: &ReadOptions,
    schema: &Schema,
    labels: &Labels,
) -> Result<Option<Vec<HashMap<String, String>>>> {
    let (Some(trained), Some(how)) = (TrainedTable::of(schema), schema.hashed()) else { return Ok(None) };
    let name = input.name();
    let Opened { lines, format, .. } = Opened::without_labels(input, options, schema, labels)?;
    let rows = match format {
        Format::Jsonl => json::rows_for(lines, trained, options),
        _ => records(lines, format, options.dialect.delimiter, trained.dialect.delimiter)?,
    };
    let (mut body, table) = ModelTable::open(rows, options, trained, NeedLabels::No, &mut Vec::new())?;
    let (mut all, alone) = (Vec::new(), trained.columns.len() == 1);
    while let Some(record) = body.next().map_err(|error| error.in_file(&name))? {
        let mut within: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for column in &table.columns.features {
            let mut add = |run: &str| {
                let named = if alone { run.to_string() } else { format!("{}:{run}", column.name) };
                let (bucket, minus) = bucket_of(how.bits, &named);
                let shown = format!("{}{named}", if minus { "-" } else { "" });
                let names = within.entry(bucket).or_default();
                if !names.contains(&shown) {
                    names.push(shown);
                }
            };
            let text = record.text(column.at);
            match (&column.kind, members(text)) {
                (Kind::Set(_), Some(set)) => {
                    set.filter(|word| !word.is_empty()).for_each(|word| add(&String::from_utf8_lossy(word)));
                }
                (Kind::Text(words) | Kind::Set(words), _) => {
                    let units = words.units();
                    each_run(&String::from_utf8_lossy(text), units.ngrams, units.chars, add);
                }
                (Kind::Number | Kind::Category(_), _) => {}
            }
        }
        let named = |(bucket, names): (u32, Vec<String>)| {
            let mut text = names[..names.len().min(SHOWN)].join(" | ");
            if let more @ 1.. = names.len().saturating_sub(SHOWN) {
                text += &format!(" | {more} more");
            }
            (schema.feature_name(bucket as usize), text)
        };
        all.push(within.into_iter().map(named).collect());
    }
    Ok(Some(all))
}
