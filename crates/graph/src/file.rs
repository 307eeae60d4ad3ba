//! Encodes graphs as bytes, and decodes them.
//!
//! ```text
//! 0   8  KILTERSG
//! 8   4  version, little endian, as all numbers here
//! 12  8  length of the body as it is written
//! 20  8  length of the body before compression
//! 28  8  xxh3 of the first 28 bytes and the body as it is written
//! 36     the body: postcard, compressed by zstd
//! ```

use std::io::Read;

use serde::de::DeserializeOwned;
use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::check;
use crate::graph::{Parts, StateGraph};
use crate::second::SecondParts;

const MAGIC: &[u8; 8] = b"KILTERSG";
/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 3;
/// The oldest version that can be read. Its edges have one way through their actions each.
const SECOND: u32 = 2;
const HASHED_BYTES: usize = 28;
const HEADER_BYTES: usize = 36;
/// Higher levels of zstd take several times as long and save a few per cent.
const LEVEL: i32 = 3;

/// Why bytes are not a graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// The bytes are something else altogether.
    #[error("not a state graph of Kilter; make one with `kilter check --graph` or `kilter graph import`")]
    NotAGraph,
    /// A later Kilter has written them.
    #[error(
        "the state graph has version {found} of the format, and this Kilter reads up to {VERSION}; update Kilter"
    )]
    Newer {
        /// The version in the file.
        found: u32,
    },
    /// A much earlier Kilter has written them, or the version does not exist.
    #[error(
        "the state graph has version {found} of the format, which this Kilter does not read; make it again"
    )]
    NoSuchVersion {
        /// The version in the file.
        found: u32,
    },
    /// The end of the file is missing.
    #[error("the state graph is cut off: it has {found} bytes of {expected}; make it again")]
    Truncated {
        /// The number of bytes that there should be.
        expected: u64,
        /// The number of bytes that there are.
        found: u64,
    },
    /// There are bytes after the end.
    #[error("the state graph is damaged: {extra} bytes follow its end; make it again")]
    Trailing {
        /// The number of bytes that are too many.
        extra: u64,
    },
    /// The checksum is wrong.
    #[error("the state graph is damaged: its checksum does not fit; make it again")]
    Checksum,
    /// The checksum is right, but the content is not valid.
    #[error("the state graph is damaged: {what} make no sense; make it again")]
    Content {
        /// The part that is not valid.
        what: &'static str,
    },
}

/// Encodes a graph. The same graph always gives the same bytes.
pub fn encode(graph: &StateGraph) -> Vec<u8> {
    let body = write_parts(graph);
    // Compression can only fail because memory is full.
    let packed = zstd::bulk::compress(&body, LEVEL).expect("memory for a compressed graph");
    let mut bytes = Vec::with_capacity(HEADER_BYTES + packed.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(packed.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    let checksum = checksum(&bytes, &packed);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(&packed);
    bytes
}

/// Decodes a graph.
pub fn decode(bytes: &[u8]) -> Result<StateGraph, FileError> {
    let (version, body_bytes, packed) = open(bytes)?;
    let content = |what| FileError::Content { what };
    // The body grows as it is read, so that a file can't claim more memory than it has content.
    let mut body = Vec::new();
    let reader = zstd::Decoder::new(packed).map_err(|_| content("compressed data"))?;
    let n_read = reader.take(body_bytes.saturating_add(1)).read_to_end(&mut body);
    if n_read.map_err(|_| content("compressed data"))? as u64 != body_bytes {
        return Err(content("sizes"));
    }
    let parts = if version == SECOND {
        read_parts::<SecondParts>(&body)?.upgrade()
    } else {
        let parts: Parts = read_parts(&body)?;
        check::check(&parts).map(|()| parts)
    };
    Ok(StateGraph::from_parts(parts.map_err(content)?))
}

fn read_parts<T: DeserializeOwned>(body: &[u8]) -> Result<T, FileError> {
    match postcard::take_from_bytes(body) {
        Ok((parts, [])) => Ok(parts),
        _ => Err(FileError::Content { what: "tables" }),
    }
}

/// A fingerprint of a graph's content, not of its compressed form.
pub fn fingerprint(graph: &StateGraph) -> u64 {
    xxh3_64(&write_parts(graph))
}

fn write_parts(graph: &StateGraph) -> Vec<u8> {
    postcard::to_stdvec(graph.parts()).expect("plain tables can always be written")
}

/// Checks the header and the checksum. Returns the version, the body's length, and the body, which is still compressed.
fn open(bytes: &[u8]) -> Result<(u32, u64, &[u8]), FileError> {
    if !bytes.starts_with(MAGIC) {
        let is_cut = !bytes.is_empty() && MAGIC.starts_with(bytes);
        return Err(if is_cut { cut_off(bytes, HEADER_BYTES as u64) } else { FileError::NotAGraph });
    }
    // The version comes first, because a later one may have another header.
    let version = number(bytes, 8, 4)? as u32;
    match version {
        SECOND..=VERSION => {}
        version if version < VERSION => return Err(FileError::NoSuchVersion { found: version }),
        _ => return Err(FileError::Newer { found: version }),
    }
    let packed_bytes = number(bytes, 12, 8)?;
    let body_bytes = number(bytes, 20, 8)?;
    let expected_checksum = number(bytes, HASHED_BYTES, 8)?;
    let packed = &bytes[HEADER_BYTES..];
    let expected = packed_bytes.saturating_add(HEADER_BYTES as u64);
    let found = bytes.len() as u64;
    if found < expected {
        return Err(cut_off(bytes, expected));
    }
    if found > expected {
        return Err(FileError::Trailing { extra: found - expected });
    }
    if checksum(&bytes[..HASHED_BYTES], packed) != expected_checksum {
        return Err(FileError::Checksum);
    }
    Ok((version, body_bytes, packed))
}

fn checksum(header: &[u8], packed: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(packed);
    hash.digest()
}

fn number(bytes: &[u8], start: usize, n_bytes: usize) -> Result<u64, FileError> {
    let field = bytes.get(start..start + n_bytes).ok_or_else(|| cut_off(bytes, HEADER_BYTES as u64))?;
    Ok(field.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

fn cut_off(bytes: &[u8], expected: u64) -> FileError {
    FileError::Truncated { expected, found: bytes.len() as u64 }
}
