//! Models and checkpoints as files: what FORMAT.md calls the content.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::container::{MAGIC, Opened, pack, pack_json, said, unpack, unpack_json};
use super::updates::{self, Updates};
use super::write::write_file;
use super::{Calibration, Checkpoint, Facts, Hypothesis, KernelMachine, Model, Voted, check, tagger};
use crate::base::machine::Ballot;
use crate::base::state::{Array, State};
use crate::data::{Labels, Schema};
use crate::error::{Error, Result};
use crate::fit::{ClassWeights, Course, Order, Recipe, Start};
use crate::map::{Chain, Map, Preparation};
use crate::structured::Tagger;

/// How the names of the arrays of maps begin.
const MAPS: &str = "maps.";

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Linear,
    Voted,
    Kernel,
    Checkpoint,
    Tagger,
}

/// Enough of any content to know which of the others it is.
#[derive(Deserialize)]
struct AnyContent {
    kind: Kind,
}

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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointContent {
    kind: Kind,
    labels: Labels,
    schema: Schema,
    #[serde(default, skip_serializing_if = "is_default")]
    preparation: Preparation,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    maps: Vec<Map>,
    recipe: Recipe,
    order: OrderContent,
    class_weights: ClassWeights,
    course: Course,
    started: Started,
    data: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum OrderContent {
    Cyclic,
    Shuffled { seed: u64 },
    Given,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Started {
    Zero,
    Given,
}

/// Any content, for writing.
#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Linear(LinearContent),
    Voted(VotedContent),
    Kernel(KernelContent),
    Checkpoint(Box<CheckpointContent>),
    Tagger(Box<tagger::TaggerContent>),
}

/// A file that was loaded: the one thing or the other.
enum Loaded {
    Model(Box<Model>),
    Checkpoint(Box<Checkpoint>),
    Tagger(Box<Tagger>),
}

/// A model of either kind.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// It answers with a label for a row.
    Classifier(Box<Model>),
    /// It answers with a tag for each token of a sentence.
    Tagger(Box<Tagger>),
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

fn checkpoint_parts(checkpoint: &Checkpoint) -> (u32, Content, State) {
    let c = checkpoint.clone();
    let mut arrays = State::default();
    c.chain.save(&mut arrays);
    for (name, array) in c.learner.arrays() {
        arrays.insert(format!("learner.{name}"), array.clone());
    }
    arrays.put("failures", Array::U32(c.failures));
    let order = match c.order {
        Order::Cyclic => OrderContent::Cyclic,
        Order::Shuffled { seed } => OrderContent::Shuffled { seed },
        Order::Given(list) => {
            arrays.put("order", Array::U32(list));
            OrderContent::Given
        }
    };
    let started = match &c.start {
        Start::Zero => Started::Zero,
        Start::At(weights) => {
            arrays.put_weights("start", weights);
            Started::Given
        }
    };
    let content = CheckpointContent {
        kind: Kind::Checkpoint,
        labels: c.labels,
        schema: c.schema,
        preparation: c.preparation,
        maps: c.chain.into_maps(),
        recipe: c.recipe,
        order,
        class_weights: c.class_weights,
        course: c.course,
        started,
        data: c.data,
    };
    let content = Content::Checkpoint(Box::new(content));
    (content.version(), content, arrays)
}

/// The oldest version that can say this: older programs read what they can, and equal models are equal files.
fn version(schema: &Schema, maps: &[Map]) -> u32 {
    if maps.is_empty() && schema.is_as_written() { 1 } else { 2 }
}

impl Content {
    fn version(&self) -> u32 {
        match self {
            Content::Linear(c) if judged(&c.facts, &c.calibration) => 2,
            Content::Voted(c) if judged(&c.facts, &c.calibration) => 2,
            Content::Linear(c) => version(&c.schema, &c.maps),
            Content::Voted(c) => version(&c.schema, &c.maps),
            Content::Kernel(_) => 2,
            Content::Checkpoint(c) if !is_default(&c.preparation) || c.recipe.kernel.is_some() => 2,
            Content::Checkpoint(c) => version(&c.schema, &c.maps),
            Content::Tagger(c) => c.version(),
        }
    }
}

/// Whether a model says what held-back examples said.
fn judged(facts: &Facts, calibration: &Option<Calibration>) -> bool {
    facts.validation.is_some() || calibration.is_some()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Makes of a sound frame what its kind says, or says what is wrong with it.
fn assemble(name: &str, Opened { version, content, arrays }: Opened<'_>) -> Result<Loaded> {
    let loaded = match parse::<AnyContent>(content).map(|any| any.kind) {
        Ok(Kind::Linear) => parse(content).map(Content::Linear),
        Ok(Kind::Voted) => parse(content).map(Content::Voted),
        Ok(Kind::Kernel) => parse(content).map(Content::Kernel),
        Ok(Kind::Checkpoint) => parse(content).map(|c| Content::Checkpoint(Box::new(c))),
        Ok(Kind::Tagger) => parse(content).map(|c| Content::Tagger(Box::new(c))),
        Err(e) => Err(e),
    };
    let loaded = loaded.and_then(|content| {
        let needed = content.version();
        if needed != version {
            return Err(Error::bad_model(format!("what the file holds is version {needed}, but it says {version}")));
        }
        match content {
            Content::Linear(c) => linear(&arrays, c).map(|model| Loaded::Model(Box::new(model))),
            Content::Voted(c) => self::voted(&arrays, c).map(|model| Loaded::Model(Box::new(model))),
            Content::Kernel(c) => kernel(&arrays, c).map(|model| Loaded::Model(Box::new(model))),
            Content::Checkpoint(c) => checkpoint(&arrays, *c).map(|c| Loaded::Checkpoint(Box::new(c))),
            Content::Tagger(c) => tagger::restore(&arrays, *c).map(|tagger| Loaded::Tagger(Box::new(tagger))),
        }
    });
    // Whatever was found, a setting out of range too: it is the file that is wrong.
    loaded.map_err(|e| Error::model(name, e.message()))
}

fn parse<'a, C: Deserialize<'a>>(content: &'a str) -> Result<C> {
    serde_json::from_str(content)
        .map_err(|e| Error::bad_model(format!("the header is not what it should be: {}", said(&e))))
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
        matches!(name, "start" | "start.bias") || updates::NAMES.contains(&name) || name.starts_with(MAPS)
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

fn checkpoint(arrays: &State, c: CheckpointContent) -> Result<Checkpoint> {
    let (inputs, outputs) = check::shape(&c.labels, &c.schema, &c.recipe)?;
    let (given_order, given_start) = (matches!(c.order, OrderContent::Given), matches!(c.started, Started::Given));
    check::nothing_else(arrays, |name| match name {
        "failures" => true,
        "order" => given_order,
        "start" | "start.bias" => given_start,
        other => other.starts_with("learner.") || other.starts_with(MAPS),
    })?;
    let (chain, features) = Chain::restore(c.maps, arrays, inputs)?;
    let learner = arrays.below("learner");
    let held: usize = learner.arrays().map(|(_, a)| if let Array::F64(v) = a { v.len() } else { 0 }).sum();
    // Bounds what the learner will be asked to make when it checks the rest against its own shape. (A kernel machine
    // makes nothing as long as the features.)
    let needed = if c.recipe.kernel.is_some() { Some(outputs) } else { features.checked_mul(outputs) };
    if needed.is_none_or(|needed| needed > held) {
        return Err(Error::bad_model(format!("{held} numbers for {features} features and {} classes", c.labels.len())));
    }
    let order = match c.order {
        OrderContent::Cyclic => Order::Cyclic,
        OrderContent::Shuffled { seed } => Order::Shuffled { seed },
        OrderContent::Given => Order::Given(arrays.u32s("order")?.to_vec()),
    };
    let start = match c.started {
        Started::Zero => Start::Zero,
        Started::Given => Start::At(check::weights(arrays, "start", (features, outputs), &c.recipe)?),
    };
    let checkpoint = Checkpoint {
        preparation: c.preparation,
        failures: arrays.u32s("failures")?.to_vec(),
        recipe: c.recipe,
        order,
        class_weights: c.class_weights,
        start,
        course: c.course,
        learner,
        labels: c.labels,
        schema: c.schema,
        chain,
        data: c.data,
    };
    checkpoint.check()?;
    checkpoint.check_learner()?;
    Ok(checkpoint)
}

/// The bytes of a model file.
pub fn to_bytes(model: &Model) -> Vec<u8> {
    let (version, content, arrays) = model_parts(model);
    pack(version, content, arrays)
}

/// The JSON form of a model: loss-free, read back by [`from_json`].
pub fn to_json(model: &Model) -> Vec<u8> {
    let (version, content, arrays) = model_parts(model);
    pack_json(version, content, arrays)
}

/// A model from the bytes of a file in either form; `name` is what errors call it.
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Model> {
    match any_from_bytes(name, bytes)? {
        AnyModel::Classifier(model) => Ok(*model),
        AnyModel::Tagger(_) => Err(tagger_instead(name)),
    }
}

/// A model of either kind from the bytes of a file in either form; `name` is what errors call it.
pub fn any_from_bytes(name: &str, bytes: &[u8]) -> Result<AnyModel> {
    match open(name, bytes)? {
        Loaded::Model(model) => Ok(AnyModel::Classifier(model)),
        Loaded::Tagger(tagger) => Ok(AnyModel::Tagger(tagger)),
        Loaded::Checkpoint(_) => {
            Err(Error::model(name, "a checkpoint, not a model: finish it with `rosenblatt train DATA --resume`"))
        }
    }
}

/// Reads a model of either kind.
pub fn load_any(path: impl AsRef<Path>) -> Result<AnyModel> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    any_from_bytes(&path.display().to_string(), &bytes)
}

fn tagger_instead(name: &str) -> Error {
    Error::model(name, "a tagger, which answers with tags for sentences: a classifier is needed here")
}

/// A model from its JSON form.
pub fn from_json(name: &str, bytes: &[u8]) -> Result<Model> {
    match assemble(name, unpack_json(name, bytes)?)? {
        Loaded::Model(model) => Ok(*model),
        Loaded::Checkpoint(_) => Err(Error::model(name, "a checkpoint, not a model")),
        Loaded::Tagger(_) => Err(tagger_instead(name)),
    }
}

fn open(name: &str, bytes: &[u8]) -> Result<Loaded> {
    let json = !bytes.starts_with(MAGIC) && bytes.trim_ascii_start().starts_with(b"{");
    assemble(name, if json { unpack_json(name, bytes)? } else { unpack(name, bytes)? })
}

/// Writes a model: as JSON if the name ends in `.json`, else in the binary form.
pub fn save(model: &Model, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    write_file(path, &if json { to_json(model) } else { to_bytes(model) })
}

/// Reads a model in either form.
pub fn load(path: impl AsRef<Path>) -> Result<Model> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    from_bytes(&path.display().to_string(), &bytes)
}

impl Checkpoint {
    /// The bytes of a checkpoint file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (version, content, arrays) = checkpoint_parts(self);
        pack(version, content, arrays)
    }

    /// The JSON form of a checkpoint: loss-free.
    pub fn to_json(&self) -> Vec<u8> {
        let (version, content, arrays) = checkpoint_parts(self);
        pack_json(version, content, arrays)
    }

    /// A checkpoint from the bytes of a file in either form; `name` is what errors call it.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Checkpoint> {
        match open(name, bytes)? {
            Loaded::Checkpoint(checkpoint) => Ok(*checkpoint),
            Loaded::Model(_) | Loaded::Tagger(_) => {
                Err(Error::model(name, "a finished model: --resume needs the checkpoint that --checkpoint FILE wrote"))
            }
        }
    }

    /// Writes the checkpoint, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_file(path.as_ref(), &self.to_bytes())
    }

    /// Reads a checkpoint.
    pub fn load(path: impl AsRef<Path>) -> Result<Checkpoint> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }
}
