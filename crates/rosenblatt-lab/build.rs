//! The page is in `web/` of the repository. A packed crate has its own copy of it, through the link beside this file: links
//! do not work on every system, so that the repository is built without it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(packed)");
    if !std::path::Path::new("../../web/index.html").exists() {
        println!("cargo::rustc-cfg=packed");
    }
}
