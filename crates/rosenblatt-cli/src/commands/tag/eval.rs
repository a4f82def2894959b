//! `rosenblatt eval` with a tagger: tokens, and chunks as conlleval counts them.

use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::io::Input;
use rosenblatt::structured::read::Tags;
use rosenblatt::structured::{ChunkScore, TagEvaluation, Tagger};

use crate::args::EvalArgs;
use crate::output::{Output, count, percent, thousands, warning};
use crate::show;

pub fn run(args: &EvalArgs, tagger: &Tagger, out: &mut Output) -> Result<ExitCode> {
    super::check_format(&args.read, tagger.layout.format)?;
    let input = Input::new(&args.data);
    let mut sentences = tagger.open(&input, Tags::Needed)?;
    let name = sentences.name().to_string();
    let evaluation = tagger.evaluate(&mut sentences)?;
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

fn print(out: &mut Output, what: &str, e: &TagEvaluation) -> Result<()> {
    let tokens = count(e.tokens, "token", "tokens");
    out.item("data", format!("{what}: {}, {tokens}", count(e.sentences, "sentence", "sentences")))?;
    let sentences = percent(e.sentence_accuracy);
    out.item("accuracy", format!("{} of the tokens, {sentences} of the sentences", percent(e.token_accuracy)))?;
    let Some(all) = &e.chunks else { return Ok(()) };
    out.item(
        "chunks",
        format!("F1 {:.2}  (precision {}, recall {})", all.f1 * 100.0, percent(all.precision), percent(all.recall)),
    )?;
    out.line("")?;
    let types: Vec<String> = e.per_type.keys().map(|kind| show::name(kind)).collect();
    let width = show::widest(&types, 5);
    out.heading(&format!("{}  precision   recall       F1   support     found", show::left("type", width)))?;
    let mut line = |kind: &str, s: &ChunkScore| {
        let (p, r, f) = (percent(s.precision), percent(s.recall), s.f1 * 100.0);
        let (kind, support, found) = (show::left(kind, width), thousands(s.support), thousands(s.found));
        out.line(format!("{kind}  {p:>9}  {r:>7}  {f:>7.2}  {support:>8}  {found:>8}"))
    };
    for (kind, score) in types.iter().zip(e.per_type.values()) {
        line(kind, score)?;
    }
    line("all", all)?;
    Ok(())
}
