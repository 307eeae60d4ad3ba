//! The reasons why a schedule could not be played.

use std::io;

use thiserror::Error;

/// Why a system could not be driven along a schedule. What the system itself does wrong is a finding, not trouble.
#[derive(Debug, Error)]
pub enum Trouble {
    /// A program that the system needs is not installed.
    #[error("{program} is not installed; on Debian: apt-get install {package}")]
    Missing {
        /// The program or file.
        program: String,
        /// The package that contains it.
        package: &'static str,
    },
    /// An operation of Kilter itself failed, on files, processes or sockets.
    #[error("{what}: {error}")]
    Own {
        /// What Kilter was doing.
        what: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The system did not do what the schedule needs, such as logging a write in time.
    #[error("the system could not be driven along the schedule: {0}")]
    NotDriven(String),
    /// The target of the store can't do what the model wants.
    #[error("this kind of store can't be driven with {0}")]
    Unable(&'static str),
    /// The user has asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The time for the run is up.
    #[error("the time is up")]
    Late,
}

impl Trouble {
    /// Makes an error of Kilter itself. `what` says what it was doing.
    pub fn own(what: &str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Own { what: what.to_owned(), error }
    }
}
