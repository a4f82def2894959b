//! Data flows one way: a module imports only from the layers before its own.
//!
//! The test reads the imports (every `crate::layer` outside of tests) and names each line that points back.

use crate::sources::Source;

/// From the ground up. DESIGN in one list: a layer may use those before it, and nothing behind it.
const LAYERS: [&str; 26] = [
    "escape",
    "message",
    "error",
    "named",
    "random",
    "limits",
    "parallel",
    "io",
    "rows",
    "learn",
    "map",
    "model",
    "read",
    "answer",
    "fit",
    "structured",
    "evaluate",
    "certify",
    "theory",
    "report",
    "export",
    "convert",
    "polyfit",
    "interop",
    "tutorial",
    "lib",
];

/// The layer that a file belongs to: its top folder, or its own name.
fn layer_of(inside: &str) -> &str {
    inside.split('/').next().unwrap().trim_end_matches(".rs")
}

fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|&known| known == layer)
}

/// Each line that names a layer behind the file's own.
fn pointing_back(text: &str, own: &str) -> Vec<(usize, String)> {
    let own = rank(own).unwrap_or_else(|| panic!("{own} is in no layer: add it to LAYERS"));
    let mut back = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line == "#[cfg(test)]" {
            break;
        }
        let code = line.split("//").next().unwrap_or("");
        for part in code.split("crate::").skip(1) {
            let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if rank(&name).is_some_and(|other| other > own) {
                back.push((number, line.trim().to_string()));
            }
        }
    }
    back
}

#[test]
fn no_import_points_back() {
    let mut back = Vec::new();
    for source in Source::all() {
        if let Some(inside) = source.path.strip_prefix("crates/rosenblatt/src/") {
            let lines = pointing_back(&source.text, layer_of(inside));
            back.extend(lines.into_iter().map(|(number, line)| format!("{inside}:{number}: {line}")));
        }
    }
    assert!(back.is_empty(), "imports that point back:\n{}", back.join("\n"));
}

#[test]
fn an_import_that_points_back_is_found() {
    let text =
        "use crate::rows::Table;\nuse crate::fit::Trainer;\n// crate::report\n#[cfg(test)]\nuse crate::report::x;\n";
    assert_eq!(pointing_back(text, "model"), [(2, "use crate::fit::Trainer;".to_string())]);
    assert!(pointing_back(text, "fit").is_empty());
}
