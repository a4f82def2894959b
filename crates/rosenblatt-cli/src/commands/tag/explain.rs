//! `rosenblatt explain` for a tagger: the strongest features and transitions of each tag.

use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::structured::{Strength, Tagger};
use serde_json::json;

use crate::output::{Output, number};

pub fn run(tagger: &Tagger, top: usize, data: Option<&str>, out: &mut Output) -> Result<ExitCode> {
    if data.is_some() {
        bail!("explain shows the weights of a tagger, not of its predictions: leave out the data");
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
        out.heading(&tag.class)?;
        side_by_side(out, ("for it", &tag.supports), ("against it", &tag.opposes))?;
        if !tag.after.is_empty() {
            side_by_side(out, ("after", &tag.after), ("not after", &tag.not_after))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn side_by_side(out: &mut Output, left: (&str, &[Strength]), right: (&str, &[Strength])) -> Result<()> {
    let width = |(title, side): (&str, &[Strength])| {
        side.iter().map(|s| s.feature.chars().count()).max().unwrap_or(0).max(title.chars().count())
    };
    let (wide, wider) = (width(left), width(right));
    out.line(format!("  {:<wide$}  {:>9}    {:<wider$}  {:>9}", left.0, "weight", right.0, "weight"))?;
    for i in 0..left.1.len().max(right.1.len()) {
        let cell = |side: &[Strength], width: usize| match side.get(i) {
            Some(s) => format!("{:<width$}  {:>9}", s.feature, number((s.weight * 1e4).round() / 1e4)),
            None => format!("{:<width$}  {:>9}", "", ""),
        };
        out.line(format!("  {}    {}", cell(left.1, wide), cell(right.1, wider)).trim_end().to_string())?;
    }
    Ok(())
}
