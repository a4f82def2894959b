//! Class names, kept as the user wrote them.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::label_number::{LabelNumber, canonical_label};
use crate::error::{Error, Result};
use crate::limits;
use crate::message::Setting;

/// The names of the classes; a class is its place in this list. With two classes: negative first, positive second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Labels(Vec<String>);

/// Usual names of the positive class when there are two.
const POSITIVE: [&str; 5] = ["+1", "1", "true", "yes", "+"];

impl Labels {
    /// The classes in this order, as given.
    pub fn new(names: Vec<String>) -> Self {
        Labels(names)
    }

    /// How many classes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of a class.
    pub fn name(&self, class: u32) -> &str {
        &self.0[class as usize]
    }

    /// All names in order.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The class of this label: the same text, or exactly the same number (`1`, `+1` and `1.0` are one label).
    pub fn find(&self, text: &str) -> Option<u32> {
        let place = self.0.iter().position(|n| n == text).or_else(|| {
            let number = LabelNumber::of(text)?;
            self.0.iter().position(|n| LabelNumber::of(n).as_ref() == Some(&number))
        });
        place.map(|p| p as u32)
    }

    /// The first class that is the same label as one before it.
    pub(crate) fn repeated(&self) -> Option<&str> {
        let mut all = HashSet::new();
        self.0.iter().find(|name| !all.insert(canonical_label(name))).map(String::as_str)
    }
}

/// Numbers labels in order of first appearance, then puts the classes in their final order.
#[derive(Debug, Clone, Default)]
pub struct LabelCollector {
    names: Vec<String>,
    /// The id of each text so far, and of its canonical one.
    ids: HashMap<String, u32>,
}

impl LabelCollector {
    /// The id of this label, by first appearance. Texts of exactly the same number are one label.
    pub fn collect(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let canonical = canonical_label(text);
        let id = self.ids.get(&*canonical).copied().unwrap_or_else(|| {
            self.names.push(text.to_string());
            self.names.len() as u32 - 1
        });
        if canonical != text {
            self.ids.insert(canonical.into_owned(), id);
        }
        self.ids.insert(text.to_string(), id);
        id
    }

    /// Makes room for more labels, or returns an error if there is none.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<()> {
        // A label is kept under its canonical text too, where that differs.
        limits::reserve_keys(&mut self.ids, 2 * more, &|| "the labels of the file".into())
    }

    /// The labels so far, in order of first appearance.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// How many different labels so far.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The classes in their final order, and the class of each collected id.
    ///
    /// Sorted: as numbers if all are numbers, else as text. With two classes the positive one comes second:
    /// the one named `positive`, else `+1`, `1`, `true`, `yes` or `+`, else the later in sorted order.
    pub fn finish(self, positive: Option<&str>) -> Result<(Labels, Vec<u32>)> {
        let numbers: Option<Vec<LabelNumber>> = self.names.iter().map(|n| LabelNumber::of(n)).collect();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        match &numbers {
            Some(numbers) => order.sort_by(|&a, &b| numbers[a].cmp(&numbers[b])),
            None => order.sort_by(|&a, &b| self.names[a].cmp(&self.names[b])),
        }
        let names: Vec<String> = order.iter().map(|&i| self.names[i].clone()).collect();
        if let Some(wanted) = positive {
            if names.len() != 2 {
                let why = format!(" is for two classes; the data have {}: {}", names.len(), list(&names));
                return Err(Error::settings(Setting::Positive.given(wanted).text(why)));
            }
            match Labels::new(names.clone()).find(wanted) {
                Some(0) => order.swap(0, 1),
                Some(_) => {}
                None => {
                    let why = format!("no example has this label; the data have {}", list(&names));
                    return Err(Error::setting(Setting::Positive, wanted, why));
                }
            }
        } else if names.len() == 2 && is_positive(&names[0]) && !is_positive(&names[1]) {
            order.swap(0, 1);
        }
        let mut moved = vec![0; order.len()];
        (0..).zip(&order).for_each(|(class, &id)| moved[id] = class);
        Ok((Labels::new(order.iter().map(|&i| self.names[i].clone()).collect()), moved))
    }
}

fn is_positive(name: &str) -> bool {
    POSITIVE.iter().any(|p| p.eq_ignore_ascii_case(name)) || canonical_label(name) == "1"
}

/// A list for messages, shortened if long: `a, b, c … (26 in all)`.
pub(crate) fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = names.iter().take(SHOWN).map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} … ({} in all)", names.len()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(texts: &[&str], positive: Option<&str>) -> (Vec<String>, Vec<u32>) {
        let mut collector = LabelCollector::default();
        let ids: Vec<u32> = texts.iter().map(|t| collector.collect(t)).collect();
        let (labels, moved) = collector.finish(positive).unwrap();
        (labels.names().to_vec(), ids.iter().map(|&id| moved[id as usize]).collect())
    }

    #[test]
    fn the_positive_class_is_the_one_a_reader_expects() {
        assert_eq!(finished(&["+1", "-1"], None).0, ["-1", "+1"]);
        assert_eq!(finished(&["1", "2"], None).0, ["2", "1"]);
        assert_eq!(finished(&["yes", "no"], None).0, ["no", "yes"]);
        assert_eq!(finished(&["spam", "ham"], None).0, ["ham", "spam"]);
        assert_eq!(finished(&["spam", "ham"], Some("ham")).0, ["spam", "ham"]);
    }

    #[test]
    fn numbers_sort_as_numbers_and_the_same_number_is_one_label() {
        assert_eq!(finished(&["10", "9", "2"], None).0, ["2", "9", "10"]);
        assert_eq!(finished(&["1", "-1", "+1", "1.0"], None), (vec!["-1".into(), "1".into()], vec![1, 0, 1, 1]));
        assert_eq!(Labels::new(vec!["-1".into(), "1".into()]).find("+1"), Some(1));
    }

    /// Labels were merged as floats: 2⁵³ and 2⁵³ + 1 were one class, and so were 0 and 1e-400.
    #[test]
    fn numbers_that_differ_are_two_labels_however_near() {
        assert_eq!(
            finished(&["9007199254740993", "9007199254740992"], None),
            (vec!["9007199254740992".into(), "9007199254740993".into()], vec![1, 0])
        );
        assert_eq!(finished(&["1e-400", "0", "-0.0"], None), (vec!["0".into(), "1e-400".into()], vec![1, 0, 0]));
        let labels = Labels::new(vec!["0".into(), "1e-400".into()]);
        assert_eq!((labels.find("10e-401"), labels.find("0.00")), (Some(1), Some(0)));
        assert_eq!(labels.repeated(), None);
        assert_eq!(Labels::new(vec!["1".into(), "2".into(), "1.0".into()]).repeated(), Some("1.0"));
    }

    #[test]
    fn an_unknown_positive_label_is_refused() {
        let mut collector = LabelCollector::default();
        collector.collect("a");
        collector.collect("b");
        let error = collector.finish(Some("c")).unwrap_err();
        assert!(error.to_string().contains("no example has this label"), "{error}");
    }
}
