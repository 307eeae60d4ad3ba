//! A file that only grows, with a checksum of all its bytes.

use std::io;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::Unfit;
use super::folder::{Folder, Piece};

/// The number of bytes that are read at a time. It is a multiple of 8.
const READ_BYTES: usize = 1 << 20;

/// How much of a file a checkpoint counts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    pub(crate) n_bytes: u64,
    checksum: u64,
}

pub(crate) struct Log {
    name: &'static str,
    piece: Box<dyn Piece>,
    n_bytes: u64,
    checksum: Xxh3,
}

impl Log {
    /// Opens a file. What is in it does not count.
    pub(crate) fn begin(folder: &dyn Folder, name: &'static str) -> io::Result<Log> {
        let piece = folder.open(name)?;
        piece.cut(0)?;
        Ok(Log { name, piece, n_bytes: 0, checksum: Xxh3::new() })
    }

    /// Opens a file that must have at least the bytes of `extent`. [`Log::replay`] reads them.
    pub(crate) fn resume(folder: &dyn Folder, name: &'static str, extent: Extent) -> Result<Log, Unfit> {
        let piece = folder.open(name)?;
        if piece.n_bytes()? < extent.n_bytes {
            return Err(Unfit::Damaged { file: name, how: "too short" });
        }
        Ok(Log { name, piece, n_bytes: extent.n_bytes, checksum: Xxh3::new() })
    }

    /// Hands all bytes to `take`, in pieces of whole records, until that returns `false`. Then checks that they are those
    /// of `extent`, and cuts off what is behind them. Returns whether it came to the end.
    pub(crate) fn replay(
        &mut self,
        extent: Extent,
        record_bytes: usize,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool, Unfit> {
        let mut buffer = vec![0; (READ_BYTES / record_bytes).max(1) * record_bytes];
        let mut at = 0;
        while at < extent.n_bytes {
            let n_bytes = (extent.n_bytes - at).min(buffer.len() as u64) as usize;
            self.piece.read_at(&mut buffer[..n_bytes], at)?;
            self.checksum.update(&buffer[..n_bytes]);
            if !take(&buffer[..n_bytes]) {
                return Ok(false);
            }
            at += n_bytes as u64;
        }
        if self.checksum.digest() != extent.checksum {
            return Err(Unfit::Damaged { file: self.name, how: "damaged" });
        }
        self.piece.cut(extent.n_bytes)?;
        Ok(true)
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.piece.write_at(bytes, self.n_bytes)?;
        self.n_bytes += bytes.len() as u64;
        self.checksum.update(bytes);
        Ok(())
    }

    pub(crate) fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.piece.read_at(bytes, at)
    }

    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Makes sure that everything is on disk, and says how much that is.
    pub(crate) fn sync(&self) -> io::Result<Extent> {
        self.piece.sync()?;
        Ok(Extent { n_bytes: self.n_bytes, checksum: self.checksum.digest() })
    }
}
