//! A small replicated store: three or more processes, a leader for each epoch, a log and a snapshot on disk.
//!
//! - [`disk`] the files of a node
//! - [`node`] the election of a leader, and the protocol between leader and followers
//!
//! It exists to be driven apart by `kilter converge`. With `--bug` it has one of four defects in its resync, or one of two
//! in what it tells clients. Real stores have had each of these kinds:
//!
//! - `forgotten-truncation`: writes that the leader does not have are dropped in memory, but stay in the log
//! - `wrong-file`: truncation removes whole files, but not the end of the file in which the cut lies
//! - `incomplete-log`: the leader sends what is in its log, although older writes are only in its snapshot
//! - `lost-epoch`: a follower says how many writes it has, but not from which leader
//! - `stale-read`: every node answers clients with what it has, without asking who leads
//! - `hasty-no`: a leader that gives up tells clients that their writes are not made, though it has them in its log
//!
//! `toystore NUMBER PORT,PORT,... [--bug NAME]` keeps its files in the current directory.

mod disk;
mod node;

use std::process::ExitCode;

/// A defect that can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The log is not truncated.
    ForgottenTruncation,
    /// Truncation removes the wrong files.
    WrongFile,
    /// The log is taken for complete.
    IncompleteLog,
    /// Writes of different leaders are not told apart.
    LostEpoch,
    /// Clients read what a node has.
    StaleRead,
    /// Writes are refused, and kept.
    HastyNo,
}

fn bug(name: &str) -> Option<Bug> {
    Some(match name {
        "forgotten-truncation" => Bug::ForgottenTruncation,
        "wrong-file" => Bug::WrongFile,
        "incomplete-log" => Bug::IncompleteLog,
        "lost-epoch" => Bug::LostEpoch,
        "stale-read" => Bug::StaleRead,
        "hasty-no" => Bug::HastyNo,
        _ => return None,
    })
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (number, ports, bug) = match words[..] {
        [number, ports] => (number, ports, None),
        [number, ports, "--bug", name] => match bug(name) {
            Some(bug) => (number, ports, Some(bug)),
            None => return ExitCode::from(2),
        },
        _ => return ExitCode::from(2),
    };
    let ports: Option<Vec<u16>> = ports.split(',').map(|port| port.parse().ok()).collect();
    match (number.parse(), ports) {
        (Ok(number), Some(ports)) if number < ports.len() => match node::run(number, ports, bug) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        _ => ExitCode::from(2),
    }
}
