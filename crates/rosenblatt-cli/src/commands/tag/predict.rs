//! `rosenblatt predict` with a tagger: the input's lines, with the tag as one more column, in CoNLL-U in its own.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::Error;
use rosenblatt::io::{self, Input};
use rosenblatt::structured::read::{Plain, Tags};
use rosenblatt::structured::{Shares, Tagger};
use serde_json::{Value, json};

use crate::args::PredictArgs;
use crate::commands::open;
use crate::output::{Output, json_line};

pub fn run(args: &PredictArgs, tagger: &Tagger, out: &mut Output) -> Result<ExitCode> {
    let plain = Plain::by_name(&args.read.format);
    if plain.is_none() {
        super::check_format(&args.read, tagger.layout.format)?;
    } else {
        super::refuse_columns(&args.read)?;
    }
    if args.names {
        bail!("--names: the columns are those of the sentences; `rosenblatt inspect` lists the tags in their order");
    }
    let shares = match args.top {
        Some(most) => Shares::Top(most as usize),
        None if args.scores => Shares::Each,
        None => Shares::No,
    };
    let mut input = Input::new(&args.data);
    if let Some(plain) = plain {
        let name = input.name();
        let text = String::from_utf8(open::read_all(&input)?)
            .map_err(|_| Error::bad_data("this is not UTF-8: save the file as UTF-8").in_file(&name))?;
        let lines = plain.in_layout(&name, &text, &tagger.layout, tagger.needs())?;
        input = Input::memory(name, lines);
    }
    let mut sentences = tagger.open(&input, Tags::Optional)?;
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let json_lines = out.json;
    let mut file = Vec::new();
    let mut write = |text: &[u8]| match path {
        Some(_) => {
            file.extend_from_slice(text);
            Ok(())
        }
        None => out.bytes(text).map_err(|e| Error::io("standard output", e)),
    };
    let done = if json_lines {
        tagger.tag_sentences(&mut sentences, shares, |tokens, tags, all| {
            let mut object = json!({ "tokens": tokens, "tags": tags });
            add_shares(&mut object, tagger, shares, &all);
            write(json_line(&object).unwrap_or_default().as_bytes())
        })
    } else {
        tagger.tag_lines(&mut sentences, shares, |text| write(&text))
    };
    match done {
        Err(error) if path.is_none() => {
            // Sentences before the error are printed.
            out.flush()?;
            return Err(error.into());
        }
        done => done?,
    }
    if let Some(path) = path {
        io::write_file(path, &file)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds the shares of each token: as `scores` of all tags, or as the `top` tags.
fn add_shares(object: &mut Value, tagger: &Tagger, shown: Shares, shares: &[f64]) {
    let label = |tag: u32| tagger.labels[tag as usize].clone();
    let tokens = shares.chunks(tagger.labels.len()).map(|own| shown.of(own));
    match shown {
        Shares::No => {}
        Shares::Each => {
            let object_of = |all: Vec<(u32, f64)>| {
                Value::Object(all.into_iter().map(|(tag, share)| (label(tag), Value::from(share))).collect())
            };
            object["scores"] = tokens.map(object_of).collect();
        }
        Shares::Top(_) => {
            let one = |(tag, share): (u32, f64)| json!({ "label": label(tag), "score": share });
            object["top"] = tokens.map(|all| all.into_iter().map(one).collect::<Value>()).collect();
        }
    }
}
