//! The report of an audit.

use std::path::Path;

use anyhow::Result;
use rosenblatt::certify::{Audit, AuditOptions};
use rosenblatt::rows::{Row, Rows, Table};
use serde_json::{Value, json};

use super::amount;
use crate::commands::scope::Numbers;
use crate::output::{Output, count, number, thousands};
use crate::show;

/// Suspects that are printed.
const SHOWN: usize = 12;
/// Values of a suspect that are printed.
const VALUES: usize = 6;

/// What has mistakes where there are two classes.
pub const HYPERPLANE: &str = "hyperplane";

/// The object of `--json` where only pairs of classes are audited.
pub fn unknown(table: &Table, options: &AuditOptions) -> Value {
    json!({
        "examples": table.classes.len(), "features": table.matrix.features(), "at_least": null, "at_most": null,
        "error": null, "exact": false, "witnesses": 0, "suspects": [], "mistakes": null, "degree": options.degree,
        "checked": "exact",
    })
}

/// The object of `--json`.
pub fn object(audit: &Audit, table: &Table) -> Value {
    let (low, high) = audit.bounds();
    let (lower, upper) = audit.error();
    // Whole numbers as such.
    let bound = |v: f64| if v == v.trunc() { json!(v as u64) } else { json!(v) };
    let suspect = |s: &rosenblatt::certify::Suspect| {
        let label = table.labels.name(table.classes[s.row]);
        json!({ "example": s.row + 1, "score": s.score, "label": label })
    };
    json!({
        "examples": audit.examples, "features": audit.features, "at_least": bound(low), "at_most": bound(high),
        "error": { "lower": lower, "upper": upper }, "exact": audit.is_exact(), "witnesses": audit.witnesses.len(),
        "suspects": audit.suspects.iter().map(suspect).collect::<Vec<_>>(),
        "mistakes": audit.mistakes.iter().map(|row| row + 1).collect::<Vec<_>>(),
        "degree": audit.options.degree, "checked": "exact",
    })
}

/// The two bounds in one sentence.
pub fn sentence(audit: &Audit) -> String {
    let (low, high) = audit.bounds();
    let (lower, upper) = audit.error();
    let share = |share: f64| format!("{:.1}%", 100.0 * share);
    let equal = audit.options.costs.is_equal();
    let rows = count(audit.examples as u64, "training row", "training rows");
    let plane = if audit.options.degree == 1 { "hyperplane" } else { "surface of this degree" };
    if high == 0.0 && !audit.mistakes.is_empty() {
        return format!("a {plane} costs nothing: its mistakes are on rows that cost 0");
    }
    if high == 0.0 {
        return format!("a {plane} has all {rows} strictly on their side");
    }
    match (equal, audit.is_exact()) {
        (true, true) => {
            let low = amount(audit, low);
            format!("no {plane} errs on fewer than {low} of {rows} ({}), and this one errs on {low}", share(lower))
        }
        (true, false) => format!(
            "no {plane} errs on fewer than {} of {rows} ({}); this one errs on {} ({})",
            amount(audit, low),
            share(lower),
            amount(audit, high),
            share(upper)
        ),
        (false, true) => format!("no {plane} costs less than {}, and this one costs that", amount(audit, low)),
        (false, false) => format!(
            "no {plane} costs less than {} ({} of all); this one costs {} ({})",
            amount(audit, low),
            share(lower),
            amount(audit, high),
            share(upper)
        ),
    }
}

pub fn bracket(out: &mut Output, audit: &Audit) -> Result<()> {
    Ok(out.item("best", sentence(audit))?)
}

/// What proves both bounds; `one` is what has mistakes.
pub fn proof(out: &mut Output, audit: &Audit, one: &str, numbers: &Numbers<'_>) -> Result<()> {
    let witnesses = count(audit.witnesses.len() as u64, "witness", "witnesses");
    let least = audit.witnesses.iter().map(|w| w.rows().count()).min().unwrap_or(0);
    let most = audit.witnesses.iter().map(|w| w.rows().count()).max().unwrap_or(0);
    let sizes = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let below = match audit.witnesses.len() {
        0 => "no witness".to_string(),
        _ => format!("{witnesses} of {sizes} rows, each without a {one} that separates them"),
    };
    let checked = numbers.checked().1;
    out.item("proof", format!("from below {below}; from above a {one}; {checked}"))?;
    let also =
        if one == HYPERPLANE { "a row on it counts" } else { "a row whose class shares the highest score counts" };
    out.item("mistakes", format!("{} of this {one}; {also}", thousands(audit.mistakes.len() as u64)))?;
    Ok(())
}

/// The most suspicious rows with their values.
pub fn suspects(out: &mut Output, audit: &Audit, table: &Table) -> Result<()> {
    if audit.suspects.is_empty() {
        return Ok(());
    }
    let rows = table.matrix.rows()?;
    for suspect in audit.suspects.iter().take(SHOWN) {
        let mut entries: Vec<(usize, f64)> = Vec::new();
        rows.row(suspect.row).each(|j, v| {
            if v != 0.0 {
                entries.push((j, v));
            }
        });
        let value = |(j, v): &(usize, f64)| format!("{}={}", show::name(&table.schema.feature_name(*j)), number(*v));
        let mut values: Vec<String> = entries.iter().take(VALUES).map(value).collect();
        values.extend((entries.len() > VALUES).then(|| "…".to_string()));
        let label = show::name(table.labels.name(table.classes[suspect.row]));
        let what = format!("example {} is {label}: {}   score {:.2}", suspect.row + 1, values.join(" "), suspect.score);
        out.item("suspect", what)?;
    }
    if audit.suspects.len() > SHOWN {
        let more = count((audit.suspects.len() - SHOWN) as u64, "row", "rows");
        out.item("", format!("and {more} more with --json; those of the hyperplane's mistakes come first"))?;
    }
    Ok(())
}

pub fn fixed(out: &mut Output, path: &Path, rows: usize, audit: &Audit, one: &str) -> Result<()> {
    let left = count(rows as u64, "row", "rows");
    let without = count(audit.mistakes.len() as u64, "mistake", "mistakes");
    Ok(out.item("fixed", format!("{}: {left}, without {without}: this {one} separates them", show::path(path)))?)
}
