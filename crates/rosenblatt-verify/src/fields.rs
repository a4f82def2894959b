//! The objects of a certificate, read strictly: every key is used exactly once.

use std::collections::BTreeMap;

use crate::json::Value;
use crate::refusal::{Checked, Refusal, show};

/// The fields of an object, taken out one by one; a field left at the end is an error.
pub(crate) struct Fields {
    name: &'static str,
    map: BTreeMap<String, Value>,
}

impl Fields {
    pub(crate) fn of(value: Value, name: &'static str) -> Checked<Self> {
        match value {
            Value::Object(map) => Ok(Fields { name, map }),
            _ => Err(Refusal::form(format!("{name} is not an object in braces"))),
        }
    }

    fn take(&mut self, key: &str) -> Checked<Value> {
        self.map.remove(key).ok_or_else(|| Refusal::form(format!("{} has no key {key:?}", self.name)))
    }

    fn wrong(&self, key: &str, kind: &str) -> Refusal {
        Refusal::form(format!("{key:?} of {} is not {kind}", self.name))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    pub(crate) fn text(&mut self, key: &str) -> Checked<(String, usize)> {
        match self.take(key)? {
            Value::Text(text, at) => Ok((text, at)),
            _ => Err(self.wrong(key, "a text")),
        }
    }

    pub(crate) fn optional_text(&mut self, key: &str) -> Checked<Option<String>> {
        if self.map.contains_key(key) { self.text(key).map(|(text, _)| Some(text)) } else { Ok(None) }
    }

    pub(crate) fn count(&mut self, key: &str) -> Checked<u64> {
        match self.take(key)? {
            Value::Count(count) => Ok(count),
            _ => Err(self.wrong(key, "a whole number")),
        }
    }

    pub(crate) fn flag(&mut self, key: &str) -> Checked<bool> {
        match self.take(key)? {
            Value::Flag(flag) => Ok(flag),
            _ => Err(self.wrong(key, "true or false")),
        }
    }

    pub(crate) fn list(&mut self, key: &str) -> Checked<Vec<Value>> {
        match self.take(key)? {
            Value::List(list) => Ok(list),
            _ => Err(self.wrong(key, "a list")),
        }
    }

    pub(crate) fn texts(&mut self, key: &str) -> Checked<Vec<String>> {
        let list = self.list(key)?;
        let text = |value| match value {
            Value::Text(text, _) => Ok(text),
            _ => Err(self.wrong(key, "a list of texts")),
        };
        list.into_iter().map(text).collect()
    }

    pub(crate) fn object(&mut self, key: &'static str) -> Checked<Fields> {
        Fields::of(self.take(key)?, key)
    }

    pub(crate) fn end(self) -> Checked<()> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(key) => Err(Refusal::form(format!("{} has an unknown key {}", self.name, show(key.as_bytes())))),
        }
    }
}
