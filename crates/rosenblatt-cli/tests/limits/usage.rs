//! What a run of the program took: time, processor time, memory.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Bench, Ran};

/// What a process took.
pub struct Usage {
    /// The most bytes that it held, the pages of its files included.
    pub memory: u64,
    /// The time that it took by itself, on a machine that does nothing else: no more than its processor time, and no more
    /// than the time that passed.
    pub seconds: Duration,
}

/// Runs the program. `meanwhile` is called with its number, on another thread.
#[expect(unsafe_code, reason = "the standard library does not tell what a child took")]
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
pub fn run<T: Send + 'static>(bench: &Bench, line: &str, meanwhile: fn(u32) -> T) -> (Ran, Usage, T) {
    let (out, err) = (bench.path("run.out"), bench.path("run.err"));
    let mut command = bench.command(line);
    command.stdin(Stdio::null());
    command.stdout(std::fs::File::create(&out).unwrap()).stderr(std::fs::File::create(&err).unwrap());
    let begin = Instant::now();
    let child = command.spawn().unwrap();
    let process = child.id();
    let looks = std::thread::spawn(move || meanwhile(process));
    let mut status = 0;
    // SAFETY: all zeros is a value of this plain struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are valid for writes during the call; the child is waited for here alone.
    let waited = unsafe { libc::wait4(process as libc::pid_t, &raw mut status, 0, &raw mut usage) };
    assert_eq!(waited, process as libc::pid_t);
    let passed = begin.elapsed();
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    let seconds = passed.min(time(usage.ru_utime) + time(usage.ru_stime));
    let text = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let ran =
        Ran { what: line.to_string(), code: ExitStatus::from_raw(status).code(), out: text(&out), err: text(&err) };
    // Linux counts kilobytes.
    let usage = Usage { memory: usage.ru_maxrss as u64 * 1024, seconds };
    (ran, usage, looks.join().unwrap())
}
