//! A small replicated store: three or more processes, a leader for each epoch, a log and a snapshot on disk.
//!
//! - [`disk`] what a node has on its disk, and what it makes of it
//! - [`node`] who leads, and what leader and followers say to each other
//!
//! It exists to be driven apart by `kilter converge`. With `--bug` it has one of four defects in the way it resynchronises, each of a
//! kind that real stores have had:
//!
//! - `forgotten-truncation`: what the leader does not have is given up in memory, and stays in the log
//! - `wrong-file`: truncation removes whole files, and leaves the file alone in which the cut lies
//! - `incomplete-log`: the leader sends what is in its log, though older writes are in its snapshot only
//! - `lost-epoch`: a follower says how many writes it has, and not whose
//!
//! `toystore NUMBER PORT,PORT,... [--bug NAME]` keeps its files in the current directory.

mod disk;
mod node;

use std::process::ExitCode;

/// A defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Truncation of the log is forgotten.
    ForgottenTruncation,
    /// Truncation takes the wrong file.
    WrongFile,
    /// The log is taken for complete.
    IncompleteLog,
    /// What tells writes of different leaders apart is lost.
    LostEpoch,
}

fn bug(name: &str) -> Option<Bug> {
    Some(match name {
        "forgotten-truncation" => Bug::ForgottenTruncation,
        "wrong-file" => Bug::WrongFile,
        "incomplete-log" => Bug::IncompleteLog,
        "lost-epoch" => Bug::LostEpoch,
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
