//! `rosenblatt inspect` and `rosenblatt export` for a tagger.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use rosenblatt::escape::field;
use rosenblatt::structured::chain::{Reach, Search, Update};
use rosenblatt::structured::{Rows, Tagger};
use serde_json::json;

use crate::output::{Output, count, thousands};

pub fn run(tagger: &Tagger, bytes: &[u8], out: &mut Output) -> Result<ExitCode> {
    if out.json {
        out.object(&json!({
            "kind": "tagger",
            "classes": tagger.labels,
            "features": tagger.vocabulary.emissions.len() + tagger.vocabulary.edges.len(),
            "weights": weights(tagger),
            "templates": tagger.templates.as_ref().map(|set| set.to_text()),
            "layout": tagger.layout,
            "search": tagger.chain.search,
            "scheme": tagger.scheme,
            "written": tagger.written,
            "dictionary": tagger.dictionary.words.len(),
            "training": tagger.facts,
            "bytes": bytes.len(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let facts = &tagger.facts;
    out.item(
        "kind",
        format!("tagger of {} files, {}", tagger.layout.format.name(), crate::commands::inspect::size(bytes)),
    )?;
    out.item("tags", super::train::tags(&tagger.labels))?;
    out.item("features", features(tagger))?;
    out.item("weights", thousands(weights(tagger) as u64))?;
    out.item("search", search(tagger))?;
    let seed = facts.seed.map(|s| format!(", seed {s}")).unwrap_or_default();
    out.item(
        "training",
        format!(
            "{}, {}, {}, {}, {} order{seed}; stopped: {}",
            facts.learner,
            count(facts.sentences, "sentence", "sentences"),
            count(facts.tokens, "token", "tokens"),
            count(facts.mistakes_by_epoch.len() as u64, "pass", "passes"),
            facts.order,
            facts.stopped.name()
        ),
    )?;
    out.item(
        "mistakes",
        format!("{} of {} sentences presented", thousands(facts.mistakes), thousands(facts.presented)),
    )?;
    if let Some(data) = facts.data {
        out.item("data", format!("XXH3-64 {data:016x}"))?;
    }
    if let Some(set) = &tagger.templates {
        out.line("")?;
        out.heading("templates")?;
        for line in set.to_text().lines() {
            out.line(format!("  {line}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The number of stored weights.
fn weights(tagger: &Tagger) -> usize {
    let stored = |rows: &Rows| (0..rows.len() as u32).map(|f| rows.row(f).len()).sum::<usize>();
    let w = &tagger.weights;
    stored(&w.emissions) + stored(&w.edges) + w.transitions().len() + w.second_order().len()
}

/// The number of features, and their source.
pub fn features(tagger: &Tagger) -> String {
    let vocabulary = &tagger.vocabulary;
    let edges = match vocabulary.edges.len() {
        0 => String::new(),
        n => format!(" and {} of pairs of tags", thousands(n as u64)),
    };
    let of = match &tagger.templates {
        Some(set) => count((set.emissions.len() + set.edges.len()) as u64, "template", "templates"),
        None => "attributes".to_string(),
    };
    format!("{}{edges}, from {of}", thousands(vocabulary.emissions.len() as u64))
}

/// The search in words.
pub fn search(tagger: &Tagger) -> String {
    let mut text = match tagger.chain.search {
        Search::Viterbi => "viterbi".to_string(),
        Search::Beam { width: 1, .. } => "greedy".to_string(),
        Search::Beam { width, .. } => format!("beam of {width}"),
    };
    if let Search::Beam { update, .. } = tagger.chain.search {
        text += if update == Update::Early { " (early update)" } else { " (max-violation)" };
    }
    text += match tagger.chain.reach {
        Reach::None => ", no transitions",
        Reach::First => ", first order",
        Reach::Second => ", second order",
    };
    if let Some(scheme) = tagger.scheme {
        text += &format!(", constrained to {}", scheme.name());
    }
    if !tagger.dictionary.tags.is_empty() {
        text += &format!(", {} with one tag", count(tagger.dictionary.tags.len() as u64, "word", "words"));
    }
    text
}

/// A line for each weight: the feature, the tags before it if any, the tag, the weight.
pub fn text(tagger: &Tagger) -> Result<String> {
    let mut text = String::from("feature\tbefore\ttag\tweight\n");
    let (tags, w) = (tagger.labels.len(), &tagger.weights);
    let labels: Vec<_> = tagger.labels.iter().map(|tag| field(tag)).collect();
    let name = |tag: usize| labels.get(tag).map_or("(start)", |tag| &**tag);
    for (slot, weight) in w.transitions().iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        writeln!(text, "(transition)\t{}\t{}\t{weight}", name(slot / tags), name(slot % tags))?;
    }
    for (slot, weight) in w.second_order().iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        let (pair, tag) = (slot / tags, slot % tags);
        let before = [name(pair / (tags + 1)), name(pair % (tags + 1))].join(" ");
        writeln!(text, "(transition)\t{before}\t{}\t{weight}", name(tag))?;
    }
    for feature in 0..w.emissions.len() as u32 {
        let shown = tagger.emission_name(feature);
        let shown = field(&shown);
        for entry in w.emissions.row(feature) {
            writeln!(text, "{shown}\t\t{}\t{}", name(entry.slot as usize), entry.weight)?;
        }
    }
    for feature in 0..w.edges.len() as u32 {
        let shown = tagger.edge_name(feature);
        let shown = field(&shown);
        for entry in w.edges.row(feature) {
            let slot = entry.slot as usize;
            writeln!(text, "{shown}\t{}\t{}\t{}", name(slot / tags), name(slot % tags), entry.weight)?;
        }
    }
    Ok(text)
}
