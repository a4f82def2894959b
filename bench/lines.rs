//! A load of lines over TCP, for a daemon of Vowpal Wabbit: on each connection a line is sent, and its answer awaited.
//!
//! `lines PORT FILE CONNECTIONS SECONDS`: prints the answers a second, the median and the 99th percentile in milliseconds.
//! `lines PORT FILE`: sends the whole file over one connection while answers are read; prints lines and seconds.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn connect(port: &str) -> TcpStream {
    let stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("a daemon listens");
    stream.set_nodelay(true).expect("no delay");
    stream
}

fn ask_once(stream: &mut BufReader<TcpStream>, line: &str, answer: &mut String) {
    stream.get_mut().write_all(line.as_bytes()).expect("a line is sent");
    answer.clear();
    assert!(stream.read_line(answer).expect("an answer") > 0, "the daemon closed the connection");
}

/// The times of all answers on one connection, in seconds.
fn ask(mut stream: BufReader<TcpStream>, lines: &[String], from: usize, time: Duration) -> Vec<f64> {
    let (begun, mut times, mut answer) = (Instant::now(), Vec::new(), String::new());
    for line in lines.iter().cycle().skip(from) {
        let sent = Instant::now();
        ask_once(&mut stream, line, &mut answer);
        times.push(sent.elapsed().as_secs_f64());
        if begun.elapsed() > time {
            break;
        }
    }
    times
}

fn stream_all(port: &str, path: &str) {
    let text = std::fs::read(path).expect("the file");
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    let stream = connect(port);
    let mut reader = stream.try_clone().expect("a second handle");
    let begun = Instant::now();
    let writer = std::thread::spawn(move || (&stream).write_all(&text).expect("all is sent"));
    let (mut answers, mut piece) = (0, vec![0; 1 << 20]);
    while answers < lines {
        let read = reader.read(&mut piece).expect("answers");
        assert!(read > 0, "the daemon closed the connection after {answers} answers");
        answers += piece[..read].iter().filter(|&&byte| byte == b'\n').count();
    }
    writer.join().expect("all is sent");
    println!("{answers} {}", begun.elapsed().as_secs_f64());
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [port, path] = &args[..] {
        return stream_all(port, path);
    }
    let [port, path, connections, seconds] = &args[..] else { panic!("lines PORT FILE [CONNECTIONS SECONDS]") };
    let text = std::fs::read_to_string(path).expect("the file");
    let lines: Arc<Vec<String>> = Arc::new(text.lines().map(|line| format!("{line}\n")).collect());
    let (count, time): (usize, f64) = (connections.parse().expect("a number"), seconds.parse().expect("a number"));
    // One after the other, each with its first answer: the daemon lets only one connection wait.
    let mut streams = Vec::new();
    for _ in 0..count {
        let mut stream = BufReader::new(connect(port));
        ask_once(&mut stream, &lines[0], &mut String::new());
        streams.push(stream);
    }
    let threads: Vec<_> = (0..)
        .zip(streams)
        .map(|(k, stream)| {
            let lines = lines.clone();
            std::thread::spawn(move || ask(stream, &lines, k * 997 % lines.len(), Duration::from_secs_f64(time)))
        })
        .collect();
    let mut times: Vec<f64> = threads.into_iter().flat_map(|thread| thread.join().expect("a connection")).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| 1e3 * times[((times.len() - 1) as f64 * share) as usize];
    println!("{} {} {}", times.len() as f64 / time, at(0.5), at(0.99));
}
