//! A folder in memory, for tests.

use std::io;
use std::sync::Mutex;

use super::folder::{Folder, Piece};

/// A folder that only has files that nobody else sees.
pub(crate) struct Toy;

#[derive(Default)]
struct Bytes(Mutex<Vec<u8>>);

impl Folder for Toy {
    fn open(&self, _: &str) -> io::Result<Box<dyn Piece>> {
        self.scratch()
    }

    fn scratch(&self) -> io::Result<Box<dyn Piece>> {
        Ok(Box::new(Bytes::default()))
    }

    fn read(&self, _: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn replace(&self, _: &str, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

impl Piece for Bytes {
    fn n_bytes(&self) -> io::Result<u64> {
        Ok(self.0.lock().expect("no panic").len() as u64)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let from = self.0.lock().expect("no panic");
        let at = at as usize;
        bytes.copy_from_slice(from.get(at..at + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let mut to = self.0.lock().expect("no panic");
        assert_eq!(to.len() as u64, at, "these files only grow");
        to.extend_from_slice(bytes);
        Ok(())
    }

    fn cut(&self, n_bytes: u64) -> io::Result<()> {
        self.0.lock().expect("no panic").truncate(n_bytes as usize);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
