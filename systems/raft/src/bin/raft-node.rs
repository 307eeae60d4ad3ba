//! A node of the replicated key-value store.
//!
//! `raft-node --id n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=… --data DIR`

use std::collections::BTreeMap;
use std::env;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use kilter_raft::bug::Bug;
use kilter_raft::clock::Timing;
use kilter_raft::node::{self, Options};

const USAGE: &str = "usage: raft-node --id NAME --listen ADDRESS --peers NAME=ADDRESS,… --data DIR
  --election-ms N      shortest election timeout (150)
  --heartbeat-ms N     time between two messages of a leader (50)
  --snapshot-after N   committed entries before a snapshot is taken (1000)
  --no-sync            do not wait for the disk: survives a crash of the process, not of the machine
  --seed N             decides election timeouts
  --name-senders       show a testbed messages with their senders
  --bug NAME           one of the bugs; also as RAFT_BUG in the environment";

#[expect(clippy::print_stderr, reason = "the command line talks to people")]
fn main() -> ExitCode {
    let options = match parse(env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("raft-node: {problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match node::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("raft-node {}: {error}", options.id);
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut given = BTreeMap::new();
    let (mut sync, mut names_senders) = (true, false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--no-sync" => sync = false,
            "--name-senders" => names_senders = true,
            "--id" | "--listen" | "--peers" | "--data" | "--election-ms" | "--heartbeat-ms"
            | "--snapshot-after" | "--seed" | "--bug" => {
                let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
                given.insert(arg, value);
            }
            _ => return Err(format!("{arg} is not known")),
        }
    }
    let needed = |name: &str| given.get(name).cloned().ok_or_else(|| format!("{name} is missing"));
    let number = |name: &str, default: u64| match given.get(name) {
        Some(text) => text.parse().map_err(|_| format!("{name} needs a number, not {text}")),
        None => Ok(default),
    };
    let id = needed("--id")?;
    let bug =
        given.get("--bug").cloned().or_else(|| env::var("RAFT_BUG").ok()).filter(|name| !name.is_empty());
    Ok(Options {
        listen: needed("--listen")?,
        addresses: addresses(&needed("--peers")?, &id)?,
        data: PathBuf::from(needed("--data")?),
        sync,
        names_senders,
        seed: number("--seed", chance(&id))?,
        timing: Timing {
            election: Duration::from_millis(number("--election-ms", 150)?),
            heartbeat: Duration::from_millis(number("--heartbeat-ms", 50)?),
            snapshot_after: number("--snapshot-after", 1000)?.max(1),
        },
        bug: bug.map(|name| name.parse::<Bug>().map_err(|error| error.to_string())).transpose()?,
        id,
    })
}

fn addresses(peers: &str, id: &str) -> Result<BTreeMap<String, String>, String> {
    let pair = |peer: &str| match peer.split_once('=') {
        Some((name, address)) => Ok((name.to_owned(), address.to_owned())),
        None => Err(format!("`{peer}` in --peers should be NAME=ADDRESS")),
    };
    let all: BTreeMap<String, String> = peers.split(',').map(pair).collect::<Result<_, _>>()?;
    if all.contains_key(id) { Ok(all) } else { Err(format!("{id} itself is missing in --peers")) }
}

/// A seed that is different for each node and each start.
fn chance(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, SystemTime::now(), std::process::id()).hash(&mut hasher);
    hasher.finish()
}
