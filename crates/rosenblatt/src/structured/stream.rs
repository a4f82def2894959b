//! Tagging a whole file: batches on all threads, results in the order of the file.

use std::sync::Mutex;

use super::conlleval::{Counter, TagEvaluation};
use super::corpus::untagged;
use super::explanation::TagExplanation;
use super::interner::Strings;
use super::tagger::{Tagger, Worker};
use crate::error::Result;
use crate::escape::escaped;
use crate::parallel;
use crate::structured::read::{Batch, Cut, Sentences};

/// Batches in memory at a time: enough for the threads, and never the whole file.
const AT_ONCE: usize = 16;

/// What is written beside each tag: shares of all sequences of tags (see [`Tagger::marginals`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shares {
    /// Nothing.
    #[default]
    No,
    /// The share of each of [`Tagger::labels`].
    Each,
    /// So many tags with the largest shares, each with its share.
    Top(usize),
}

impl Shares {
    /// The tags to show, by their numbers, with their shares.
    pub fn of(self, shares: &[f64]) -> Vec<(u32, f64)> {
        let mut all: Vec<(u32, f64)> = (0..).zip(shares.iter().copied()).collect();
        if let Shares::Top(most) = self {
            all.sort_by(|a, b| b.1.total_cmp(&a.1));
            all.truncate(most);
        }
        all
    }
}

/// A token's shares as columns, each after `between`.
fn push_shares(tagger: &Tagger, shown: Shares, shares: &[f64], between: u8, text: &mut Vec<u8>) {
    for (tag, share) in shown.of(shares) {
        text.push(between);
        if let Shares::Top(_) = shown {
            text.extend_from_slice(escaped(&tagger.labels[tag as usize]).as_bytes());
            text.push(between);
        }
        text.extend_from_slice(format!("{share:.6}").as_bytes());
    }
}

/// The same as values of the last column of CoNLL-U, where a tag's `|` and `=` would be read as something else.
fn misc_shares(tagger: &Tagger, shown: Shares, shares: &[f64]) -> String {
    let one = |(tag, share): (u32, f64)| {
        let tag = escaped(&tagger.labels[tag as usize]).replace('|', "%7C").replace('=', "%3D").replace(',', "%2C");
        format!("{tag}:{share:.6}")
    };
    format!("Shares={}", shown.of(shares).into_iter().map(one).collect::<Vec<_>>().join(","))
}

/// Appends to the last column of a line of CoNLL-U.
fn add_to_misc(text: &mut Vec<u8>, value: &str) {
    if text.ends_with(b"\t_") {
        text.pop();
    } else {
        text.push(b'|');
    }
    text.extend_from_slice(value.as_bytes());
}

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
        shares: Shares,
        make: impl Fn(&Batch, &mut Worker<'_>) -> Result<T> + Sync,
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
                    Ok(true) => {
                        filled += 1;
                        if sentences.pauses() {
                            break;
                        }
                    }
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
                let tagged = worker.tag(batch).and_then(|()| match shares {
                    Shares::No => Ok(()),
                    _ => worker.marginals(batch).map(|shares| worker.shares = shares),
                });
                let made = tagged.and_then(|()| make(batch, &mut worker));
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
    ///
    /// Shares are more columns after the tag; in CoNLL-U they are added to the last.
    pub fn tag_lines(
        &self,
        sentences: &mut Sentences<'_>,
        shares: Shares,
        write: impl FnMut(Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let (between, fills) = (sentences.cut().column_end(), sentences.cut().filled_column());
        let tags = self.labels.len();
        self.each_batch(
            sentences,
            shares,
            |batch, worker| {
                let mut text = Vec::new();
                let mut tokens = batch.tokens().iter().zip(worker.tags()).enumerate().peekable();
                for line in 0..batch.lines() {
                    let found = tokens.next_if(|(_, (token, _))| token.line == line);
                    let tag = found.map(|(_, (_, &tag))| worker.name(tag));
                    let own = found.and_then(|(at, _)| worker.shares.get(at * tags..(at + 1) * tags));
                    match (tag, fills) {
                        (Some(tag), Some(column)) => {
                            fill(batch.line(line), column, &escaped(tag), &mut text);
                            if let (Some(own), true) = (own, shares != Shares::No) {
                                add_to_misc(&mut text, &misc_shares(self, shares, own));
                            }
                        }
                        (tag, _) => {
                            text.extend_from_slice(batch.line(line));
                            let outside = batch.is_between_documents(line).then_some("O");
                            if let Some(tag) = tag.or(outside) {
                                text.push(between);
                                text.extend_from_slice(escaped(tag).as_bytes());
                            }
                            if let (Some(own), true) = (own, shares != Shares::No) {
                                push_shares(self, shares, own, between, &mut text);
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

    /// Calls `each` with the tokens of every sentence, their tags and their shares, in order: fields of the first column, tags,
    /// and for each token a number for each of [`labels`](Self::labels), or none if they are not asked for.
    pub fn tag_sentences(
        &self,
        sentences: &mut Sentences<'_>,
        shares: Shares,
        mut each: impl FnMut(Vec<String>, Vec<String>, Vec<f64>) -> Result<()>,
    ) -> Result<()> {
        let of_tags = if shares == Shares::No { 0 } else { self.labels.len() };
        self.each_batch(
            sentences,
            shares,
            |batch, worker| {
                let mut made = Vec::new();
                let mut at = 0;
                for number in 0..batch.sentences() {
                    let tokens = batch.sentence(number);
                    let words = tokens.iter().map(|token| String::from_utf8_lossy(batch.field(token, 0)).into_owned());
                    let tags = worker.tags()[at..at + tokens.len()].iter().map(|&tag| worker.name(tag).to_string());
                    let shares = worker.shares.get(at * of_tags..(at + tokens.len()) * of_tags).unwrap_or_default();
                    made.push((words.collect(), tags.collect(), shares.to_vec()));
                    at += tokens.len();
                }
                Ok(made)
            },
            |made| made.into_iter().try_for_each(|(words, tags, shares)| each(words, tags, shares)),
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

    /// The distinct words of a file: fields of the first column.
    pub fn words_of(&self, sentences: &mut Sentences<'_>) -> Result<Strings> {
        let (mut words, mut batch) = (Strings::default(), Batch::default());
        while sentences.fill(&mut batch)? {
            sentences.divide(&mut batch)?;
            batch.tokens().iter().for_each(|token| _ = words.intern(batch.field(token, 0)));
        }
        Ok(words)
    }

    /// Why each token of a file got its tag, in order, sentence by sentence, with at most `top` reasons each.
    pub fn explain_sentences(
        &self,
        sentences: &mut Sentences<'_>,
        top: usize,
        mut each: impl FnMut(Vec<TagExplanation>) -> Result<()>,
    ) -> Result<()> {
        let make = |batch: &Batch, worker: &mut Worker<'_>| worker.explain(batch, top);
        self.each_batch(sentences, Shares::No, make, |made| made.into_iter().try_for_each(&mut each))
    }

    /// Evaluates the tagger on sentences with tags. `known`: the words of its training sentences, if they are at hand.
    pub fn evaluate(&self, sentences: &mut Sentences<'_>, known: Option<&Strings>) -> Result<TagEvaluation> {
        let mut all = Counter::default();
        let name = sentences.name().to_string();
        self.each_batch(
            sentences,
            Shares::No,
            |batch, worker| {
                let mut counter = Counter::default();
                counter.pass_over(batch.passed_over().tokens);
                let mut at = 0;
                for number in 0..batch.sentences() {
                    let tokens = batch.sentence(number);
                    let mut truth = Vec::with_capacity(tokens.len());
                    for token in tokens {
                        let Some(tag) = batch.tag(token).and_then(|tag| std::str::from_utf8(tag).ok()) else {
                            let message = untagged("compare with");
                            return Err(crate::io::Fault::line(batch.number(token.line), message).of(&name));
                        };
                        truth.push(tag);
                    }
                    let answer: Vec<&str> =
                        worker.tags()[at..at + tokens.len()].iter().map(|&tag| worker.name(tag)).collect();
                    at += tokens.len();
                    let is_new = |token| known.is_some_and(|words| words.find(batch.field(token, 0)).is_none());
                    let new_words: Vec<bool> = match known {
                        Some(_) => tokens.iter().map(is_new).collect(),
                        None => Vec::new(),
                    };
                    counter.sentence(&truth, &answer, &new_words, |tag| worker.knows(tag));
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
