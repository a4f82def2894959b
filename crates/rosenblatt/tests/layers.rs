//! Data flows one way: a module imports only from the layers before its own.
//!
//! The test reads the imports (every `crate::layer` outside of tests) and names each line that points back.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. DESIGN in one list: a layer may use those before it, and nothing behind it.
const LAYERS: [&str; 22] = [
    "error",
    "random",
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

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The layer that a file belongs to: its top folder, or its own name.
fn layer_of(file: &Path, root: &Path) -> String {
    let inside = file.strip_prefix(root).unwrap();
    let first = inside.iter().next().unwrap().to_str().unwrap();
    first.trim_end_matches(".rs").to_string()
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 100, "the sources were not found");
    let mut back = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let shown = file.strip_prefix(&root).unwrap().display().to_string();
        let lines = pointing_back(&text, &layer_of(file, &root));
        back.extend(lines.into_iter().map(|(number, line)| format!("{shown}:{number}: {line}")));
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
