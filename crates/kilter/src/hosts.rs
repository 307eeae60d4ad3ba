//! Searches by several processes: one of them.

use std::path::Path;
use std::time::Duration;

use kilter_check::{Disk, Options, Outcome, Part, Progress, Trouble, Unfit};
use kilter_eval::Program;
use kilter_value::Store;

use crate::error::Error;
use crate::load::Loaded;
use crate::signals::Signals;

#[cfg(feature = "hosts")]
mod join;

/// A search that other processes share.
pub struct Shared<'s> {
    /// The file that says where the processes are.
    pub file: &'s Path,
    /// Which of its lines is this one, from 0.
    pub me: usize,
    /// How long to wait for the others.
    pub patience: Duration,
    /// What is searched.
    pub loaded: &'s Loaded,
    /// The same, compiled.
    pub program: &'s Program,
    /// The values of this process.
    pub store: &'s Store,
    /// How to search.
    pub options: &'s Options,
    /// Where this process keeps states and checkpoints.
    pub disk: Option<&'s Disk>,
}

impl Shared<'_> {
    /// Searches together with the other processes, and waits for them before. `say` gets messages for people.
    #[cfg(feature = "hosts")]
    pub fn search(
        &self,
        signals: &Signals,
        say: &mut dyn FnMut(&str),
        progress: &mut (dyn Progress + Send),
    ) -> Result<Part<Outcome>, Error> {
        let mut rounds = join::join(self, signals, say)?;
        kilter_check::run_on_hosts(self.program, self.store, self.options, &mut rounds, self.disk, progress)
            .map_err(failed)
    }

    /// Says that this build can't search together with others.
    #[cfg(not(feature = "hosts"))]
    pub fn search(
        &self,
        _signals: &Signals,
        _say: &mut dyn FnMut(&str),
        _progress: &mut (dyn Progress + Send),
    ) -> Result<Part<Outcome>, Error> {
        let why = "this kilter was built without --hosts; build it with `--features hosts`";
        Err(Error::NotRunnable(why.into()))
    }
}

/// Why there is no answer, as an error of a job.
#[cfg_attr(not(feature = "hosts"), expect(dead_code, reason = "nothing is searched then"))]
fn failed(trouble: Trouble) -> Error {
    match trouble {
        Trouble::Disk(Unfit::Io(_)) | Trouble::Lost(..) | Trouble::Garbled(_) => Error::Lost(trouble.into()),
        Trouble::Disk(_) | Trouble::Unfit(_) | Trouble::Strings => Error::Input(trouble.into()),
    }
}
