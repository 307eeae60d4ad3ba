//! Joining the processes of a search.

use kilter_hosts::{Addresses, Meeting, Rounds, Unmet, meet};

use super::{Shared, failed};
use crate::disk::identity;
use crate::error::{Error, Interrupted};
use crate::read;
use crate::signals::Signals;

/// Waits for the other processes of a search.
pub(super) fn join(
    shared: &Shared<'_>,
    signals: &Signals,
    say: &mut dyn FnMut(&str),
) -> Result<Rounds, Error> {
    let Shared { file, me, patience, .. } = *shared;
    let input = |why: String| Error::Input(format!("{}: {why}", file.display()).into());
    let text = read::utf8(file).map_err(|error| input(format!("it cannot be read: {error}")))?;
    let addresses = Addresses::parse(&text).map_err(|error| input(error.to_string()))?;
    if me >= addresses.len() {
        let last = addresses.len() - 1;
        return Err(input(format!("there is no process {me}; --host counts the lines, from 0 to {last}")));
    }
    // What can't be shared is told before anybody waits.
    kilter_check::fits(shared.program, shared.options, addresses.len()).map_err(failed)?;
    let mut search = identity(shared.loaded, shared.options);
    search.push(("setting of --disk".to_owned(), shared.disk.is_some().to_string()));
    search
        .push(("setting of --recover".to_owned(), shared.disk.is_some_and(|disk| disk.recover).to_string()));
    let name = |process: &usize| format!("{process} at {}", addresses.of(*process));
    let mut meeting = Meeting {
        addresses: &addresses,
        me,
        search: &search,
        patience,
        is_over: &|| signals.are_raised(),
        waiting: &mut |missing| {
            let names: Vec<String> = missing.iter().map(name).collect();
            say(&format!("waiting for process {}\n", names.join(", ")));
        },
    };
    let streams = match meet(&mut meeting) {
        Ok(streams) => streams,
        Err(Unmet::Over) => return Err(Interrupted.into()),
        Err(missing @ Unmet::Missing { .. }) => return Err(Error::Lost(missing.into())),
        Err(error) => return Err(input(error.to_string())),
    };
    Rounds::begin(streams, me).map_err(input)
}
