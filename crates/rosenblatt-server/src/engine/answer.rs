//! Answers as JSON.

use std::fmt::Write;
use std::sync::Arc;

use rosenblatt::escape::is_control;

/// The answer for one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The names of the classes.
    pub classes: Arc<Vec<String>>,
    /// The predicted one; `None` before the first example.
    pub class: Option<u32>,
    /// One score for two classes, else one for each; none before there are two classes.
    pub scores: Vec<f64>,
    /// The probability of each class, if the model is calibrated.
    pub probabilities: Option<Vec<f64>>,
}

/// How the id of an example that was learned begins; its number follows.
pub const LEARNED: char = 'e';

/// What was learned from one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The answer before.
    pub before: Prediction,
    /// Whether the learner erred.
    pub mistake: bool,
    /// Examples learned from, this one included.
    pub seq: u64,
}

impl Prediction {
    /// The predicted label.
    pub fn label(&self) -> Option<&str> {
        self.class.map(|class| self.classes[class as usize].as_str())
    }

    /// The score of each class; 0 while there is only one.
    pub fn by_class(&self) -> impl Iterator<Item = (&str, f64)> {
        let score = |class: usize| match self.scores[..] {
            [] => 0.0,
            // y·score: the second class is the positive one.
            [score] => [-score, score][class] + 0.0,
            _ => self.scores[class],
        };
        self.classes.iter().enumerate().map(move |(class, name)| (name.as_str(), score(class)))
    }

    /// `"label": …, "scores": {…}`.
    fn write(&self, out: &mut String) {
        out.push_str("\"label\":");
        match self.label() {
            Some(label) => json_text(label, out),
            None => out.push_str("null"),
        }
        out.push_str(",\"scores\":{");
        for (place, (class, score)) in self.by_class().enumerate() {
            if place > 0 {
                out.push(',');
            }
            json_text(class, out);
            out.push(':');
            json_number(score, out);
        }
        out.push('}');
        if let Some(probabilities) = &self.probabilities {
            out.push_str(",\"probabilities\":{");
            for (place, (class, probability)) in self.classes.iter().zip(probabilities).enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                json_text(class, out);
                out.push(':');
                json_number(*probability, out);
            }
            out.push('}');
        }
    }

    /// The whole object.
    pub fn write_json(&self, seq: u64, id: Option<u64>, out: &mut String) {
        out.push('{');
        self.write(out);
        let _ = write!(out, ",\"seq\":{seq}");
        if let Some(id) = id {
            let _ = write!(out, ",\"id\":\"{id:016x}\"");
        }
        out.push('}');
    }
}

impl Learned {
    /// The whole object. The id is that of the example in the log.
    pub fn write_json(&self, out: &mut String) {
        out.push('{');
        self.before.write(out);
        let Learned { mistake, seq, .. } = self;
        let _ = write!(out, ",\"mistake\":{mistake},\"seq\":{seq},\"id\":\"{LEARNED}{seq}\"}}");
    }
}

/// A number that is read back the same; JSON has no others than finite ones.
pub fn json_number(value: f64, out: &mut String) {
    let plain = value == 0.0 || (1e-5..1e15).contains(&value.abs());
    let _ = if plain { write!(out, "{value}") } else { write!(out, "{value:e}") };
}

/// Appends a text as JSON. Control characters are escaped, also those beyond ASCII: an answer may be shown on a terminal.
pub fn json_text(text: &str, out: &mut String) {
    out.push('"');
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if text.bytes().all(plain) {
        out.push_str(text);
        out.push('"');
        return;
    }
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c < ' ' || is_control(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
