//! Which lines hand training examples to a learner.

use crate::plain;

/// The lines that call a method, with their numbers from 1, and what the method is called on; what comes after
/// `#[cfg(test)]` at the margin is a test.
pub fn of_method(text: &str, method: &str) -> Vec<(usize, String)> {
    let code = plain::rust(text);
    let call = format!("{method}(");
    let before_tests = code.lines().take_while(|line| *line != "#[cfg(test)]");
    let mut found = Vec::new();
    for (number, line) in (1..).zip(before_tests) {
        let calls = line.match_indices(&call).filter(|(at, _)| line[..*at].ends_with(['.', ':']));
        found.extend(calls.map(|_| (number, line.trim().to_string())));
    }
    found
}

#[test]
fn calls_of_a_method_are_found() {
    let text = "\
let step = learner.learn(x, class, weight);
// learner.learn(x)
self.relearn(x); let learn = \".learn(\"; fn learn(x: u8) {}
Learner::learn(learner, x); a.learn(y); a
    .learn(z);
#[cfg(test)]
learner.learn(x, 1, 1.0);
";
    let numbers: Vec<usize> = of_method(text, "learn").into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, [1, 4, 4, 5]);
    assert!(of_method(text, "learn_at").is_empty());
}
