//! The compressions that are read: gzip, zstd, bzip2 and xz, recognised by their first bytes.

use std::io::{self, Read};
#[cfg(feature = "compression")]
use std::ops::Range;

/// Bytes read at once: compressed ones from a file, decompressed ones from a decoder.
#[cfg(feature = "compression")]
const BLOCK: usize = 1 << 16;
/// The memory limit of an xz stream, in KiB: eight times the dictionary of `xz -9`.
#[cfg(feature = "compression")]
const XZ_MEMORY: u32 = 1 << 19;

/// The supported compressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

impl Compression {
    /// Bytes that are enough to recognise each.
    pub(super) const LOOK: usize = 10;

    pub(super) fn detect(head: &[u8]) -> Option<Self> {
        let zstd_skippable = || head.len() >= 4 && head[0] & 0xf0 == 0x50 && head[1..4] == [0x2a, 0x4d, 0x18];
        if head.starts_with(&[0x1f, 0x8b]) {
            Some(Compression::Gzip)
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || zstd_skippable() {
            Some(Compression::Zstd)
        } else if head.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
            Some(Compression::Xz)
        } else if let [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] = head {
            // Text may start with BZh9 too: the block that follows starts with π, the end of a stream with √π.
            let blocks = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];
            blocks.iter().any(|b| rest == b).then_some(Compression::Bzip2)
        } else {
            None
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
        }
    }

    /// Reads through it.
    #[cfg(feature = "compression")]
    pub(super) fn decoder<'a>(self, bytes: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
        let bytes = io::BufReader::with_capacity(BLOCK, bytes);
        Ok(match self {
            Compression::Gzip => Box::new(Steady::new(flate2::bufread::MultiGzDecoder::new(bytes))),
            Compression::Zstd => Box::new(Steady::new(zstd::Decoder::with_buffer(bytes)?)),
            Compression::Bzip2 => Box::new(Steady::new(bzip2::bufread::MultiBzDecoder::new(bytes))),
            Compression::Xz => Box::new(Steady::new(lzma_rust2::XzReader::new_mem_limit(bytes, true, XZ_MEMORY))),
        })
    }

    /// Refuses it.
    #[cfg(not(feature = "compression"))]
    pub(super) fn decoder<'a>(self, _bytes: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
        let message = format!("{} is not read by this build: decompress it first", self.name());
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }
}

/// Reads from a decoder in steps of a fixed size, whatever the caller asks for. A decoder that finds its stream damaged
/// loses what it decoded in the same call; with fixed steps it always loses the same bytes.
#[cfg(feature = "compression")]
struct Steady<R> {
    decoder: R,
    decoded: Box<[u8]>,
    /// The part not yet returned.
    rest: Range<usize>,
}

#[cfg(feature = "compression")]
impl<R> Steady<R> {
    fn new(decoder: R) -> Self {
        Steady { decoder, decoded: vec![0; BLOCK].into(), rest: 0..0 }
    }
}

#[cfg(feature = "compression")]
impl<R: Read> Read for Steady<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = 0..self.decoder.read(&mut self.decoded)?;
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.decoded[self.rest.start..][..count]);
        self.rest.start += count;
        Ok(count)
    }
}
