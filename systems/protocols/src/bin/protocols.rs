//! `explore` of Kilter with the three protocols linked in: `protocols explore gossip.toml`.

use std::process::ExitCode;

use kilter::Worlds;
use kilter_explore::outcome::Made;
use kilter_protocols::{Shape, broadcast, election, gossip};
use kilter_system::System;

/// How many nodes a system has if nobody says.
const SIZE: usize = 3;

fn main() -> ExitCode {
    let shape = |system: &System| Shape { n_nodes: system.size.unwrap_or(SIZE), bug: system.bug };
    let worlds = Worlds::default()
        .with_explorable("broadcast", move |system| Made::boxed(broadcast::system(shape(system))))
        .with_explorable("election", move |system| Made::boxed(election::system(shape(system))))
        .with_explorable("gossip", move |system| Made::boxed(gossip::system(shape(system))));
    kilter::program::main(worlds)
}
