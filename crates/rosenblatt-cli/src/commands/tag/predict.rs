//! `rosenblatt predict` with a tagger: the input's lines, with the tag as one more column, in CoNLL-U in its own.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::Error;
use rosenblatt::io::{Growing, Input};
use rosenblatt::structured::read::{Plain, Tags};
use rosenblatt::structured::{Shares, Tagger};
use serde_json::{Value, json};

use crate::args::PredictArgs;
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
    let input = Input::new(&args.data);
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let mut file = path.map(Growing::create).transpose()?;
    let (json_lines, live) = (out.json, input.is_live());
    let mut write = |text: &[u8]| match &mut file {
        Some(file) => file.write(text),
        None => {
            let written = out.bytes(text).and_then(|()| if live { out.flush() } else { Ok(()) });
            written.map_err(|e| Error::io("standard output", e))
        }
    };
    let mut tag = |input: &Input| {
        let mut sentences = tagger.open(input, Tags::Optional)?;
        if json_lines {
            tagger.tag_sentences(&mut sentences, shares, |tokens, tags, all| {
                let mut object = json!({ "tokens": tokens, "tags": tags });
                add_shares(&mut object, tagger, shares, &all);
                write(json_line(&object).unwrap_or_default().as_bytes())
            })
        } else {
            tagger.tag_lines(&mut sentences, shares, |text| write(&text))
        }
    };
    let done = match plain {
        None => tag(&input),
        Some(plain) => {
            let name = input.name();
            let laid_out = |text: &str| plain.in_layout(&name, text, &tagger.layout, tagger.needs());
            // What the tagger cannot tag is refused before anything is read.
            laid_out("")?;
            plain.pieces(&input, |text| tag(&Input::memory(&name, laid_out(text)?)))
        }
    };
    match done {
        Err(error) if path.is_none() => {
            // Sentences before the error are printed.
            out.flush()?;
            return Err(error.into());
        }
        done => done?,
    }
    if let Some(file) = file {
        file.finish()?;
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
