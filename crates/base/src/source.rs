//! Source files and places in them.

use crate::define_id;
use crate::ids::IdVec;

define_id! {
    /// The id of a file in [`Sources`].
    FileId
}

/// A range of bytes in one source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file that the offsets are in.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both spans. They must be in the same file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column. Columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// One file's name and text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name that messages show, usually the path as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Makes a file and finds where its lines start.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(offset, _)| offset as u32 + 1)).collect();
        SourceFile { name: name.into(), text, line_starts }
    }

    /// The line and column of a byte offset. An offset past the end counts as the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len()) as u32;
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let prefix = self.text.get(start..offset as usize).unwrap_or("");
        Position { line: line as u32 + 1, column: prefix.chars().count() as u32 + 1 }
    }

    /// The text of a line without its line break. Lines are counted from 1. Empty if there is no such line.
    pub fn line(&self, line: u32) -> &str {
        self.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or("")
    }
}

/// All files read so far.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: IdVec<FileId, SourceFile>,
}

impl Sources {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name, text))
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The text that a span covers. Empty if the span does not fit the file.
    pub fn text(&self, span: Span) -> &str {
        self.files[span.file].text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where a span starts, as messages show it: `file:3:5`.
    pub fn place(&self, span: Span) -> String {
        let file = self.file(span.file);
        let Position { line, column } = file.position(span.start);
        format!("{}:{line}:{column}", file.name)
    }
}
