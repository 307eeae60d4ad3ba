//! Campaigns: the cases of one run, played by many machines. Brokers keep the cases and their results; workers come and go.
//!
//! - [`At`]     which campaign, and where its brokers are
//! - [`StartOptions`], [`start`]: makes the cases, and puts them and all files into the hands of the brokers
//! - [`work`]   plays cases; `close` says when there are no more
//! - [`Watching`] how far it is
//! - [`report`] the record of all results
//! - [`stop`] and [`resume`]
//! - `plan`     the cases of each command; `pack` the files of a campaign

mod close;
mod link;
mod options;
mod pack;
mod plan;
mod report;
mod start;
mod watch;
mod work;

use kilter_campaign::post::{read_state, write_state};
use kilter_campaign::{Broker, BrokerError, Manifest, Phase, State};

use self::link::patiently;
pub use self::link::{At, Link};
pub use self::options::StartOptions;
pub use self::report::{Reported, report};
pub use self::start::{Started, start};
pub use self::watch::{Watched, Watching};
pub use self::work::{WorkOptions, Worked, work};
use crate::error::{Error, Tried};

/// The paper with the [`Manifest`].
const MANIFEST: &str = "manifest";
/// How often a change is tried again that somebody else was faster with.
const TRIES: usize = 20;

/// Stops a campaign: workers give their cases back and end. Or removes it, with all results.
pub fn stop(at: &At, removes: bool) -> Result<String, Error> {
    patiently(|| stop_once(at, removes))
}

fn stop_once(at: &At, removes: bool) -> Result<String, Error> {
    let link = Link::open(at)?;
    let name = link.name().to_owned();
    let mut broker = link.hasty_broker();
    if removes {
        broker.remove().map_err(plain)?;
        return Ok(format!("campaign {name}: removed\n"));
    }
    let state = change(&mut *broker, |state| {
        if state.phase != Phase::Finished {
            state.phase = Phase::Stopped {
                why: "somebody has stopped it; `kilter campaign resume` goes on".to_owned(),
            };
        }
    })?;
    Ok(format!("campaign {name}: {}\n", state.phase.words()))
}

/// Goes on with a campaign that was stopped.
pub fn resume(at: &At) -> Result<String, Error> {
    patiently(|| {
        let link = Link::open(at)?;
        let state = change(&mut *link.hasty_broker(), |state| {
            if matches!(state.phase, Phase::Stopped { .. }) {
                state.phase = Phase::Running;
            }
        })?;
        Ok(format!("campaign {}: {}\n", link.name(), state.phase.words()))
    })
}

/// Changes the state of a campaign.
fn change(broker: &mut dyn Broker, how: impl Fn(&mut State)) -> Tried<State> {
    for _ in 0..TRIES {
        let (mut state, revision) = state_of(broker)?;
        let before = state.clone();
        how(&mut state);
        if state == before || write_state(broker, &state, revision)? {
            return Ok(state);
        }
    }
    Err("others change the state of the campaign all the time; try again".into())
}

fn state_of(broker: &mut dyn Broker) -> Tried<(State, u64)> {
    Ok(read_state(broker)?
        .ok_or("the campaign is not complete: whoever started it was interrupted; start it again")?)
}

fn manifest_of(broker: &mut dyn Broker) -> Tried<Manifest> {
    let paper = broker.read(MANIFEST)?;
    let paper =
        paper.ok_or("the campaign is not complete: whoever started it was interrupted; start it again")?;
    serde_json::from_str(&paper.text).map_err(|error| {
        format!("what the campaign is about cannot be read ({error}); use the Kilter that started it").into()
    })
}

/// A content that must be there.
fn content_of(broker: &mut dyn Broker, hash: &str) -> Tried<Vec<u8>> {
    let content = broker.get(hash)?.ok_or_else(|| format!("the brokers have lost the content {hash}"))?;
    if kilter_campaign::manifest::hash(&content) != hash {
        return Err(format!("the content {hash} was changed on its way; try again").into());
    }
    Ok(content)
}

/// An error of a broker, for people.
fn plain(error: BrokerError) -> Error {
    Error::Input(error.into())
}
