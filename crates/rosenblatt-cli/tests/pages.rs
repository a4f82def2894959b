//! The pages of the documentation show what the program prints.
//!
//! A page is a story in a folder of its own. `<!-- file: NAME -->` before a listing writes it to a file; a listing of
//! the kind `console` has commands after `$ ` and what they print; `? 1` is the exit status. A line `...` stands for any
//! lines, `…` for any text within a line. `<!-- server: ARGUMENTS -->` starts a server for the commands that follow.
//!
//! `ROSENBLATT_PAGES=write cargo test -p rosenblatt-cli --test pages` writes what is printed where a listing has only
//! `...`: read it before you commit it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A server that ends with its page.
struct Server {
    child: Child,
    port: String,
}

impl Server {
    fn start(arguments: &str, folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rosenblatt"))
            .args(arguments.split_whitespace())
            .args(["--listen", "127.0.0.1:0"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let port = address.trim().trim_end_matches('/').rsplit(':').next().unwrap().to_string();
        assert!(port.parse::<u16>().is_ok(), "{arguments}: its first line is {address:?}");
        Server { child, port }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a text is what a line of a page says, where `…` is any text.
fn line_matches(pattern: &str, text: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('…') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(before) else { return false };
    loop {
        if line_matches(rest, text) {
            return true;
        }
        let mut characters = text.chars();
        if characters.next().is_none() {
            return false;
        }
        text = characters.as_str();
    }
}

/// Whether lines are what a page says, where a line `...` is any lines.
fn lines_match(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern {
        [] => lines.is_empty(),
        ["...", rest @ ..] => (0..=lines.len()).any(|skip| lines_match(rest, &lines[skip..])),
        [first, rest @ ..] => {
            lines.first().is_some_and(|line| line_matches(first, line)) && lines_match(rest, &lines[1..])
        }
    }
}

#[test]
fn dots_stand_for_lines_and_for_text() {
    assert!(lines_match(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(lines_match(&["..."], &[]));
    assert!(lines_match(&["took … s, … MB"], &["took 1.5 s, 7 MB"]));
    assert!(!lines_match(&["took … s"], &["took 1.5 s, 7 MB"]));
    assert!(!lines_match(&["a"], &["a", "b"]));
    assert!(!lines_match(&["a", "b"], &["a"]));
}

/// Runs a command in a shell; what it printed, both ways, and its status.
fn run(command: &str, folder: &Path) -> (String, i32) {
    let program = Path::new(env!("CARGO_BIN_EXE_rosenblatt")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
}

/// A command of a listing, what the page shows below it, and the status that it shows.
struct Shown {
    command: String,
    lines: Vec<String>,
    status: i32,
}

fn commands(listing: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in listing.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            all.push(Shown { command: command.to_string(), lines: Vec::new(), status: 0 });
        } else if let Some(last) = all.last_mut() {
            match line.strip_prefix("? ").and_then(|status| status.parse().ok()) {
                Some(status) => last.status = status,
                None => last.lines.push(line.to_string()),
            }
        }
    }
    all
}

/// Runs a page; returns it with the listings that had only dots filled in, or what differs.
fn run_page(name: &str, text: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("examples")).unwrap();
    std::fs::copy(root().join("examples/petals.csv"), folder.path().join("examples/petals.csv")).unwrap();
    let mut written = String::new();
    let mut server: Option<Server> = None;
    let mut file: Option<String> = None;
    let mut parts = text.split("```");
    while let Some(prose) = parts.next() {
        written += prose;
        let comment = |kind: &str| {
            let after = prose.rsplit_once(&format!("<!-- {kind}: "))?.1;
            Some(after.split_once(" -->")?.0.to_string())
        };
        file = comment("file").or(file.take());
        if let Some(arguments) = comment("server") {
            server = Some(Server::start(&arguments, folder.path()));
        }
        let Some(listing) = parts.next() else { break };
        let (kind, body) = listing.split_once('\n').ok_or("a listing without lines")?;
        if let Some(file) = file.take() {
            std::fs::write(folder.path().join(file), body).unwrap();
        }
        if kind != "console" {
            written += &format!("```{listing}```");
            continue;
        }
        written += "```console\n";
        for shown in commands(body) {
            let mut command = shown.command.clone();
            if let Some(server) = &server {
                command = command.replace("localhost:8080", &format!("localhost:{}", server.port));
            }
            let (printed, status) = run(&command, folder.path());
            let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
            let pattern: Vec<&str> = shown.lines.iter().map(String::as_str).collect();
            if status != shown.status || !lines_match(&pattern, &lines) {
                let shown_lines = shown.lines.join("\n");
                return Err(format!(
                    "{name}: $ {}\n--- shown (status {}):\n{shown_lines}\n--- printed (status {status}):\n{printed}",
                    shown.command, shown.status
                ));
            }
            let body = if pattern == ["..."] { lines } else { pattern };
            written += &format!("$ {}\n", shown.command);
            body.iter().for_each(|line| written += &format!("{line}\n"));
            if shown.status != 0 {
                written += &format!("? {}\n", shown.status);
            }
        }
        written += "```";
    }
    Ok(written)
}

#[test]
fn every_listing_of_every_page_is_what_is_printed() {
    if ["bash", "curl"].iter().any(|tool| Command::new(tool).arg("--version").output().is_err()) {
        let _ = writeln!(std::io::stderr(), "SKIPPED: the pages were not run: they need bash and curl");
        return;
    }
    let mut pages: Vec<PathBuf> = std::fs::read_dir(root().join("docs")).unwrap().map(|f| f.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    let mut wrong = Vec::new();
    let mut run = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        run += text.matches("```console\n").count();
        match run_page(&page.file_name().unwrap().to_string_lossy(), &text) {
            Ok(written) if std::env::var_os("ROSENBLATT_PAGES").is_some() => std::fs::write(&page, written).unwrap(),
            Ok(_) => {}
            Err(why) => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(run >= 10, "{run} listings");
}

/// A page that the site does not list is found by nobody.
#[test]
fn the_site_lists_every_page() {
    let site = std::fs::read_to_string(root().join("mkdocs.yml")).unwrap();
    for page in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = page.unwrap().file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            assert!(site.contains(&format!(": {name}\n")), "mkdocs.yml does not list {name}");
        }
    }
}
