//! Tagging a whole file: batches on all threads, results in the order of the file.

use std::sync::Mutex;

use super::conlleval::{Counter, TagEvaluation};
use super::tagger::{Tagger, Worker};
use crate::error::Result;
use crate::escape::escaped;
use crate::parallel;
use crate::structured::read::{Batch, Cut, Sentences};

/// Batches in memory at a time: enough for the threads, and never the whole file.
const AT_ONCE: usize = 16;

/// Writes a line of columns between tabs with another value in one of them.
fn fill(line: &[u8], column: usize, value: &str, text: &mut Vec<u8>) {
    for (at, field) in line.split(|b| *b == b'\t').enumerate() {
        if at > 0 {
            text.push(b'\t');
        }
        text.extend_from_slice(if at == column { value.as_bytes() } else { field });
    }
}

impl Tagger {
    /// Calls `make` on every batch of a file, tagged, on all threads, and `take` on its results, in order.
    fn each_batch<T: Send>(
        &self,
        sentences: &mut Sentences<'_>,
        make: impl Fn(&Batch, &Worker<'_>) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let (cut, name): (Cut, String) = (sentences.cut().clone(), sentences.name().to_string());
        let mut batches: Vec<Batch> = (0..AT_ONCE).map(|_| Batch::default()).collect();
        // Workers cache words: reuse them.
        let idle: Mutex<Vec<Worker<'_>>> = Mutex::default();
        loop {
            let mut filled = 0;
            let mut failed = None;
            while filled < AT_ONCE {
                match sentences.fill(&mut batches[filled]) {
                    Ok(true) => filled += 1,
                    Ok(false) => break,
                    // Batches before the error are tagged first.
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            let work = |batch: &mut Batch| {
                cut.divide(batch).map_err(|fault| fault.of(&name))?;
                let reused = idle.lock().ok().and_then(|mut idle| idle.pop());
                let mut worker = reused.unwrap_or_else(|| Worker::new(self));
                let made = worker.tag(batch).and_then(|()| make(batch, &worker));
                if let Ok(mut idle) = idle.lock() {
                    idle.push(worker);
                }
                made
            };
            let mut slots: Vec<(&mut Batch, Option<Result<T>>)> =
                batches[..filled].iter_mut().map(|batch| (batch, None)).collect();
            parallel::for_each(&mut slots, &|_, (batch, made)| *made = Some(work(batch)));
            slots.into_iter().filter_map(|(_, made)| made).try_for_each(|made| take(made?))?;
            if let Some(error) = failed {
                return Err(error);
            }
            if filled == 0 {
                return Ok(());
            }
        }
    }

    /// Calls `write` with every line of a file and its tag, many lines at a time, in order: as one more column, in CoNLL-U in
    /// the column of the tag, so that it stays CoNLL-U.
    ///
    /// Lines that hold no token are written as they are.
    pub fn tag_lines(&self, sentences: &mut Sentences<'_>, write: impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
        let (between, fills) = (sentences.cut().column_end(), sentences.cut().filled_column());
        self.each_batch(
            sentences,
            |batch, worker| {
                let mut text = Vec::new();
                let mut tokens = batch.tokens().iter().zip(worker.tags()).peekable();
                for line in 0..batch.lines() {
                    let tag = tokens.next_if(|(token, _)| token.line == line).map(|(_, &tag)| worker.name(tag));
                    match (tag, fills) {
                        (Some(tag), Some(column)) => fill(batch.line(line), column, &escaped(tag), &mut text),
                        (tag, _) => {
                            text.extend_from_slice(batch.line(line));
                            let outside = batch.is_between_documents(line).then_some("O");
                            if let Some(tag) = tag.or(outside) {
                                text.push(between);
                                text.extend_from_slice(escaped(tag).as_bytes());
                            }
                        }
                    }
                    text.push(b'\n');
                }
                Ok(text)
            },
            write,
        )
    }

    /// Calls `each` with the tokens of every sentence and their tags, in order: fields of the first column, and tags.
    pub fn tag_sentences(
        &self,
        sentences: &mut Sentences<'_>,
        mut each: impl FnMut(Vec<String>, Vec<String>) -> Result<()>,
    ) -> Result<()> {
        self.each_batch(
            sentences,
            |batch, worker| {
                let mut made = Vec::new();
                let mut at = 0;
                for number in 0..batch.sentences() {
                    let tokens = batch.sentence(number);
                    let words = tokens.iter().map(|token| String::from_utf8_lossy(batch.field(token, 0)).into_owned());
                    let tags = worker.tags()[at..at + tokens.len()].iter().map(|&tag| worker.name(tag).to_string());
                    made.push((words.collect(), tags.collect()));
                    at += tokens.len();
                }
                Ok(made)
            },
            |made| made.into_iter().try_for_each(|(words, tags)| each(words, tags)),
        )
    }

    /// The tags of batches that were built in memory, on all threads.
    pub fn tag_batches(&self, batches: &[Batch]) -> Result<Vec<Vec<String>>> {
        let mut tags: Vec<Result<Vec<String>>> = Vec::new();
        tags.resize_with(batches.len(), || Ok(Vec::new()));
        parallel::for_chunks_in(&mut tags, 1, &|| Worker::new(self), &|worker, number, tags| {
            let tagged = worker.tag(&batches[number]);
            tags[0] = tagged.map(|()| worker.tags().iter().map(|&tag| worker.name(tag).to_string()).collect());
        });
        tags.into_iter().collect()
    }

    /// The marginals of batches that were built in memory, on all threads: for each token a number for each of
    /// [`labels`](Self::labels), its share of all sequences of tags, if each counts as e to the power of its score. A
    /// perceptron is not trained for these to be probabilities; they say how much the rest of the sentence leaves open.
    ///
    /// ```
    /// use rosenblatt::{Input, SequenceOptions, TaggerTrainer};
    /// use rosenblatt::structured::read::Batch;
    /// let trainer = TaggerTrainer::default();
    /// let corpus = trainer.read(&Input::memory("toy.conll", "the D\ndog N\n\na D\ncat N\n"), &SequenceOptions::default())?;
    /// let tagger = trainer.fit(corpus, &mut ())?;
    /// let shares = tagger.marginals(&[Batch::of(&[["the"], ["cat"]])])?;
    /// assert!(shares[0][0] > 0.5 && (shares[0][0] + shares[0][1] - 1.0).abs() < 1e-9);
    /// # Ok::<(), rosenblatt::Error>(())
    /// ```
    pub fn marginals(&self, batches: &[Batch]) -> Result<Vec<Vec<f64>>> {
        let mut shares: Vec<Result<Vec<f64>>> = Vec::new();
        shares.resize_with(batches.len(), || Ok(Vec::new()));
        parallel::for_chunks_in(&mut shares, 1, &|| Worker::new(self), &|worker, number, shares| {
            shares[0] = worker.marginals(&batches[number]);
        });
        shares.into_iter().collect()
    }

    /// Evaluates the tagger on sentences with tags.
    pub fn evaluate(&self, sentences: &mut Sentences<'_>) -> Result<TagEvaluation> {
        let mut all = Counter::default();
        let name = sentences.name().to_string();
        self.each_batch(
            sentences,
            |batch, worker| {
                let mut counter = Counter::default();
                let mut at = 0;
                for number in 0..batch.sentences() {
                    let tokens = batch.sentence(number);
                    let mut truth = Vec::with_capacity(tokens.len());
                    for token in tokens {
                        let Some(tag) = batch.tag(token).and_then(|tag| std::str::from_utf8(tag).ok()) else {
                            let message = "a token without a tag: there is nothing to compare with";
                            return Err(crate::io::Fault::line(batch.number(token.line), message).of(&name));
                        };
                        truth.push(tag);
                    }
                    let answer: Vec<&str> =
                        worker.tags()[at..at + tokens.len()].iter().map(|&tag| worker.name(tag)).collect();
                    at += tokens.len();
                    counter.sentence(&truth, &answer, |tag| worker.knows(tag));
                }
                Ok(counter)
            },
            |counter| {
                all.add(counter);
                Ok(())
            },
        )?;
        Ok(all.finish(self.labels.iter().map(String::as_str)))
    }
}
