//! One line of Vowpal Wabbit text, read by itself: for examples that come one by one.

use std::ops::Range;

use super::vw::Line;
use crate::error::Result;
use crate::io::{Fault, show};

/// One example: names and values in the order of the names, as the reader of whole files presents them. A feature that
/// comes several times has the sum of its values, which may be zero: the reader of files leaves it out of the row, but not
/// out of the names.
///
/// ```
/// use rosenblatt::read::VwExample;
/// let example = VwExample::parse(b"spam 2 | free:3 offer |a x free", 1, "mail")?.expect("not a blank line");
/// assert_eq!((example.label.as_deref(), example.weight), (Some("spam"), 2.0));
/// assert_eq!(example.entries().collect::<Vec<_>>(), [("a^free", 1.0), ("a^x", 1.0), ("free", 3.0), ("offer", 1.0)]);
/// # Ok::<(), rosenblatt::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VwExample {
    /// The label, if there is one.
    pub label: Option<String>,
    /// The importance; 1 if there is none.
    pub weight: f64,
    /// All names, one after the other.
    names: String,
    entries: Vec<(Range<u32>, f64)>,
}

impl VwExample {
    /// Reads a line; `None` if it is blank. `number` and `name` are the line and the file of errors.
    pub fn parse(text: &[u8], number: u64, name: &str) -> Result<Option<VwExample>> {
        let Some(line) = Line::split(text, number).map_err(|f| f.of(name))? else { return Ok(None) };
        let (mut names, mut entries): (Vec<u8>, Vec<(Range<u32>, f64)>) = (Vec::new(), Vec::new());
        let mut one = Vec::new();
        let read = line.each_feature(|feature| {
            let value = feature.scale * feature.value;
            if !value.is_finite() {
                let message = format!("{} times its namespace's weight overflows", show(feature.token));
                return Err(line.fault(&feature, message));
            }
            feature.write_name(&mut one);
            let from = names.len() as u32;
            names.extend_from_slice(&one);
            entries.push((from..names.len() as u32, value));
            Ok(())
        });
        read.map_err(|f| f.of(name))?;
        let text = |range: &Range<u32>| &names[range.start as usize..range.end as usize];
        // Stable: values of one name are added in the order of the line.
        entries.sort_by(|a, b| text(&a.0).cmp(text(&b.0)));
        let mut once: Vec<(Range<u32>, f64)> = Vec::with_capacity(entries.len());
        for same in entries.chunk_by(|a, b| text(&a.0) == text(&b.0)) {
            let value: f64 = same.iter().map(|(_, v)| v).sum();
            if !value.is_finite() {
                let message = "a feature that comes several times adds up to infinity";
                return Err(Fault::line(number, message).of(name));
            }
            once.push((same[0].0.clone(), value));
        }
        let label = line.label.map(str::to_string);
        let weight = line.importance.unwrap_or(1.0);
        // Each name is UTF-8: the parser has checked its namespace and itself.
        let names = String::from_utf8(names).unwrap_or_default();
        Ok(Some(VwExample { label, weight, names, entries: once }))
    }

    /// Names and values, in the order of the names.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&str, f64)> {
        self.entries.iter().map(|(name, value)| (&self.names[name.start as usize..name.end as usize], *value))
    }
}
