//! The command line and the Python lines that give the very numbers of the page.

use rosenblatt::learn::learners::find;
use rosenblatt::{Result, Table, Tie};
use serde_json::{Value, json};

use crate::settings::{Data, OrderChoice, Settings};

/// The commands that repeat a training, a verdict and a proof, on the file that the page saves.
pub fn of(data: &Data, settings: &Settings, table: &Table) -> Result<Value> {
    let reading = reading(data);
    let learning = learning(settings);
    let proof = format!("rosenblatt separable {}{reading}{}", Data::NAME, space(settings));
    let trace = match &settings.kernel {
        None => format!("rosenblatt trace {}{reading}{learning} --json", Data::NAME),
        Some(kernel) => {
            format!("rosenblatt train {}{reading}{learning} --scale none --kernel {}", Data::NAME, typed(kernel))
        }
    };
    Ok(json!({ "shell": trace, "separable": proof, "python": python(settings, table)? }))
}

/// A word as it must be typed in a shell.
fn typed(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.+=,:/@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn reading(data: &Data) -> String {
    let mut text = String::new();
    let header = data.csv.lines().next().unwrap_or("");
    if header.split(',').any(|name| name.trim().parse::<f64>().is_ok()) {
        text.push_str(" --header yes");
    }
    for (option, value) in [("label", &data.label), ("positive", &data.positive)] {
        if let Some(value) = value {
            text.push_str(&format!(" --{option} {}", typed(value)));
        }
    }
    text
}

fn space(settings: &Settings) -> String {
    let degree = if settings.degree > 1 { format!(" --degree {}", settings.degree) } else { String::new() };
    if settings.bias == 0.0 { format!("{degree} --no-bias") } else { degree }
}

/// The options of learning that differ from the defaults of `trace`; `train` has others.
fn learning(settings: &Settings) -> String {
    let defaults = Settings::default();
    let kernel = settings.kernel.is_some();
    let mut text = String::new();
    let mut add = |option: &str, value: &str| text.push_str(&format!(" --{option} {}", typed(value)));
    if kernel || settings.learner != defaults.learner {
        add("learner", &settings.learner);
    }
    for (name, value) in &settings.set {
        add("set", &format!("{name}={value}"));
    }
    if let Some(keep) = &settings.keep {
        add("keep", keep);
    }
    if settings.tie != defaults.tie {
        add("tie", &settings.tie);
    }
    if settings.multiclass != defaults.multiclass {
        add("multiclass", &settings.multiclass);
    }
    if kernel || settings.epochs != defaults.epochs {
        add("epochs", &settings.epochs.to_string());
    }
    if settings.degree > 1 {
        add("degree", &settings.degree.to_string());
    }
    if settings.bias != 0.0 && settings.bias != 1.0 {
        add("bias", &settings.bias.to_string());
    }
    match &settings.order {
        OrderChoice::Named(name) if name == "shuffled" => {
            add("order", name);
            add("seed", &settings.seed.to_string());
        }
        OrderChoice::Named(name) if kernel => add("order", name),
        OrderChoice::Named(_) => {}
        OrderChoice::Given(numbers) => {
            let list: Vec<String> = numbers.iter().map(u32::to_string).collect();
            text.push_str(&format!(" --order <(echo {})", list.join(" ")));
        }
    }
    if settings.bias == 0.0 {
        text.push_str(" --no-bias");
    }
    if let Some(numbers) = &settings.init {
        let list: Vec<String> = numbers.iter().map(f64::to_string).collect();
        text.push_str(&format!(" --init <(echo {})", list.join(" ")));
    }
    text
}

/// A text of Python.
fn quoted(text: &str) -> String {
    json!(text).to_string()
}

/// What the package's classes cannot be told; then there are no lines of Python.
fn beyond_python(settings: &Settings) -> Vec<&'static str> {
    let kernel = settings.kernel.is_some();
    let all = [
        ("a score of 0", settings.tie != Tie::default().name()),
        ("start", settings.init.is_some()),
        ("order", matches!(settings.order, OrderChoice::Given(_))),
        ("degree", settings.degree > 1),
        ("keep", settings.keep.is_some() && !kernel),
        ("l1 and l2 at once, to the last digit", penalty(settings).is_some_and(|(_, exact)| !exact)),
        ("learner with a kernel", kernel && !matches!(settings.learner.as_str(), "perceptron" | "averaged")),
    ];
    all.iter().filter(|(_, beyond)| *beyond).map(|(name, _)| *name).collect()
}

/// The penalty in the words of the package, which has one strength and the share of l1 in it; and whether these give the two
/// numbers of the learner to the last digit.
fn penalty(settings: &Settings) -> Option<(Vec<String>, bool)> {
    let entry = find(&settings.learner).ok().filter(|entry| entry.name == "penalized")?;
    let number = |name: &str| -> Option<f64> {
        let usual = entry.params.iter().find(|param| param.name == name)?.default_text();
        settings.set.get(name).unwrap_or(&usual).parse().ok()
    };
    let (l1, l2) = (number("l1")?, number("l2")?);
    let alpha = l1 + l2;
    let part = if l1 > 0.0 { l1 / alpha } else { 0.0 };
    let name = if part == 0.0 {
        "l2"
    } else if part == 1.0 {
        "l1"
    } else {
        "elasticnet"
    };
    let mut arguments = vec![format!("penalty={}", quoted(name)), format!("alpha={alpha}")];
    if name == "elasticnet" {
        arguments.push(format!("l1_ratio={part}"));
    }
    Some((arguments, alpha * part == l1 && alpha * (1.0 - part) == l2))
}

/// The class of a learner, and the arguments that stand for its name and its kernel.
fn python_class(settings: &Settings) -> Result<(&'static str, Vec<String>)> {
    let entry = find(&settings.learner)?;
    if let Some(kernel) = &settings.kernel {
        let keep = settings.keep.clone().unwrap_or_else(|| entry.keep.name().to_string());
        let mut parts = kernel.split(':');
        let mut arguments = vec![format!("kernel={}", quoted(parts.next().unwrap_or_default()))];
        let names = if kernel.starts_with("rbf") { ["gamma", ""] } else { ["degree", "coef0"] };
        arguments.extend(names.iter().zip(parts).map(|(name, value)| format!("{name}={value}")));
        arguments.push(format!("keep={}", quoted(&keep)));
        return Ok(("KernelPerceptron", arguments));
    }
    Ok((
        entry.type_name,
        match entry.name {
            "pa" => vec!["C=float(\"inf\")".to_string()],
            "pa2" => vec!["loss=\"squared_hinge\"".to_string()],
            _ => penalty(settings).map(|(arguments, _)| arguments).unwrap_or_default(),
        },
    ))
}

/// The lines of Python, or a comment that says why there are none.
fn python(settings: &Settings, table: &Table) -> Result<String> {
    let beyond = beyond_python(settings);
    if !beyond.is_empty() {
        return Ok(format!("# The package has no setting for: {}. Use the command line.\n", beyond.join(", ")));
    }
    let (class, mut arguments) = python_class(settings)?;
    arguments.push(format!("max_iter={}", settings.epochs));
    match &settings.order {
        OrderChoice::Named(name) if name == "shuffled" => arguments.push(format!("random_state={}", settings.seed)),
        _ => arguments.push("shuffle=False".into()),
    }
    for (name, value) in &settings.set {
        if settings.learner == "penalized" && name != "rate" {
            continue;
        }
        let name = match name.as_str() {
            "rate" => "eta0",
            "c" if class == "PassiveAggressiveClassifier" => "C",
            other => other,
        };
        let number = value.parse::<f64>().is_ok();
        arguments.push(format!("{name}={}", if number { value.clone() } else { quoted(value) }));
    }
    if settings.bias == 0.0 {
        arguments.push("fit_intercept=False".into());
    } else if settings.bias != 1.0 {
        arguments.push(format!("intercept_scaling={}", settings.bias));
    }
    if settings.multiclass != Settings::default().multiclass {
        arguments.push(format!("multiclass={}", quoted(&settings.multiclass)));
    }
    let number = table.labels.names().iter().all(|name| name.parse::<f64>().is_ok());
    let label = if number { "float(row[-1])" } else { "row[-1]" };
    let (import, call) = match settings.kernel {
        Some(_) => (class.to_string(), "print(estimator.fit(X, y).mistakes_)"),
        None => (format!("{class}, trace"), "for step in trace(X, y, estimator):\n    print(step)"),
    };
    Ok(format!(
        "import csv\nfrom rosenblatt import {import}\n\nrows = list(csv.reader(open({})))[1:]\n\
         X, y = [[float(v) for v in row[:-1]] for row in rows], [{label} for row in rows]\n\
         estimator = {class}({})\n{call}\n",
        quoted(Data::NAME),
        arguments.join(", "),
    ))
}
