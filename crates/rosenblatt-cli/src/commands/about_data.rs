//! What a report says of the data: the classes, and how rows were prepared.

use anyhow::Result;
use rosenblatt::evaluate::Majority;
use rosenblatt::map::Need;
use rosenblatt::rows::Table;

use crate::output::{Output, number, percent, thousands};
use crate::show;

/// The classes and how many examples each has, and the error of always answering the most frequent one.
pub fn majority(out: &mut Output, table: &Table) -> Result<()> {
    const SHOWN: usize = 6;
    let Majority { counts, class, error } = Majority::of(table);
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&class| std::cmp::Reverse(counts[class]));
    let name = |class: usize| show::cut(table.labels.name(class as u32), 25);
    let one = |&class: &usize| format!("{} {}", name(class), thousands(counts[class]));
    let shown: Vec<String> = order.iter().take(SHOWN).map(one).collect();
    let more = if order.len() > SHOWN { ", …" } else { "" };
    let always = format!("always answering {} errs {}", name(class), percent(error));
    out.item("classes", format!("{}{more}: {always}", shown.join(", ")))?;
    Ok(())
}

/// What was done to the rows, and why if that was left to the data.
pub fn prepared(out: &mut Output, steps: &[String], need: Option<Need>) -> Result<()> {
    let why = need.and_then(|need| match need {
        Need::Differ(ratio) => Some(format!("they differ by up to {} times", rounded(ratio))),
        Need::Far(times) => Some(format!("most are {times:.1} deviations away from zero")),
        _ => None,
    });
    for (k, done) in (1..).zip(steps) {
        let why = why.as_ref().filter(|_| k == steps.len()).map(|why| format!(": {why}")).unwrap_or_default();
        let way_out = match need {
            Some(Need::Differ(_) | Need::Far(_)) if k == steps.len() => " (--scale none learns from the raw values)",
            Some(Need::Words) if k == steps.len() => " (--scale none learns from counts)",
            _ => "",
        };
        out.item("prepared", format!("{done}{why}{way_out}"))?;
    }
    if let Some(Need::TooLarge(ratio)) = need {
        let why = format!(
            "columns differ by up to {} times, but rows that are not kept in memory are not scaled",
            rounded(ratio)
        );
        out.item("prepared", format!("nothing: {why}"))?;
    }
    Ok(())
}

/// A ratio to two digits: 15,000.
fn rounded(ratio: f64) -> String {
    let short: f64 = format!("{ratio:.1e}").parse().unwrap_or(ratio);
    if short < 100.0 { number(short) } else { thousands(short as u64) }
}
