//! Which lines hand training examples to a learner.

use crate::plain::{self, is_word};

/// The lines that `finds` picks, with their numbers from 1; what comes after `#[cfg(test)]` at the margin is a test.
pub fn lines(text: &str, finds: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
    let code = plain::rust(text);
    let before_tests = code.lines().take_while(|line| *line != "#[cfg(test)]");
    let found = (1..).zip(before_tests).filter(|(_, line)| finds(line));
    found.map(|(number, line)| (number, line.trim().to_string())).collect()
}

/// True for a call of [`Learner::learn`](rosenblatt::learn::Learner::learn): one example.
pub fn learns(line: &str) -> bool {
    calls(line, &["learn"])
}

/// True for a call of [`AnyLearner::run`](rosenblatt::learn::AnyLearner::run): a block of examples.
pub fn runs(line: &str) -> bool {
    calls(line, &["run", "run_asking"])
}

/// True if one of these methods is called on a learner: `learner.learn(`, `self.learner.learn(`, `Learner::learn(`.
fn calls(line: &str, methods: &[&str]) -> bool {
    methods.iter().any(|method| {
        line.match_indices(&format!("{method}(")).any(|(at, _)| {
            let before = &line[..at];
            let receiver = before.strip_suffix('.').or_else(|| before.strip_suffix("::"));
            receiver.is_some_and(|receiver| {
                let word = receiver.rfind(|c: char| !c.is_ascii() || !is_word(c as u8)).map_or(0, |at| at + 1);
                receiver[word..].to_ascii_lowercase().ends_with("learner")
            })
        })
    })
}

#[test]
fn calls_of_a_learner_are_found() {
    let text = "\
let step = learner.learn(x, class, weight);
// learner.learn(x)
self.learner.run(batch, some, None); grams.learn(text);
AnyLearner::run_asking(learner, a); fn learn(x: u8) {}
#[cfg(test)]
learner.learn(x, 1, 1.0);
";
    let numbers =
        |finds: fn(&str) -> bool| lines(text, finds).into_iter().map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(numbers(learns), [1]);
    assert_eq!(numbers(runs), [3, 4]);
}
