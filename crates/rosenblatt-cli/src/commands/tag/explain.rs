//! `rosenblatt explain` for a tagger: the strongest features and transitions of each tag, and why each token got its tag.

use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::io::Input;
use rosenblatt::structured::read::Tags;
use rosenblatt::structured::{Reason, Strength, TagExplanation, Tagger};
use serde_json::json;

use crate::commands::explain::{self, ExplainArgs};
use crate::output::{Output, number as number_text};
use crate::show;

pub fn run(tagger: &Tagger, args: &ExplainArgs, top: usize, out: &mut Output) -> Result<ExitCode> {
    if let Some(data) = &args.data {
        return sentences(tagger, args, data, top, out);
    }
    let tags = tagger.strongest(top);
    if out.json {
        out.object(&json!({ "classes": tags }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (k, tag) in tags.iter().enumerate() {
        if k > 0 {
            out.line("")?;
        }
        out.heading(&show::name(&tag.class))?;
        side_by_side(out, ("for it", &tag.supports), ("against it", &tag.opposes))?;
        if !tag.after.is_empty() {
            side_by_side(out, ("after", &tag.after), ("not after", &tag.not_after))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Why each token got its tag and not the next best, the other tags of the sentence staying as they are.
fn sentences(tagger: &Tagger, args: &ExplainArgs, data: &str, top: usize, out: &mut Output) -> Result<ExitCode> {
    super::check_format(&args.read, tagger.layout.format)?;
    let input = Input::new(data);
    let mut sentences = tagger.open(&input, Tags::Optional)?;
    let (mut number, mut failed) = (0, None);
    let done = tagger.explain_sentences(&mut sentences, top, |tokens| {
        number += 1;
        print_sentence(out, number, &tokens).map_err(|error| {
            failed = Some(error);
            rosenblatt::Error::io("<stdout>", std::io::ErrorKind::Other.into())
        })
    });
    match (failed, done) {
        (Some(error), _) => return Err(error),
        (None, done) => done?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A column of names, all of one width.
fn padded(tokens: &[TagExplanation], least: usize, of: impl Fn(&TagExplanation) -> String) -> Vec<String> {
    let names: Vec<String> = tokens.iter().map(|token| show::name(&of(token))).collect();
    let width = show::widest(&names, least);
    names.iter().map(|name| show::left(name, width)).collect()
}

fn print_sentence(out: &mut Output, number: u64, tokens: &[TagExplanation]) -> Result<()> {
    if out.json {
        return out.object(&json!({ "sentence": number, "tokens": tokens }));
    }
    if number > 1 {
        out.line("")?;
    }
    let words = padded(tokens, 5, |t| t.token.clone());
    let tags = padded(tokens, 3, |t| t.tag.clone());
    let next = padded(tokens, 4, |t| t.next.clone().unwrap_or_else(|| "-".into()));
    let head = [("token", &words), ("tag", &tags), ("over", &next)];
    let head = head.map(|(name, column)| show::left(name, column.first().map_or(0, |cell| cell.chars().count())));
    out.heading(&format!("{}  {}  {}  {:>9}  because", head[0], head[1], head[2], "ahead"))?;
    let round = |v: f64| number_text((v * 1e4).round() / 1e4);
    for (i, token) in tokens.iter().enumerate() {
        let ahead = token.ahead.map_or("-".to_string(), round);
        let one = |r: &Reason| {
            let sign = if r.adds > 0.0 { "+" } else { "" };
            format!("{sign}{} {}", round(r.adds), show::name(&r.feature))
        };
        let because = match token.fixed {
            true => "the dictionary has one tag for this word".to_string(),
            false => token.reasons.iter().map(one).collect::<Vec<_>>().join(", "),
        };
        out.line(format!("{}  {}  {}  {ahead:>9}  {because}", words[i], tags[i], next[i]))?;
    }
    Ok(())
}

fn side_by_side(out: &mut Output, left: (&str, &[Strength]), right: (&str, &[Strength])) -> Result<()> {
    let side = |side: &[Strength]| -> Vec<(String, String)> {
        side.iter().map(|s| (show::name(&s.feature), number_text((s.weight * 1e4).round() / 1e4))).collect()
    };
    explain::side_by_side(out, 9, (left.0, &side(left.1)), (right.0, &side(right.1)))
}
