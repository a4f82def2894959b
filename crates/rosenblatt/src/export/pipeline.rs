//! What comes before the classifier in an ONNX graph: columns become one row of numbers, and rows are prepared.
//!
//! A table of numbers is one input, `X`. With columns of categories or with missing values, each column is an input of its own
//! name, N rows by 1: of float32, or of texts, which `OneHotEncoder` turns into a column for each category (an unknown one into
//! zeros), and `Concat` joins them. A missing number is NaN, a missing category an empty text: `IsNaN` and `Where` fill it as
//! training did. Texts are in `text.rs`. Of the maps, `Gather` selects features, `Scaler` shifts and scales them, `Normalizer` gives rows the length 1.
//! Scalings of columns that come last are folded into the weights: w·(f·(x − s)) + b = (w·f)·x + (b − Σ w·f·s).

use super::onnx::{FLOAT, INT64, KIND_FLOATS, KIND_INT, KIND_STRING, KIND_STRINGS, STRING, attribute, tensor};
use super::protobuf::Message;
use crate::learn::Weights;
use crate::map::Map;
use crate::message;
use crate::model::Model;
use crate::rows::{Column, ColumnKind, Fill, Schema};

/// The nodes before the classifier.
pub(super) struct Pipeline {
    pub(super) inputs: Vec<Message>,
    pub(super) nodes: Vec<Message>,
    pub(super) constants: Vec<Message>,
    /// The name of what the classifier reads.
    pub(super) last: String,
    /// Whether it has operators of the runtime's own domain.
    pub(super) own: bool,
}

type Found<T> = std::result::Result<T, message::Message>;

/// The pipeline of a model, and its weights with the last scalings folded in; or why there is none.
pub(super) fn pipeline(model: &Model, mut weights: Weights) -> Found<(Pipeline, Weights)> {
    let maps = model.chain.maps();
    let mut left = maps.len();
    while left > 0 && fold(&maps[left - 1], &mut weights) {
        left -= 1;
    }
    let mut made = inputs(model)?;
    let mut features = model.schema.features();
    for map in &maps[..left] {
        // Missing numbers are filled where they come in.
        if !matches!(map, Map::Impute(_)) {
            made.map(map, features)?;
        }
        features = map.step().outputs(features);
    }
    Ok((made, weights))
}

/// Folds a scaling of columns into the weights; `false` if the map is something else.
fn fold(map: &Map, weights: &mut Weights) -> bool {
    let step = map.step();
    let features = weights.features();
    if !matches!(map, Map::Scale(_)) || (features > 0 && step.affine(0).is_none()) {
        return false;
    }
    for feature in 0..features {
        let Some((shift, factor)) = step.affine(feature) else { return false };
        for output in 0..weights.outputs() {
            let weight = *weights.at(feature, output) * factor;
            *weights.at(feature, output) = weight;
            *weights.bias_at(output) -= weight * shift;
        }
    }
    true
}

/// The inputs, and what joins them to one row.
fn inputs(model: &Model) -> Found<Pipeline> {
    let mut made =
        Pipeline { inputs: Vec::new(), nodes: Vec::new(), constants: Vec::new(), last: "X".into(), own: false };
    let columns: &[Column] = match &model.schema {
        Schema::Columns { columns, .. } => columns,
        _ => &[],
    };
    if let Some(hashed) = model.schema.hashed() {
        return Err(format!("rows are prepared ({})", hashed.describe()).into());
    }
    let in_parts = |column: &&Column| matches!(column.kind, ColumnKind::Text { chars: Some(_), .. });
    if let Some(column) = columns.iter().find(in_parts) {
        return Err(format!("the column \"{}\" holds parts of words", column.name).into());
    }
    if columns.iter().all(|column| column.kind == ColumnKind::Number && column.missing.is_none()) {
        made.inputs.push(tensor("X", FLOAT, Some(model.schema.features() as u64)));
        return Ok(made);
    }
    let mut means = model.chain.maps().iter().find_map(|map| match map {
        Map::Impute(impute) => Some(impute.means().iter()),
        _ => None,
    });
    let mut joined = Vec::new();
    for (number, column) in (1..).zip(columns) {
        match &column.kind {
            ColumnKind::Category { values } => {
                let list = values.iter().fold(attribute("cats_strings", KIND_STRINGS), |list, v| list.bytes(9, v));
                // What is missing is one more category, if it is told at all.
                let list = if column.marks_missing() { list.bytes(9, "") } else { list };
                joined.push(made.categories(number, &column.name, list));
            }
            ColumnKind::Text { ngrams, words, .. } => joined.push(made.words(number, &column.name, *ngrams, words)),
            ColumnKind::Number => {
                made.inputs.push(tensor(&column.name, FLOAT, Some(1)));
                let fill = match column.missing {
                    Some(Fill::Mean) => means.as_mut().and_then(Iterator::next).copied().unwrap_or(0.0),
                    _ => 0.0,
                };
                match column.missing {
                    None => joined.push(column.name.clone()),
                    Some(missing) => joined.extend(made.filled(number, &column.name, fill, missing)),
                }
            }
        }
    }
    made.last = "raw".into();
    let join = joined.iter().fold(Message::default(), |join, name| join.bytes(1, name));
    let join = join.bytes(2, "raw").bytes(3, "raw").bytes(4, "Concat");
    made.nodes.push(join.message(5, attribute("axis", KIND_INT).integer(3, 1)));
    Ok(made)
}

/// A node of one input and one output.
pub(super) fn node(from: &str, to: &str, kind: &str) -> Message {
    Message::default().bytes(1, from).bytes(2, to).bytes(3, to).bytes(4, kind)
}

impl Pipeline {
    /// Adds a column of categories; the name of its features.
    fn categories(&mut self, number: usize, column: &str, list: Message) -> String {
        self.inputs.push(tensor(column, STRING, Some(1)));
        let (each, flat) = (format!("categories_{number}"), format!("features_{number}"));
        let encode = node(column, &each, "OneHotEncoder").message(5, list);
        let encode = encode.message(5, attribute("zeros", KIND_INT).integer(3, 1)).bytes(7, "ai.onnx.ml");
        // Of N rows by 1 it makes N by 1 by categories.
        let flatten = node(&each, &flat, "Flatten").message(5, attribute("axis", KIND_INT).integer(3, 1));
        self.nodes.extend([encode, flatten]);
        flat
    }

    /// Fills the gaps of a column of numbers; the names of its features.
    fn filled(&mut self, number: usize, column: &str, fill: f64, missing: Fill) -> Vec<String> {
        let (gaps, constant, whole) = (format!("gaps_{number}"), format!("fill_{number}"), format!("filled_{number}"));
        let value = Message::default().integer(1, 1).integer(2, FLOAT).floats(4, &[fill as f32]);
        self.constants.push(value.bytes(8, &constant));
        self.nodes.push(node(column, &gaps, "IsNaN"));
        let choose = Message::default().bytes(1, &gaps).bytes(1, &constant).bytes(1, column);
        self.nodes.push(choose.bytes(2, &whole).bytes(3, &whole).bytes(4, "Where"));
        if missing != Fill::Indicator {
            return vec![whole];
        }
        let marks = format!("marks_{number}");
        self.nodes.push(node(&gaps, &marks, "Cast").message(5, attribute("to", KIND_INT).integer(3, FLOAT)));
        vec![whole, marks]
    }

    /// Adds a map of rows with so many features.
    fn map(&mut self, map: &Map, features: usize) -> Found<()> {
        let step = map.step();
        if let Map::Words(words) = map {
            self.weigh(words);
            return Ok(());
        }
        let to = format!("prepared_{}", self.nodes.len() + 1);
        let added = match map {
            Map::Select(select) => {
                let kept = select.kept();
                let name = format!("kept_{}", self.constants.len() + 1);
                let list = Message::default().integer(1, kept.len() as u64).integer(2, INT64);
                let list = kept.iter().fold(list, |list, &feature| list.integer(7, u64::from(feature)));
                self.constants.push(list.bytes(8, &name));
                let gather = Message::default().bytes(1, &self.last).bytes(1, &name).bytes(2, &to).bytes(3, &to);
                gather.bytes(4, "Gather").message(5, attribute("axis", KIND_INT).integer(3, 1))
            }
            Map::Scale(scale) if scale.is_of_rows() => {
                let norm = attribute("norm", KIND_STRING).bytes(4, "L2");
                node(&self.last, &to, "Normalizer").message(5, norm).bytes(7, "ai.onnx.ml")
            }
            Map::Scale(_) => {
                let each = (0..features).map(|feature| step.affine(feature).unwrap_or((0.0, 1.0)));
                let (shift, factor): (Vec<f32>, Vec<f32>) = each.map(|(s, f)| (s as f32, f as f32)).unzip();
                node(&self.last, &to, "Scaler")
                    .message(5, attribute("offset", KIND_FLOATS).floats(7, &shift))
                    .message(5, attribute("scale", KIND_FLOATS).floats(7, &factor))
                    .bytes(7, "ai.onnx.ml")
            }
            _ => return Err(format!("rows are prepared ({})", step.describe()).into()),
        };
        self.nodes.push(added);
        self.last = to;
        Ok(())
    }
}
