//! One line of Vowpal Wabbit text.

use crate::io::{Fault, Found, show};
use crate::read::number::number;

/// An example, split at its first bar.
pub(in crate::read) struct Line<'l> {
    pub(in crate::read) number: u64,
    pub(in crate::read) label: Option<&'l str>,
    pub(in crate::read) importance: Option<f64>,
    /// Whether there is a third number.
    pub(in crate::read) base: bool,
    pub(in crate::read) tagged: bool,
    /// The text after the first bar, and its byte offset.
    pub(in crate::read) features: &'l [u8],
    pub(in crate::read) at: usize,
}

impl<'l> Line<'l> {
    /// `None` for a blank line.
    pub(in crate::read) fn split(line: &'l [u8], number: u64) -> Found<Option<Self>> {
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let Some(bar) = memchr::memchr(b'|', line) else {
            return Err(Fault::line(number, "no bar: expected label |namespace features"));
        };
        let before = &line[..bar];
        // The first four tokens, and how many there are; nothing is allocated for a line.
        let (mut tokens, mut count, mut last): ([&[u8]; 4], usize, &[u8]) = ([b""; 4], 0, b"");
        for token in before.split(u8::is_ascii_whitespace).filter(|t| !t.is_empty()) {
            if let Some(place) = tokens.get_mut(count) {
                *place = token;
            }
            (count, last) = (count + 1, token);
        }
        let touches = before.last().is_some_and(|b| !b.is_ascii_whitespace());
        let tagged = touches || last.starts_with(b"'");
        let tokens = &tokens[..(count - usize::from(tagged)).min(4)];
        let fault = |token: &[u8], message: String| {
            Fault::at(number, (token.as_ptr() as usize - line.as_ptr() as usize) as u64 + 1, message)
        };
        let label = match tokens.first() {
            Some(token) => match std::str::from_utf8(token) {
                Ok(label) if !label.contains([':', ',']) => Some(label),
                _ => {
                    let message =
                        format!("label {}: one label for an example is read, costs and lists are not", show(token));
                    return Err(fault(token, message));
                }
            },
            None => None,
        };
        let importance = match tokens.get(1) {
            None => None,
            Some(token) => match self::number(token) {
                Ok(weight) if weight >= 0.0 => Some(weight),
                _ => {
                    let message = format!("importance {}: expected a finite number, not negative", show(token));
                    return Err(fault(token, message));
                }
            },
        };
        if let Some(token) = tokens.get(3) {
            return Err(fault(
                token,
                format!("{} before the bar: expected label, importance, base and tag", show(token)),
            ));
        }
        let base = tokens.len() > 2;
        Ok(Some(Line { number, label, importance, base, tagged, features: &line[bar + 1..], at: bar + 1 }))
    }

    /// Calls `take` with each feature, in the order of the line.
    pub(in crate::read) fn each_feature(&self, mut take: impl FnMut(Feature<'l>) -> Found<()>) -> Found<()> {
        let text = self.features;
        let (mut namespace, mut scale, mut from): (&[u8], f64, usize) = (b"", 1.0, 0);
        // The first token of each section, if it touches the bar, is the namespace.
        let mut opens = true;
        while from < text.len() {
            let end = text[from..]
                .iter()
                .position(|&b| b.is_ascii_whitespace() || b == b'|')
                .map_or(text.len(), |n| from + n);
            let token = &text[from..end];
            let fault = |message: String| Fault::at(self.number, (self.at + from) as u64 + 1, message);
            if opens {
                (namespace, scale, _) = pair(token, "namespace").map_err(fault)?;
            } else if !token.is_empty() {
                let (name, value, written) = pair(token, "feature").map_err(fault)?;
                if name.is_empty() {
                    return Err(fault(format!("{}: a feature without a name", show(token))));
                }
                if std::str::from_utf8(name).is_err() || std::str::from_utf8(namespace).is_err() {
                    return Err(fault(format!("{} is not UTF-8 text: save the file as UTF-8", show(name))));
                }
                take(Feature { namespace, scale, name, value, written, token, at: from })?;
            }
            opens = text.get(end) == Some(&b'|');
            if opens {
                (namespace, scale) = (b"", 1.0);
            }
            from = end + 1;
        }
        Ok(())
    }

    pub(in crate::read) fn fault(&self, feature: &Feature<'_>, message: String) -> Fault {
        Fault::at(self.number, (self.at + feature.at) as u64 + 1, message)
    }

    pub(in crate::read) fn no_label(&self) -> Fault {
        let message = if self.tagged {
            "no label: what touches the bar is a tag; put a space between the label and the bar"
        } else {
            "no label before the bar"
        };
        Fault::line(self.number, message)
    }
}

/// A feature of a line.
pub(in crate::read) struct Feature<'l> {
    pub(in crate::read) namespace: &'l [u8],
    /// The weight of the namespace.
    pub(in crate::read) scale: f64,
    pub(in crate::read) name: &'l [u8],
    pub(in crate::read) value: f64,
    /// The text of the value.
    pub(in crate::read) written: &'l [u8],
    pub(in crate::read) token: &'l [u8],
    /// The byte after the first bar where it starts.
    pub(in crate::read) at: usize,
}

impl Feature<'_> {
    /// Its name among all features: `namespace^feature`, or `feature` without a namespace. Two features have one name
    /// only if they are one: `^` and `\` in a namespace are escaped by a `\`, and a feature without a namespace whose name
    /// holds a `^` has one more `^` in front.
    pub(in crate::read) fn write_name(&self, name: &mut Vec<u8>) {
        name.clear();
        Feature::write_namespace(self.namespace, name);
        if !self.namespace.is_empty() || memchr::memchr(b'^', self.name).is_some() {
            name.push(b'^');
        }
        name.extend_from_slice(self.name);
    }

    /// Appends the name of a namespace, escaped.
    pub(in crate::read) fn write_namespace(namespace: &[u8], name: &mut Vec<u8>) {
        for &byte in namespace {
            if matches!(byte, b'^' | b'\\') {
                name.push(b'\\');
            }
            name.push(byte);
        }
    }
}

/// `name` or `name:number`: the name, the number and its text. An omitted number is 1.
pub(in crate::read) fn pair<'t>(token: &'t [u8], what: &str) -> std::result::Result<(&'t [u8], f64, &'t [u8]), String> {
    match token.iter().rposition(|&b| b == b':') {
        None => Ok((token, 1.0, b"1")),
        Some(colon) => match number(&token[colon + 1..]) {
            Ok(value) => Ok((&token[..colon], value, &token[colon + 1..])),
            Err(why) => Err(format!("{what} {}: {} {}", show(token), show(&token[colon + 1..]), why.why())),
        },
    }
}
