//! `rosenblatt explain` for a tagger: the strongest features and transitions of each tag.

use std::process::ExitCode;

use anyhow::{Result, bail};
use rosenblatt::structured::{Strength, Tagger};
use serde_json::json;

use crate::commands::explain;
use crate::output::{Output, number};
use crate::show;

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
        out.heading(&show::name(&tag.class))?;
        side_by_side(out, ("for it", &tag.supports), ("against it", &tag.opposes))?;
        if !tag.after.is_empty() {
            side_by_side(out, ("after", &tag.after), ("not after", &tag.not_after))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn side_by_side(out: &mut Output, left: (&str, &[Strength]), right: (&str, &[Strength])) -> Result<()> {
    let side = |side: &[Strength]| -> Vec<(String, String)> {
        side.iter().map(|s| (show::name(&s.feature), number((s.weight * 1e4).round() / 1e4))).collect()
    };
    explain::side_by_side(out, 9, (left.0, &side(left.1)), (right.0, &side(right.1)))
}
