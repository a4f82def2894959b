//! Models as files: what FORMAT.md calls the content.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::container::{check_numbers, pack, pack_json};
use super::frame::{Frame, Kind, MAPS, Versioned, version};
use super::{Calibration, Facts, Model, check};
use crate::error::{Error, Result};
use crate::io::write_file;
use crate::learn::kernel::KernelMachine;
use crate::learn::machine::Ballot;
use crate::learn::{Hypothesis, State, UPDATE_NAMES, Updates, Voted};
use crate::limits;
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
    let Model { labels, schema, chain, facts, calibration, .. } = model;
    let (labels, schema, chain) = (labels.clone(), schema.clone(), chain.clone());
    let (facts, calibration) = (facts.clone(), calibration.clone());
    let mut arrays = State::default();
    chain.save(&mut arrays);
    let maps = chain.into_maps();
    let content = match &model.hypothesis {
        Hypothesis::Linear(weights) => {
            arrays.put_weights("weights", weights);
            Content::Linear(LinearContent { kind: Kind::Linear, labels, schema, maps, facts, calibration })
        }
        Hypothesis::Voted(voted) => {
            arrays.put_weights("start", &voted.start);
            voted.updates.save(&mut arrays);
            let (presented, ballot) = (voted.presented, voted.ballot);
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

impl LinearContent {
    /// Refuses what no training writes; returns the numbers of raw features and of outputs.
    fn check(&self, arrays: &State) -> Result<(usize, usize)> {
        let (inputs, outputs) = check::shape(&self.labels, &self.schema, &self.facts.recipe)?;
        check::facts(&self.facts, false)?;
        check::linear(&self.facts.recipe)?;
        check::calibration(self.calibration.as_ref(), outputs)?;
        check::nothing_else(arrays, |name| matches!(name, "weights" | "weights.bias") || name.starts_with(MAPS))?;
        Ok((inputs, outputs))
    }

    fn restore(self, arrays: &State) -> Result<Model> {
        let (inputs, outputs) = self.check(arrays)?;
        let LinearContent { labels, schema, maps, facts, calibration, .. } = self;
        let (chain, features) = Chain::restore(maps, arrays, inputs)?;
        let weights = check::weights(arrays, "weights", (features, outputs), &facts.recipe)?;
        Ok(Model { hypothesis: Hypothesis::Linear(weights), labels, schema, chain, facts, calibration })
    }
}

impl VotedContent {
    /// As [`LinearContent::check`].
    fn check(&self, arrays: &State) -> Result<(usize, usize)> {
        let (inputs, outputs) = check::shape(&self.labels, &self.schema, &self.facts.recipe)?;
        check::facts(&self.facts, true)?;
        check::linear(&self.facts.recipe)?;
        check::votes(self.presented, self.ballot, outputs, &self.facts)?;
        check::calibration(self.calibration.as_ref(), outputs)?;
        check::nothing_else(arrays, |name| {
            matches!(name, "start" | "start.bias") || UPDATE_NAMES.contains(&name) || name.starts_with(MAPS)
        })?;
        Ok((inputs, outputs))
    }

    fn restore(self, arrays: &State) -> Result<Model> {
        let (inputs, outputs) = self.check(arrays)?;
        let VotedContent { labels, schema, maps, facts, presented, ballot, calibration, .. } = self;
        let (chain, features) = Chain::restore(maps, arrays, inputs)?;
        let start = check::weights(arrays, "start", (features, outputs), &facts.recipe)?;
        let updates = Updates::restore(arrays, start.features(), start.outputs(), presented)?;
        let hypothesis = Hypothesis::Voted(Voted::new(start, updates, presented, ballot));
        Ok(Model { hypothesis, labels, schema, chain, facts, calibration })
    }
}

impl KernelContent {
    fn vote(&self) -> Result<Option<(u64, Ballot)>> {
        match (self.presented, self.ballot) {
            (Some(presented), Some(ballot)) => Ok(Some((presented, ballot))),
            (None, None) => Ok(None),
            _ => Err(Error::bad_model("votes need both a ballot and the number of examples presented")),
        }
    }

    /// As [`LinearContent::check`].
    fn check(&self, arrays: &State) -> Result<(usize, usize)> {
        let (inputs, outputs) = check::shape(&self.labels, &self.schema, &self.facts.recipe)?;
        let vote = self.vote()?;
        check::facts(&self.facts, vote.is_some())?;
        if let Some((presented, ballot)) = vote {
            check::votes(presented, ballot, outputs, &self.facts)?;
        }
        check::calibration(self.calibration.as_ref(), outputs)?;
        check::kernel(&self.facts.recipe)?;
        check::nothing_else(arrays, |name| KernelMachine::owns(name, vote.is_some()) || name.starts_with(MAPS))?;
        Ok((inputs, outputs))
    }

    fn restore(self, arrays: &State) -> Result<Model> {
        let ((inputs, outputs), vote, kernel) = (self.check(arrays)?, self.vote()?, check::kernel(&self.facts.recipe)?);
        let KernelContent { labels, schema, maps, facts, calibration, .. } = self;
        let (chain, features) = Chain::restore(maps, arrays, inputs)?;
        let machine = KernelMachine::restore(arrays, kernel, (features, outputs), vote)?;
        check::budget(&facts.recipe, machine.support().len())?;
        Ok(Model { hypothesis: Hypothesis::Kernel(machine), labels, schema, chain, facts, calibration })
    }
}

/// Refuses to write what could not be read: the reader's checks of the content, and of the arrays' shapes and numbers.
fn check_readable(model: &Model, content: &Content, arrays: &State) -> Result<()> {
    let (inputs, outputs) = match content {
        Content::Linear(c) => c.check(arrays)?,
        Content::Voted(c) => c.check(arrays)?,
        Content::Kernel(c) => c.check(arrays)?,
    };
    let (shape, recipe) = ((model.chain.features(inputs), outputs), &model.facts.recipe);
    match &model.hypothesis {
        Hypothesis::Linear(_) => check::weight_arrays(arrays, "weights", shape, recipe).map(drop)?,
        Hypothesis::Voted(_) => check::weight_arrays(arrays, "start", shape, recipe).map(drop)?,
        Hypothesis::Kernel(machine) => {
            check::budget(recipe, machine.support().len())?;
            // Support vectors may lack the features that came later.
            if machine.features() > shape.0 || machine.outputs() != shape.1 {
                return Err(Error::bad_model("a kernel machine of other features or classes than the model's"));
            }
        }
    }
    check_numbers("the model", arrays)
}

/// Restores a model from a valid frame.
pub(crate) fn restore(frame: Frame<'_>) -> Result<Model> {
    let versioned = |content: Content| frame.check_version(&content).map(|()| content);
    let model = match frame.kind {
        Kind::Linear => frame.content().map(Content::Linear),
        Kind::Voted => frame.content().map(Content::Voted),
        Kind::Kernel => frame.content().map(Content::Kernel),
        Kind::Checkpoint | Kind::TaggerCheckpoint | Kind::Mixture | Kind::Delta => {
            Err(Error::bad_model(Message::new("a checkpoint, not a model: finish it with ").tool(Tool::Resume)))
        }
        Kind::Tagger => {
            Err(Error::bad_model("a tagger, which answers with tags for sentences: a classifier is needed here"))
        }
    };
    let model = model.and_then(versioned).and_then(|content| match content {
        Content::Linear(c) => c.restore(&frame.arrays),
        Content::Voted(c) => c.restore(&frame.arrays),
        Content::Kernel(c) => c.restore(&frame.arrays),
    });
    model.map_err(|e| frame.fault(e))
}

/// The bytes of a file that fits in memory, with the arrays that are made of it.
pub(crate) fn read_model(path: &Path) -> Result<Vec<u8>> {
    let length = std::fs::metadata(path).map_err(|e| Error::io(path, e))?.len();
    limits::room_for::<u8>(3 * u128::from(length), || "the model file".into())
        .map_err(|e| e.in_file(&path.display().to_string()))?;
    std::fs::read(path).map_err(|e| Error::io(path, e))
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
        write_file(path, &self.checked_bytes(json)?)
    }

    /// The bytes of its file in either form; an error if no reader would take them, or if they do not fit in memory.
    pub fn checked_bytes(&self, json: bool) -> Result<Vec<u8>> {
        let (version, content, arrays) = model_parts(self);
        let arrays = arrays.canonical();
        check_readable(self, &content, &arrays)?;
        // As text a number takes up to 25 bytes.
        let bytes = arrays.bytes() as u128 * if json { 4 } else { 1 };
        limits::room_for::<u8>(bytes, || "the model file".into())?;
        Ok(if json { pack_json(version, content, arrays) } else { pack(version, content, arrays) })
    }

    /// Reads a model in either form; nothing in the file is trusted or executed. See [`save`](Self::save).
    pub fn load(path: impl AsRef<Path>) -> Result<Model> {
        let path = path.as_ref();
        let bytes = read_model(path)?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}
