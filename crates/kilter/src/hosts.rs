//! Joining the processes of a search on several hosts.

use std::path::Path;

use kilter_check::{Options, Trouble, Unfit};
use kilter_eval::Program;
use kilter_hosts::{Addresses, Meeting, Rounds, Unmet, meet};

use crate::disk::identity;
use crate::error::{Error, Interrupted};
use crate::host::Watch;
use crate::load::Loaded;
use crate::read;
use crate::signals::Signals;

/// Waits for the other processes of a search. `file` says where they are, and `me` which of its lines is this one, from 0.
pub fn join(
    file: &Path,
    me: usize,
    loaded: &Loaded,
    program: &Program,
    options: &Options,
    signals: &Signals,
    watch: &mut dyn Watch,
) -> Result<Rounds, Error> {
    let input = |why: String| Error::Input(format!("{}: {why}", file.display()).into());
    let text = read::utf8(file).map_err(|error| input(format!("it cannot be read: {error}")))?;
    let addresses = Addresses::parse(&text).map_err(|error| input(error.to_string()))?;
    if me >= addresses.len() {
        let last = addresses.len() - 1;
        return Err(input(format!("there is no process {me}; --host counts the lines, from 0 to {last}")));
    }
    kilter_check::fits(program, options, addresses.len()).map_err(failed)?;
    let search = identity(loaded, options);
    let mut meeting = Meeting {
        addresses: &addresses,
        me,
        search: &search,
        is_over: &|| signals.are_raised(),
        waiting: &mut |missing| {
            let names: Vec<String> = missing.iter().map(|n| format!("{n} at {}", addresses.of(*n))).collect();
            watch.say(&format!("waiting for process {}\n", names.join(", ")));
        },
    };
    let streams = match meet(&mut meeting) {
        Ok(streams) => streams,
        Err(Unmet::Over(_)) => return Err(Interrupted.into()),
        Err(error) => return Err(input(error.to_string())),
    };
    Rounds::begin(streams, me).map_err(input)
}

/// Why there is no answer, as an error of a job.
pub fn failed(trouble: Trouble) -> Error {
    match trouble {
        Trouble::Unfit(_) | Trouble::Strings => Error::Input(trouble.into()),
        Trouble::Disk(Unfit::Io(_)) | Trouble::Lost(..) | Trouble::Garbled(_) => Error::Lost(trouble.into()),
        Trouble::Disk(_) => Error::Input(trouble.into()),
    }
}
