//! Texts in an ONNX graph: a column of texts becomes counts of words, and counts are weighed.
//!
//! `StringNormalizer` writes a text in lower case, `Tokenizer` (of the runtime's own domain, `com.microsoft`, as skl2onnx uses it)
//! cuts it into longest runs of letters, digits and underscores, and `TfIdfVectorizer` counts the words and runs of words that
//! the model knows. These are our words, but for combining marks, which belong to a word here in some scripts, and letters
//! whose lower case has two letters.

use super::onnx::{FLOAT, INT64, KIND_INT, KIND_INTS, KIND_STRING, KIND_STRINGS, STRING, attribute, tensor};
use super::pipeline::{Pipeline, node};
use super::protobuf::Message;
use crate::map::{Tf, Words};

/// The domain of the runtime's own operators, and their version.
pub(super) const OWN: (&str, u64) = ("com.microsoft", 1);
/// A word.
const WORD: &str = r"[\pL\pN_]+";
/// It has the letters of all scripts, and is there without being installed.
const LOCALE: &str = "C.UTF-8";

/// A text as an attribute.
fn text(name: &str, value: &str) -> Message {
    attribute(name, KIND_STRING).bytes(4, value)
}

/// A number as an attribute.
fn integer(name: &str, value: u64) -> Message {
    attribute(name, KIND_INT).integer(3, value)
}

/// Numbers as an attribute.
fn integers(name: &str, values: &[u64]) -> Message {
    values.iter().fold(attribute(name, KIND_INTS), |list, &value| list.integer(8, value))
}

impl Pipeline {
    /// Adds a column of texts, whose features are these words and runs of words; the name of the features.
    pub(super) fn words(&mut self, number: usize, column: &str, ngrams: u32, words: &[String]) -> String {
        self.inputs.push(tensor(column, STRING, Some(1)));
        self.own = true;
        let names = ["flat", "lower", "tokens", "counts"].map(|name| format!("{name}_{number}"));
        let [flat, lower, tokens, counts] = &names;
        let shape = format!("shape_{number}");
        let one = Message::default().integer(1, 1).integer(2, INT64).integer(7, u64::MAX);
        self.constants.push(one.bytes(8, &shape));
        let reshape = Message::default().bytes(1, column).bytes(1, &shape).bytes(2, flat).bytes(3, flat);
        let normalize = node(flat, lower, "StringNormalizer")
            .message(5, text("case_change_action", "LOWER"))
            .message(5, integer("is_case_sensitive", 1))
            .message(5, text("locale", LOCALE));
        let cut = node(lower, tokens, "Tokenizer")
            .message(5, integer("mark", 0))
            .message(5, text("pad_value", ""))
            .message(5, integer("mincharnum", 1))
            .message(5, text("tokenexp", WORD))
            .bytes(7, OWN.0);
        // Runs by their length: first all words, then all pairs, …; each is told its feature.
        let (mut pool, mut begins, mut features) = (Vec::new(), Vec::new(), Vec::new());
        for length in 1..=ngrams as usize {
            begins.push(pool.len() as u64);
            for (feature, run) in (0..).zip(words) {
                if run.split(' ').count() == length {
                    pool.extend(run.split(' '));
                    features.push(feature);
                }
            }
        }
        let pool = pool.iter().fold(attribute("pool_strings", KIND_STRINGS), |list, word| list.bytes(9, word));
        let count = node(tokens, counts, "TfIdfVectorizer")
            .message(5, text("mode", "TF"))
            .message(5, integer("min_gram_length", 1))
            .message(5, integer("max_gram_length", u64::from(ngrams)))
            .message(5, integer("max_skip_count", 0))
            .message(5, integers("ngram_counts", &begins))
            .message(5, integers("ngram_indexes", &features))
            .message(5, pool);
        self.nodes.extend([reshape.bytes(4, "Reshape"), normalize, cut, count]);
        names[3].clone()
    }

    /// Weighs the words of rows: tf · idf; what is no word stays.
    pub(super) fn weigh(&mut self, words: &Words) {
        let (tf, idf) = words.weights();
        let at = self.nodes.len() + 1;
        let from = self.last.clone();
        let weighed = match tf {
            Tf::Count => from.clone(),
            Tf::Binary => self.joined("Sign", &[&from], &format!("binary_{at}")),
            Tf::Log => {
                // 1 + ln(v) above 1, v below.
                let one = self.constant(&format!("one_{at}"), &[1.0]);
                let above = self.joined("Max", &[&from, &one], &format!("above_{at}"));
                let log = self.joined("Log", &[&above], &format!("log_{at}"));
                let below = self.joined("Min", &[&from, &one], &format!("below_{at}"));
                self.joined("Add", &[&log, &below], &format!("tf_{at}"))
            }
        };
        let weights: Vec<f32> = idf.iter().map(|&weight| weight as f32).collect();
        let idf = self.constant(&format!("idf_{at}"), &weights);
        self.last = self.joined("Mul", &[&weighed, &idf], &format!("weighed_{at}"));
        if weights.contains(&0.0) {
            let others: Vec<f32> = weights.iter().map(|&weight| f32::from(u8::from(weight == 0.0))).collect();
            let others = self.constant(&format!("others_{at}"), &others);
            let kept = self.joined("Mul", &[&from, &others], &format!("kept_{at}"));
            let weighed = self.last.clone();
            self.last = self.joined("Add", &[&weighed, &kept], &format!("prepared_{at}"));
        }
    }

    /// Adds a node; the name of its output.
    fn joined(&mut self, kind: &str, from: &[&str], to: &str) -> String {
        let node = from.iter().fold(Message::default(), |node, from| node.bytes(1, *from));
        self.nodes.push(node.bytes(2, to).bytes(3, to).bytes(4, kind));
        to.to_string()
    }

    /// Adds a row of numbers; its name.
    fn constant(&mut self, name: &str, values: &[f32]) -> String {
        let list = Message::default().integer(1, values.len() as u64).integer(2, FLOAT).floats(4, values);
        self.constants.push(list.bytes(8, name));
        name.to_string()
    }
}
