//! Parameters as data: one declaration gives validation, help, documentation and bindings.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

/// The declaration of one parameter.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// As the user writes it.
    pub name: &'static str,
    /// What it means, in one line.
    pub help: &'static str,
    /// The allowed values.
    pub domain: Domain,
}

/// The allowed values of a parameter, and its default.
#[derive(Debug, Clone, Copy)]
pub enum Domain {
    /// A number in a range.
    Number {
        /// The least value.
        min: f64,
        /// Whether the least value itself is refused.
        above: bool,
        /// The greatest value.
        max: f64,
        /// The default.
        default: f64,
    },
    /// One of a few words; the first is the default.
    Choice(&'static [&'static str]),
}

impl Param {
    /// A number greater than zero.
    pub const fn positive(name: &'static str, default: f64, help: &'static str) -> Self {
        Param { name, help, domain: Domain::Number { min: 0.0, above: true, max: f64::MAX, default } }
    }

    /// A number that is zero or greater.
    pub const fn non_negative(name: &'static str, default: f64, help: &'static str) -> Self {
        Param { name, help, domain: Domain::Number { min: 0.0, above: false, max: f64::MAX, default } }
    }

    /// A number above `min` and up to `max`.
    pub const fn within(name: &'static str, min: f64, max: f64, default: f64, help: &'static str) -> Self {
        Param { name, help, domain: Domain::Number { min, above: true, max, default } }
    }

    /// One of a few words.
    pub const fn choice(name: &'static str, words: &'static [&'static str], help: &'static str) -> Self {
        Param { name, help, domain: Domain::Choice(words) }
    }

    /// The default, as the user would write it.
    pub fn default_text(&self) -> String {
        match self.domain {
            Domain::Number { default, .. } => default.to_string(),
            Domain::Choice(words) => words[0].to_string(),
        }
    }

    /// The words to choose from; `None`: it is a number.
    pub fn choices(&self) -> Option<&'static [&'static str]> {
        match self.domain {
            Domain::Number { .. } => None,
            Domain::Choice(words) => Some(words),
        }
    }

    /// The range, in words.
    pub fn range_text(&self) -> String {
        match self.domain {
            Domain::Number { min, above, max, .. } => {
                let low = if above { format!("above {min}") } else { format!("{min} or more") };
                if max == f64::MAX { low } else { format!("{low}, at most {max}") }
            }
            Domain::Choice(words) => words.join("|"),
        }
    }

    fn check(&self, learner: &str, text: &str) -> Result<Setting> {
        let refuse = || {
            Err(Error::settings(format!(
                "{}={text}: {learner} takes {} here (default {})",
                self.name,
                self.range_text(),
                self.default_text()
            )))
        };
        match self.domain {
            Domain::Number { min, above, max, .. } => match text.parse::<f64>() {
                Ok(v) if v.is_finite() && v <= max && (v > min || v == min && !above) => Ok(Setting::Number(v)),
                _ => refuse(),
            },
            Domain::Choice(words) => match words.iter().find(|w| **w == text) {
                Some(word) => Ok(Setting::Choice(word)),
                None => refuse(),
            },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Setting {
    Number(f64),
    Choice(&'static str),
}

/// The parameters of one learner: every declared one has a checked value.
#[derive(Debug, Clone, Default)]
pub struct Params {
    declared: BTreeMap<&'static str, Setting>,
    unchecked: BTreeMap<String, String>,
}

impl Params {
    /// Checks what the user gave against the declaration, and fills in the defaults.
    pub fn resolve(learner: &str, declared: &'static [Param], given: &BTreeMap<String, String>) -> Result<Self> {
        if let Some(unknown) = given.keys().find(|name| declared.iter().all(|p| p.name != **name)) {
            let names: Vec<&str> = declared.iter().map(|p| p.name).collect();
            let known =
                if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
            return Err(Error::settings(format!("{learner} has no parameter \"{unknown}\": {known}")));
        }
        let mut resolved = BTreeMap::new();
        for param in declared {
            let text = given.get(param.name).cloned().unwrap_or_else(|| param.default_text());
            resolved.insert(param.name, param.check(learner, &text)?);
        }
        Ok(Params { declared: resolved, unchecked: BTreeMap::new() })
    }

    /// Parameters of a rule that is not in the registry; they are not checked.
    pub fn unchecked(given: &BTreeMap<String, String>) -> Self {
        Params { declared: BTreeMap::new(), unchecked: given.clone() }
    }

    /// A number that the learner declared.
    ///
    /// # Panics
    /// If the learner did not declare it: a bug, found by the contract tests.
    pub fn number(&self, name: &str) -> f64 {
        match self.declared[name] {
            Setting::Number(v) => v,
            Setting::Choice(_) => panic!("{name} is a choice"),
        }
    }

    /// A word that the learner declared.
    ///
    /// # Panics
    /// As [`number`](Self::number).
    pub fn choice(&self, name: &str) -> &'static str {
        match self.declared[name] {
            Setting::Choice(word) => word,
            Setting::Number(_) => panic!("{name} is a number"),
        }
    }

    /// Every parameter as text, for reports and model files.
    pub fn texts(&self) -> BTreeMap<String, String> {
        let text = |s: &Setting| match s {
            Setting::Number(v) => v.to_string(),
            Setting::Choice(word) => word.to_string(),
        };
        let declared = self.declared.iter().map(|(name, s)| (name.to_string(), text(s)));
        declared.chain(self.unchecked.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[Param] =
        &[Param::positive("c", 1.0, "cap"), Param::choice("schedule", &["constant", "inverse"], "rate over time")];

    fn resolve(pairs: &[(&str, &str)]) -> Result<Params> {
        let given = pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        Params::resolve("pa1", DECLARED, &given)
    }

    #[test]
    fn defaults_fill_what_is_not_given() {
        let params = resolve(&[("c", "0.5")]).unwrap();
        assert_eq!((params.number("c"), params.choice("schedule")), (0.5, "constant"));
    }

    #[test]
    fn every_refusal_says_what_is_allowed() {
        let message = |pairs: &[(&str, &str)]| resolve(pairs).unwrap_err().to_string();
        assert_eq!(message(&[("c", "0")]), "c=0: pa1 takes above 0 here (default 1)");
        assert_eq!(message(&[("c", "nan")]), "c=nan: pa1 takes above 0 here (default 1)");
        assert_eq!(
            message(&[("schedule", "slow")]),
            "schedule=slow: pa1 takes constant|inverse here (default constant)"
        );
        assert_eq!(message(&[("b", "1")]), "pa1 has no parameter \"b\": it has c, schedule");
    }
}
