//! What a specification asks of the world around it: files, programs, the environment.
//!
//! The evaluator touches none of them. Whoever has a program evaluated says by an [`Outside`] what the operators of IOUtils,
//! Json, CSV and SVG may do.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Carries out what such operators ask for, or refuses to.
pub trait Outside: Debug + Send + Sync {
    /// The environment variables, by name.
    fn environment(&self) -> Vec<(String, String)>;
    /// A file's text; `None` if there is no such file.
    fn read(&self, path: &str) -> Result<Option<String>, Trouble>;
    /// Writes to a file.
    fn write(&self, path: &str, text: &str, how: Writing) -> Result<(), Trouble>;
    /// Runs a program to its end, with further environment variables.
    fn execute(&self, command: &[String], env: &[(String, String)]) -> Result<Ended, Trouble>;
    /// Programs are to be ended when the flag is set or the deadline has passed.
    fn set_stop(&self, _flag: Arc<AtomicBool>, _deadline: Option<Instant>) {}
    /// Whether a program was ended for that reason. The evaluation that asked for it has then failed, and means nothing.
    fn has_stopped(&self) -> bool {
        false
    }
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Specifications may not do it; the text goes on after the operator's name: "starts programs, which …".
    Forbidden(String),
    /// It was tried in vain.
    Failed(String),
}

/// How a file is opened for writing.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are the options of the operating system")]
pub struct Writing {
    /// Write behind what is there.
    pub append: bool,
    /// Make the file if it is not there.
    pub create: bool,
    /// Make the file; it must not be there.
    pub create_new: bool,
    /// Drop what is there.
    pub truncate: bool,
    /// Make the folders that lead to it.
    pub folders: bool,
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; for one that was killed, what a shell would say.
    pub code: i32,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// No outside at all: for formulas that are no specification of their own.
#[derive(Clone, Copy, Debug)]
pub struct Closed;

impl Closed {
    fn forbid<T>() -> Result<T, Trouble> {
        Err(Trouble::Forbidden("uses files or programs, which is not possible here".to_owned()))
    }
}

impl Outside for Closed {
    fn environment(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn read(&self, _: &str) -> Result<Option<String>, Trouble> {
        Closed::forbid()
    }

    fn write(&self, _: &str, _: &str, _: Writing) -> Result<(), Trouble> {
        Closed::forbid()
    }

    fn execute(&self, _: &[String], _: &[(String, String)]) -> Result<Ended, Trouble> {
        Closed::forbid()
    }
}
