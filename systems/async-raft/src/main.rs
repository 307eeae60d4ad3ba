//! `test` and `explore` of Kilter with the world `async-raft` linked in.

use std::process::ExitCode;

use kilter::Worlds;

fn main() -> ExitCode {
    let worlds = Worlds::default()
        .with("async-raft", |system| Ok(Box::new(kilter_async_raft::world(system.nodes()))))
        .with_explorable("async-raft", |system| {
            kilter_held::explore::cluster(system, kilter_async_raft::world)
        });
    kilter::program::main(worlds)
}
