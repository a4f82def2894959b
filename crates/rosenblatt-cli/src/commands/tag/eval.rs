//! `rosenblatt eval` with a tagger: tokens, and chunks as conlleval counts them.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::io::Input;
use rosenblatt::structured::read::Tags;
use rosenblatt::structured::{ChunkScore, Strings, TagEvaluation, Tagger};

use crate::args::EvalArgs;
use crate::output::{Output, count, percent, thousands, warning};
use crate::show;

pub fn run(args: &EvalArgs, tagger: &Tagger, out: &mut Output) -> Result<ExitCode> {
    super::check_format(&args.read, tagger.layout.format)?;
    let input = Input::new(&args.data);
    let tags = if args.skip_untagged { Tags::Skipped } else { Tags::Needed };
    let mut sentences = tagger.open(&input, tags)?;
    let name = sentences.name().to_string();
    let known = args.training.as_deref().map(|file| words(tagger, file)).transpose()?;
    let evaluation = tagger.evaluate(&mut sentences, known.as_ref())?;
    if evaluation.tokens == 0 {
        return Err(rosenblatt::Error::bad_data("no sentences: the file is empty").in_file(&name).into());
    }
    if out.json {
        out.object(&evaluation)?;
    } else {
        print(out, &format!("{} [{}]", show::file(&name), tagger.layout.format.name()), &evaluation)?;
        out.flush()?;
    }
    if !evaluation.unknown_tags.is_empty() {
        let tokens: u64 = evaluation.unknown_tags.values().sum();
        let names: Vec<String> = evaluation.unknown_tags.keys().map(|tag| show::name(tag)).take(10).collect();
        let more = if evaluation.unknown_tags.len() > names.len() { ", …" } else { "" };
        warning(format!(
            "{name}: {} with tags that the tagger does not know, all counted as errors: {}{more}",
            count(tokens, "token", "tokens"),
            names.join(", ")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The words of the training sentences.
fn words(tagger: &Tagger, file: &str) -> Result<Strings> {
    if tagger.layout.columns == 0 {
        bail!("--training: the tokens of a crfsuite file have attributes, and no words");
    }
    let input = Input::new(file);
    Ok(tagger.words_of(&mut tagger.open(&input, Tags::Optional)?)?)
}

fn print(out: &mut Output, what: &str, e: &TagEvaluation) -> Result<()> {
    let tokens = count(e.tokens, "token", "tokens");
    out.item("data", format!("{what}: {}, {tokens}", count(e.sentences, "sentence", "sentences")))?;
    let sentences = percent(e.sentence_accuracy);
    out.item("accuracy", format!("{} of the tokens, {sentences} of the sentences", percent(e.token_accuracy)))?;
    if let Some(unknown) = &e.unknown_words {
        let of = match unknown.tokens {
            0 => "none: every word is in the training file".to_string(),
            some => {
                let tokens = count(some, "token", "tokens");
                format!("{} of {tokens} with a word that is not in the training file", percent(unknown.accuracy))
            }
        };
        out.item("new words", of)?;
    }
    if e.untagged > 0 {
        out.item("untagged", format!("{} passed over", count(e.untagged, "token", "tokens")))?;
    }
    let Some(all) = &e.chunks else {
        // The tags of chunks are parts of them; other tags are what is asked for.
        return table(out, "tag", &e.per_tag, None);
    };
    out.item(
        "chunks",
        format!("F1 {:.2}  (precision {}, recall {})", all.f1 * 100.0, percent(all.precision), percent(all.recall)),
    )?;
    table(out, "type", &e.per_type, Some(all))
}

/// Precision, recall and F1 of each kind, and of all.
fn table(out: &mut Output, what: &str, kinds: &BTreeMap<String, ChunkScore>, all: Option<&ChunkScore>) -> Result<()> {
    out.line("")?;
    let names: Vec<String> = kinds.keys().map(|kind| show::name(kind)).collect();
    let width = show::widest(&names, 5);
    out.heading(&format!("{}  precision   recall       F1   support     found", show::left(what, width)))?;
    let total = all.map(|all| ("all", all));
    for (kind, s) in names.iter().map(String::as_str).zip(kinds.values()).chain(total) {
        let (p, r, f) = (percent(s.precision), percent(s.recall), s.f1 * 100.0);
        let (kind, support, found) = (show::left(kind, width), thousands(s.support), thousands(s.found));
        out.line(format!("{kind}  {p:>9}  {r:>7}  {f:>7.2}  {support:>8}  {found:>8}"))?;
    }
    Ok(())
}
