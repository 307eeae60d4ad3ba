//! `test` and `explore` of Kilter with the world `openraft` linked in.

use std::process::ExitCode;

use kilter::Worlds;
use kilter_openraft::OpenRaft;

fn main() -> ExitCode {
    let worlds = Worlds::default()
        .with("openraft", |system| Ok(Box::new(kilter_held::world::<OpenRaft>(system.nodes()))))
        .with("openraft-joining", |system| Ok(Box::new(kilter_held::world::<OpenRaft<1>>(system.nodes()))))
        .with_explorable("openraft", kilter_held::explore::cluster::<OpenRaft>);
    kilter::program::main(worlds)
}
