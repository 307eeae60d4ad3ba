//! `test` and `explore` of Kilter with the world `async-raft` linked in.

use std::process::ExitCode;

use kilter::Worlds;
use kilter_async_raft::AsyncRaft;

fn main() -> ExitCode {
    let worlds = Worlds::default()
        .with("async-raft", |system| Ok(Box::new(kilter_held::world::<AsyncRaft>(system.nodes()))))
        .with("async-raft-snapshots", |system| {
            Ok(Box::new(kilter_held::world::<AsyncRaft<2>>(system.nodes())))
        })
        .with_explorable("async-raft", kilter_held::explore::cluster::<AsyncRaft>);
    kilter::program::main(worlds)
}
