//! A server in a process of its own, and a small client, for tests: loopback only.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command};
use std::time::Duration;

use crate::support::command;

/// A server; killed when it is dropped.
pub struct Server {
    pub child: Child,
    pub address: String,
    _stdin: Option<ChildStdin>,
}

impl Server {
    /// Starts one in a folder; `None` if it ends before it listens.
    pub fn start(folder: &Path, options: &str, die_at: Option<&str>) -> Option<Server> {
        let point = die_at.map(|point| ("ROSENBLATT_DIE_AT", point));
        Self::start_with(folder, options, point.as_slice())
    }

    /// The same, with variables of the environment.
    pub fn start_with(folder: &Path, options: &str, variables: &[(&str, &str)]) -> Option<Server> {
        let mut command = Self::command(folder, options);
        command.envs(variables.iter().copied());
        Self::run(command)
    }

    /// What starts one.
    pub fn command(folder: &Path, options: &str) -> Command {
        let line = format!("serve --data data --listen 127.0.0.1:0 {options}");
        command(folder, &line.split_whitespace().collect::<Vec<_>>())
    }

    /// Starts one by a command.
    pub fn run(mut command: Command) -> Option<Server> {
        command.stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        match first.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')) {
            Some(address) => Some(Server { address: address.to_string(), _stdin: child.stdin.take(), child }),
            None => {
                child.wait().unwrap();
                None
            }
        }
    }

    pub fn client(&self) -> Client {
        self.try_client().unwrap()
    }

    pub fn try_client(&self) -> Option<Client> {
        let stream = TcpStream::connect(&self.address).ok()?;
        stream.set_nodelay(true).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        Some(Client(BufReader::new(stream)))
    }

    /// Ends it as Ctrl-C does; its exit status.
    #[cfg(unix)]
    pub fn end(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
        self.child.wait().unwrap().code()
    }

    /// kill -9.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
pub struct Client(pub BufReader<TcpStream>);

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Client {
    pub fn send(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Option<Answer> {
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        self.raw(&request)
    }

    /// Sends bytes as they are, and reads one answer; `None` if the connection ends.
    pub fn raw(&mut self, request: &[u8]) -> Option<Answer> {
        self.0.get_mut().write_all(request).ok()?;
        self.answer()
    }

    pub fn answer(&mut self) -> Option<Answer> {
        let mut head = String::new();
        loop {
            let mut line = Vec::new();
            if self.0.read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
            let line = String::from_utf8_lossy(&line).into_owned();
            if line == "\r\n" {
                break;
            }
            head.push_str(&line.to_ascii_lowercase());
        }
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let mut body = Vec::new();
        if let Some(rest) = head.split("content-length: ").nth(1) {
            body.resize(rest.lines().next()?.trim().parse().ok()?, 0);
            self.0.read_exact(&mut body).ok()?;
        } else if head.contains("transfer-encoding: chunked") {
            loop {
                let mut line = String::new();
                self.0.read_line(&mut line).ok()?;
                let length = usize::from_str_radix(line.trim(), 16).ok()?;
                let from = body.len();
                body.resize(from + length, 0);
                self.0.read_exact(&mut body[from..]).ok()?;
                self.0.read_exact(&mut [0; 2]).ok()?;
                if length == 0 {
                    break;
                }
            }
        }
        Some(Answer { status, head, body })
    }

    pub fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "", b"").unwrap()
    }

    pub fn post(&mut self, path: &str, body: &str) -> Answer {
        self.send("POST", path, "Content-Type: application/json\r\n", body.as_bytes()).unwrap()
    }
}

/// Random numbers that are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}
