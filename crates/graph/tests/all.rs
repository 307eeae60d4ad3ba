//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "export.rs"]
mod export;
#[path = "file.rs"]
mod file;
#[path = "import.rs"]
mod import;
#[path = "text.rs"]
mod text;
#[path = "walk.rs"]
mod walk;
#[path = "ways.rs"]
mod ways;
