//! The files of a search, as its caller gives them. The checker opens none itself.

use std::io;

/// A folder that belongs to one search.
pub trait Folder: Send + Sync {
    /// Opens a file, and makes it if it is not there.
    fn open(&self, name: &str) -> io::Result<Box<dyn Piece>>;

    /// Makes a file that is gone when it is dropped, and also if the process is killed.
    fn scratch(&self) -> io::Result<Box<dyn Piece>>;

    /// The content of a small file. `None` if it is not there.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>>;

    /// Replaces a small file as a whole. After this, the new content is there even if the machine fails.
    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()>;

    /// Removes a file, if it is there.
    fn remove(&self, name: &str) -> io::Result<()>;
}

/// A file that is read and written at any place.
pub trait Piece: Send + Sync {
    /// The number of bytes.
    fn n_bytes(&self) -> io::Result<u64>;

    /// Fills `bytes` with what begins at `at`. It is an error if there is less.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;

    /// Writes all of `bytes`.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Cuts the file off at `n_bytes`.
    fn cut(&self, n_bytes: u64) -> io::Result<()>;

    /// Makes sure that what was written is there even if the machine fails.
    fn sync(&self) -> io::Result<()>;
}
