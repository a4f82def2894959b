//! The files of the page, embedded.

/// One file of the page.
pub struct File {
    /// Its path from the page's address.
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its text.
    pub text: &'static str,
}

#[cfg(not(packed))]
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../../web/", $name))
    };
}

#[cfg(packed)]
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../web/", $name))
    };
}

macro_rules! files {
    ($($name:literal $kind:ident),+ $(,)?) => {
        &[$(File { name: $name, kind: $kind, text: text!($name) }),+]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// All files; the first is the page itself.
pub const FILES: &[File] = files![
    "index.html" HTML,
    "style.css" CSS,
    "main.js" JS,
    "chart.js" JS,
    "csv.js" JS,
    "data-panel.js" JS,
    "dom.js" JS,
    "engine.js" JS,
    "fit-view.js" JS,
    "keeps-view.js" JS,
    "learner-panel.js" JS,
    "lesson.js" JS,
    "link.js" JS,
    "number.js" JS,
    "palette.js" JS,
    "plot.js" JS,
    "proof-view.js" JS,
    "race-view.js" JS,
    "regions.js" JS,
    "say.js" JS,
    "scale.js" JS,
    "session.js" JS,
    "start-weights.js" JS,
    "state.js" JS,
    "step.js" JS,
    "steps-view.js" JS,
    "take-view.js" JS,
    "transport.js" JS,
    "vectors.js" JS,
    "verdict-view.js" JS,
    "weights-view.js" JS,
    "worker.js" JS,
];

/// The page that runs the engine as WebAssembly, from `engine.wasm` beside it.
pub fn static_index() -> String {
    FILES[0].text.replace("data-engine=\"http\"", "data-engine=\"wasm\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_of_the_folder_is_embedded_and_the_page_is_small() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".js") || name.ends_with(".css") || name.ends_with(".html") {
                assert!(FILES.iter().any(|file| file.name == name), "web/{name} is not embedded");
            }
        }
        let bytes: usize = FILES.iter().map(|file| file.text.len()).sum();
        assert!(bytes < 200_000, "the page has {bytes} bytes");
        assert!(static_index().contains("data-engine=\"wasm\""));
    }
}
