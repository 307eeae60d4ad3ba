//! Access to the world outside of a specification: files, programs, the environment.
//!
//! The evaluator touches none of them by itself. The caller passes an [`Outside`], which decides what the operators of
//! IOUtils, Json, CSV and SVG may do.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Carries out what these operators ask for, or refuses it.
pub trait Outside: Debug + Send + Sync {
    /// The environment variables, as pairs of name and value.
    fn environment(&self) -> Vec<(String, String)>;
    /// Reads a file. Returns `None` if there is no such file.
    fn read(&self, path: &str) -> Result<Option<String>, Trouble>;
    /// Writes a text to a file, opened as `how` says.
    fn write(&self, path: &str, text: &str, how: Writing) -> Result<(), Trouble>;
    /// Runs a program and waits for its end. `env` is added to the environment.
    fn execute(&self, command: &[String], env: &[(String, String)]) -> Result<Ended, Trouble>;
    /// Whether anything was asked for so far. Then results depend on more than the text of the specification.
    fn was_asked(&self) -> bool;
    /// Sets when running programs have to be killed: when the flag is set, or when the deadline has passed.
    fn set_stop(&self, _flag: Arc<AtomicBool>, _deadline: Option<Instant>) {}
    /// Whether a program was killed for that reason. The evaluation that started it has then failed, and its result
    /// means nothing.
    fn has_stopped(&self) -> bool {
        false
    }
}

/// Why an operation was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Specifications may not do it. The text follows the operator's name: "starts programs, which …".
    Forbidden(String),
    /// It was tried and did not work. The text says why.
    Failed(String),
}

/// How a file is opened for writing.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are the options of the operating system")]
pub struct Writing {
    /// Writes behind the present content.
    pub append: bool,
    /// Creates the file if there is none.
    pub create: bool,
    /// Creates the file. It is an error if there is one.
    pub create_new: bool,
    /// Drops the present content.
    pub truncate: bool,
    /// Creates the folders that lead to the file.
    pub folders: bool,
}

/// The outcome of a program that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code. For a program killed by a signal, the code that a shell would report.
    pub code: i32,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// Refuses everything. For formulas that do not come from a specification of the user.
#[derive(Clone, Copy, Debug)]
pub struct Closed;

impl Closed {
    fn forbid<T>() -> Result<T, Trouble> {
        Err(Trouble::Forbidden("uses files or programs, which is not possible here".to_owned()))
    }
}

impl Outside for Closed {
    fn was_asked(&self) -> bool {
        false
    }

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
