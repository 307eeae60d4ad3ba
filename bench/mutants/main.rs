//! `test` of Kilter with a Raft in process that makes one of many small mistakes: `MUTANT` in the environment says which.
//!
//! `bench/mutants.py` puts this file, its neighbours and a copy of Raft's own sources, with a switch at each place where a mistake can be
//! made, into a package of their own.
#![allow(warnings)]

mod bug;
mod client;
mod consensus;
mod machine;
mod mapping;
mod mutant;
mod node;

use std::process::ExitCode;

use kilter::Worlds;
use kilter_testbed::InProcess;

pub type NodeId = String;

fn main() -> ExitCode {
    kilter::program::main(Worlds::default().with("raft-mutants", |system| {
        let members: std::collections::BTreeSet<NodeId> = system.nodes().iter().cloned().collect();
        let names: Vec<String> = members.iter().cloned().collect();
        Ok(Box::new(InProcess::new(names.iter().map(String::as_str), move |name| {
            node::Node::new(name.to_string(), members.clone())
        })))
    }))
}
