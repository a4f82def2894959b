//! Lines of JSON, streamed both ways: rows are learned from as they arrive, and answered in order.
//!
//! Lines that arrive together are one commit. A line that cannot be used ends the stream with a line of the error; all
//! lines before it that were answered are learned from, and nothing after it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Frame;
use tokio::sync::{mpsc, oneshot};

use super::learning::{PATIENCE, learn_ask, make, not_reached};
use super::{Serving, with_type};
use crate::http::{LONG, Problem, aside};
use crate::model::{Answer, Ask, Handle, LearnAsk, Predicted};
use crate::rows::{Row, RowLimits, Texts, ndjson_line};

/// What may stand before the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Commits of one stream that may be on their way.
const FLYING: usize = 32;
/// The most rows of one commit of a stream.
const ROWS: usize = 8_192;

/// A body whose pieces come through a channel.
pub(super) struct Pieces(pub(super) mpsc::Receiver<std::io::Result<Bytes>>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    /// The body ends before its end: the client sees a broken connection, and not a short answer.
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|bytes| bytes.map(Frame::data)))
    }
}

/// What comes after some rows.
enum Next {
    Learned(oneshot::Receiver<Result<Answer, Problem>>),
    Predicted(oneshot::Receiver<Result<Predicted, Problem>>, Vec<String>),
    /// The stream ends here.
    Bad(Problem),
}

/// What is done with rows.
#[derive(Clone)]
enum Work {
    /// With the mark of a stream that has ended.
    Learn(Arc<AtomicBool>),
    Predict {
        name: Arc<str>,
        min_seq: u64,
    },
}

/// The model of a stream, made for its first rows that can be learned from.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) model: Option<Arc<Handle>>,
}

impl Target {
    async fn model(&mut self, serving: &Arc<Serving>) -> Result<Arc<Handle>, Problem> {
        let model = match &self.model {
            Some(model) => model.clone(),
            None => make(serving, &self.name).await?,
        };
        self.model = Some(model.clone());
        Ok(model)
    }
}

pub(super) fn learn_lines(serving: Arc<Serving>, target: Target, request: Request) -> Response {
    start(serving, target, request, Work::Learn(Arc::default()))
}

pub(super) fn predict_lines(serving: Arc<Serving>, model: Arc<Handle>, request: Request, min_seq: u64) -> Response {
    let name = model.name().clone();
    let target = Target { name: name.to_string(), model: Some(model) };
    start(serving, target, request, Work::Predict { name, min_seq })
}

fn start(serving: Arc<Serving>, target: Target, request: Request, work: Work) -> Response {
    let (ordered, answers) = mpsc::channel(FLYING);
    let (out, pieces) = mpsc::channel(FLYING);
    tokio::spawn(write(serving.clone(), work.clone(), answers, out));
    tokio::spawn(async move {
        if let Err(problem) = read(&serving, target, request, &work, &ordered).await {
            let _ = ordered.send(Next::Bad(problem)).await;
        }
    });
    with_type("application/x-ndjson", Body::new(Pieces(pieces)))
}

/// Reads lines, and hands them to the model in groups.
async fn read(
    serving: &Arc<Serving>,
    mut target: Target,
    request: Request,
    work: &Work,
    ordered: &mpsc::Sender<Next>,
) -> Result<(), Problem> {
    let mut body = request.into_body();
    let (labelled, texts) = (matches!(work, Work::Learn(_)), serving.catalogue.texts(&target.name));
    let mut lines = Splitter { rest: Vec::new(), row: 0, limits: serving.rows, labelled, texts };
    loop {
        let slow = || Problem::new(408, "slow-body", format!("nothing arrived for {} s", serving.time.as_secs()));
        let frame = tokio::time::timeout(serving.time, body.frame()).await.map_err(|_| slow())?;
        let (more, last) = match frame {
            Some(Ok(frame)) => (frame.into_data().unwrap_or_default(), false),
            Some(Err(_)) => return Err(Problem::new(400, "half-body", "the body ended before its announced length")),
            None => (Bytes::new(), true),
        };
        let (rows, bad);
        (lines, rows, bad) = match more.len() > LONG {
            true => aside(move || Ok(lines.split(&more, last))).await?,
            false => lines.split(&more, last),
        };
        let mut rows = rows.into_iter();
        loop {
            let group: Vec<Row> = rows.by_ref().take(ROWS).collect();
            if group.is_empty() {
                break;
            }
            let model = target.model(serving).await?;
            let Some(next) = ask(&model, group, work, serving.time).await? else { return Ok(()) };
            if ordered.send(next).await.is_err() {
                return Ok(());
            }
        }
        if let Some(problem) = bad {
            return Err(problem);
        }
        if last {
            return Ok(());
        }
    }
}

/// Hands rows to the model; waits while its queue is full.
async fn ask(model: &Handle, rows: Vec<Row>, work: &Work, time: Duration) -> Result<Option<Next>, Problem> {
    let begun = Instant::now();
    while model.is_busy() {
        if begun.elapsed() > time {
            return Err(Problem::new(429, "busy", "too many requests wait for this model"));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(Some(match work {
        Work::Learn(ended) => {
            let (reply, answer) = oneshot::channel();
            let asked = learn_ask(rows, false, String::new(), &[], reply);
            model.ask(Ask::Learn(LearnAsk { stream: Some(ended.clone()), ..asked }))?;
            Next::Learned(answer)
        }
        &Work::Predict { min_seq, .. } => {
            let (reply, answer) = oneshot::channel();
            let (lines, rows): (_, Vec<_>) = rows.into_iter().map(|row| (row.line, row.example)).unzip();
            match model.predict(&rows, min_seq) {
                Some(predicted) => drop(reply.send(Ok(predicted))),
                None => model.ask(Ask::Predict { rows, min_seq, reply })?,
            }
            Next::Predicted(answer, lines)
        }
    }))
}

fn gone() -> Problem {
    Problem::new(503, "stopped", "this model has stopped")
}

/// Waits for predictions, as long as a request without a stream waits for `min_seq`.
async fn predicted(answer: oneshot::Receiver<Result<Predicted, Problem>>, work: &Work) -> Result<Predicted, Problem> {
    let min_seq = if let Work::Predict { min_seq, .. } = work { *min_seq } else { 0 };
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer.unwrap_or_else(|_| Err(gone())),
        Err(_) => Err(not_reached(min_seq)),
    }
}

/// Writes answers in the order of the rows.
async fn write(
    serving: Arc<Serving>,
    work: Work,
    mut answers: mpsc::Receiver<Next>,
    out: mpsc::Sender<std::io::Result<Bytes>>,
) {
    while let Some(next) = answers.recv().await {
        let mut text = String::new();
        let mut end = false;
        let failed = |problem: &Problem, text: &mut String| {
            serving.counters.refused.fetch_add(1, Relaxed);
            text.push_str(&problem.to_json());
            text.push('\n');
        };
        match next {
            Next::Bad(problem) => {
                failed(&problem, &mut text);
                end = true;
            }
            Next::Learned(answer) => match answer.await.unwrap_or_else(|_| Err(gone())) {
                Ok(Answer::Rows(learned)) => {
                    serving.counters.learned.fetch_add(learned.len() as u64, Relaxed);
                    for one in &learned {
                        one.write_json(&mut text);
                        text.push('\n');
                    }
                }
                Ok(Answer::Again(_)) => {}
                Err(problem) => {
                    failed(&problem, &mut text);
                    end = true;
                }
            },
            Next::Predicted(answer, lines) => match predicted(answer, &work).await {
                Ok(Predicted { predictions, seq }) => {
                    serving.counters.predicted.fetch_add(predictions.len() as u64, Relaxed);
                    let Work::Predict { name, .. } = &work else { return };
                    let ids = serving.remembered.put(name, lines);
                    for (place, one) in predictions.iter().enumerate() {
                        one.write_json(seq, ids.get(place).copied(), &mut text);
                        text.push('\n');
                    }
                }
                Err(problem) => {
                    failed(&problem, &mut text);
                    end = true;
                }
            },
        }
        // A client that does not read its answers stops its own stream only.
        if out.send(Ok(text.into())).await.is_err() || end {
            return;
        }
    }
}

/// Cuts pieces of a body into rows.
struct Splitter {
    rest: Vec<u8>,
    row: usize,
    limits: RowLimits,
    labelled: bool,
    texts: Arc<Texts>,
}

impl Splitter {
    /// The rows that are whole, and the first problem after them.
    fn split(mut self, more: &[u8], last: bool) -> (Splitter, Vec<Row>, Option<Problem>) {
        self.rest.extend_from_slice(more);
        let end = match (last, self.rest.iter().rposition(|&byte| byte == b'\n')) {
            (true, _) => self.rest.len(),
            (false, Some(at)) => at + 1,
            (false, None) => 0,
        };
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        let mut rows = Vec::new();
        for line in whole.split(|&byte| byte == b'\n') {
            let mark = if self.row == 0 { BYTE_ORDER_MARK } else { b"" };
            let line = line.strip_prefix(mark).unwrap_or(line).trim_ascii();
            if line.is_empty() {
                continue;
            }
            self.row += 1;
            let text = std::str::from_utf8(line).map_err(|_| crate::rows::BadRow::new("not UTF-8 text"));
            let row = text
                .and_then(|text| ndjson_line(text, &self.texts))
                .and_then(|line| Row::new(line, &self.limits, self.labelled));
            match row {
                Ok(row) => rows.push(row),
                Err(bad) => {
                    let bad = bad.at(self.row);
                    return (self, rows, Some(bad));
                }
            }
        }
        let long = self.rest.len() > self.limits.line;
        let row = self.row + 1;
        let problem = || Problem { row: Some(row), ..Problem::new(413, "too-large", "a line is too long") };
        (self, rows, long.then(problem))
    }
}
