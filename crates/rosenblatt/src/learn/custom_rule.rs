//! A rule that is not in the registry: the caller's own, behind a pointer used only by the constructor.

use std::fmt;
use std::sync::Arc;

use super::learner::AnyLearner;
use super::online::build;
use super::rule::Rule;
use crate::learn::learners::Blueprint;

/// Prefix of the learner's name if its rule is not in the registry.
pub const CUSTOM: &str = "custom:";

/// The longest name of a rule, in characters.
const LONGEST_NAME: usize = 64;

/// The name that follows [`CUSTOM`], if the learner is marked as the caller's own and the name is allowed:
/// 1 to 64 letters, digits, `-`, `_` and `.`.
pub fn custom_name(learner: &str) -> Option<&str> {
    let name = learner.strip_prefix(CUSTOM)?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    ((1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(allowed)).then_some(name)
}

/// Makes a learner of the caller's [`Rule`] for any machine, keep and kernel.
///
/// Two are equal if they are clones of one another: rules need not be comparable.
#[derive(Clone)]
pub struct CustomRule(Arc<dyn Build>);

trait Build: Send + Sync {
    fn build(&self, plan: &Blueprint) -> Box<dyn AnyLearner>;
}

/// Returns a learner that is generic over the rule, so that the loop makes no indirect calls.
struct Own<R>(R);

impl<R: Rule> Build for Own<R> {
    fn build(&self, plan: &Blueprint) -> Box<dyn AnyLearner> {
        build(plan, self.0.clone())
    }
}

impl CustomRule {
    /// Wraps a rule.
    pub fn new(rule: impl Rule) -> Self {
        CustomRule(Arc::new(Own(rule)))
    }

    /// Makes the learner.
    pub fn build(&self, plan: &Blueprint) -> Box<dyn AnyLearner> {
        self.0.build(plan)
    }
}

impl PartialEq for CustomRule {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for CustomRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustomRule")
    }
}

#[cfg(test)]
mod tests {
    use super::custom_name;

    #[test]
    fn names_are_short_and_plain() {
        assert_eq!(custom_name("custom:my-rule_2.0"), Some("my-rule_2.0"));
        let long = format!("custom:{}", "x".repeat(65));
        for refused in ["averaged", "custom", "custom:", "custom:a b", "custom:é", "custom:a\n", &long] {
            assert_eq!(custom_name(refused), None, "{refused}");
        }
        assert!(custom_name(&long[..long.len() - 1]).is_some());
    }
}
