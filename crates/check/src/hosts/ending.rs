//! The end of a search: the first process brings together what all have had, and the behavior that leads to a violation.

use kilter_eval::Part as InitialPart;
use kilter_value::{Garbled, Value, put_number, take_number};

use super::end::{End, Found};
use super::fresh::At;
use super::search::{NO_PARENT, PARTS, Shared};
use super::{Part, Trouble, from_process};
use crate::chunk::Event;
use crate::outcome::{Share, Verdict};
use crate::space::{Space, hash_row};

const STATE: u64 = 1;
const STEP: u64 = 2;
const INITIAL: u64 = 3;

/// Ends the search. The first process gets the verdict, and what each process has had.
pub(crate) fn finish(
    shared: &mut Shared<'_, '_, '_>,
    end: End,
) -> Result<Part<(Verdict, Vec<Share>)>, Trouble> {
    let own = shared.share();
    let shares = gather(shared, &own)?;
    let verdict = match end {
        End::Limit(limit) => Some(Verdict::Bounded(limit)),
        End::Complete if shared.me() == 0 => Some(shared.search.postconditions()),
        End::Complete => None,
        End::Violation(found) => violation(shared, found.as_ref())?,
    };
    Ok(match verdict {
        Some(verdict) if shared.me() == 0 => Part::First((verdict, shares)),
        _ => Part::Other(own),
    })
}

/// Adds up what the actions did, and gathers what each process has had, in the first process.
fn gather(shared: &mut Shared<'_, '_, '_>, own: &Share) -> Result<Vec<Share>, Trouble> {
    let mut report = Vec::new();
    let trouble = own.disk_trouble.as_deref().unwrap_or_default();
    let on_disk = shared.search.keeper.as_ref().map(|keeper| keeper.report.clone()).unwrap_or_default();
    let numbers = [
        own.states,
        own.memory_bytes,
        own.sent_bytes,
        on_disk.checkpoint.unwrap_or(0),
        on_disk.recovered.unwrap_or(0),
        trouble.len() as u64,
    ];
    let of_actions = shared.search.coverage.iter().flat_map(|one| [one.enabled, one.taken, one.new]);
    numbers.into_iter().chain(of_actions).for_each(|number| put_number(number, &mut report));
    report.extend(trouble.as_bytes());
    let arrived = shared.swap(to_first(shared.n_processes(), report))?;
    if shared.me() != 0 {
        return Ok(Vec::new());
    }
    shared.search.coverage.fill_with(Default::default);
    let mut shares = Vec::with_capacity(arrived.len());
    let (mut checkpoint, mut recovered) = (0, 0);
    for (process, report) in arrived.iter().enumerate() {
        let mut bytes = report.as_slice();
        let mut take = || from_process(process, take_number(&mut bytes));
        let [states, memory_bytes, sent_bytes] = [take()?, take()?, take()?];
        checkpoint += take()?;
        recovered += take()?;
        let n_trouble = take()? as usize;
        for total in &mut shared.search.coverage {
            total.enabled += take()?;
            total.taken += take()?;
            total.new += take()?;
        }
        let trouble = from_process(process, bytes.get(..n_trouble).ok_or(Garbled))?;
        let disk_trouble = (n_trouble > 0).then(|| String::from_utf8_lossy(trouble).into_owned());
        shares.push(Share { states, memory_bytes, sent_bytes, disk_trouble });
    }
    if let Some(keeper) = &mut shared.search.keeper {
        // The answer is that of all processes.
        let report = &mut keeper.report;
        report.checkpoint = report.checkpoint.map(|_| checkpoint);
        report.recovered = report.recovered.map(|_| recovered);
        let troubles =
            shares.iter().enumerate().filter_map(|(n, share)| Some((n, share.disk_trouble.as_ref()?)));
        report.trouble = troubles.map(|(process, why)| format!("process {process}: {why}")).next();
    }
    Ok(shares)
}

/// Parcels of which only that for the first process has something in it.
fn to_first(n_processes: usize, parcel: Vec<u8>) -> Vec<Vec<u8>> {
    let mut parcels = vec![Vec::new(); n_processes];
    parcels[0] = parcel;
    parcels
}

/// The verdict on the first violation. `own` is what this process knows of it, if it has found it.
fn violation(shared: &mut Shared<'_, '_, '_>, own: Option<&Found>) -> Result<Option<Verdict>, Trouble> {
    let mut parcel = Vec::new();
    if let Some(found) = own {
        put_found(shared, found, &mut parcel);
    }
    let arrived = shared.swap(to_first(shared.n_processes(), parcel))?;
    let mut found = None;
    if shared.me() == 0 {
        let told = arrived.iter().enumerate().find(|(_, parcel)| !parcel.is_empty());
        if let Some((process, parcel)) = told {
            let read = take_found(shared, process, &mut parcel.as_slice());
            found = Some((process, from_process(process, read)?));
        }
    }
    let from = found.as_ref().and_then(|(process, found)| match found {
        Found::State { from, .. } => *from,
        Found::Step(id) => Some(At { process: *process as u8, id: *id }),
        Found::Initial(_) => None,
    });
    let rows = way_to(shared, from)?;
    let Some((_, found)) = found else { return Ok(None) };
    again(shared, &rows, found).map(Some)
}

fn put_found(shared: &mut Shared<'_, '_, '_>, found: &Found, parcel: &mut Vec<u8>) {
    match found {
        Found::State { row, from } => {
            put_number(STATE, parcel);
            put_at(*from, parcel);
            shared.outgoing[0].put_row(shared.search.model.store, row, parcel);
        }
        Found::Step(id) => {
            put_number(STEP, parcel);
            put_number((*id).into(), parcel);
        }
        Found::Initial(part) => {
            put_number(INITIAL, parcel);
            put_number((*part).into(), parcel);
        }
    }
}

fn take_found(shared: &mut Shared<'_, '_, '_>, process: usize, bytes: &mut &[u8]) -> Result<Found, Garbled> {
    match take_number(bytes)? {
        STATE => {
            let from = take_at(bytes)?;
            let (store, n_vars) = (shared.search.model.store, shared.n_vars);
            Ok(Found::State { row: shared.incoming[process].take_row(store, n_vars, bytes)?, from })
        }
        STEP => Ok(Found::Step(take_number(bytes)? as u32)),
        INITIAL => Ok(Found::Initial(take_number(bytes)? as u32)),
        _ => Err(Garbled),
    }
}

fn put_at(at: Option<At>, parcel: &mut Vec<u8>) {
    match at {
        None => put_number(0, parcel),
        Some(At { process, id }) => {
            put_number(u64::from(process) + 1, parcel);
            put_number(id.into(), parcel);
        }
    }
}

fn take_at(bytes: &mut &[u8]) -> Result<Option<At>, Garbled> {
    match take_number(bytes)? {
        0 => Ok(None),
        process => Ok(Some(At { process: (process - 1) as u8, id: take_number(bytes)? as u32 })),
    }
}

/// The states from an initial state to this one, which the first process asks the others for, one after the other. All others
/// answer, and get nothing.
fn way_to(shared: &mut Shared<'_, '_, '_>, to: Option<At>) -> Result<Vec<Vec<Value>>, Trouble> {
    let (store, n_vars, n) = (shared.search.model.store, shared.n_vars, shared.n_processes());
    let mut rows = Vec::new();
    let mut wanted = to;
    loop {
        let mut question = Vec::new();
        put_at(wanted, &mut question);
        let questions = if shared.me() == 0 { vec![question; n] } else { vec![Vec::new(); n] };
        let arrived = shared.swap(questions)?;
        let Some(asked) = from_process(0, take_at(&mut arrived[0].as_slice()))? else { break };
        let mut answer = Vec::new();
        if usize::from(asked.process) == shared.me() {
            let row = shared.search.space.any_row(asked.id).into_owned();
            put_at(shared.parent(asked.id), &mut answer);
            shared.outgoing[0].put_row(store, &row, &mut answer);
        }
        let arrived = shared.swap(to_first(n, answer))?;
        if shared.me() == 0 {
            let process = usize::from(asked.process);
            let mut bytes = arrived[process].as_slice();
            wanted = from_process(process, take_at(&mut bytes))?;
            rows.push(from_process(process, shared.incoming[process].take_row(store, n_vars, &mut bytes))?);
        }
    }
    rows.reverse();
    Ok(rows)
}

/// Finds the violation again in the first process, which then has what it takes to tell it: `rows` lead to it.
fn again(shared: &mut Shared<'_, '_, '_>, rows: &[Vec<Value>], found: Found) -> Result<Verdict, Trouble> {
    let n_processes = shared.n_processes();
    let search = &mut *shared.search;
    let mut space = Space::new(shared.n_vars, None);
    space.try_reserve(rows.len());
    for row in rows {
        let parent = space.len().checked_sub(1);
        space.add(row, row, hash_row(row), parent);
    }
    let last = space.len().checked_sub(1);
    let (model, hand) = (&search.model, &mut search.crew.hands[0]);
    let level = search.counts.depth;
    let event = match (found, last) {
        (Found::State { row, .. }, source) => {
            hand.worker.info.level = level + 1;
            let checked = if source.is_none() {
                hand.check_initial(model, &row)
            } else {
                hand.check_state(model, &row, None)
            };
            checked.err().map(|what| Event { source, successor: Some(row), what })
        }
        (Found::Step(_), Some(last)) => hand.expand(model, &space, last..last + 1, level).event,
        (Found::Initial(part), _) => {
            hand.initial(model, InitialPart { index: part as usize, of: PARTS * n_processes }).event
        }
        (Found::Step(_), None) => None,
    };
    search.space = space;
    let repeated = event.map(|event| search.verdict(event));
    repeated
        .ok_or_else(|| Trouble::Unfit("has found a violation that is not there the second time".to_owned()))
}

impl Shared<'_, '_, '_> {
    fn share(&self) -> Share {
        Share {
            states: self.search.space.len().into(),
            memory_bytes: self.search.memory_bytes() + self.parents.capacity() as u64,
            sent_bytes: self.sent_bytes,
            disk_trouble: self.search.space.trouble().map(ToString::to_string),
        }
    }

    /// The state from which a state of this process was first reached.
    fn parent(&self, id: u32) -> Option<At> {
        let process = self.parents[id as usize];
        (process != NO_PARENT).then(|| At { process, id: self.search.space.any_parent(id) })
    }
}
