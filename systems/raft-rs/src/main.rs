//! `test` and `explore` of Kilter with the world `raft-rs` linked in.

use std::process::ExitCode;

use kilter::Worlds;

fn main() -> ExitCode {
    let worlds =
        Worlds::default().with("raft-rs", |system| Ok(Box::new(kilter_raft_rs::world(system.nodes()))));
    kilter::program::main(worlds)
}
