//! Errors of the library's jobs, and their exit codes.

use std::io;

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

/// The result was reported, but the record could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct RecordLost(pub anyhow::Error);

/// The system under test could not be built.
#[derive(Debug, thiserror::Error)]
#[error("the system could not be built: {0}")]
pub(crate) struct NotBuilt(pub(crate) String);

/// Why a job did not come to an end. The causes are sentences for people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user has pressed Ctrl-C.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A configuration, a suite or an option can't be used.
    #[error("{0:#}")]
    Input(anyhow::Error),
    /// The mapping or the specification has errors.
    #[error(transparent)]
    Problems(Box<Problems>),
    /// The system under test could not be built or started.
    #[error("{0:#}")]
    NotRunnable(anyhow::Error),
    /// The result could not be printed or written.
    #[error("{0:#}")]
    Lost(anyhow::Error),
}

impl Error {
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

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Error {
        if error.is::<Interrupted>() {
            return Error::Interrupted(Interrupted);
        }
        if error.is::<OutputLost>() || error.is::<RecordLost>() {
            return Error::Lost(error);
        }
        if error.is::<NotBuilt>() {
            return Error::NotRunnable(error);
        }
        match error.downcast_ref::<Trouble>() {
            Some(Trouble::Interrupted) => Error::Interrupted(Interrupted),
            Some(Trouble::Impossible(_)) | None => match error.downcast::<Problems>() {
                Ok(problems) => Error::Problems(Box::new(problems)),
                Err(error) => Error::Input(error),
            },
            Some(_) => Error::NotRunnable(error),
        }
    }
}
