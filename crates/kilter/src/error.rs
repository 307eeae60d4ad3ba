//! Why a job of the library came to no end, and the exit codes for that.

use std::io;

use kilter_testbed::Trouble;

use crate::diagnostics::Problems;

/// All is well.
pub const FINE: u8 = 0;
/// Something was found.
pub const FINDINGS: u8 = 1;
/// The input can't be used.
pub const BAD_INPUT: u8 = 2;
/// The system under test could not be run.
pub const NOT_RUNNABLE: u8 = 3;
/// The exit code for what is not the input's fault.
pub const SYSTEM_ERROR: u8 = 153;
/// What a shell reports for a process that a Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;

/// Somebody pressed Ctrl-C.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// What was to be said on standard output was not.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written")]
pub struct OutputLost(#[source] pub io::Error);

/// What was found was told, but could not be written down.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct RecordLost(pub anyhow::Error);

/// The system under test could not be built.
#[derive(Debug, thiserror::Error)]
#[error("the system could not be built: {0}")]
pub(crate) struct NotBuilt(pub(crate) String);

/// Why a job came to no end. The causes are sentences, one in the other, for people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Somebody pressed Ctrl-C.
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
    /// What was found could not be said or written.
    #[error("{0:#}")]
    Lost(anyhow::Error),
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
