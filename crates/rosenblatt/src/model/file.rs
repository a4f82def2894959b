//! Models as files: what FORMAT.md calls the content.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::container::{pack, pack_json};
use super::frame::{Frame, Kind, MAPS, Versioned, version};
use super::{Calibration, Facts, Model, check};
use crate::error::{Error, Result};
use crate::io::write_file;
use crate::learn::kernel::KernelMachine;
use crate::learn::machine::Ballot;
use crate::learn::{Hypothesis, State, UPDATE_NAMES, Updates, Voted};
use crate::map::{Chain, Map};
use crate::message::{Message, Tool};
use crate::rows::{Labels, Schema};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinearContent {
    kind: Kind,
    labels: Labels,
    schema: Schema,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    maps: Vec<Map>,
    facts: Facts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<Calibration>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VotedContent {
    kind: Kind,
    labels: Labels,
    schema: Schema,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    maps: Vec<Map>,
    facts: Facts,
    presented: u64,
    ballot: Ballot,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<Calibration>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelContent {
    kind: Kind,
    labels: Labels,
    schema: Schema,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    maps: Vec<Map>,
    facts: Facts,
    #[serde(skip_serializing_if = "Option::is_none")]
    presented: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ballot: Option<Ballot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<Calibration>,
}

/// The content of a model, for writing.
#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Linear(LinearContent),
    Voted(VotedContent),
    Kernel(KernelContent),
}

fn model_parts(model: &Model) -> (u32, Content, State) {
    let Model { hypothesis, labels, schema, chain, facts, calibration } = model.clone();
    let mut arrays = State::default();
    chain.save(&mut arrays);
    let maps = chain.into_maps();
    let content = match hypothesis {
        Hypothesis::Linear(weights) => {
            arrays.put_weights("weights", &weights);
            Content::Linear(LinearContent { kind: Kind::Linear, labels, schema, maps, facts, calibration })
        }
        Hypothesis::Voted(voted) => {
            arrays.put_weights("start", &voted.start);
            voted.updates.save(&mut arrays);
            let Voted { presented, ballot, .. } = voted;
            let kind = Kind::Voted;
            Content::Voted(VotedContent { kind, labels, schema, maps, facts, presented, ballot, calibration })
        }
        Hypothesis::Kernel(machine) => {
            machine.save(&mut arrays);
            let (presented, ballot) = machine.vote().unzip();
            let kind = Kind::Kernel;
            Content::Kernel(KernelContent { kind, labels, schema, maps, facts, presented, ballot, calibration })
        }
    };
    (content.version(), content, arrays)
}

impl Versioned for Content {
    fn version(&self) -> u32 {
        match self {
            Content::Linear(c) if has_held_out_results(&c.facts, &c.calibration) => 2,
            Content::Voted(c) if has_held_out_results(&c.facts, &c.calibration) => 2,
            Content::Linear(c) => version(&c.schema, &c.maps),
            Content::Voted(c) => version(&c.schema, &c.maps),
            Content::Kernel(_) => 2,
        }
    }
}

/// Whether a model holds results on held-out examples.
fn has_held_out_results(facts: &Facts, calibration: &Option<Calibration>) -> bool {
    facts.validation.is_some() || calibration.is_some()
}

fn linear(arrays: &State, c: LinearContent) -> Result<Model> {
    let LinearContent { labels, schema, maps, facts, calibration, .. } = c;
    let (inputs, outputs) = check::shape(&labels, &schema, &facts.recipe)?;
    check::facts(&facts, false)?;
    check::linear(&facts.recipe)?;
    check::calibration(calibration.as_ref(), outputs)?;
    check::nothing_else(arrays, |name| matches!(name, "weights" | "weights.bias") || name.starts_with(MAPS))?;
    let (chain, features) = Chain::restore(maps, arrays, inputs)?;
    let weights = check::weights(arrays, "weights", (features, outputs), &facts.recipe)?;
    Ok(Model { hypothesis: Hypothesis::Linear(weights), labels, schema, chain, facts, calibration })
}

fn voted(arrays: &State, c: VotedContent) -> Result<Model> {
    let VotedContent { labels, schema, maps, facts, presented, ballot, calibration, .. } = c;
    let (inputs, outputs) = check::shape(&labels, &schema, &facts.recipe)?;
    check::facts(&facts, true)?;
    check::calibration(calibration.as_ref(), outputs)?;
    check::nothing_else(arrays, |name| {
        matches!(name, "start" | "start.bias") || UPDATE_NAMES.contains(&name) || name.starts_with(MAPS)
    })?;
    let (chain, features) = Chain::restore(maps, arrays, inputs)?;
    let start = check::weights(arrays, "start", (features, outputs), &facts.recipe)?;
    let updates = Updates::restore(arrays, start.features(), start.outputs(), presented)?;
    let voted = Voted::new(start, updates, presented, ballot);
    check::voted(&voted, &facts)?;
    Ok(Model { hypothesis: Hypothesis::Voted(voted), labels, schema, chain, facts, calibration })
}

fn kernel(arrays: &State, c: KernelContent) -> Result<Model> {
    let KernelContent { labels, schema, maps, facts, presented, ballot, calibration, .. } = c;
    let (inputs, outputs) = check::shape(&labels, &schema, &facts.recipe)?;
    let vote = match (presented, ballot) {
        (Some(presented), Some(ballot)) => Some((presented, ballot)),
        (None, None) => None,
        _ => return Err(Error::bad_model("votes need both a ballot and the number of examples presented")),
    };
    check::facts(&facts, vote.is_some())?;
    if let Some((presented, ballot)) = vote {
        check::votes(presented, ballot, outputs, &facts)?;
    }
    check::calibration(calibration.as_ref(), outputs)?;
    let kernel = check::kernel(&facts.recipe)?;
    check::nothing_else(arrays, |name| KernelMachine::owns(name, vote.is_some()) || name.starts_with(MAPS))?;
    let (chain, features) = Chain::restore(maps, arrays, inputs)?;
    let machine = KernelMachine::restore(arrays, kernel, (features, outputs), vote)?;
    check::budget(&facts.recipe, machine.support().len())?;
    Ok(Model { hypothesis: Hypothesis::Kernel(machine), labels, schema, chain, facts, calibration })
}

/// Restores a model from a valid frame.
pub(crate) fn restore(frame: Frame<'_>) -> Result<Model> {
    let versioned = |content: Content| frame.check_version(&content).map(|()| content);
    let model = match frame.kind {
        Kind::Linear => frame.content().map(Content::Linear),
        Kind::Voted => frame.content().map(Content::Voted),
        Kind::Kernel => frame.content().map(Content::Kernel),
        Kind::Checkpoint => {
            Err(Error::bad_model(Message::new("a checkpoint, not a model: finish it with ").tool(Tool::Resume)))
        }
        Kind::Tagger => {
            Err(Error::bad_model("a tagger, which answers with tags for sentences: a classifier is needed here"))
        }
    };
    let model = model.and_then(versioned).and_then(|content| match content {
        Content::Linear(c) => linear(&frame.arrays, c),
        Content::Voted(c) => voted(&frame.arrays, c),
        Content::Kernel(c) => kernel(&frame.arrays, c),
    });
    model.map_err(|e| frame.fault(e))
}

impl Model {
    /// The model file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (version, content, arrays) = model_parts(self);
        pack(version, content, arrays)
    }

    /// Its JSON form: lossless, read back by [`from_json`](Self::from_json).
    pub fn to_json(&self) -> Vec<u8> {
        let (version, content, arrays) = model_parts(self);
        pack_json(version, content, arrays)
    }

    /// A model from the bytes of a file in either form; `name` is its name in errors.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Model> {
        Frame::open(name, bytes).and_then(restore)
    }

    /// A model from its JSON form.
    pub fn from_json(name: &str, bytes: &[u8]) -> Result<Model> {
        Frame::open_json(name, bytes).and_then(restore)
    }

    /// Writes it atomically: as JSON if the name ends in `.json`, else in the binary form.
    ///
    /// ```
    /// use rosenblatt::{Model, Table, Trainer};
    /// let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0]], &["up", "down"])?;
    /// let model = Trainer::new("averaged").fit(&table)?.model;
    /// let path = std::env::temp_dir().join("rosenblatt-doc-save.model");
    /// model.save(&path)?;
    /// assert_eq!(Model::load(&path)?, model);
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        write_file(path, &if json { self.to_json() } else { self.to_bytes() })
    }

    /// Reads a model in either form; nothing in the file is trusted or executed. See [`save`](Self::save).
    pub fn load(path: impl AsRef<Path>) -> Result<Model> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}
