//! The registry and its parameters are data: complete, unique, within their own ranges, and refused with reasons.

mod common;

use std::collections::BTreeMap;

use rosenblatt::learn::keep::KeepKind;
use rosenblatt::learn::learners::all;
use rosenblatt::learn::{Domain, Params, Recipe, learners as learner};
use rosenblatt::{ErrorKind, Table, Trainer};

use common::{keeps, table};

fn tiny() -> Table {
    table(&[vec![1.0], vec![-1.0]], &[1, 0])
}

/// What fitting says to this.
fn refusal(trainer: Trainer) -> String {
    let error = trainer.fit(&tiny()).map(|_| ()).expect_err("this must be refused");
    assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
    error.to_string()
}

#[test]
fn names_are_unique_and_lower_case() {
    let names: Vec<&str> = all().map(|e| e.name).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name} twice");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(!name.is_empty() && name.chars().all(plain), "{name}");
        assert_eq!(learner::find(name).unwrap().name, *name);
    }
    assert_eq!(Recipe::default().learner, names[0], "the first is the default");
}

#[test]
fn every_learner_says_what_it_does_and_what_is_proved() {
    for entry in all() {
        assert!(entry.summary.len() > 10, "{}", entry.name);
        assert!(entry.guarantee.len() > 10, "{}", entry.name);
        assert!(entry.paper.ends_with(|c: char| c.is_ascii_digit()), "{}: who and when", entry.name);
        let class = |c: char| c.is_ascii_alphanumeric();
        assert!(entry.type_name.starts_with(|c: char| c.is_ascii_uppercase()) && entry.type_name.chars().all(class));
        let mut names = Vec::new();
        for param in entry.params {
            assert!(!names.contains(&param.name) && !param.help.is_empty(), "{} {}", entry.name, param.name);
            assert_eq!(param.name, param.name.to_lowercase(), "{}", entry.name);
            names.push(param.name);
        }
    }
}

#[test]
fn every_default_lies_in_its_own_range_and_is_what_no_setting_means() {
    for entry in all() {
        let given: BTreeMap<String, String> =
            entry.params.iter().map(|p| (p.name.to_string(), p.default_text())).collect();
        let written = Params::resolve(entry.name, entry.params, &given).unwrap();
        let unwritten = Params::resolve(entry.name, entry.params, &BTreeMap::new()).unwrap();
        assert_eq!(written.texts(), unwritten.texts(), "{}", entry.name);
        for param in entry.params {
            match param.domain {
                Domain::Number { min, above, max, default } => {
                    assert!(default <= max && (default > min || default == min && !above), "{}", param.name);
                    assert_eq!(unwritten.number(param.name), default);
                }
                Domain::Choice(words) => assert_eq!(unwritten.choice(param.name), words[0]),
            }
        }
    }
}

#[test]
fn every_word_of_a_choice_trains() {
    for entry in all() {
        for param in entry.params {
            if let Domain::Choice(words) = param.domain {
                for word in words {
                    assert!(Trainer::new(entry.name).set(param.name, word).fit(&tiny()).is_ok(), "{word}");
                }
            }
        }
    }
}

#[test]
fn every_value_out_of_range_is_refused_by_name() {
    for entry in all() {
        for param in entry.params {
            let mut bad: Vec<String> = ["nan", "inf", "-inf", "abc", "", "1,5", "0x1"].map(String::from).to_vec();
            if let Domain::Number { min, above, max, .. } = param.domain {
                bad.push((min - 1.0).to_string());
                bad.push((min - 1e-9).to_string());
                if above {
                    bad.push(min.to_string());
                }
                if max < f64::MAX {
                    bad.push((max * 2.0 + 1.0).to_string());
                } else {
                    bad.push("1e999".to_string());
                }
            }
            for value in bad {
                let message = refusal(Trainer::new(entry.name).set(param.name, &value));
                assert!(message.starts_with(&format!("{}={value}: {} ", param.name, entry.name)), "{message}");
                assert!(message.contains(&param.range_text()) && message.contains(&param.default_text()), "{message}");
            }
        }
    }
}

#[test]
fn an_unknown_learner_is_refused_with_the_list_of_known_ones() {
    for name in ["percepton", "", "Perceptron", "perceptron "] {
        let message = refusal(Trainer::new(name));
        assert!(message.contains(&format!("\"{name}\"")), "{message}");
        for entry in all() {
            assert!(message.contains(entry.name), "{message} does not name {}", entry.name);
        }
    }
}

#[test]
fn an_unknown_parameter_is_refused_with_the_list_of_known_ones() {
    for entry in all() {
        let message = refusal(Trainer::new(entry.name).set("warp", "9"));
        assert!(message.contains(entry.name) && message.contains("\"warp\""), "{message}");
        for param in entry.params {
            assert!(message.contains(param.name), "{message} does not name {}", param.name);
        }
    }
}

#[test]
fn a_way_to_keep_is_allowed_or_refused_as_the_entry_says() {
    for entry in all() {
        assert_eq!(Trainer::new(entry.name).recipe.keep().unwrap(), entry.keep);
        for &keep in KeepKind::ALL {
            let trainer = Trainer::new(entry.name).keep(keep);
            if keeps(entry).contains(&keep) {
                assert_eq!(trainer.fit(&tiny()).unwrap().model.facts.recipe.keep, Some(keep));
            } else {
                let message = refusal(trainer);
                assert!(message.contains(entry.name) && message.contains(keep.name()), "{message}");
            }
        }
    }
}

#[test]
fn a_model_remembers_every_setting_that_made_it() {
    for entry in all() {
        let fitted = Trainer::new(entry.name).fit(&tiny()).unwrap();
        let recipe = &fitted.model.facts.recipe;
        let names: Vec<&str> = recipe.params.keys().map(String::as_str).collect();
        let mut declared: Vec<&str> = entry.params.iter().map(|p| p.name).collect();
        declared.sort_unstable();
        assert_eq!(names, declared);
        // The recipe of a model is one that trains again, to the same weights.
        let again = Trainer { recipe: recipe.clone(), ..Trainer::default() }.fit(&tiny()).unwrap();
        assert_eq!(again.model, fitted.model);
    }
}
