//! The source files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Rust,
    Python,
    Shell,
}

/// One source file.
pub struct Source {
    /// From the root of the workspace, with slashes.
    pub path: String,
    pub language: Language,
    pub text: String,
}

/// The folders of a crate that hold sources.
const FOLDERS_OF_A_CRATE: [&str; 4] = ["src", "tests", "benches", "examples"];
/// The other folders that do.
const FOLDERS: [&str; 4] = ["python", "bench", "examples", "fuzz/fuzz_targets"];

impl Source {
    /// Every source file, in the order of the paths.
    pub fn all() -> Vec<Source> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let mut files = Vec::new();
        for entry in fs::read_dir(root.join("crates")).unwrap() {
            let folder = entry.unwrap().path();
            FOLDERS_OF_A_CRATE.iter().for_each(|inside| files_in(&folder.join(inside), &mut files));
        }
        FOLDERS.iter().for_each(|folder| files_in(&root.join(folder), &mut files));
        files.sort();
        let found: Vec<_> = files.iter().filter_map(|file| Source::open(root, file)).collect();
        assert!(found.len() > 300, "the sources were not found");
        found
    }

    /// A file, if it is source.
    fn open(root: &Path, file: &Path) -> Option<Source> {
        let language = match file.extension().map(|e| e.to_str().unwrap_or("")) {
            Some("rs") => Language::Rust,
            Some("py" | "pyi") => Language::Python,
            Some("sh") => Language::Shell,
            None if fs::read(file).unwrap().starts_with(b"#!") => Language::Shell,
            _ => return None,
        };
        let inside = file.strip_prefix(root).unwrap();
        let path = inside.iter().map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/");
        Some(Source { path, language, text: fs::read_to_string(file).unwrap() })
    }

    /// True for what a crate is built from, its files of unit tests left out.
    pub fn is_library_code(&self) -> bool {
        let mut parts = self.path.split('/');
        let in_src = parts.next() == Some("crates") && parts.nth(1) == Some("src");
        in_src && self.language == Language::Rust && !parts.any(|part| matches!(part, "tests" | "tests.rs"))
    }
}

/// The files below a folder, if there is one; hidden folders and compiled Python are left out.
fn files_in(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !name.starts_with(['.', '_']) {
            files_in(&path, found);
        } else if path.is_file() {
            found.push(path);
        }
    }
}

#[test]
fn each_language_and_folder_is_found() {
    let all = Source::all();
    let language = |path: &str| all.iter().find(|source| source.path == path).map(|source| source.language);
    assert_eq!(language("crates/rosenblatt/tests/house/sources.rs"), Some(Language::Rust));
    assert_eq!(language("python/rosenblatt/__init__.py"), Some(Language::Python));
    assert_eq!(language("bench/speed"), Some(Language::Shell));
    assert_eq!(language("bench/speed.py"), Some(Language::Python));
    assert_eq!(language("Cargo.toml"), None);
    for crate_folder in ["rosenblatt", "rosenblatt-cli", "rosenblatt-plot", "rosenblatt-python", "rosenblatt-verify"] {
        let library = format!("crates/{crate_folder}/src/");
        assert!(all.iter().any(|source| source.path.starts_with(&library) && source.is_library_code()), "{library}");
    }
    let own = all.iter().find(|source| source.path.ends_with("house/main.rs")).unwrap();
    assert!(!own.is_library_code());
}
