//! Errors of the library's jobs, and their exit codes.

use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::{io, iter};

use kilter_testbed::Trouble;

use crate::diagnostics::Problems;

/// Nothing is wrong.
pub const FINE: u8 = 0;
/// There are findings.
pub const FINDINGS: u8 = 1;
/// The input can't be used.
pub const BAD_INPUT: u8 = 2;
/// The system under test could not be run.
pub const NOT_RUNNABLE: u8 = 3;
/// Something failed that is not the input's fault.
pub const SYSTEM_ERROR: u8 = 153;
/// The exit code that a shell reports for a process that was ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// The user has pressed Ctrl-C.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// The answer could not be written to standard output.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written")]
pub struct OutputLost(#[source] pub io::Error);

/// An error of any kind. Inside of the library, errors keep their types until a job ends.
pub(crate) type AnyError = Box<dyn StdError + Send + Sync>;

/// What a function returns that can fail in many ways.
pub(crate) type Tried<T> = Result<T, AnyError>;

/// The result was reported, but the record could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct RecordLost(pub(crate) AnyError);

/// The system under test could not be built.
#[derive(Debug, thiserror::Error)]
#[error("the system could not be built: {0}")]
pub(crate) struct NotBuilt(pub(crate) String);

/// What was being done when an error came.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
struct While {
    what: String,
    /// The file that it is about.
    file: Option<PathBuf>,
    source: AnyError,
}

/// Adds to an error what was being done, or makes one of nothing.
pub(crate) trait Context<T> {
    /// Adds a text.
    fn context(self, what: impl Into<String>) -> Tried<T>;

    /// Adds a text that is made only if there is an error.
    fn with_context(self, what: impl FnOnce() -> String) -> Tried<T>;
}

/// Adds to an error which file it is about.
pub(crate) trait InFile<T> {
    /// The file could not be read.
    fn unread(self, path: &Path) -> Tried<T>;

    /// What is in the file can't be used.
    fn in_file(self, path: &Path) -> Tried<T>;
}

impl<T, E: Into<AnyError>> InFile<T> for Result<T, E> {
    fn unread(self, path: &Path) -> Tried<T> {
        self.map_err(|error| about(path, format!("{} cannot be read", path.display()), error))
    }

    fn in_file(self, path: &Path) -> Tried<T> {
        self.map_err(|error| about(path, path.display().to_string(), error))
    }
}

fn about(path: &Path, what: String, error: impl Into<AnyError>) -> AnyError {
    While { what, file: Some(path.to_path_buf()), source: error.into() }.into()
}

/// The file that an error is about, if it says so.
#[cfg(feature = "program")]
pub(crate) fn file_of<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e Path> {
    causes(error).find_map(|error| error.downcast_ref::<While>()?.file.as_deref())
}

impl<T, E: Into<AnyError>> Context<T> for Result<T, E> {
    fn context(self, what: impl Into<String>) -> Tried<T> {
        self.with_context(|| what.into())
    }

    fn with_context(self, what: impl FnOnce() -> String) -> Tried<T> {
        self.map_err(|error| While { what: what(), file: None, source: error.into() }.into())
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, what: impl Into<String>) -> Tried<T> {
        self.ok_or_else(|| what.into().into())
    }

    fn with_context(self, what: impl FnOnce() -> String) -> Tried<T> {
        self.ok_or_else(|| what().into())
    }
}

/// An error and its causes, in one line.
pub(crate) fn sentence(error: &(dyn StdError + 'static)) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// An error, its cause, the cause of that, and so on.
fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    iter::successors(Some(error), |error: &&'e (dyn StdError + 'static)| (*error).source())
}

/// The first error of a type among an error and its causes.
pub(crate) fn find<'e, T: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e T> {
    causes(error).find_map(|error| error.downcast_ref())
}

/// Why a job did not come to an end. The causes are sentences for people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user has pressed Ctrl-C.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A configuration, a suite or an option can't be used.
    #[error("{}", sentence(&**.0))]
    Input(AnyError),
    /// The mapping or the specification has errors.
    #[error(transparent)]
    Problems(Box<Problems>),
    /// The system under test could not be built or started.
    #[error("{}", sentence(&**.0))]
    NotRunnable(AnyError),
    /// The result could not be printed or written.
    #[error("{}", sentence(&**.0))]
    Lost(AnyError),
}

impl Error {
    /// What is behind it.
    #[cfg(feature = "program")]
    pub(crate) fn cause(&self) -> &(dyn StdError + 'static) {
        match self {
            Error::Input(cause) | Error::NotRunnable(cause) | Error::Lost(cause) => &**cause,
            Error::Interrupted(_) | Error::Problems(_) => self,
        }
    }

    /// The exit code for this error.
    pub fn code(&self) -> u8 {
        match self {
            Error::Interrupted(_) => INTERRUPTED,
            Error::Input(_) | Error::Problems(_) => BAD_INPUT,
            Error::NotRunnable(_) => NOT_RUNNABLE,
            Error::Lost(_) => SYSTEM_ERROR,
        }
    }
}

/// Sorts an error by what came before all contexts.
impl From<AnyError> for Error {
    fn from(error: AnyError) -> Error {
        let error = match error.downcast::<Error>() {
            Ok(error) => return *error,
            Err(error) => error,
        };
        if let Some(Error::Interrupted(interrupted)) = find(&*error) {
            return Error::Interrupted(*interrupted);
        }
        if let Some(interrupted) = find::<Interrupted>(&*error) {
            return Error::Interrupted(*interrupted);
        }
        if find::<OutputLost>(&*error).is_some() || find::<RecordLost>(&*error).is_some() {
            return Error::Lost(error);
        }
        if find::<NotBuilt>(&*error).is_some() {
            return Error::NotRunnable(error);
        }
        match find::<Trouble>(&*error) {
            Some(Trouble::Interrupted) => Error::Interrupted(Interrupted),
            Some(Trouble::Impossible(_)) | None => match error.downcast::<Problems>() {
                Ok(problems) => Error::Problems(problems),
                Err(error) => Error::Input(error),
            },
            Some(_) => Error::NotRunnable(error),
        }
    }
}
