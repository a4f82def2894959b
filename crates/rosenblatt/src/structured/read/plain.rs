//! Text without columns, written in the layout of a tagger, so that any tagger of words can tag it.

use super::{Layout, SequenceFormat, conllu};
use crate::error::{Error, Result};
use crate::io::{Fault, Input, Lines};
use crate::limits;
use crate::named::named;

/// The least bytes of a piece, except the last and those of a pipe.
const PIECE: usize = 1 << 18;

/// How text without columns is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// One sentence a line: words between spaces, and the punctuation around them.
    Text,
    /// One token a line, a blank line between sentences.
    Tokens,
}

named!(Plain: Text = "text", Tokens = "tokens");

impl Plain {
    /// Calls `each` with the text of an input, some whole sentences at a time; of a pipe, as they come.
    pub fn pieces(self, input: &Input, mut each: impl FnMut(&str) -> Result<()>) -> Result<()> {
        let source = input.open()?;
        let mut lines = if input.is_live() { Lines::live(source)? } else { Lines::new(source)? };
        let mut text = String::new();
        while lines.advance()? {
            let line = std::str::from_utf8(lines.line()).map_err(|bad| {
                let message = "this is not UTF-8: save the file as UTF-8";
                Fault::at(lines.number(), bad.valid_up_to() as u64 + 1, message).of(lines.name())
            })?;
            text.push_str(line);
            text.push('\n');
            let ends = self == Plain::Text || line.trim().is_empty();
            if ends && (text.len() >= PIECE || (lines.is_live() && !lines.is_ready())) {
                limits::check()?;
                each(&text)?;
                text.clear();
            }
        }
        if text.is_empty() { Ok(()) } else { each(&text) }
    }

    /// The sentences in the layout of a tagger that needs this many columns.
    ///
    /// ```
    /// use rosenblatt::structured::read::{Layout, Plain, SequenceFormat};
    /// let layout = Layout { format: SequenceFormat::Conll, columns: 1, tag_at: 1 };
    /// let lines = Plain::Text.in_layout("m", "It rains, again.\n", &layout, 1)?;
    /// assert_eq!(lines, "It\nrains\n,\nagain\n.\n\n");
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn in_layout(self, name: &str, text: &str, layout: &Layout, needed: usize) -> Result<String> {
        if layout.format == SequenceFormat::Crfsuite {
            let message = "the tagger was trained on attributes, and text has none: write them as in its training file";
            return Err(Error::bad_data(message).in_file(name));
        }
        if needed > 1 {
            let message = format!(
                "the tagger needs {needed} columns of each token, and text has only words: give it a file with the \
                 columns of its training file"
            );
            return Err(Error::bad_data(message).in_file(name));
        }
        let mut lines = String::new();
        let mut sentence = Sentence { layout, tokens: 0, lines: &mut lines };
        for line in text.trim_start_matches('\u{feff}').lines() {
            match self {
                Plain::Text => {
                    line.split_whitespace().for_each(|word| each_token(word, |token| sentence.push(token)));
                    sentence.end();
                }
                Plain::Tokens => match line.trim() {
                    "" => sentence.end(),
                    // A token may hold spaces in CoNLL-U.
                    token => sentence.push(token),
                },
            }
        }
        sentence.end();
        Ok(lines)
    }
}

/// The sentence that is being written.
struct Sentence<'a> {
    layout: &'a Layout,
    tokens: usize,
    lines: &'a mut String,
}

impl Sentence<'_> {
    fn push(&mut self, token: &str) {
        self.tokens += 1;
        let token = token.replace(['\t', '\u{b}', '\u{c}'], " ");
        match self.layout.format {
            SequenceFormat::Conllu => {
                let rest = "\t_".repeat(conllu::COLUMNS.len() - 2);
                self.lines.push_str(&format!("{}\t{token}{rest}\n", self.tokens));
            }
            _ => self.lines.push_str(&format!("{}\n", token.replace(' ', "_"))),
        }
    }

    fn end(&mut self) {
        if self.tokens > 0 {
            self.lines.push('\n');
        }
        self.tokens = 0;
    }
}

/// Calls `f` with a word, and with each mark of punctuation before and after it; marks within a word belong to it.
fn each_token(word: &str, mut f: impl FnMut(&str)) {
    let is_mark =
        |c: char| !c.is_alphanumeric() && !matches!(c, '$' | '€' | '£' | '#' | '@' | '%' | '&' | '+' | '-' | '_' | '/');
    let inner = word.trim_matches(is_mark);
    let Some(start) = word.find(inner).filter(|_| !inner.is_empty()) else {
        // Nothing but marks: "..." and ":-)" are one token.
        return f(word);
    };
    let (before, after) = (&word[..start], &word[start + inner.len()..]);
    before.char_indices().for_each(|(at, c)| f(&before[at..at + c.len_utf8()]));
    f(inner);
    // Several points in a row are one mark.
    let mut rest = after;
    while let Some(c) = rest.chars().next() {
        let same = rest.len() - rest.trim_start_matches(c).len();
        f(&rest[..same]);
        rest = &rest[same..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_the_marks_around_them() {
        let tokens = |word: &str| {
            let mut all = Vec::new();
            each_token(word, |token| all.push(token.to_string()));
            all
        };
        assert_eq!(tokens("rains,"), ["rains", ","]);
        assert_eq!(tokens("(\"don't\")."), ["(", "\"", "don't", "\"", ")", "."]);
        assert_eq!(tokens("well..."), ["well", "..."]);
        assert_eq!(tokens("..."), ["..."]);
        assert_eq!(tokens("$5.50"), ["$5.50"]);
        assert_eq!(tokens("#tag"), ["#tag"]);
        assert_eq!(tokens("«Ünï»"), ["«", "Ünï", "»"]);
    }

    #[test]
    fn sentences_in_the_layout_of_the_tagger() {
        let conllu = Layout { format: SequenceFormat::Conllu, columns: 8, tag_at: 3 };
        let text = "It rains.\r\n\r\nAgain";
        let rest = "\t_\t_\t_\t_\t_\t_\t_\t_\n";
        let lines = Plain::Text.in_layout("m", text, &conllu, 1).unwrap();
        assert_eq!(lines, format!("1\tIt{rest}2\trains{rest}3\t.{rest}\n1\tAgain{rest}\n"));
        let tokens = Plain::Tokens.in_layout("m", "New York\nis\n\nbig\n", &conllu, 1).unwrap();
        assert_eq!(tokens, format!("1\tNew York{rest}2\tis{rest}\n1\tbig{rest}\n"));
        let conll = Layout { format: SequenceFormat::Conll, columns: 1, tag_at: 1 };
        assert_eq!(Plain::Tokens.in_layout("m", "New York\nis", &conll, 1).unwrap(), "New_York\nis\n\n");
        assert!(Plain::Text.in_layout("m", "a", &conll, 2).unwrap_err().to_string().contains("needs 2 columns"));
        let crfsuite = Layout { format: SequenceFormat::Crfsuite, columns: 0, tag_at: 0 };
        assert!(Plain::Text.in_layout("m", "a", &crfsuite, 0).is_err());
    }
}
