//! Sentences built in memory, token by token.
//!
//! ```
//! use rosenblatt::structured::TaggerTrainer;
//! use rosenblatt::structured::read::Batch;
//!
//! let mut batch = Batch::default();
//! for (word, tag) in [("the", "D"), ("dog", "N"), ("barks", "V")] {
//!     batch.put(word);
//!     batch.end_token(Some(tag));
//! }
//! batch.end_sentence();
//! let trainer = TaggerTrainer::default();
//! let tagger = trainer.fit(trainer.gather("toy", &batch, 1)?, &mut ())?;
//! assert_eq!(tagger.tag(&[["the"], ["dog"]]), ["D", "N"]);
//! # Ok::<(), rosenblatt::Error>(())
//! ```

use super::{Batch, Token};

impl Batch {
    /// One sentence: the fields of each token, without a tag.
    pub fn of<T: AsRef<str>>(sentence: &[impl AsRef<[T]>]) -> Self {
        let mut batch = Batch::default();
        for token in sentence {
            token.as_ref().iter().for_each(|field| batch.put(field.as_ref()));
            batch.end_token(None);
        }
        batch.end_sentence();
        batch
    }

    /// Adds a field, or an attribute of value 1, to the current token.
    pub fn put(&mut self, field: &str) {
        self.put_valued(field, 1.0);
    }

    /// Adds an attribute with a finite value to the current token.
    pub fn put_valued(&mut self, name: &str, value: f64) {
        let range = self.put_text(name);
        // Values are stored once one differs from 1.
        if value != 1.0 || !self.values.is_empty() {
            self.values.resize(self.fields.len(), 1.0);
            self.values.push(value);
        }
        self.fields.push(range);
    }

    /// Ends the current token.
    pub fn end_token(&mut self, tag: Option<&str>) {
        let first = self.tokens.last().map_or(0, |token| token.fields.end);
        let tag = tag.map(|tag| self.put_text(tag));
        // A token counts as a line, from 1.
        self.first = 1;
        self.tokens.push(Token { line: self.tokens.len(), fields: first..self.fields.len(), tag });
    }

    /// Ends a sentence, if it has tokens.
    pub fn end_sentence(&mut self) {
        let before = self.sentences.last().copied().unwrap_or(0);
        if self.tokens.len() > before {
            self.sentences.push(self.tokens.len());
        }
    }

    fn put_text(&mut self, text: &str) -> std::ops::Range<usize> {
        let start = self.text.len();
        self.text.extend_from_slice(text.as_bytes());
        start..self.text.len()
    }
}
