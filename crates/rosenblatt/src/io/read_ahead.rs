//! The bytes of a source, or those that another thread decompresses ahead of the parsers.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use super::chunks::CHUNK;
use super::source::Source;
use crate::parallel;

/// How many chunks are decompressed ahead.
const DECOMPRESSED: usize = 4;

/// Decompressed bytes, and the fingerprint of everything up to their end.
type Block = io::Result<(Vec<u8>, u64)>;

/// Decompresses ahead of the parsers until the receiver is dropped.
fn decompress(mut source: Source<'_>, sender: &SyncSender<Block>) {
    loop {
        let mut block = vec![0; CHUNK];
        let mut filled = 0;
        let mut failed = None;
        while filled < CHUNK {
            match source.read(&mut block[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        block.truncate(filled);
        let last = filled < CHUNK;
        // The receiver is dropped once the parsers have stopped.
        let sent = sender.send(Ok((block, source.fingerprint())));
        if let Some(error) = failed {
            let _ = sender.send(Err(error));
            return;
        }
        if last || sent.is_err() {
            return;
        }
    }
}

/// Where the bytes come from.
pub(super) enum Reader<'a> {
    /// The source itself.
    Here(Box<Source<'a>>),
    /// A thread that decompresses.
    Ahead(Ahead),
}

/// Bytes decompressed by another thread.
pub(super) struct Ahead {
    receiver: Receiver<Block>,
    block: Vec<u8>,
    at: usize,
    print: u64,
}

impl<'a> Reader<'a> {
    /// Reads on the calling thread.
    pub(super) fn here(source: Source<'a>) -> Self {
        Reader::Here(Box::new(source))
    }

    /// Decompresses on a thread of its own.
    pub(super) fn ahead<'scope>(source: Source<'a>, scope: &'scope Scope<'scope, '_>) -> Self
    where
        'a: 'scope,
    {
        let (sender, receiver) = sync_channel(DECOMPRESSED);
        let print = source.fingerprint();
        parallel::spawn(scope, move || decompress(source, &sender));
        Reader::Ahead(Ahead { receiver, block: Vec::new(), at: 0, print })
    }

    /// The fingerprint of the bytes read, complete at their end.
    pub(super) fn fingerprint(&self) -> u64 {
        match self {
            Reader::Here(source) => source.fingerprint(),
            Reader::Ahead(ahead) => ahead.print,
        }
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ahead = match self {
            Reader::Here(source) => return source.read(buffer),
            Reader::Ahead(ahead) => ahead,
        };
        while ahead.at == ahead.block.len() {
            match ahead.receiver.recv() {
                Ok(block) => ((ahead.block, ahead.print), ahead.at) = (block?, 0),
                Err(_) => return Ok(0),
            }
        }
        let count = buffer.len().min(ahead.block.len() - ahead.at);
        buffer[..count].copy_from_slice(&ahead.block[ahead.at..][..count]);
        ahead.at += count;
        Ok(count)
    }
}
