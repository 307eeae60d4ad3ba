//! `test` and `explore` of Kilter with the world `openraft` linked in.

use std::process::ExitCode;

use kilter::Worlds;

fn main() -> ExitCode {
    let worlds = Worlds::default()
        .with("openraft", |system| Ok(Box::new(kilter_openraft::world(system.nodes()))))
        .with_explorable("openraft", |system| kilter_held::explore::cluster(system, kilter_openraft::world));
    kilter::program::main(worlds)
}
