//! A linear model as ONNX: a `LinearClassifier` of the domain `ai.onnx.ml`.
//!
//! Input `X`: float32, rows by features; or an input for each column, where some hold categories (see `pipeline.rs`). Outputs: `label`, the class of each row (a whole number if all classes are, else
//! its name), and `scores`, one column for each class, in the order of the model. Two classes are two rows of coefficients,
//! −w and +w. The runtime takes the class with the greatest score, the first of equals; where the second of two classes wins
//! a score of zero, `ArgMax`, which can take the last of equals, and `Gather` decide instead: the same answers as ours, as
//! far as float32 goes.

use super::pipeline::{Pipeline, pipeline};
use super::protobuf::Message;
use super::text;
use crate::error::{Error, Result};
use crate::learn::machine::Tie;
use crate::learn::{Hypothesis, Weights};
use crate::message::{self, Setting};
use crate::model::Model;

// Numbers of the fields and kinds in onnx.proto.
pub(super) const FLOAT: u64 = 1;
pub(super) const INT64: u64 = 7;
pub(super) const STRING: u64 = 8;
pub(super) const KIND_INT: u64 = 2;
pub(super) const KIND_STRING: u64 = 3;
pub(super) const KIND_FLOATS: u64 = 6;
pub(super) const KIND_INTS: u64 = 7;
pub(super) const KIND_STRINGS: u64 = 8;

/// The model as the bytes of an ONNX file. Refused if a `LinearClassifier` cannot give the same answers.
///
/// ```
/// use rosenblatt::{Table, Trainer, onnx};
/// let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0]], &["up", "down"])?;
/// let bytes = onnx(&Trainer::new("averaged").fit(&table)?.model)?;
/// assert!(!bytes.is_empty());
/// # Ok::<(), rosenblatt::Error>(())
/// ```
pub fn onnx(model: &Model) -> Result<Vec<u8>> {
    let (before, weights) = plain(model)?;
    let classes = Classes::new(model, &weights)?;
    let chosen = if classes.last_wins { "first_of_equals" } else { "label" };
    let node = Message::default()
        .bytes(1, &before.last)
        .bytes(2, chosen)
        .bytes(2, "scores")
        .bytes(3, "classifier")
        .bytes(4, "LinearClassifier")
        .message(5, attribute("coefficients", KIND_FLOATS).floats(7, &classes.coefficients))
        .message(5, attribute("intercepts", KIND_FLOATS).floats(7, &classes.intercepts))
        .message(5, classes.attribute())
        .message(5, attribute("multi_class", KIND_INT).integer(3, 0))
        .message(5, attribute("post_transform", KIND_STRING).bytes(4, "NONE"))
        .bytes(7, "ai.onnx.ml");
    let mut graph = before.nodes.into_iter().fold(Message::default(), |graph, node| graph.message(1, node));
    graph = graph.message(1, node);
    if classes.last_wins {
        let best = Message::default()
            .bytes(1, "scores")
            .bytes(2, "best")
            .bytes(3, "last_of_equals")
            .bytes(4, "ArgMax")
            .message(5, attribute("axis", KIND_INT).integer(3, 1))
            .message(5, attribute("keepdims", KIND_INT).integer(3, 0))
            .message(5, attribute("select_last_index", KIND_INT).integer(3, 1));
        let named = Message::default()
            .bytes(1, "classes")
            .bytes(1, "best")
            .bytes(2, "label")
            .bytes(3, "name")
            .bytes(4, "Gather");
        graph = graph.message(1, best).message(1, named);
    }
    graph = graph.bytes(2, "rosenblatt");
    graph = before.constants.into_iter().fold(graph, |graph, constant| graph.message(5, constant));
    if classes.last_wins {
        graph = graph.message(5, classes.tensor());
    }
    let kind = if classes.numbers.is_some() { INT64 } else { STRING };
    let graph = before.inputs.into_iter().fold(graph, |graph, input| graph.message(11, input));
    let graph = graph
        .message(12, tensor("label", kind, None))
        .message(12, tensor("scores", FLOAT, Some(classes.names.len() as u64)));
    let opset = |domain: &str, version: u64| Message::default().bytes(1, domain).integer(2, version);
    let names = serde_json::to_string(&model.schema.feature_names()).expect("a list of texts is JSON");
    let model = Message::default()
        .integer(1, 8)
        .bytes(2, "rosenblatt")
        .bytes(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, opset("", 15))
        .message(8, opset("ai.onnx.ml", 1));
    let model = if before.own { model.message(8, opset(text::OWN.0, text::OWN.1)) } else { model };
    let model = model.message(14, Message::default().bytes(1, "features").bytes(2, names));
    Ok(model.finish())
}

/// The weights of a model, and what comes before them.
fn plain(model: &Model) -> Result<(Pipeline, Weights)> {
    let refuse = |why: message::Message| {
        Error::bad_model(
            why.text(": ONNX has a hyperplane for each class here, over numbers, categories, words and scalings"),
        )
    };
    match &model.hypothesis {
        Hypothesis::Linear(weights) => pipeline(model, weights.clone()).map_err(refuse),
        Hypothesis::Voted(_) => {
            let why = message::Message::new("the model votes among many hyperplanes (train with ");
            Err(refuse(why.set(Setting::Keep, "average").text(")")))
        }
        Hypothesis::Kernel(_) => {
            let why = message::Message::new("a kernel machine has none (train without ");
            Err(refuse(why.name(Setting::Kernel).text(")")))
        }
    }
}

pub(super) fn attribute(name: &str, kind: u64) -> Message {
    Message::default().bytes(1, name).integer(20, kind)
}

/// A tensor of any number of rows.
pub(super) fn tensor(name: &str, kind: u64, columns: Option<u64>) -> Message {
    let rows = Message::default().message(1, Message::default().bytes(2, "N"));
    let shape = match columns {
        Some(columns) => rows.message(1, Message::default().integer(1, columns)),
        None => rows,
    };
    let tensor = Message::default().integer(1, kind).message(2, shape);
    Message::default().bytes(1, name).message(2, Message::default().message(1, tensor))
}

/// The attributes of the node, for each class.
struct Classes {
    names: Vec<String>,
    /// The names as numbers, if all are whole and written as such.
    numbers: Option<Vec<i64>>,
    /// Whether the second of two classes wins a score of zero.
    last_wins: bool,
    coefficients: Vec<f32>,
    intercepts: Vec<f32>,
}

impl Classes {
    fn new(model: &Model, weights: &Weights) -> Result<Classes> {
        let names = model.labels.names();
        // Each class, the output that scores it, and its sign there.
        let rows: Vec<(usize, usize, f64)> = match weights.outputs() {
            1 => vec![(0, 0, -1.0), (1, 0, 1.0)],
            outputs => (0..outputs).map(|k| (k, k, 1.0)).collect(),
        };
        let whole = |name: &String| name.parse::<i64>().ok().filter(|number| number.to_string() == *name);
        let numbers = names.iter().map(whole).collect();
        let last_wins = weights.outputs() == 1 && model.tie() != Tie::Negative;
        let mut classes =
            Classes { names: Vec::new(), numbers, last_wins, coefficients: Vec::new(), intercepts: Vec::new() };
        for (class, output, sign) in rows {
            classes.names.push(names[class].clone());
            classes.coefficients.extend(weights.column(output).map(|w| (sign * w) as f32));
            classes.intercepts.push((sign * weights.bias()[output]) as f32);
        }
        match classes.coefficients.iter().chain(&classes.intercepts).all(|w| w.is_finite()) {
            true => Ok(classes),
            false => Err(Error::bad_model("a weight is too large for the 32-bit numbers of ONNX")),
        }
    }

    /// The attribute of the node that lists the classes.
    fn attribute(&self) -> Message {
        match &self.numbers {
            // A negative number is written as its 64 bits.
            Some(numbers) => numbers
                .iter()
                .fold(attribute("classlabels_ints", KIND_INTS), |list, &number| list.integer(8, number as u64)),
            None => {
                self.names.iter().fold(attribute("classlabels_strings", KIND_STRINGS), |list, name| list.bytes(9, name))
            }
        }
    }

    /// The same as a constant of the graph.
    fn tensor(&self) -> Message {
        let shape = Message::default().integer(1, self.names.len() as u64);
        let listed = match &self.numbers {
            Some(numbers) => {
                numbers.iter().fold(shape.integer(2, INT64), |list, &number| list.integer(7, number as u64))
            }
            None => self.names.iter().fold(shape.integer(2, STRING), |list, name| list.bytes(6, name)),
        };
        listed.bytes(8, "classes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Trainer;
    use crate::io::Input;
    use crate::learn::keep::KeepKind;
    use crate::map::{Preparation, Scaling, Tf};
    use crate::read::{ReadOptions, read, toy};
    use crate::rows::{Fill, Table};

    fn street() -> Table {
        toy::street(40, 0.1, 3).unwrap()
    }

    #[test]
    fn scalings_of_columns_are_folded_into_the_weights() {
        let table = street();
        for scale in [Scaling::Ball, Scaling::Standard, Scaling::MinMax] {
            let model = Trainer::new("averaged")
                .preparation(Preparation { scale, ..Preparation::default() })
                .fit(&table)
                .unwrap()
                .model;
            let (_, raw) = plain(&model).unwrap();
            let scores = model.score_all(table.matrix.rows().unwrap()).unwrap();
            let crate::rows::Matrix::Dense(matrix) = &table.matrix else { panic!("dense") };
            for (x, score) in matrix.values.chunks(2).zip(scores) {
                let folded = raw.values()[0] * x[0] + raw.values()[1] * x[1] + raw.bias()[0];
                assert!((folded - score).abs() < 1e-9 * (1.0 + score.abs()), "{folded} {score}");
            }
        }
    }

    #[test]
    fn models_without_a_hyperplane_are_refused_with_the_reason() {
        let refused = |model: &Model| onnx(model).unwrap_err().to_string();
        let voted = Trainer::new("perceptron").keep(KeepKind::Vote).fit(&street()).unwrap().model;
        assert!(refused(&voted).contains("votes among many hyperplanes"));
        let products = Preparation { degree: 2, ..Preparation::default() };
        let products = Trainer::new("averaged").preparation(products).fit(&street()).unwrap().model;
        assert!(refused(&products).contains("rows are prepared"), "{}", refused(&products));
        let mail = Input::memory("mail.csv", "text,label\nwin now,spam\nsee you,ham\n");
        let texts = ReadOptions { text: vec!["text".into()], ..ReadOptions::default() };
        let texts = ReadOptions { chars: Some("3..4".parse().unwrap()), ..texts };
        let mail = read(&mail, &texts).unwrap().table;
        let mail = Trainer::new("averaged").fit(&mail).unwrap().model;
        assert!(refused(&mail).contains("the column \"text\" holds parts of words"), "{}", refused(&mail));
    }

    /// The runtime's answers are compared in the tests of the command line.
    #[test]
    fn categories_and_rows_of_length_one_have_nodes_of_their_own() {
        let has = |bytes: &[u8], name: &str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
        let unit = Preparation { scale: Scaling::Unit, ..Preparation::default() };
        let unit = onnx(&Trainer::new("averaged").preparation(unit).fit(&street()).unwrap().model).unwrap();
        assert!(has(&unit, "Normalizer") && !has(&unit, "Concat"));
        let fruit = Input::memory("fruit.csv", "weight,colour,label\n120,red,apple\n9,blue,cherry\n");
        let fruit = read(&fruit, &ReadOptions::default()).unwrap().table;
        let fruit = onnx(&Trainer::new("averaged").fit(&fruit).unwrap().model).unwrap();
        assert!(["OneHotEncoder", "Concat", "colour", "weight"].iter().all(|name| has(&fruit, name)));
        let mail = Input::memory("mail.csv", "text,label\nwin now,spam\nsee you,ham\n");
        let texts = ReadOptions { text: vec!["text".into()], ngrams: 2, ..ReadOptions::default() };
        let mail = read(&mail, &texts).unwrap().table;
        let log = Preparation { tf: Tf::Log, tf_idf: true, scale: Scaling::Unit, ..Preparation::default() };
        let mail = onnx(&Trainer::new("averaged").preparation(log).fit(&mail).unwrap().model).unwrap();
        assert!(["Tokenizer", "com.microsoft", "TfIdfVectorizer", "Normalizer"].iter().all(|name| has(&mail, name)));
        let gaps = Input::memory("gaps.csv", "weight,width,label\n120,,apple\n,2,cherry\n");
        for (fill, marks) in [(Fill::Zero, false), (Fill::Mean, false), (Fill::Indicator, true)] {
            let options = ReadOptions { missing: Some(fill), ..ReadOptions::default() };
            let gaps = read(&gaps, &options).unwrap().table;
            let gaps = onnx(&Trainer::new("averaged").fit(&gaps).unwrap().model).unwrap();
            assert!(["IsNaN", "Where", "Concat"].iter().all(|name| has(&gaps, name)), "{fill:?}");
            assert_eq!(has(&gaps, "Cast"), marks, "{fill:?}");
        }
    }

    #[test]
    fn classes_are_in_the_order_of_the_model_and_whole_numbers_are_numbers() {
        for (tie, last_wins) in [(Tie::Update, true), (Tie::Positive, true), (Tie::Negative, false)] {
            let model = Trainer::new("averaged").tie(tie).fit(&street()).unwrap().model;
            let (_, weights) = plain(&model).unwrap();
            let classes = Classes::new(&model, &weights).unwrap();
            assert_eq!(classes.names, model.labels.names());
            assert_eq!((classes.last_wins, classes.numbers), (last_wins, None));
            assert_eq!(classes.coefficients[0], -classes.coefficients[2]);
        }
        for (labels, numbers) in [(["-3", "12"], Some(vec![-3, 12])), (["1.5", "2"], None), (["01", "2"], None)] {
            let table = Table::dense(&[[2.0, 1.0], [-1.0, -2.0]], &labels).unwrap();
            let model = Trainer::new("averaged").fit(&table).unwrap().model;
            let classes = Classes::new(&model, &plain(&model).unwrap().1).unwrap();
            assert_eq!(classes.numbers.is_some(), numbers.is_some(), "{labels:?}");
            let named = |list: Vec<i64>| list.iter().map(i64::to_string).collect::<Vec<_>>();
            assert!(classes.numbers.is_none_or(|found| named(found) == model.labels.names()), "{labels:?}");
        }
    }
}
