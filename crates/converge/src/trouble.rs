//! What keeps a schedule from being run.

use std::io;

use thiserror::Error;

/// Why a system could not be driven along a schedule. What the system does wrong is a finding, and no trouble.
#[derive(Debug, Error)]
pub enum Trouble {
    /// A program that the system needs is not there.
    #[error("{program} is not installed; on Debian: apt-get install {package}")]
    Missing {
        /// The program or file.
        program: String,
        /// The package that has it.
        package: &'static str,
    },
    /// Files, processes or sockets of our own.
    #[error("{what}: {error}")]
    Own {
        /// What we were doing.
        what: String,
        /// What went wrong.
        error: io::Error,
    },
    /// The system did not do what the schedule needs, such as to log a write in time.
    #[error("the system could not be driven along the schedule: {0}")]
    NotDriven(String),
    /// Somebody pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl Trouble {
    /// An error of ours, with what we were doing.
    pub fn own(what: &str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Own { what: what.to_owned(), error }
    }
}
