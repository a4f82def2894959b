//! Texts as words: the words of a field are features of a namespace with its name, counted, `|subject free:2 offer`. They are
//! the words of `rosenblatt train --text` (the library's `each_run`), so that both count the same.

use std::fmt::Write;

use rosenblatt::map::each_run;
use rosenblatt::rows::CharGrams;
use serde::{Deserialize, Serialize};

use super::write_name;

/// The field beside the features that is always a text.
pub const TEXT: &str = "text";

/// Which features are texts, and what is counted of them. A model keeps these from its first example on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// Names of features, nested ones with dots.
    pub fields: Vec<String>,
    /// The most words of a run.
    pub ngrams: u32,
    /// Runs of characters within words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<CharGrams>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { fields: Vec::new(), ngrams: 1, chars: None }
    }
}

impl Texts {
    /// Whether the feature with this token is a text.
    pub(super) fn has(&self, token: &str) -> bool {
        !self.fields.is_empty() && {
            let name = super::readable(token);
            self.fields.iter().any(|field| *field == name)
        }
    }

    /// Appends the words of a text, as a namespace with this token for its name.
    pub(super) fn write(&self, token: &str, text: &str, out: &mut String) {
        let mut runs: Vec<Box<str>> = Vec::new();
        each_run(text, self.ngrams, self.chars, |run| runs.push(run.into()));
        if runs.is_empty() {
            return;
        }
        runs.sort_unstable();
        out.push_str(" |");
        out.push_str(token);
        for same in runs.chunk_by(|a, b| a == b) {
            out.push(' ');
            write_name(&same[0], out);
            if same.len() > 1 {
                let _ = write!(out, ":{}", same.len());
            }
        }
    }
}
