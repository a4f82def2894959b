//! `rosenblatt lab`: see a perceptron think, in the browser, on this engine.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use rosenblatt::Error;
use rosenblatt::io::{Input, write_file};
use rosenblatt_lab::page::{FILES, static_index};
use rosenblatt_server::{Hosts, Limits, lab, run as serve};
use serde_json::json;

use super::open;
use crate::args::DataArgs;
use crate::interrupt;
use crate::output::{Output, note};

pub const EXAMPLES: &str = "\
Examples:
  rosenblatt lab
  rosenblatt lab points.csv
  rosenblatt lab --port 8000 --no-open
  rosenblatt lab --export site        a static site that needs no install";

#[derive(Args)]
pub struct LabArgs {
    /// The examples to begin with; `-` is standard input
    data: Option<String>,
    /// The port on 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Write the lab as a static site into a directory, with the engine as WebAssembly
    #[arg(long, value_name = "DIR", conflicts_with_all = ["data", "port", "no_open"])]
    export: Option<PathBuf>,
    /// The engine as WebAssembly, which `web/engine` builds [default: rosenblatt-lab.wasm beside this program]
    #[arg(long, value_name = "FILE", requires = "export")]
    engine: Option<PathBuf>,
    #[command(flatten)]
    read: DataArgs,
}

pub fn run(args: &LabArgs, out: &mut Output) -> Result<ExitCode> {
    if let Some(folder) = &args.export {
        return export(folder, args.engine.as_deref(), out);
    }
    let data = args.data.as_deref().map(|data| read(data, &args.read)).transpose()?;
    let port = args.port.unwrap_or(0);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("--port {port}: the port cannot be used; name another, or none"))?;
    let address = format!("http://{}/", listener.local_addr()?);
    if out.json {
        out.object(&json!({ "address": address }))?;
    } else {
        out.line(&address)?;
    }
    out.flush()?;
    if !args.no_open && !open_browser(&address) {
        note(format!("no browser could be opened: open {address} yourself"));
    }
    serve(listener, lab::router(data), Hosts::Loopback, &Limits::default(), stop())?;
    Ok(ExitCode::SUCCESS)
}

fn read(data: &str, args: &DataArgs) -> Result<String> {
    let input = open::rereadable_input(data)?;
    let name = Input::new(data).name();
    Ok(rosenblatt_lab::read_file(&input, &open::options(args)?).map_err(|error| error.in_file(&name))?)
}

/// Becomes true when a signal asks the program to stop.
fn stop() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    std::thread::spawn(move || {
        while !interrupt::was_asked() {
            std::thread::sleep(Duration::from_millis(20));
        }
        flag.store(true, Ordering::SeqCst);
    });
    stop
}

/// Asks the desktop to open a page; false if there is none.
fn open_browser(address: &str) -> bool {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            // The child is waited for, so that it does not stay as a zombie.
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}

/// Writes the page and the engine into a folder.
fn export(folder: &Path, engine: Option<&Path>, out: &mut Output) -> Result<ExitCode> {
    let engine = match engine {
        Some(path) => path.to_path_buf(),
        None => std::env::current_exe()?.with_file_name("rosenblatt-lab.wasm"),
    };
    let bytes = match std::fs::read(&engine) {
        Ok(bytes) if bytes.starts_with(b"\0asm") => bytes,
        Ok(_) => bail!("{}: not a WebAssembly module", engine.display()),
        Err(_) => bail!(
            "{}: the engine for browsers is not there: `web/engine` in the sources builds it (it needs the target \
             wasm32-unknown-unknown); then --engine FILE names it",
            engine.display()
        ),
    };
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    for file in FILES {
        let text = if file.name == "index.html" { static_index() } else { file.text.to_string() };
        write_file(folder.join(file.name), text.as_bytes())?;
    }
    write_file(folder.join("engine.wasm"), &bytes)?;
    let files = FILES.len() + 1;
    if out.json {
        out.object(&json!({ "site": folder.display().to_string(), "files": files }))?;
    } else {
        out.item("site", format!("{} ({files} files): put it on any web server", folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
